"""Tells where the lock files are out of step with what they were compiled from.

It compares names and pins alone and asks no registry, so that `make lint` works
without a network. `make lock` compiles anew.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
_NAME = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)")
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==(\S+)", re.MULTILINE)


def main() -> int:
    """Print each difference; return 1 if there's one."""
    base, dev, tools = (pins(f"{name}.txt") for name in ("base", "dev", "tools"))
    faults = [
        *missing("base", wanted("base.in"), base),
        *missing("dev", wanted("dev.in"), dev),
        *missing("tools", wanted("tools.in"), tools),
        *(
            f"requirements/dev.txt has {name} {dev.get(name)}, base.txt has {version}"
            for name, version in base.items()
            if dev.get(name) != version
        ),
        *(
            f"requirements/{path.name} has a pin without a hash"
            for path in HERE.glob("*.txt")
            if unhashed(path.read_text(encoding="utf-8"))
        ),
    ]
    for fault in faults:
        sys.stderr.write(f"{fault}; run `make lock`\n")
    return bool(faults)


def wanted(name: str) -> set[str]:
    """Return the names that an .in file asks for."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return {normal(match[1]) for line in lines if (match := _NAME.match(line))}


def pins(name: str) -> dict[str, str]:
    """Return name -> version of a lock file."""
    text = (HERE / name).read_text(encoding="utf-8")
    return {normal(package): version for package, version in _PIN.findall(text)}


def unhashed(text: str) -> bool:
    """Tell whether a pin is not followed by a hash."""
    entries = re.split(r"(?m)^(?=[A-Za-z0-9])", text)
    return any("==" in entry and "--hash=" not in entry for entry in entries)


def missing(file: str, names: set[str], locked: dict[str, str]) -> list[str]:
    """Return a line for each name that the lock file lacks."""
    return [
        f"requirements/{file}.txt lacks {name}"
        for name in sorted(names - locked.keys())
    ]


def normal(name: str) -> str:
    """Return a package's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
