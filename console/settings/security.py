"""Sign-in and the headers that keep a browser from doing what it should not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE

from console.settings.environment import env_url

# Sign-in
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {
        "NAME": "django.contrib.auth.password_validation."
        "UserAttributeSimilarityValidator"
    },
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "sign-in"

# Five wrong passwords for one account from one address: a quarter of an hour's pause.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_TEMPLATE = "registration/locked_out.html"
AXES_SENSITIVE_PARAMETERS: list[str] = ["username", "password", "token"]
AXES_VERBOSE = False

# Cookies and transport
ATTEST_BASE_URL = env_url("ATTEST_BASE_URL", default="http://127.0.0.1:8000")
OVER_HTTPS = urlsplit(ATTEST_BASE_URL).scheme == "https"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = OVER_HTTPS
SESSION_COOKIE_AGE = int(timedelta(days=7).total_seconds())
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = OVER_HTTPS
CSRF_TRUSTED_ORIGINS = [ATTEST_BASE_URL] if OVER_HTTPS else []
SECURE_HSTS_SECONDS = int(timedelta(days=30).total_seconds()) if OVER_HTTPS else 0

# Headers
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
#: What the console's theme needs beside that: Alpine evaluates expressions, and its
#: widgets set widths in style attributes. console.middleware adds it under /console/.
CONSOLE_SECURITY_POLICY: dict[str, list[str]] = {
    "script-src": [SELF, UNSAFE_EVAL],
    "style-src": [SELF, UNSAFE_INLINE],
}
