"""Source pages of samples: samples of one page are not independent, and are drawn together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from vdebench.errors import SuiteError, VdeError
from vdebench.io.files import is_file, is_folder, read_json
from vdebench.stats.stored import StoredRun
from vdebench.suites.pages import pages_of
from vdebench.suites.suite import load_suite


def pages_beside(run: StoredRun) -> dict[str, str] | None:
    """Pages of a run's samples, from its rows or its suite; None if neither has them."""
    if "page" in run.rows.columns and not run.rows["page"].has_nulls():
        return dict(run.rows.select("sample", "page").unique().iter_rows())
    run_file = run.root.absolute().parent.parent / "run.json"
    try:
        record = read_json(run_file) if is_file(run_file) else {}
        source = record.get("suite") if isinstance(record, dict) else None
        suite = load_suite(source if isinstance(source, str) else run.summary["suite"])
        if suite.name != run.summary["suite"] or not is_folder(suite.root):  # deleted, or not yet generated
            return None
        pages = pages_of(suite)
    except VdeError:
        return None
    return pages if set(run.rows["sample"]) <= pages.keys() else None


def pages_for(suite: str | Path, runs: Sequence[StoredRun]) -> dict[str, str]:
    """Pages of a suite; raises `SuiteError` if a run was scored with another suite."""
    loaded = load_suite(suite)
    for run in runs:
        if run.summary["suite"] != loaded.name:
            raise SuiteError(f"{run.root}: was scored with the suite {run.summary['suite']}, not with {loaded.name}")
    return pages_of(loaded)


def clusters(samples: Sequence[str], pages: Mapping[str, str]) -> list[str]:
    """The page of every sample."""
    unknown = next((sample for sample in samples if sample not in pages), None)
    if unknown is not None:
        raise SuiteError(f"sample {unknown} of the runs is not in the suite, which has changed; score again")
    return [pages[sample] for sample in samples]
