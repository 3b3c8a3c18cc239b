"""An editor's run on a suite beside its run on the ambiguous form of it, on the samples that both have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from vdebench.errors import VdeError
from vdebench.stats.matrix import Matrix
from vdebench.stats.stored import StoredRun, differing_parts, matrix
from vdebench.stats.usable_runs import USABLE as USABLE
from vdebench.stats.usable_runs import usable_matrix

_MAY_DIFFER = ("suite", "n", "given")
"""Parts of a signature in which the two runs of an editor differ by design."""


class RunPair(NamedTuple):
    """An editor's run on the suite, and its run on the ambiguous one."""

    original: StoredRun
    ambiguous: StoredRun


def paired_runs(original: Sequence[StoredRun], ambiguous: Sequence[StoredRun], *, force: bool = False) -> list[RunPair]:
    """Runs of the same editor by the same protocol, scored alike but for the suite."""
    ones, others = _by_editor(original), _by_editor(ambiguous)
    pairs = [RunPair(run, others[key]) for key, run in ones.items() if key in others]
    if not pairs:
        told = [
            ", ".join(sorted({f"{run.editor} by {run.summary['protocol']}" for run in runs}))
            for runs in (original, ambiguous)
        ]
        raise VdeError(f"no editor has a run on both suites: found {told[0]} on the one, {told[1]} on the other")
    for pair in pairs:
        apart = differing_parts([run.summary["signature"] for run in pair])
        apart = {part: said for part, said in apart.items() if part not in _MAY_DIFFER}
        if apart and not force:
            told = [f"{part}: {' | '.join(said)}" for part, said in apart.items()]
            raise VdeError(
                f"{pair.original.root} and {pair.ambiguous.root} were not scored alike, they differ in:\n  "
                + "\n  ".join(told)
                + "\n  score them alike, or add --force"
            )
    return pairs


def _by_editor(runs: Sequence[StoredRun]) -> dict[tuple[str, str], StoredRun]:
    """Runs by editor and protocol; which of two is meant nobody can tell."""
    found: dict[tuple[str, str], StoredRun] = {}
    for run in runs:
        there = found.setdefault((run.editor, run.summary["protocol"]), run)
        if there is not run:
            raise VdeError(
                f"{there.root} and {run.root}: two runs of {run.editor} by {run.summary['protocol']} on one suite\n"
                "  give a folder that has one of them"
            )
    return found


def require_metrics(pairs: Sequence[RunPair], metrics: Sequence[str]) -> None:
    """Refuse metrics that no run has."""
    runs = [(run, setting) for pair in pairs for run in pair for setting in run.settings]
    known = dict.fromkeys(name for run, setting in runs for name in matrix(run, setting).metrics)
    for name in metrics:
        if name not in known:
            raise VdeError(f"no run has the metric {name}; there are: {', '.join(known)}")


def sides_of(pair: RunPair, metrics: Sequence[str]) -> Iterator[tuple[str, tuple[Matrix, Matrix]]]:
    """Setting and both matrices, on the samples that both have; the usable rate as a setting of its own."""
    for setting in pair.original.settings:
        if setting in pair.ambiguous.settings:
            all_there = [matrix(run, setting).statistics for run in pair]
            known = [name for name in metrics if all(name in each for each in all_there)]
            if known:
                one, other = (matrix(run, setting, known) for run in pair)
                both = _alike(one, other)
                if both[0].samples:
                    yield setting, both
    rates = [usable_matrix(run) for run in pair]
    if rates[0] is not None and rates[1] is not None:
        both = _alike(rates[0], rates[1])
        if both[0].denominators.any():  # verdicts need images
            yield "edit", both


def _alike(one: Matrix, other: Matrix) -> tuple[Matrix, Matrix]:
    """Both on the samples that both have, and each mean over samples on those of which both have a value."""
    there = set(other.samples)
    shared = [sample for sample in one.samples if sample in there]
    one, other = one.of(shared), other.of(shared)
    kept = (one.denominators > 0) & (other.denominators > 0) | ~np.asarray(one.each, dtype=bool)
    first, second = (
        each._replace(numerators=each.numerators * kept, denominators=each.denominators * kept) for each in (one, other)
    )
    return first, second
