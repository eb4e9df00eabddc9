"""Where everything is: the console under /console/, the rest from bots.web."""

from __future__ import annotations

from importlib.util import find_spec

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("console/", admin.site.urls),
]
if find_spec("bots.web.urls"):
    urlpatterns.append(path("", include("bots.web.urls")))
