"""Verdicts on the samples of stored runs: thresholds can be changed without scoring again."""

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
from vdebench.stats.type_heights import HEIGHT_SLICES, HeightSummary, height_summary, is_height_slice
from vdebench.stats.usable import SLICES, Rows, Thresholds, UsableVerdict, usable_summary, verdicts

USABLE = "usable"


class JudgedRun(NamedTuple):
    """One editor's run: the summary of usable edits, the verdict on each sample, and its words by type height."""

    editor: str
    signature: str
    summary: Mapping[str, Any]
    verdicts: Sequence[UsableVerdict]
    heights: HeightSummary | None = None
    """None unless they were asked for."""

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        samples = [
            {"sample": verdict.sample, "usable": verdict.usable, **_properties(verdict)} for verdict in self.verdicts
        ]
        heights = {} if self.heights is None else {"heights": self.heights.to_json()}
        return {"editor": self.editor, "scores": self.signature, **self.summary, **heights, "samples": samples}


def _properties(verdict: UsableVerdict) -> dict[str, Any]:
    return {name: {"passed": passed, "evidence": verdict.evidence[name]} for name, passed in verdict.properties.items()}


class JudgedRuns(NamedTuple):
    """Several judged runs, and notes on their table."""

    runs: Sequence[JudgedRun]
    notes: Sequence[str]


def judge_runs(
    roots: Sequence[str | Path], *, by: str = "", thresholds: Sequence[str] = (), force: bool = False
) -> JudgedRuns:
    """Judge stored runs; `thresholds` such as `textual_correctness=0.95` replace the defaults.

    With `by="height"` or `"page_height"`, the runs have their words by type height.
    """
    names = (*SLICES, *HEIGHT_SLICES)
    if by and by not in names:
        raise VdeError(f"--by {by}: expected {', '.join(names[:-1])} or {names[-1]}")
    limits = Thresholds().changed(thresholds)
    runs = [judge_run(folder, limits, by) for root in roots for folder in _with_verdicts(Path(root))]
    signed: dict[str, list[str]] = {}
    for run in runs:
        signed.setdefault(run.signature, []).append(run.editor)
    notes = [f"{', '.join(editors)}: {signature}" for signature, editors in signed.items()]
    differing = differing_parts([run.signature for run in runs])
    if differing:
        differences = "; ".join(
            f"{part}: {' against '.join(dict.fromkeys(values))}" for part, values in differing.items()
        )
        if not force:
            raise VdeError(f"the runs were scored differently ({differences}); --force shows them nevertheless")
        notes.insert(0, f"WARNING: the runs were scored differently: {differences}")
    return JudgedRuns(runs, notes)


def _with_verdicts(root: Path) -> list[Path]:
    """Runs in a folder that have verdicts; all of them if none has."""
    folders = run_folders(root)
    judged = [folder for folder in folders if not missing_verdicts_reason(read_run(folder))]
    return judged or folders


def missing_verdicts_reason(run: StoredRun) -> str:
    """Why a run has no verdicts, and the command that adds them; "" if it has."""
    protocol = run.protocol
    if not protocol.properties:
        return (
            f"was scored by {protocol.name} ({protocol.track}), which judges no properties; usable edits need pages"
            "\n  score pages by strict: `vde score SUITE … --protocol strict --out FOLDER`"
        )
    if set(run.summary["overall"]) != {"global", "local"}:
        return f"has only {', '.join(run.summary['overall'])}; score again with --setting both"
    return ""


def usable_matrix(run: StoredRun) -> Matrix | None:
    """The verdicts on a run's samples as a matrix of one metric; None if the run has none."""
    if missing_verdicts_reason(run) or not run.summary.get(USABLE):
        return None
    rows = Rows.of(run.root, with_reference=bool(run.summary.get("ocr_ceiling")))
    results = list(verdicts(rows, Thresholds()))
    passed = np.array([float(verdict.usable or 0) for verdict in results])
    decided = np.array([float(verdict.usable is not None) for verdict in results])
    columns = {USABLE: MeanColumn(passed, decided, True)}
    return matrix_of([verdict.sample for verdict in results], columns, {USABLE: Statistic((USABLE,))})


def judge_run(root: str | Path, thresholds: Thresholds, by: str = "") -> JudgedRun:
    """Judge one stored run; raises `RunFolderError` if it has no verdicts."""
    run = read_run(root)
    if reason := missing_verdicts_reason(run):
        raise RunFolderError(f"{run.root}: {reason}")
    rows = Rows.of(run.root, with_reference=bool(run.summary.get("ocr_ceiling")))
    summary, results = usable_summary(rows, thresholds), list(verdicts(rows, thresholds))
    heights = height_summary(rows.scores, by) if is_height_slice(by) else None
    return JudgedRun(run.editor, run.summary["signature"], summary, results, heights)
