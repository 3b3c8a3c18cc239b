"""Suites and runs on the command line."""

from __future__ import annotations

from pathlib import Path

from vdebench.cli.progress import progress_bar
from vdebench.suites.suite import Suite, load_suite

SUITE_HELP = (
    "Folder or URL with a suite.toml, a generated suite (typeset:n=60,seed=1), textedit:DIR, or the name of a"
    " downloaded suite: vde-v3."
)
RUNS_HELP = "Run folders, or folders that contain some, of `vde score --out` or `vde run --out`."


def open_suite(location: Path, *, quiet: bool = False) -> Suite:
    """Load a suite; generate it first if needed, with a progress bar."""
    suite = load_suite(location)
    with progress_bar(f"making {location}", quiet=quiet) as progress:
        suite.prepare(progress)
    return suite
