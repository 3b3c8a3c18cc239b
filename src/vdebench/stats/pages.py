"""Which samples start from the same page: they are not independent, and are drawn together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from vdebench.errors import SuiteError, VdeError
from vdebench.io.files import is_file, is_folder, read_json
from vdebench.stats.stored import StoredRun
from vdebench.suites.pages import pages_of
from vdebench.suites.suite import load_suite


def pages_beside(run: StoredRun) -> dict[str, str] | None:
    """The pages of a run's samples: as its rows name them, else by its suite where that can be had."""
    if "page" in run.rows.columns and not run.rows["page"].has_nulls():
        return dict(run.rows.select("sample", "page").unique().iter_rows())
    noted = run.root.absolute().parent.parent / "run.json"
    try:
        about = read_json(noted) if is_file(noted) else {}
        given = about.get("suite") if isinstance(about, dict) else None
        suite = load_suite(given if isinstance(given, str) else run.summary["suite"])
        if suite.name != run.summary["suite"] or not is_folder(suite.root):  # gone, or to be made first
            return None
        pages = pages_of(suite)
    except VdeError:
        return None
    return pages if set(run.rows["sample"]) <= pages.keys() else None


def pages_for(suite: str | Path, runs: Sequence[StoredRun]) -> dict[str, str]:
    """The pages of the suite that the runs were made with."""
    loaded = load_suite(suite)
    for run in runs:
        if run.summary["suite"] != loaded.name:
            raise SuiteError(f"{run.root}: was made with the suite {run.summary['suite']}, not with {loaded.name}")
    return pages_of(loaded)


def clusters(samples: Sequence[str], pages: Mapping[str, str]) -> list[str]:
    """The page of every sample."""
    lost = next((sample for sample in samples if sample not in pages), None)
    if lost is not None:
        raise SuiteError(f"sample {lost} of the runs is not in the suite: was it changed since? score again")
    return [pages[sample] for sample in samples]
