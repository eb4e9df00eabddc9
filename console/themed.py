"""The theme's classes with types: it has none, and Django's are what they extend."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from django import forms
    from django.contrib import admin
    from django.contrib.auth import admin as auth_admin
    from django.contrib.auth.models import User

    F = TypeVar("F", bound=Callable[..., Any])

    class ModelAdmin(admin.ModelAdmin[Any]):
        """unfold.admin.ModelAdmin."""

    class TabularInline(admin.TabularInline[Any, Any]):
        """unfold.admin.TabularInline."""

    class UserAdmin(auth_admin.UserAdmin[User]):
        """Django's."""

    class ModelForm(forms.ModelForm[Any]):
        """Django's."""

    def display(
        *,
        description: str,
        ordering: str | None = None,
        label: Mapping[str, str] | None = None,
    ) -> Callable[[F], F]:
        """unfold.decorators.display."""
        ...
else:
    from django.contrib.auth.admin import UserAdmin
    from django.forms import ModelForm
    from unfold.admin import ModelAdmin, TabularInline
    from unfold.decorators import display

__all__ = ["ModelAdmin", "ModelForm", "TabularInline", "UserAdmin", "display"]
