"""Partial answers: the parameter `fields`, which leaves out whatever it doesn't name.

https://developers.google.com/workspace/drive/api/guides/fields-parameter (read 2026-12-01)
"""

from __future__ import annotations

from typing import Any

Mask = dict[str, "Mask | None"]


def parsed(text: str) -> Mask:
    """Read `a,b(c,d),e/f`; None means the whole of a field."""
    mask, rest = _read(text)
    assert not rest, text
    return mask


def _read(text: str) -> tuple[Mask, str]:
    mask: Mask = {}
    name = ""
    while text:
        letter, text = text[0], text[1:]
        if letter == "(":
            mask[name], text = _read(text)
            assert text.startswith(")"), text
            name, text = "", text[1:]
        elif letter == "/":
            inner, text = _read(text)
            mask[name], name = inner, ""
        elif letter in ",)":
            if name:
                mask[name] = None
            name = ""
            if letter == ")":
                return mask, f"){text}"
        elif not letter.isspace():
            name += letter
    if name:
        mask[name] = None
    return mask, text


def masked(value: Any, mask: Mask | None) -> Any:
    """Return the part of a value that a mask names."""
    if mask is None or "*" in mask:
        return value
    if isinstance(value, list):
        return [masked(item, mask) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: masked(value[name], mask[name]) for name in mask if name in value}
