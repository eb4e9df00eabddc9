"""Registers the console's pages; Django imports this module by its name."""

from django.contrib import admin

from console import documents, people, questions, runs, sources

admin.site.index_title = "Overview"

__all__ = ["documents", "people", "questions", "runs", "sources"]
