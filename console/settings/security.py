"""Sign-in and the headers that keep a browser from doing what it should not."""

from __future__ import annotations

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
