"""Messages that the commands of `vde build` print after a stage."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import typer


def tell(root: Path, counts: Counter[str], main: str, then: str) -> None:
    """What a stage did, and what is next."""
    known, others = counts.pop("known", 0), Counter(counts)
    done = others.pop(main, 0)
    parts = [
        f"{done} {main}",
        *([f"{known} from before"] if known else []),
        *([listed(others)] if others.total() else []),
    ]
    typer.echo(f"{root}: {', '.join(parts)}\n  next: {then}")


def listed(counts: Counter[str]) -> str:
    """Counts in words, such as `3 refused, 1 failed`."""
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)
