"""Django's settings, from `ATTEST_*` variables (docs/operations.md lists them)."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from console.settings.database_url import database
from console.settings.environment import (
    CHECKOUT,
    env_bool,
    env_choice,
    env_float,
    env_list,
    env_path,
    env_secret,
    env_text,
)
from console.settings.home import credential_keys, make_home, secret_key
from console.settings.language_models import *  # noqa: F403
from console.settings.logs import logging_settings
from console.settings.security import *  # noqa: F403
from console.settings.security import ATTEST_BASE_URL
from console.settings.stores import *  # noqa: F403
from console.settings.theme import UNFOLD as UNFOLD
from console.settings.workers import *  # noqa: F403
from console.settings.workers import ATTEST_REDIS_URL

BASE_DIR = CHECKOUT

# What the product reads beside Django
ATTEST_HOME = make_home(env_path("ATTEST_HOME", default=Path("var")))
ATTEST_CACHE = env_path("ATTEST_CACHE", default=ATTEST_HOME / "cache")
ATTEST_EMBEDDING_PRECISION = env_choice(
    "ATTEST_EMBEDDING_PRECISION", default="auto", accepted=("auto", "fp32", "bf16")
)
#: None: the policy's own threshold.
ATTEST_ANSWER_THRESHOLD = env_float(
    "ATTEST_ANSWER_THRESHOLD", default=None, low=0.0, high=1.0
)
ATTEST_EXTRACTOR = env_choice(
    "ATTEST_EXTRACTOR", default="local", accepted=("local", "mini", "full")
)
#: off, local, or a cross-encoder's name or folder.
ATTEST_RERANKER = env_text("ATTEST_RERANKER", default="off")
#: Names the sources that no model elsewhere may read (memory.runtime).
SOURCES_THAT_STAY = "connectors.staying.sources_that_stay"
ATTEST_STAGES_OFF = frozenset(env_list("ATTEST_STAGES_OFF"))
ATTEST_STAGES_ON = frozenset(env_list("ATTEST_STAGES_ON"))
ATTEST_LOG_LEVEL = env_choice(
    "ATTEST_LOG_LEVEL",
    default="warning",
    accepted=("debug", "info", "warning", "error"),
)
ATTEST_LOG_FORMAT = env_choice(
    "ATTEST_LOG_FORMAT", default="console", accepted=("console", "json")
)

LOGGING = logging_settings(level=ATTEST_LOG_LEVEL, layout=ATTEST_LOG_FORMAT)

# Django
DEBUG = env_bool("ATTEST_DEBUG", default=False)
SECRET_KEY = env_secret("ATTEST_SECRET_KEY") or secret_key(ATTEST_HOME)
ATTEST_CREDENTIAL_KEYS = credential_keys(
    env_secret("ATTEST_CREDENTIAL_KEYS"), ATTEST_HOME
)
ALLOWED_HOSTS = [
    *("127.0.0.1", "localhost", "[::1]"),
    *env_list("ATTEST_ALLOWED_HOSTS"),
    urlsplit(ATTEST_BASE_URL).hostname or "localhost",
]
DATABASES = {"default": database(env_secret("ATTEST_DATABASE_URL"), home=ATTEST_HOME)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ROOT_URLCONF = "console.urls"
ASGI_APPLICATION = "console.asgi.application"
INSTALLED_APPS = [
    "memory",
    "connectors",
    "bots",
    "console",
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "axes",
    "csp",
    # Only where there are workers: it loads Celery into every process.
    *(["django_celery_beat"] if ATTEST_REDIS_URL else []),
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "console.middleware.ConsoleSecurityPolicy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

LANGUAGE_CODE = "en-gb"
FORMAT_MODULE_PATH = ["console.formats"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [
    folder for folder in (BASE_DIR / "templates" / "static",) if folder.is_dir()
]
# Static files are served from where the packages keep them: no collectstatic step.
WHITENOISE_USE_FINDERS = True
