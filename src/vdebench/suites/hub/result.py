"""What `vde suite get` brought: the suite as it loads, its faults, and how to go on."""

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
    """What became of it."""

    record: DownloadRecord
    suite: str
    samples: int
    faults: Sequence[Fault]
    fetched: int = 0
    """How many files were fetched now."""
    newer: str = ""
    """The hub's newest revision where it is another one."""
    remark: str = ""

    @property
    def errors(self) -> int:
        """How many of the faults are errors."""
        return sum(fault.severity == "error" for fault in self.faults)


def checked(
    record: DownloadRecord, folder: Path, *, fetched: int = 0, newer: str = "", remark: str = ""
) -> DownloadResult:
    """The suite as it loads, with its faults."""
    if not record.suite:
        raise HubError(
            f"{folder}: revision {record.revision} is whole, but its layout is none that we know\n"
            "  write a suite.toml that says where its parts stand: docs/formats.md"
        )
    named = record.suite_in(folder)
    suite = load_suite(named)
    return DownloadResult(record, named, len(suite), list(suite.faults()), fetched, newer, remark)


def lines(got: DownloadResult) -> list[str]:
    """What became of it, for people: faults first, as `vde suite check` shows them."""
    told = []
    for fault in got.faults[:SHOWN]:
        where = " ".join(part for part in (fault.sample, fault.file) if part and part not in fault.what)
        told.append(f"{fault.severity}: {where + ': ' if where else ''}{fault.what}")
    if len(got.faults) > SHOWN:
        told.append(f"… and {len(got.faults) - SHOWN} more: vde suite check {shlex.quote(got.suite)}")
    record = got.record
    told.append(f"{record.name}: {got.samples} samples, {got.errors} errors, {len(got.faults) - got.errors} warnings")
    if got.remark:
        told.append(f"note: {got.remark}")
    if got.newer:
        told.append(f"note: the hub has a newer revision, {got.newer}; --update goes to it")
    if record.revision:
        told.append(f"revision: {record.repo}@{record.revision}: cite it; --revision {record.revision} brings the same")
    told.append(f"go on: vde run {shlex.quote(got.suite)} -e copy --out runs/{record.name}")
    return told


def to_json(got: DownloadResult, folder: Path) -> dict[str, object]:
    """What became of it, for programs."""
    record = got.record
    return {
        "name": record.name,
        "repo": record.repo,
        "revision": record.revision,
        "newer_revision": got.newer or None,
        "licence": record.licence,
        "folder": str(folder),
        "suite": got.suite,
        "files": len(record.files),
        "bytes": sum(file.size for file in record.files),
        "fetched": got.fetched,
        "samples": got.samples,
        "errors": got.errors,
        "warnings": len(got.faults) - got.errors,
        "remark": got.remark or None,
    }
