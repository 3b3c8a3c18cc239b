"""Suites as commands take them."""

from __future__ import annotations

from pathlib import Path

from vdebench.cli.progress import progress_bar
from vdebench.suites.suite import Suite, load_suite

SUITE_HELP = (
    "Folder or URL with a suite.toml, an order (typeset:n=60,seed=1, textedit:DIR), or one that was got: vde-v3."
)

RUNS_HELP = "Run folders, or folders that hold some: `vde score --out` and `vde run --out` make them."


def open_suite(given: Path, *, quiet: bool = False) -> Suite:
    """The suite, made first where it is an order, with a bar to watch."""
    suite = load_suite(given)
    with progress_bar(f"making {given}", quiet=quiet) as progress:
        suite.prepare(progress)
    return suite
