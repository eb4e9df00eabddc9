"""Where a document's links lead: the web, or another document that may be read."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from urllib.parse import unquote, urlsplit

from django.db.models import Q
from django.urls import reverse

from bots.reading import readable_documents
from bots.web.document_text import section_anchor
from connectors.models import Document
from memory.access import Scope
from memory.documents import Content, Link

#: What a link to a folder, or one without the file's ending, may stand for.
_ENDINGS = ("", ".md", ".html", "/_index.md", "/index.md", "/index.html", "/README.md")

MAX_NAMES = 10_000


def address_in(
    document: Document, content: Content, scope: Scope
) -> Callable[[str], str]:
    """Return what turns a link of this document into an address to follow, or "".

    Only http, https and mailto leave it. A relative link leads to the page of a
    document of the same source, if the reader may see that; else it's plain text, the
    same as for one that doesn't exist.
    """
    targets = _targets(document, content.links, scope)
    anchors = {section.anchor for section in content.sections if section.anchor}

    def address(url: str) -> str:
        path, fragment = _relative(url)
        if path is None:
            return _outside(url)
        if not path:
            return f"#{section_anchor(fragment)}" if fragment in anchors else ""
        for name in _names(document.external_id, path):
            if name in targets:
                end = f"#{section_anchor(fragment)}" if fragment else ""
                return targets[name] + end
        return ""

    return address


def _clean(url: str) -> str:
    return "".join(character for character in url if character.isprintable()).strip()


def _outside(url: str) -> str:
    clean = _clean(url)
    try:
        parts = urlsplit(clean)
    except ValueError:
        return ""
    web = parts.scheme in ("http", "https") and bool(parts.netloc)
    return clean if web or parts.scheme == "mailto" else ""


def _relative(url: str) -> tuple[str | None, str]:
    """Return path and fragment of a relative link; no path for any other."""
    try:
        parts = urlsplit(_clean(url))
    except ValueError:
        return None, ""
    if parts.scheme or parts.netloc or "\\" in url:
        return None, ""
    return unquote(parts.path), unquote(parts.fragment)


def _names(external_id: str, path: str) -> list[str]:
    """Return the ids at the source that a relative path may mean."""
    base = "" if path.startswith("/") else posixpath.dirname(external_id)
    name = posixpath.normpath(posixpath.join(base, path.strip("/")))
    if name.startswith(".."):
        return []
    return [name + ending for ending in _ENDINGS]


def _targets(document: Document, links: Iterable[Link], scope: Scope) -> dict[str, str]:
    names = {
        name
        for link in links
        if (path := _relative(link.url)[0])
        for name in _names(document.external_id, path)
    }
    if not names:
        return {}
    # A page of more links than a query takes has its last ones as plain text.
    names = set(sorted(names)[:MAX_NAMES])
    found = readable_documents(
        scope, Q(source_id=document.source_id, external_id__in=names)
    )
    return {
        external_id: reverse("web:document", args=[id_])
        for external_id, id_ in found.values_list("external_id", "id")
    }
