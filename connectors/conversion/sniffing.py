"""What a file is: by its first bytes where they say, else by its extension."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from pathlib import PurePosixPath

from connectors.conversion.guards import damaged, protected
from connectors.errors import ConversionError

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_OFFICE_PARTS = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}
_HTML = re.compile(
    rb"^\s*(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html[\s>])", re.I | re.S
)
_PDF_AT = 1024

SOURCE_LANGUAGES = {
    ".json": "json", ".jsonl": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml",
    ".ini": "ini", ".cfg": "ini", ".conf": "", ".xml": "xml", ".py": "python",
    ".js": "javascript", ".ts": "typescript", ".tsx": "typescript", ".jsx": "javascript",
    ".java": "java", ".go": "go", ".rs": "rust", ".c": "c", ".h": "c", ".cpp": "cpp",
    ".hpp": "cpp", ".cs": "csharp", ".rb": "ruby", ".php": "php", ".swift": "swift",
    ".kt": "kotlin", ".scala": "scala", ".sh": "bash", ".ps1": "powershell",
    ".sql": "sql", ".css": "css", ".tf": "hcl", ".r": "r", ".lua": "lua", ".proto": "proto",
}  # fmt: skip
_BY_EXTENSION = {
    ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".txt": "text", ".text": "text", ".rst": "text", ".adoc": "text", ".org": "text",
    ".log": "log", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".pdf": "pdf", ".docx": "docx", ".docm": "docx", ".pptx": "pptx", ".pptm": "pptx",
    ".xlsx": "xlsx", ".xlsm": "xlsx", ".eml": "mail",
    **dict.fromkeys(SOURCE_LANGUAGES, "source"),
}  # fmt: skip
#: Extensions, with the dot and in lower case, that `convert` reads.
SUPPORTED = frozenset(_BY_EXTENSION)
_BINARY_KINDS = frozenset(("pdf", "docx", "pptx", "xlsx"))
_MEND = {
    ".doc": "DOCX", ".dot": "DOCX", ".rtf": "DOCX", ".odt": "DOCX", ".pages": "DOCX",
    ".xls": "XLSX", ".xlsb": "XLSX", ".ods": "XLSX", ".numbers": "XLSX",
    ".ppt": "PPTX", ".pps": "PPTX", ".odp": "PPTX", ".key": "PPTX",
    ".msg": "EML", ".epub": "PDF", ".mobi": "PDF", ".ps": "PDF", ".xps": "PDF",
}  # fmt: skip


def extension(name: str) -> str:
    """Return a file name's extension in lower case, with its dot, or ""."""
    return PurePosixPath(name.replace("\\", "/")).suffix.lower()


def kind_of(data: bytes, name: str) -> str:
    """Return the kind of converter that reads these bytes.

    Raises ConversionError: unsupported (with the mend), password_protected, damaged.
    """
    ending = extension(name)
    by_name = _BY_EXTENSION.get(ending, "")
    if b"%PDF-" in data[:_PDF_AT] and by_name in ("", "pdf", "text", *_BINARY_KINDS):
        return "pdf"
    if data.startswith(_OLE):
        raise _ole(data, ending)
    if data.startswith(_ZIP):
        return _zip_kind(data, ending, by_name)
    if ending in _MEND or data.startswith(b"{\\rtf"):
        raise _unsupported(ending or ".rtf")
    if by_name in _BINARY_KINDS:
        raise damaged(by_name.upper())
    if by_name in ("", "text") and _HTML.match(data[:4096]):
        return "html"
    if by_name:
        return by_name
    if ending and not ending[1:].isdigit():
        raise _unsupported(ending)
    return "text"


def _ole(data: bytes, ending: str) -> ConversionError:
    if _ENCRYPTED in data:
        return protected(ending[1:].upper() or "Office")
    return _unsupported(ending if ending in _MEND else "")


def _zip_kind(data: bytes, ending: str, by_name: str) -> str:
    kind = _office_kind(data)
    if kind:
        return kind
    if ending in _MEND:
        raise _unsupported(ending)
    if by_name in _BINARY_KINDS:
        raise damaged(by_name.upper())
    raise ConversionError(
        "unsupported", "Archives aren't read; unpack it into the folder."
    )


def _office_kind(data: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError):
        return ""
    except (IndexError, KeyError, UnicodeError, OverflowError, RuntimeError):
        return ""
    if "[Content_Types].xml" not in names:
        return ""
    found = (
        kind
        for start, kind in _OFFICE_PARTS.items()
        if any(x.startswith(start) for x in names)
    )
    return next(found, "")


def _unsupported(ending: str) -> ConversionError:
    target = _MEND.get(ending)
    if target:
        mend = f"save it as {target}."
    elif not ending:
        return ConversionError(
            "unsupported",
            "This is a file of an old Office version; save it as DOCX, XLSX or PPTX.",
        )
    else:
        mend = "export it as PDF, DOCX, HTML or text if it should be searched."
    return ConversionError("unsupported", f"{ending} files aren't read; {mend}")
