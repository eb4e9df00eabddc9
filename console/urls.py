"""Where everything is: the console under /console/, the rest from bots.web."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.templatetags.static import static
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
    path("favicon.ico", RedirectView.as_view(url=static("attest/icon.svg"))),
    path("console/", admin.site.urls),
    path("", include("bots.web.urls")),
]
