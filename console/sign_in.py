"""Pages to sign in: by password, and by a one-time link."""

from __future__ import annotations

from django.contrib.auth import login
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from console.accounts import is_valid, use_link

BACKEND = "django.contrib.auth.backends.ModelBackend"


class SignIn(LoginView):
    """Name and password; django-axes counts the wrong ones."""

    template_name = "registration/sign_in.html"
    redirect_authenticated_user = True


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Ask for a press of a button, then spend the link.

    Programs that preview links only GET them, and so don't spend them.
    """
    if request.method != "POST":
        status = 200 if is_valid(token) else 404
        context = {"valid": status == 200}
        return render(request, "registration/sign_in_link.html", context, status=status)
    account = use_link(token)
    if account is None:
        context = {"valid": False}
        return render(request, "registration/sign_in_link.html", context, status=404)
    login(request, account, backend=BACKEND)
    return redirect("/")
