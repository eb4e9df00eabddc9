"""The pages for people who ask; console.urls includes them at the root."""

from __future__ import annotations

from django.urls import path

from bots.web import views
from bots.web.documents import document_page

app_name = "web"

urlpatterns = [
    path("", views.ask, name="ask"),
    path("t/<uuid:thread>", views.thread, name="thread"),
    path("exchanges/<uuid:exchange>/feedback", views.feedback, name="feedback"),
    path("d/<uuid:document>", document_page, name="document"),
]
