"""The answer policy and the calibrations, as rows."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString

from console.read_only import ReadOnlyAdmin, pretty
from console.themed import ModelAdmin, display
from memory.models import AnswerPolicy, Calibration


@admin.register(AnswerPolicy)
class AnswerPolicyAdmin(ModelAdmin):
    """One row: changed here or by `./manage.py policy`."""

    list_display = ("__str__", "max_wrong", "unanswerable_share", "updated_at")
    fields = ("max_wrong", "unanswerable_share")

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Allow the first row only."""
        first = not AnswerPolicy.objects.exists()
        return first and super().has_add_permission(request, *args)

    def save_model(
        self,
        request: HttpRequest,
        obj: AnswerPolicy,
        form: Any,
        change: bool,  # noqa: FBT001 - Django's
    ) -> None:
        """Keep it the one row."""
        obj.pk = 1
        super().save_model(request, obj, form, change)


@admin.register(Calibration)
class CalibrationAdmin(ReadOnlyAdmin):
    """What `./manage.py calibrate` fitted; the newest that fits what runs is used."""

    list_display = (
        "at",
        "fingerprint",
        "questions",
        "auroc",
        "brier",
        "calibration_error",
    )
    fields = (*list_display, "provenance", "model_shown")
    readonly_fields = fields

    @display(description="Coefficients and curve")
    def model_shown(self, calibration: Calibration) -> SafeString:
        """Return what's stored."""
        return pretty(calibration.model)
