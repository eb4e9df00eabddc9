"""Answers from evidence: here the extractive answerer, which needs no model."""

from __future__ import annotations

from memory.answering.extractive import ExtractiveAnswerer

__all__ = ["ExtractiveAnswerer"]
