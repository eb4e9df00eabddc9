"""What each HTML element is to a reader: structure, inline text, chrome, a script."""

from __future__ import annotations

import re

from lxml.etree import _Element


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


HEADINGS = {f"h{level}": level for level in range(1, 7)}

#: Elements that start and end a paragraph.
BLOCKS = _names("""address article aside blockquote body caption center dd details dialog dir div
    dl dt fieldset figcaption figure footer form header hgroup hr html legend li main
    menu nav ol p search section summary table tbody td tfoot th thead tr ul""")
INLINE = _names("""a abbr acronym area b base basefont bdi bdo big br cite code col colgroup data
    del dfn em font i img input ins kbd label link mark meta meter nobr output param
    picture progress q rb rp rt rtc ruby s samp small slot source span strike strong
    sub sup time track tt u var wbr""")
#: Never text of the page.
SCRIPTS = _names("script style noscript template head title datalist")
CONTROLS = _names("button select option optgroup textarea")
CHROME = _names("nav aside")
BANNERS = _names("header footer")
_CHROME_ROLES = _names(
    "navigation banner contentinfo search complementary menu menubar toolbar"
)
#: Elements that may hold what a reader sees and we don't render.
KNOWN = BLOCKS | INLINE | SCRIPTS | CONTROLS | HEADINGS.keys() | {"pre"}

_COOKIES = re.compile(r"(cookie|consent|gdpr)", re.IGNORECASE)
_BANNER_WORDS = re.compile(
    r"(banner|bar|notice|popup|modal|overlay|dialog|consent|message)", re.IGNORECASE
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"^\S+\.(png|jpe?g|gif|svg|webp|bmp|tiff?|heic)$", re.IGNORECASE
)
_NO_MEANING = re.compile(
    r"^(image|img|screenshot|screen shot|photo|picture|logo|icon|alt text|untitled|"
    r"drawing|graphic|[\d\s._:-]*|(image|img|screenshot)[\s_-]*[\d\s_.:-]+|[0-9a-f-]{16,})$",
    re.IGNORECASE,
)


def tag_of(element: _Element) -> str:
    """Return the lower-case name; "" for what is no element."""
    return element.tag.lower() if isinstance(element.tag, str) else ""


def is_hidden(element: _Element) -> bool:
    """Return whether a browser wouldn't show the element by its own attributes."""
    if not element.attrib:
        return False
    style = element.get("style")
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or (style is not None and _HIDDEN_STYLE.search(style) is not None)
    )


def is_chrome(element: _Element, tag: str) -> bool:
    """Return whether the element is a site's frame: navigation, banner, cookie notice."""
    if tag in CHROME:
        return True
    if tag in BANNERS:
        return next(element.iterancestors("main", "article"), None) is None
    if not element.attrib or tag in ("html", "body", "main", "article"):
        return False
    if element.get("role") in _CHROME_ROLES:
        return True
    names = f"{element.get('id') or ''} {element.get('class') or ''}"
    return bool(_COOKIES.search(names) and _BANNER_WORDS.search(names))


def image_text(alt: str | None) -> str:
    """Return what stands for an image, or "" where its alt text says nothing."""
    alt = " ".join((alt or "").split())
    if len(alt) < 3 or _FILE_NAME.match(alt) or _NO_MEANING.match(alt):
        return ""
    return f"[image: {alt}]"
