"""Registers the console's pages; Django imports this module by its name."""

from django.contrib import admin

from console import answerability, documents, people, questions, runs, sources

admin.site.index_title = "Overview"

__all__ = ["answerability", "documents", "people", "questions", "runs", "sources"]
