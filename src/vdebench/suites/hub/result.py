"""The result of `vde suite get`: the loaded suite, its faults, and the next command."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vdebench.suites.hub.errors import HubError
from vdebench.suites.hub.record import DownloadRecord
from vdebench.suites.suite import Fault, load_suite

SHOWN = 20


@dataclass(frozen=True, slots=True)
class DownloadResult:
    """The result of a download."""

    record: DownloadRecord
    suite: str
    samples: int
    faults: Sequence[Fault]
    fetched: int = 0
    """Number of files downloaded by this call."""
    newer: str = ""
    """The hub's newest revision if it is different."""
    remark: str = ""

    @property
    def errors(self) -> int:
        """Number of faults that are errors."""
        return sum(fault.severity == "error" for fault in self.faults)


def checked(
    record: DownloadRecord, folder: Path, *, fetched: int = 0, newer: str = "", remark: str = ""
) -> DownloadResult:
    """Load the suite and return it with its faults."""
    if not record.suite:
        raise HubError(
            f"{folder}: revision {record.revision} is complete, but its layout is unknown\n"
            "  write a suite.toml that describes its layout: docs/formats.md"
        )
    location = record.suite_in(folder)
    suite = load_suite(location)
    return DownloadResult(record, location, len(suite), list(suite.faults()), fetched, newer, remark)


def lines(result: DownloadResult) -> list[str]:
    """Return the result as lines of text: faults first, as in `vde suite check`."""
    output = []
    for fault in result.faults[:SHOWN]:
        where = " ".join(part for part in (fault.sample, fault.file) if part and part not in fault.what)
        output.append(f"{fault.severity}: {where + ': ' if where else ''}{fault.what}")
    if len(result.faults) > SHOWN:
        output.append(f"… and {len(result.faults) - SHOWN} more: vde suite check {shlex.quote(result.suite)}")
    record = result.record
    warnings = len(result.faults) - result.errors
    output.append(f"{record.name}: {result.samples} samples, {result.errors} errors, {warnings} warnings")
    if result.remark:
        output.append(f"note: {result.remark}")
    if result.newer:
        output.append(f"note: the hub has a newer revision, {result.newer}; use --update to download it")
    if record.revision:
        output.append(
            f"revision: {record.repo}@{record.revision}: cite it; --revision {record.revision} downloads the same files"
        )
    output.append(f"next: vde run {shlex.quote(result.suite)} -e copy --out runs/{record.name}")
    return output


def to_json(result: DownloadResult, folder: Path) -> dict[str, object]:
    """Return the result as a JSON object."""
    record = result.record
    return {
        "name": record.name,
        "repo": record.repo,
        "revision": record.revision,
        "newer_revision": result.newer or None,
        "licence": record.licence,
        "folder": str(folder),
        "suite": result.suite,
        "files": len(record.files),
        "bytes": sum(file.size for file in record.files),
        "fetched": result.fetched,
        "samples": result.samples,
        "errors": result.errors,
        "warnings": len(result.faults) - result.errors,
        "remark": result.remark or None,
    }
