"""Pairs of runs: an editor's run on a suite and its run on the ambiguous form, restricted to shared samples."""

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
    """Runs of one editor on the original and on the ambiguous suite."""

    original: StoredRun
    ambiguous: StoredRun


def paired_runs(original: Sequence[StoredRun], ambiguous: Sequence[StoredRun], *, force: bool = False) -> list[RunPair]:
    """Pair runs of the same editor and protocol.

    Raises `VdeError` if no editor has both, or if signatures differ in more than the suite (unless `force`).
    """
    ones, others = _by_editor(original), _by_editor(ambiguous)
    pairs = [RunPair(run, others[key]) for key, run in ones.items() if key in others]
    if not pairs:
        names = [
            ", ".join(sorted({f"{run.editor} by {run.summary['protocol']}" for run in runs}))
            for runs in (original, ambiguous)
        ]
        raise VdeError(f"no editor has a run on both suites: found {names[0]} on the one, {names[1]} on the other")
    for pair in pairs:
        differing = differing_parts([run.summary["signature"] for run in pair])
        differing = {part: values for part, values in differing.items() if part not in _MAY_DIFFER}
        if differing and not force:
            lines = [f"{part}: {' | '.join(values)}" for part, values in differing.items()]
            raise VdeError(
                f"{pair.original.root} and {pair.ambiguous.root} were not scored in the same way, they differ in:\n  "
                + "\n  ".join(lines)
                + "\n  score them in the same way, or add --force"
            )
    return pairs


def _by_editor(runs: Sequence[StoredRun]) -> dict[tuple[str, str], StoredRun]:
    """Index runs by editor and protocol; raises `VdeError` if two runs have both in common."""
    by_editor: dict[tuple[str, str], StoredRun] = {}
    for run in runs:
        first_run = by_editor.setdefault((run.editor, run.summary["protocol"]), run)
        if first_run is not run:
            raise VdeError(
                f"{first_run.root} and {run.root}: two runs of {run.editor} by {run.summary['protocol']} on one suite\n"
                "  pass a folder that contains one of them"
            )
    return by_editor


def require_metrics(pairs: Sequence[RunPair], metrics: Sequence[str]) -> None:
    """Raise `VdeError` for a metric that no run has."""
    runs = [(run, setting) for pair in pairs for run in pair for setting in run.settings]
    available = dict.fromkeys(name for run, setting in runs for name in matrix(run, setting).metrics)
    for name in metrics:
        if name not in available:
            raise VdeError(f"no run has the metric {name}; available: {', '.join(available)}")


def sides_of(pair: RunPair, metrics: Sequence[str]) -> Iterator[tuple[str, tuple[Matrix, Matrix]]]:
    """Yield each setting with both matrices on shared samples; the rate of usable edits is the setting "edit"."""
    for setting in pair.original.settings:
        if setting in pair.ambiguous.settings:
            statistics = [matrix(run, setting).statistics for run in pair]
            available = [name for name in metrics if all(name in each for each in statistics)]
            if available:
                one, other = (matrix(run, setting, available) for run in pair)
                both = _on_shared_samples(one, other)
                if both[0].samples:
                    yield setting, both
    rates = [usable_matrix(run) for run in pair]
    if rates[0] is not None and rates[1] is not None:
        both = _on_shared_samples(rates[0], rates[1])
        if both[0].denominators.any():  # verdicts need images
            yield "edit", both


def _on_shared_samples(one: Matrix, other: Matrix) -> tuple[Matrix, Matrix]:
    """Restrict both matrices to shared samples, and means over samples to those for which both have a value."""
    other_samples = set(other.samples)
    shared = [sample for sample in one.samples if sample in other_samples]
    one, other = one.of(shared), other.of(shared)
    counted = (one.denominators > 0) & (other.denominators > 0) | ~np.asarray(one.each, dtype=bool)
    first, second = (
        each._replace(numerators=each.numerators * counted, denominators=each.denominators * counted)
        for each in (one, other)
    )
    return first, second
