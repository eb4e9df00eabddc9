"""Registers the console's pages; Django imports this module by its name."""

from importlib import import_module

from django.apps import apps
from django.conf import settings
from django.contrib import admin

from console import answerability, documents, people, questions, runs, sources

if settings.ATTEST_REDIS_URL:
    # Beat's one entry is ours, and when a source is due is set at the source.
    import_module("django_celery_beat.admin")
    for model in apps.get_app_config("django_celery_beat").get_models():
        if admin.site.is_registered(model):
            admin.site.unregister(model)

admin.site.index_title = "Overview"

__all__ = ["answerability", "documents", "people", "questions", "runs", "sources"]
