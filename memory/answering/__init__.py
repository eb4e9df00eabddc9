"""Answers from evidence: extractive, which needs no model, and written by one."""

from __future__ import annotations

from memory.answering.extractive import ExtractiveAnswerer
from memory.answering.written import WrittenAnswerer

__all__ = ["ExtractiveAnswerer", "WrittenAnswerer"]
