"""What a browser may send."""

from __future__ import annotations

import hashlib
import uuid
from typing import Any

from django import forms

from bots.models import Feedback


class QuestionField(forms.CharField):
    """Text as it was typed, without NULs, which Django would refuse as a field."""

    def to_python(self, value: Any) -> str:
        """Return the text without them."""
        return str(super().to_python(value) or "").replace("\0", "")


class AskForm(forms.Form):
    """A question. Its text is judged in bots.asking, as on every platform."""

    question = QuestionField(required=False, strip=False)
    #: Made when the form is drawn, so that sending it twice asks once.
    key = forms.UUIDField(required=False)
    thread = forms.UUIDField(required=False)

    def request_key(self) -> str:
        """Return the submission's name.

        The text is part of it: after "back" a browser shows the old form, and an
        edited question is another one.
        """
        key = self.cleaned_data["key"]
        if key is None:
            return ""
        named = f"{key} {self.cleaned_data['thread']} {self.cleaned_data['question']}"
        return hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()

    def thread_id(self) -> uuid.UUID | None:
        """Return the thread that is followed up."""
        found: uuid.UUID | None = self.cleaned_data["thread"]
        return found


class FeedbackForm(forms.Form):
    """A thumb, changed or taken back, with an optional reason and comment."""

    value = forms.ChoiceField(choices=[*Feedback.Value.choices, ("none", "None")])
    reason = forms.ChoiceField(choices=Feedback.Reason.choices, required=False)
    comment = forms.CharField(
        required=False,
        max_length=2000,
        error_messages={
            "max_length": "A comment may have at most 2,000 characters; this one has "
            "%(show_value)s."
        },
    )
