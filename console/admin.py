"""Registers the console's pages; Django imports this module by its name."""

from console import documents, people, questions, runs, sources

__all__ = ["documents", "people", "questions", "runs", "sources"]
