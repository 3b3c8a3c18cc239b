"""Kept runs and the verdicts on their samples: thresholds can be changed without scoring again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vdebench.errors import RunFolderError, VdeError
from vdebench.protocols.mean_columns import MeanColumn, Statistic
from vdebench.runs.search import run_folders
from vdebench.stats.matrix import Matrix, matrix_of
from vdebench.stats.stored import StoredRun, differing_parts, read_run
from vdebench.stats.usable import SLICES, Rows, Thresholds, UsableVerdict, usable_summary, verdicts

USABLE = "usable"


class JudgedRun(NamedTuple):
    """One editor's run: the rate of usable edits with all that belongs to it, and what is said of each sample."""

    editor: str
    signature: str
    summary: Mapping[str, Any]
    verdicts: Sequence[UsableVerdict]

    def to_json(self) -> dict[str, Any]:
        """Everything, for machines."""
        samples = [
            {"sample": verdict.sample, "usable": verdict.usable, **_properties(verdict)} for verdict in self.verdicts
        ]
        return {"editor": self.editor, "scores": self.signature, **self.summary, "samples": samples}


def _properties(verdict: UsableVerdict) -> dict[str, Any]:
    return {name: {"passed": passed, "evidence": verdict.evidence[name]} for name, passed in verdict.properties.items()}


class JudgedRuns(NamedTuple):
    """Several, and what must be said under their table."""

    runs: Sequence[JudgedRun]
    notes: Sequence[str]


def judge_runs(
    roots: Sequence[str | Path], *, by: str = "", thresholds: Sequence[str] = (), force: bool = False
) -> JudgedRuns:
    """The verdicts on kept runs, by thresholds such as `text=0.95` where others than the defaults are asked for."""
    if by and by not in SLICES:
        raise VdeError(f"--by {by}: expected {', '.join(SLICES[:-1])} or {SLICES[-1]}")
    asked = Thresholds().changed(thresholds)
    runs = [judge_run(folder, asked) for root in roots for folder in _with_verdicts(Path(root))]
    signed: dict[str, list[str]] = {}
    for run in runs:
        signed.setdefault(run.signature, []).append(run.editor)
    notes = [f"{', '.join(editors)}: {signature}" for signature, editors in signed.items()]
    differing = differing_parts([run.signature for run in runs])
    if differing:
        told = "; ".join(f"{part}: {' against '.join(dict.fromkeys(said))}" for part, said in differing.items())
        if not force:
            raise VdeError(f"the runs were not scored alike ({told}); --force shows them side by side nevertheless")
        notes.insert(0, f"WARNING: the runs were not scored alike: {told}")
    return JudgedRuns(runs, notes)


def _with_verdicts(root: Path) -> list[Path]:
    """A run folder, or those runs of a folder that have verdicts; all of them where none has."""
    found = run_folders(root)
    judged = [folder for folder in found if not unjudged(read_run(folder))]
    return judged or found


def unjudged(run: StoredRun) -> str:
    """Why a run has no verdicts, and how to get one that has; nothing where it has them."""
    protocol = run.summary["protocol"]
    if run.protocol.track == "pixels":
        return (
            f"compares images around masks by {protocol}, which judges no properties: usable edits need whole pages\n"
            "  score a suite of whole pages by strict: `vde score SUITE … --protocol strict --out FOLDER`"
        )
    if not run.protocol.properties:
        return (
            f"was scored by {protocol}, which judges no properties\n"
            "  `vde score … --protocol strict --out FOLDER` makes one"
        )
    if set(run.settings) != {"global", "local"}:
        return f"has {', '.join(run.settings)} alone; score again with --setting both"
    return ""


def usable_matrix(run: StoredRun) -> Matrix | None:
    """The verdicts on a run's samples as a matrix of one metric; nothing where the run has no verdicts."""
    if unjudged(run) or not run.summary.get(USABLE):
        return None
    rows = Rows.of(run.root, with_reference=bool(run.summary.get("ocr_ceiling")))
    found = list(verdicts(rows, Thresholds()))
    passed = np.array([float(verdict.usable or 0) for verdict in found])
    known = np.array([float(verdict.usable is not None) for verdict in found])
    columns = {USABLE: MeanColumn(passed, known, True)}
    return matrix_of([verdict.sample for verdict in found], columns, {USABLE: Statistic((USABLE,))})


def judge_run(root: str | Path, thresholds: Thresholds) -> JudgedRun:
    """The verdicts on one kept run."""
    run = read_run(root)
    if why := unjudged(run):
        raise RunFolderError(f"{run.root}: {why}")
    rows = Rows.of(run.root, with_reference=bool(run.summary.get("ocr_ceiling")))
    return JudgedRun(
        run.editor, run.summary["signature"], usable_summary(rows, thresholds), list(verdicts(rows, thresholds))
    )
