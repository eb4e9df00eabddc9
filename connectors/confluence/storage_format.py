"""Storage format to Content: Confluence's own elements become HTML's, then it's read.

Elements of `ac:` and `ri:` are turned in their place, outermost first, so that a macro
sees its parameters before anything in them is turned. What remains is HTML, and
`connectors.conversion` reads its headings, lists and tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from lxml import etree
from lxml.etree import _Element

from connectors.confluence.elements import (
    ANY_AC,
    ANY_RI,
    ac,
    drop,
    keep_only,
    parse,
    replace_with_text,
    retag,
    ri,
    shown_tag,
    sweep,
    text_of,
)
from connectors.confluence.macros import (
    Inclusion,
    Macros,
    References,
    account_in,
    file_in,
    parameter,
    put_label,
)
from connectors.conversion.builder import ContentBuilder
from connectors.conversion.converted import Warnings
from connectors.conversion.guards import check_markup
from connectors.conversion.html_walk import HtmlWalker
from memory.documents import Content

#: Emoticons that carry meaning in a table; others are ornament.
_EMOTICONS = {"tick": "✓", "cross": "✗", "warning": "⚠", "question": "?", "plus": "+"}
_EMOTICONS |= {"minus": "−", "information": "ℹ", "blue-star": "★", "yellow-star": "★"}  # noqa: RUF001
_BLOCKS = ("layout", "layout-section", "layout-cell", "rich-text-body", "adf-content")
_INLINE = ("inline-comment-marker", "link-body", "task-body", "caption")
#: Attributes that name what a link without text leads to.
_NAMING = (ri("value"), ri("space-key"), ri("parameter"), ri("key"))
_DROPPED = (
    *("parameter", "placeholder", "adf-fallback", "adf-attribute", "adf-mark"),
    *("task-id", "task-uuid", "task-status", "default-parameter"),
    *("plain-text-body", "plain-text-link-body"),
)
#: Pages that include pages that include pages: as deep as anybody reads.
MAX_INCLUDES = 3
#: Characters of all that a page includes.
MAX_INCLUDED = 2_000_000


def convert(
    markup: str, references: References, warnings: Warnings, *, anchors: str = "dashes"
) -> Content:
    """Return a page's text with its structure.

    `anchors` is how headings are named in links: "dashes" (Cloud), or a page's title
    (Data Center, which puts it before them).
    """
    builder = ContentBuilder()
    check_markup(markup)
    job = _Job(warnings)
    root = _Converter(references, job).tree(markup)
    if root is not None:
        _name_headings(root, anchors)
        HtmlWalker(builder, from_markdown=False, is_framed=False).walk(root)
    for name, count in sorted(job.unhandled.items()):
        for _ in range(count):
            builder.count_unhandled(name)
    return builder.build()


def excerpts_of(markup: str) -> dict[str, str]:
    """Return the markup of a page's excerpts by name, "" for the first without one."""
    found: dict[str, str] = {}
    root = parse(markup, Warnings())
    for macro in root.iter(ac("structured-macro")) if root is not None else ():
        if macro.get(ac("name")) == "excerpt":
            body = macro.find(ac("rich-text-body"))
            text = inner_markup(body) if body is not None else ""
            found.setdefault(parameter(macro, "name"), text)
    return found


def inner_markup(element: _Element) -> str:
    """Return what stands in an element, as markup that can be parsed again."""
    whole = etree.tostring(element, encoding="unicode", with_tail=False)
    return whole[whole.index(">") + 1 : whole.rindex("</")] if "</" in whole else ""


@dataclass(slots=True)
class _Job:
    """What a page and the pages that it includes share."""

    warnings: Warnings
    unhandled: Counter[str] = field(default_factory=Counter)
    #: Characters of other pages that may still come in.
    left: int = MAX_INCLUDED


class _Converter:
    """Turns the own elements of one page's markup; what it includes is another's."""

    def __init__(self, references: References, job: _Job, depth: int = 0) -> None:
        self._references = references
        self._job = job
        self._depth = depth
        self._macros = Macros(references, self._count, self._include)
        self._handlers: dict[str, Callable[[_Element], None]] = {
            ac("structured-macro"): self._macros.convert,
            ac("macro"): self._macros.convert,
            ac("link"): self._link,
            ac("image"): self._image,
            ac("emoticon"): _emoticon,
            ac("task-list"): lambda element: retag(element, "ul"),
            ac("task"): _task,
            ac("adf-node"): _adf_node,
            ac("adf-extension"): self._extension,
            **dict.fromkeys(map(ac, _BLOCKS), lambda element: retag(element, "div")),
            **dict.fromkeys(map(ac, _INLINE), lambda element: retag(element, "span")),
            **dict.fromkeys(map(ac, _DROPPED), drop),
        }

    def tree(self, markup: str) -> _Element | None:
        """Return the markup as HTML's elements alone."""
        root = parse(markup, self._job.warnings)
        if root is None:
            return None
        for element in list(root.iter(ANY_AC)):
            self._turn(element)
        for element in list(root.iter(ANY_RI)):
            drop(element)
        sweep(root)
        for element in root.iter("span"):
            if "line-through" in (element.get("style") or ""):
                retag(element, "s")
        for element in root.iter("time"):
            if not (element.text or "").strip():
                element.text = element.get("datetime")
        return root

    def _turn(self, element: _Element) -> None:
        tag = element.tag
        # Turned already with the macro around it.
        if not isinstance(tag, str) or not tag.startswith("{"):
            return
        handler = self._handlers.get(tag)
        if handler is not None:
            handler(element)
        else:
            self._count(shown_tag(element))
            retag(element, "span")

    def _count(self, name: str) -> None:
        self._job.unhandled[name] += 1

    def _extension(self, extension: _Element) -> None:
        """Show what the new editor wrote, or what it wrote for older ones instead."""
        fallback = extension.find(ac("adf-fallback"))
        if (
            fallback is None
            or next(extension.iter(ac("adf-content")), None) is not None
        ):
            retag(extension, "div")
            return
        node = extension.find(ac("adf-node"))
        self._count(f"node {node.get('type') if node is not None else 'unknown'}")
        keep_only(extension, fallback, "div")

    def _include(self, found: Inclusion, place: _Element) -> None:
        if self._depth >= MAX_INCLUDES:
            self._count("macro include (too deep)")
            return
        if len(found.markup) > self._job.left:
            self._count("macro include (too much)")
            return
        self._job.left -= len(found.markup)
        inner = _Converter(found.references, self._job, self._depth + 1)
        root = inner.tree(found.markup)
        if root is not None:
            root.tail = None
            place.append(root)

    def _link(self, link: _Element) -> None:
        target = next((child for child in link if _is_resource(child)), None)
        body = link.find(ac("link-body"))
        text = link.findtext(ac("plain-text-link-body")) or ""
        anchor = link.get(ac("anchor")) or ""
        name, url = self._target(target, anchor)
        if body is not None:
            keep_only(link, body, "span")
        else:
            replace_with_text(link, text or name)
        retag(link, "a", href=url) if url else retag(link, "span")

    def _target(self, target: _Element | None, anchor: str) -> tuple[str, str]:
        """Return the text of a link without text, and its address."""
        if target is None:
            return anchor, f"#{anchor}" if anchor else ""
        kind = target.tag
        if kind == ri("user"):
            return f"@{self._references.user_name(account_in(target))}", ""
        if kind in (ri("page"), ri("blog-post")):
            title = target.get(ri("content-title")) or ""
            space = target.get(ri("space-key")) or ""
            return title, self._references.page_url(title, space, anchor)
        if kind == ri("attachment"):
            return file_in(target, self._references)
        if kind == ri("content-entity"):
            url = self._references.id_url(target.get(ri("content-id")) or "")
            return url, url
        words = next(filter(None, map(target.get, _NAMING)), "")
        return words, words if kind == ri("url") else ""

    def _image(self, image: _Element) -> None:
        alt = image.get(ac("alt")) or image.get(ac("title")) or ""
        caption = image.find(ac("caption"))
        keep_only(image, caption, "span")
        picture = image.makeelement("img", {"alt": alt})
        image.insert(0, picture)


def _is_resource(element: _Element) -> bool:
    return isinstance(element.tag, str) and element.tag.startswith(ri(""))


def _emoticon(element: _Element) -> None:
    """Show the character itself; at Cloud a name is only what older editors show."""
    name = element.get(ac("name")) or ""
    fallback = element.get(ac("emoji-fallback")) or ""
    known = _EMOTICONS.get(name, "")
    if fallback and (name == "blue-star" or not known):
        known = "" if fallback.startswith(":") else fallback
    replace_with_text(element, known)


def _task(task: _Element) -> None:
    status = (task.findtext(ac("task-status")) or "").strip()
    body = task.find(ac("task-body"))
    keep_only(task, body, "li")
    box = "[x] " if status == "complete" else "[ ] "
    if body is None:
        task.text = box
        return
    retag(body, "span")
    first = body[0] if len(body) else None
    holder = first if first is not None and first.tag == "p" else body
    if (body.text or "").strip():
        holder = body
    holder.text = box + (holder.text or "").lstrip()


def _adf_node(node: _Element) -> None:
    """Take the content of a node of the new editor; its fallback says the same."""
    kind = node.get("type") or ""
    content = node.find(ac("adf-content"))
    attributes = {
        item.get("key") or "": text_of(item)
        for item in node.iterchildren(ac("adf-attribute"))
    }
    if kind == "decision-item":
        keep_only(node, content, "div")
        node.text = "Decision: "
        if content is not None:
            retag(content, "span")
        return
    if content is None:
        retag(node, "div")
        return
    keep_only(node, content, "div")
    panel = attributes.get("panel-type", "")
    if kind == "panel" and panel and panel != "custom":
        put_label(content, panel.capitalize())


def _name_headings(root: _Element, anchors: str) -> None:
    """Give headings the anchors that links to them have."""
    for element in root.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        words = text_of(element).split()
        if not words or element.get("id"):
            continue
        if anchors == "dashes":
            element.set("id", "-".join(words))
        else:
            element.set("id", f"{''.join(anchors.split())}-{''.join(words)}")
