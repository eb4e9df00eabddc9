"""What one benchmark found: facts of the machine, a table, one ratio, all figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.evaluation.manifest import code_version, machine
from memory.evaluation.tables import Column, render_table


@dataclass(frozen=True, slots=True)
class Outcome:
    """One benchmark's result. `ratio` is against `baseline`, which says what that is."""

    name: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    ratio: float
    baseline: str
    figures: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self, checkout: Path) -> dict[str, Any]:
        """Return the object that `--json` writes."""
        return {
            "bench": self.name,
            "machine": machine(),
            "code": code_version(checkout),
            "ratio": self.ratio,
            "baseline": self.baseline,
            "figures": dict(self.figures),
        }

    def as_text(self) -> str:
        """Return facts, table and ratio for a terminal."""
        facts = machine()
        about = (
            f"bench {self.name}: {facts['processor']}, {facts['cores']} cores, "
            f"{facts['memory_gb']} GB, Python {facts['python']}"
        )
        table = render_table(self.columns, self.rows)
        ratio = f"Ratio {self.ratio:.3g}: {self.baseline}."
        return "\n".join([about, "", table, "", ratio])


def resident_mb() -> dict[str, float]:
    """Return this process's resident memory, now and at its most, in megabytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    return {
        name: round(int(fields[key].split()[0]) / 1000, 1)
        for name, key in (("now", "VmRSS"), ("most", "VmHWM"))
    }
