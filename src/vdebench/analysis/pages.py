"""Which samples start from the same page: they are not independent, and are drawn together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from vdebench.analysis.stored import StoredRun
from vdebench.errors import SuiteError, VdeError
from vdebench.files import is_file, read_json
from vdebench.runs.cache import digest_of_file
from vdebench.suites.suite import Suite, load_suite


def pages_of(suite: Suite) -> dict[str, str]:
    """For every sample the page it starts from: the content of its source image, else that image's name."""
    files: dict[str, Path] = {}
    pages = {}
    for sample in suite.samples:
        pages[sample.key] = f"{sample.group}/{sample.source_image or sample.id}"
        try:
            file = suite.image_files(sample).source
        except VdeError:  # which file is the sample's is not certain: its name tells
            continue
        if file is not None:
            files[sample.key] = file
    sizes = {file: file.stat().st_size for file in set(files.values())}
    common = {size for size, count in Counter(sizes.values()).items() if count > 1}
    for key, file in files.items():  # files of different sizes need not be read to be told apart
        pages[key] = digest_of_file(file) if sizes[file] in common else str(file)
    return pages


def pages_beside(run: StoredRun) -> dict[str, str] | None:
    """The pages of a run's samples, where its suite is at hand: as `vde run` noted it, or as it can be ordered."""
    noted = run.root.absolute().parent.parent / "run.json"
    try:
        about = read_json(noted) if is_file(noted) else {}
        given = about.get("suite") if isinstance(about, dict) else None
        suite = load_suite(given if isinstance(given, str) else run.summary["suite"])
        if suite.name != run.summary["suite"] or not suite.root.is_dir():  # gone, or to be made first
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
