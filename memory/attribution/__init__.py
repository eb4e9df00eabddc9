"""Which evidence supports each sentence of an answer (A11), without or with a model."""

from __future__ import annotations

from memory.attribution.local import LocalAttributor, Thresholds
from memory.attribution.model import ModelAttributor, PaperAttributor

__all__ = ["LocalAttributor", "ModelAttributor", "PaperAttributor", "Thresholds"]
