"""Messages that the commands of `vde build` print after a stage."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import typer


def echo_counts(root: Path, counts: Counter[str], main: str, next_command: str) -> None:
    """Print the counts of a stage and the command to run next."""
    known, others = counts.pop("known", 0), Counter(counts)
    parts = [
        f"{others.pop(main, 0)} {main}",
        *([f"{known} from earlier runs"] if known else []),
        *([format_counts(others)] if others.total() else []),
    ]
    typer.echo(f"{root}: {', '.join(parts)}\n  next: {next_command}")


def format_counts(counts: Counter[str]) -> str:
    """Counts as text, such as `3 refused, 1 failed`."""
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)
