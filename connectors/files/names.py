"""Names of files: an id that SQL and JSON can hold, and which names are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

#: Never read, whatever the options say: version control, caches, editors, systems.
IGNORED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".bzr", "CVS", ".idea", ".vscode", ".obsidian"}
    | {"__pycache__", "node_modules", ".venv", ".tox", ".ipynb_checkpoints"}
    | {"__MACOSX", "$RECYCLE.BIN", "System Volume Information", "lost+found"}
    | {".Trash", ".Trashes", ".Spotlight-V100", ".fseventsd", ".snapshot"}
)
IGNORED_FILES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini", ".directory"})
#: Office's and editors' files beside an open document.
_LEFT_OPEN = re.compile(r"~\$.*|\.~lock\..*#|.*~|\.?#.*#|\.#.*|.*\.sw[op]", re.DOTALL)


def external_id(parts: Sequence[str]) -> str:
    r"""Return a path in a folder as text: names between slashes.

    A byte that isn't UTF-8 (a lone surrogate in Python) is written as \xNN, and a
    backslash as \\, so that two names never get one id.
    """
    return "/".join(_printable(part) for part in parts)


def _printable(name: str) -> str:
    raw = name.replace("\\", "\\\\")
    return re.sub(
        "[\udc80-\udcff]", lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", raw
    )


def is_ignored(name: str, *, follow_hidden: bool) -> bool:
    """Tell whether a name is passed over without a word."""
    if name in IGNORED_FOLDERS or name in IGNORED_FILES or _LEFT_OPEN.fullmatch(name):
        return True
    return name.startswith(".") and not follow_hidden


@dataclass(frozen=True, slots=True)
class Selection:
    """Which paths in a folder belong to the source, by `include` and `exclude`.

    A pattern without a slash matches a name at any depth, one with a slash the path
    from the folder on. `*` and `?` stay within a name, `**` crosses slashes. What
    matches `exclude` is out, with everything under it; without `include` all is in.
    """

    include: Sequence[re.Pattern[str]] = field(default=())
    exclude: Sequence[re.Pattern[str]] = field(default=())
    follow_hidden: bool = False

    @classmethod
    def of(
        cls, include: Iterable[str], exclude: Iterable[str], *, follow_hidden: bool
    ) -> Selection:
        """Compile the patterns."""
        return cls(
            tuple(glob(item) for item in include),
            tuple(glob(item) for item in exclude),
            follow_hidden,
        )

    def enters(self, parts: Sequence[str]) -> bool:
        """Tell whether a folder is looked into."""
        return self._is_open(parts)

    def takes(self, parts: Sequence[str]) -> bool:
        """Tell whether a file belongs to the source."""
        if not self._is_open(parts):
            return False
        path = "/".join(parts)
        return not self.include or any(item.fullmatch(path) for item in self.include)

    def _is_open(self, parts: Sequence[str]) -> bool:
        if is_ignored(parts[-1], follow_hidden=self.follow_hidden):
            return False
        path = "/".join(parts)
        return not any(item.fullmatch(path) for item in self.exclude)


def glob(pattern: str) -> re.Pattern[str]:
    """Return the expression that a whole path matches."""
    bare = pattern.removeprefix("./").strip("/")
    anywhere = "" if "/" in bare or pattern.startswith("/") else "(?:.*/)?"
    tokens = re.findall(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", bare, re.DOTALL)
    return re.compile(anywhere + "".join(map(_translated, tokens)), re.DOTALL)


def _translated(token: str) -> str:
    fixed = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if token in fixed:
        return fixed[token]
    if len(token) > 2 and token.startswith("["):
        return _character_class(token)
    return re.escape(token)


def _character_class(token: str) -> str:
    inner = token[1:-1].replace("\\", "\\\\").replace("[", "\\[")
    inner = f"^{inner[1:]}" if inner.startswith("!") else inner
    try:
        re.compile(f"[{inner}]")
    except re.error:
        return re.escape(token)  # such as [z-a]
    return f"(?!/)[{inner}]"
