"""A source's form, made from the options that its connector declares."""

from __future__ import annotations

from typing import Any

from django import forms
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminPasswordWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from connectors.base import Option
from connectors.errors import ConnectorError, OptionError
from connectors.models import Source
from connectors.options import complete, parse
from connectors.registry import connector_for, options_of
from console.themed import ModelForm

PREFIX = "option_"
LIST_HELP = "One a line."
#: Where secrets are sent to, in the kinds that have one.
ADDRESS = "base_url"
SECRET_HELP = "Kept as it is when left empty."  # noqa: S105 - a hint, no secret


class SourceForm(ModelForm):
    """Name and rhythm; `form_for` adds the fields of a kind's options."""

    kind_name = ""

    class Meta:
        model = Source
        fields = ("name", "sync_every_minutes", "local_models_only")
        labels = {
            "sync_every_minutes": "Sync every, in minutes",
            "local_models_only": "Local models only",
        }
        help_texts = {
            "local_models_only": "Only models on this machine may read its documents."
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Show the options as they are now."""
        super().__init__(*args, **kwargs)
        for option in options_of(self.kind_name):
            value = self.instance.options.get(option.name, option.default)
            if option.type == "secret":
                continue
            shown = "\n".join(value or ()) if option.type == "list" else value
            self.initial.setdefault(PREFIX + option.name, shown)

    def clean_name(self) -> str:
        """Refuse a name that differs from another source's by its capitals alone."""
        name: str = self.cleaned_data["name"].strip()
        twins = Source.objects.filter(name__iexact=name).exclude(pk=self.instance.pk)
        if twins.exists():
            raise forms.ValidationError("Another source has this name already.")
        return name

    def clean(self) -> dict[str, Any]:
        """Read the options, then try the source with them; each failure is an error."""
        values = super().clean() or self.cleaned_data
        if values.get("sync_every_minutes") == 0:
            self.add_error("sync_every_minutes", "It's at least 1 minute.")
        options = self._options(values)
        if not self.errors:
            self._try(options, str(values.get("name", "")))
        self.instance.kind = self.kind_name
        self.instance.options = options
        return values

    def _options(self, values: dict[str, Any]) -> dict[str, Any]:
        declared = options_of(self.kind_name)
        found = {}
        for option in declared:
            try:
                found[option.name] = self._value(option, values)
            except OptionError as error:
                self.add_error(PREFIX + option.name, str(error))
        try:
            return complete(found, declared)
        except OptionError as error:
            if not self.errors:
                self.add_error(None, str(error))
            return found

    def _value(self, option: Option, values: dict[str, Any]) -> Any:
        value = values.get(PREFIX + option.name)
        if option.type == "switch":
            return bool(value)
        if option.type == "list":
            return [line.strip() for line in (value or "").splitlines() if line.strip()]
        if value in (None, ""):
            kept = option.type == "secret" and self.instance.options.get(option.name)
            if kept and self._goes_elsewhere(values):
                raise OptionError("The address is another: enter the secret again.")
            return kept or option.default
        return parse(option, str(value).strip())

    def _goes_elsewhere(self, values: dict[str, Any]) -> bool:
        """Tell whether a kept secret would be sent to another address than before."""
        before = str(self.instance.options.get(ADDRESS) or "").strip()
        return before != str(values.get(PREFIX + ADDRESS) or "").strip()

    def _try(self, options: dict[str, Any], name: str) -> None:
        source = Source(
            id=self.instance.id, kind=self.kind_name, name=name, options=options
        )
        try:
            checks = connector_for(source).check()
        except (OptionError, ConnectorError) as error:
            self.add_error(None, str(error))
            return
        for check in checks:
            if not check.ok:
                self.add_error(
                    None, f"The check “{check.capability}” failed: {check.message}"
                )


def form_for(kind: str) -> type[SourceForm]:
    """Return the form of a kind of source."""
    fields: dict[str, Any] = {
        PREFIX + option.name: field_for(option) for option in options_of(kind)
    }
    return type("KindForm", (SourceForm,), {**fields, "kind_name": kind})


def field_for(option: Option) -> forms.Field:
    """Return the form field of an option."""
    shared: dict[str, Any] = {
        "label": option.label,
        "help_text": option.help,
        "required": option.required,
    }
    match option.type:
        case "switch":
            widget = UnfoldBooleanSwitchWidget()
            return forms.BooleanField(**{**shared, "required": False}, widget=widget)
        case "number":
            return forms.FloatField(**shared, widget=UnfoldAdminIntegerFieldWidget())
        case "list":
            shared["help_text"] = f"{option.help} {LIST_HELP}".strip()
            widget = UnfoldAdminTextareaWidget(attrs={"rows": 3})
            return forms.CharField(**shared, widget=widget)
        case "secret":
            shared["help_text"] = f"{option.help} {SECRET_HELP}".strip()
            widget = UnfoldAdminPasswordWidget()
            return forms.CharField(**{**shared, "required": False}, widget=widget)
        case _:
            return forms.CharField(**shared, widget=UnfoldAdminTextInputWidget())
