"""Where everything is: the console under /console/, the rest from bots.web."""

from __future__ import annotations

from importlib.util import find_spec

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from console.sign_in import SignIn, sign_in_by_link

urlpatterns: list[URLPattern | URLResolver] = [
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-in/<str:token>/", sign_in_by_link, name="sign-in-link"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    # One page to sign in on, so that one place counts wrong passwords.
    path(
        "console/login/",
        RedirectView.as_view(pattern_name="sign-in", query_string=True),
    ),
    path("console/", admin.site.urls),
]
if find_spec("bots.web.urls"):
    urlpatterns.append(path("", include("bots.web.urls")))
