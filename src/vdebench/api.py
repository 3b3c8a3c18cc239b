"""The Python interface: `load_suite`, `score`, and what it gives."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import polars as pl

from vdebench.analysis.summary import summarise
from vdebench.errors import VdeError
from vdebench.files import write_json
from vdebench.protocols import get_protocol
from vdebench.protocols.protocol import Protocol
from vdebench.protocols.signature import signature
from vdebench.readers.folder import FolderReadings
from vdebench.runs.folder import TABLES, RunFolder
from vdebench.scoring import Progress, plan, score_run
from vdebench.scoring_sample import SETTINGS, Scope
from vdebench.suites.suite import Suite, load_suite

SettingChoice = Literal["global", "local", "both"]


class Score:
    """The scores of one editor by one protocol: the summary, and the rows it is made from."""

    def __init__(self, summary: dict[str, Any], tables: Mapping[str, pl.LazyFrame]) -> None:
        self.summary = summary
        self._tables = tables

    @property
    def signature(self) -> str:
        """The string that pins every choice behind the numbers."""
        return str(self.summary["signature"])

    @property
    def scores(self) -> pl.DataFrame:
        """A row for every sample and setting: state, counts, and the sums that every mean is made from."""
        return self._tables["scores"].collect()

    @property
    def blocks(self) -> pl.DataFrame:
        """A row for every ground-truth block and every invented one."""
        return self._tables["blocks"].collect()

    @property
    def regions(self) -> pl.DataFrame:
        """A row for every region, where the protocol says something of regions."""
        return self._tables["regions"].collect()

    @property
    def failures(self) -> list[tuple[str, str]]:
        """Samples without a score, each with its reason."""
        failed = self._tables["scores"].filter(pl.col("state") == "failed").select("sample", "reason")
        return failed.unique(maintain_order=True).collect().rows()


def score(
    suite: Suite | str | Path,
    readings: str | Path | FolderReadings,
    *,
    protocol: str | Protocol = "exact",
    setting: SettingChoice = "both",
    out: str | Path | None = None,
    editor: str = "",
    reader: str = "unstated",
    images: str | Path | None = None,
    crossed: Sequence[str] = (),
    progress: Progress | None = None,
) -> Score:
    """Score an editor's outputs, given as a folder of readings, against a suite.

    With `out` the run is kept there, and a second call does only what is new. `images` is the folder of the predicted
    images, for sizes that readings do not state. `crossed` adds breakdowns such as "operation,language".

    >>> result = score("examples/tiny", "examples/tiny/editors/careful")
    >>> round(result.summary["overall"]["global"]["cdm"], 3)
    0.999
    """
    suite = suite if isinstance(suite, Suite) else load_suite(suite)
    protocol = protocol if isinstance(protocol, Protocol) else get_protocol(protocol)
    if not isinstance(readings, FolderReadings):
        folder = Path(readings)
        pictures = Path(images) if images is not None else None
        readings = FolderReadings(folder, suite.samples, name=editor, reader=reader, images=pictures)
    scope, notes = plan(suite, readings, protocol, SETTINGS if setting == "both" else (setting,))
    if out is not None:
        return _score_into(RunFolder(Path(out)), scope, setting, notes, crossed, progress)
    with tempfile.TemporaryDirectory(prefix="vde-") as temporary:
        kept = _score_into(RunFolder(Path(temporary)), scope, setting, notes, crossed, progress)
        return Score(kept.summary, {name: getattr(kept, name).lazy() for name in TABLES})


def _score_into(
    folder: RunFolder,
    scope: Scope,
    setting: SettingChoice,
    notes: list[str],
    crossed: Sequence[str],
    progress: Progress | None,
) -> Score:
    suite, protocol = scope.suite, scope.protocol
    about = {"protocol": protocol.name, "suite": suite.name, "editor": scope.readings.name}
    extra = [_crossed(name) for name in crossed]
    with folder.open(about):
        score_run(scope, folder, progress)
        settings = SETTINGS if setting == "both" else (setting,)
        found = summarise(folder, protocol, settings, extra)
        summary = {
            "signature": signature(
                protocol,
                local=scope.local if "local" in settings else "off",
                reader=scope.readings.reader,
                suite=suite.name,
                revision=suite.revision,
                n=len(scope.samples),
            ),
            **about,
            **found,
            "notes": [*notes, *found["notes"]],
        }
        write_json(folder.root / "summary.json", summary)
    return Score(summary, {name: folder.table(name) for name in TABLES})


def _crossed(name: str) -> tuple[str, ...]:
    known = ("operation", "operation4", "language", "source", "label", "group")
    columns = tuple(part.strip() for part in name.split(","))
    if len(columns) != len(set(columns)) or not set(columns) <= set(known):
        raise VdeError(f"cannot break down by {name!r}: expected different names of {', '.join(known)}, with commas")
    return columns
