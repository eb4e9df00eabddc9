"""Confluence's macros to plain elements that any HTML reader knows.

What a macro shows of its own text is kept. What it would fetch when the page is shown
(lists of pages, reports, charts) isn't in the page: it's counted by the macro's name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from lxml import etree
from lxml.etree import _Element

from connectors.confluence.elements import (
    ac,
    drop,
    keep_only,
    paragraph,
    replace_with_text,
    retag,
    ri,
    text_of,
)

#: Panels, with the word that stands before their text.
PANELS = {
    "info": "Info",
    "note": "Note",
    "warning": "Warning",
    "tip": "Tip",
    "success": "Success",
    "error": "Error",
    "panel": "",
}
#: A page's furniture: it repeats what stands elsewhere, and nobody misses it.
FURNITURE = frozenset(
    ("toc", "anchor", "pagetree", "pagetreesearch", "livesearch", "recently-updated")
)
#: Macros that only hold their body.
CONTAINERS = frozenset(
    (
        "section",
        "column",
        "details",
        "toc-zone",
        "excerpt",
        "multiexcerpt",
        "div",
        "span",
    )
)
FILES = frozenset(("view-file", "viewpdf", "viewdoc", "viewxls", "viewppt"))


class References(Protocol):
    """What stands outside of a page's markup."""

    def user_name(self, account: str) -> str:
        """Return a person's name, or the account's id where it's unknown."""
        ...

    def page_url(self, title: str, space_key: str, anchor: str) -> str:
        """Return the address of a page; an empty space is the page's own."""
        ...

    def file_url(self, name: str) -> str:
        """Return the address of a file that is attached to the page."""
        ...

    def id_url(self, content_id: str) -> str:
        """Return the address of a page by its id."""
        ...

    def issue_url(self, key: str) -> str:
        """Return the address of a Jira issue, or ""."""
        ...

    def included(
        self, title: str, space_key: str, *, excerpt: str | None
    ) -> Inclusion | None:
        """Return the text of a page or of its excerpt; None if it may not be shown.

        `excerpt` is the excerpt's name ("" for the unnamed one), None for the page.
        """
        ...


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Another page's markup, and what stands outside of it as that page sees it."""

    markup: str
    references: References


Count = Callable[[str], None]
Include = Callable[[Inclusion, _Element], None]


class Macros:
    """Turns structured macros into elements, in place.

    `include` fills an element with the markup of another page.
    """

    def __init__(self, references: References, count: Count, include: Include) -> None:
        """Ask `references` for what isn't in the markup."""
        self._references = references
        self._count = count
        self._include = include
        self._handlers: dict[str, Callable[[_Element], None]] = {
            "code": self._code,
            "noformat": self._code,
            "expand": self._expand,
            "status": self._status,
            "jira": self._jira,
            "jiraissues": self._jira,
            "include": self._included,
            "excerpt-include": self._included,
            "profile": self._profile,
            **dict.fromkeys(PANELS, self._panel),
            **dict.fromkeys(FURNITURE, drop),
            **dict.fromkeys(CONTAINERS, self._container),
            **dict.fromkeys(FILES, self._file),
        }

    def convert(self, macro: _Element) -> None:
        """Convert one macro; one that's unknown is counted and keeps its body."""
        name = (macro.get(ac("name")) or "").lower()
        handler = self._handlers.get(name)
        if handler is None:
            self._unknown(macro, name)
        else:
            handler(macro)

    def _unknown(self, macro: _Element, name: str) -> None:
        self._count(f"macro {name or 'without a name'}")
        url = next(macro.iterfind(f"{ac('parameter')}//{ri('url')}"), None)
        if macro.find(ac("plain-text-body")) is not None:
            self._code(macro)
        elif url is not None and macro.find(ac("rich-text-body")) is None:
            address = url.get(ri("value")) or ""
            replace_with_text(macro, address)
            retag(macro, "a", href=address)
        else:
            self._container(macro)

    def _container(self, macro: _Element) -> None:
        if parameter(macro, "hidden") == "true":
            drop(macro)
        else:
            keep_only(macro, macro.find(ac("rich-text-body")), "div")

    def _code(self, macro: _Element) -> None:
        body = macro.findtext(ac("plain-text-body")) or ""
        language, title = parameter(macro, "language"), parameter(macro, "title")
        keep_only(macro, None, "div")
        if title:
            macro.append(paragraph(title))
        block = etree.SubElement(macro, "pre")
        if language and language != "none":
            block.set("class", f"language-{language}")
        block.text = body

    def _panel(self, macro: _Element) -> None:
        word = PANELS[(macro.get(ac("name")) or "").lower()]
        title = parameter(macro, "title")
        label = ": ".join(filter(None, (word, title)))
        self._labelled(macro, label)

    def _labelled(self, macro: _Element, label: str) -> None:
        body = macro.find(ac("rich-text-body"))
        keep_only(macro, body, "div")
        if body is not None and label:
            put_label(body, label)

    def _expand(self, macro: _Element) -> None:
        title = parameter(macro, "title")
        keep_only(macro, macro.find(ac("rich-text-body")), "div")
        if title:
            macro.insert(0, paragraph(title))

    def _status(self, macro: _Element) -> None:
        replace_with_text(
            macro, parameter(macro, "title") or parameter(macro, "colour")
        )

    def _jira(self, macro: _Element) -> None:
        key = parameter(macro, "key") or parameter(macro, "issueKey")
        if not key:
            self._count("macro jira (query)")
            drop(macro)
            return
        replace_with_text(macro, key)
        if url := self._references.issue_url(key):
            retag(macro, "a", href=url)

    def _file(self, macro: _Element) -> None:
        file = next(macro.iter(ri("attachment")), None)
        if file is None:
            replace_with_text(macro, parameter(macro, "name"))
            return
        name, url = file_in(file, self._references)
        replace_with_text(macro, name)
        retag(macro, "a", href=url)

    def _profile(self, macro: _Element) -> None:
        user = next(macro.iter(ri("user")), None)
        name = account_in(user) if user is not None else ""
        replace_with_text(macro, f"@{self._references.user_name(name)}" if name else "")

    def _included(self, macro: _Element) -> None:
        page = next(macro.iter(ri("page"), ri("blog-post")), None)
        macro_name = (macro.get(ac("name")) or "").lower()
        excerpt = parameter(macro, "name") if macro_name == "excerpt-include" else None
        title = page.get(ri("content-title")) or "" if page is not None else ""
        space = page.get(ri("space-key")) or "" if page is not None else ""
        found = None
        if title:
            found = self._references.included(title, space, excerpt=excerpt)
        keep_only(macro, None, "div")
        if found is None:
            self._count(f"macro {macro_name} (left out)")
        else:
            self._include(found, macro)


def account_in(user: _Element) -> str:
    """Return the account that an element names; old pages have names to sign in with."""
    names = (ri("account-id"), ri("userkey"), ri("username"))
    return next(filter(None, map(user.get, names)), "")


def file_in(file: _Element, references: References) -> tuple[str, str]:
    """Return a file's name and its address; that of its page if it's on another."""
    name = file.get(ri("filename")) or ""
    page = file.find(ri("page"))
    if page is None:
        return name, references.file_url(name)
    title, space = page.get(ri("content-title")), page.get(ri("space-key"))
    return name, references.page_url(title or "", space or "", "")


def put_label(body: _Element, label: str) -> None:
    """Write a word before the first paragraph of a body."""
    first = body[0] if len(body) else None
    if (body.text or "").strip():
        body.text = f"{label}: {body.text}"
    elif first is not None and first.tag == "p":
        first.text = f"{label}: {first.text or ''}"
    else:
        body.insert(0, paragraph(f"{label}:"))


def parameter(macro: _Element, name: str) -> str:
    """Return a macro's parameter as text, or ""."""
    for child in macro.iterchildren(ac("parameter")):
        if child.get(ac("name")) == name:
            return text_of(child)
    return ""
