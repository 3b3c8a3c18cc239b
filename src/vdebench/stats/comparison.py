"""Runs compared: every editor's means with intervals, and how far each is from the first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from vdebench.errors import VdeError
from vdebench.metrics.registry import facts
from vdebench.stats.bootstrap import RESAMPLES, Array, Method, bootstrap, summed
from vdebench.stats.pages import clusters
from vdebench.stats.paired import Side, compare_pair, holm
from vdebench.stats.rates import rate_interval
from vdebench.stats.sign_flip import pages_needed, sign_flip_p
from vdebench.stats.stored import Matrix, StoredRun, differing_parts, matrix
from vdebench.stats.usable_runs import USABLE, unjudged, usable_matrix

_SLICES = ("operation", "edit_class", "language", "source", "group", "tier")
_FEW = 20
_SETTING = "usable edits"
_DETECTABLE = (0.05, 0.10)
"""Differences of rates of which is said how many samples would show them."""
_MARKS = ((0.01, "**"), (0.05, "*"))


@dataclass(frozen=True)
class ComparedMean:
    """One editor's mean of one metric, and how far it is from the first editor's; None where there is no number."""

    setting: str
    slice: str
    metric: str
    editor: str
    samples: int
    pages: int
    mean: float | None
    """Infinite for the PSNR of images that are all identical."""
    low: float | None
    high: float | None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    d_z: float | None = None
    superiority: float | None = None
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    needed: float | None = None
    """Samples that would show the difference."""
    needed_pages: float | None = None
    """The same in pages."""

    @property
    def mark(self) -> str:
        """Stars of a difference that is no chance, after Holm's correction."""
        return next((mark for limit, mark in _MARKS if self.p_holm is not None and self.p_holm < limit), "")


@dataclass(frozen=True)
class RunComparison:
    """All that was found, and what must stand beside it."""

    findings: list[ComparedMean]
    editors: list[str]
    differing: dict[str, list[str]]
    """Parts of the signatures in which the runs differ, where that was forced."""
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Everything, for other programs."""
        found = [{**asdict(one), "mean": None if one.mean == math.inf else one.mean} for one in self.findings]
        return {**asdict(self), "findings": found}


def compare_runs(
    runs: Sequence[StoredRun],
    *,
    metrics: Sequence[str] | None = None,
    setting: str = "",
    by: str = "",
    pages: Mapping[str, str] | None = None,
    force: bool = False,
    seed: int = 0,
    resamples: int = RESAMPLES,
    method: Method = "percentile",
) -> RunComparison:
    """Compare runs on the samples that all of them have, each with the first.

    `pages` says which page a sample starts from: samples of one page are drawn and swapped together.
    """
    if len(runs) < 2:
        raise VdeError("one run cannot be compared: give two or more, such as runs/copy/strict runs/mine/strict")
    differing = differing_parts([run.summary["signature"] for run in runs])
    if differing and not force:
        told = "".join(f"\n  {part}: {' | '.join(dict.fromkeys(said))}" for part, said in differing.items())
        raise VdeError(f"the runs were not scored alike, they differ in:{told}\n  score them alike, or add --force")
    editors = _names(runs)
    settings = _settings(runs, setting)
    judged, unjudged_notes = _usable_parts(runs, by) if metrics is None or USABLE in metrics else ([], [])
    parts = [*judged, *(part for name in settings for part in _parts(runs, name, metrics, by))]
    if not parts:
        asked = f" of {', '.join(metrics)}" if metrics else ""
        why = "".join(f"\n  {note}" for note in unjudged_notes)
        raise VdeError(f"nothing to compare: the runs have no metric{asked} on the same samples in common{why}")
    if unknown := [name for name in metrics or () if not any(name in part.metrics for part in parts)]:
        there = ", ".join(dict.fromkeys(name for each in settings for name in _common(runs, each)))
        raise VdeError(f"not all runs have {unknown[0]!r}; they have: {there}")
    tests = sum(len(part.metrics) for part in parts) * (len(runs) - 1)
    # Of few permutations no p is small enough for two stars among many tests.
    options = {"resamples": resamples, "permutations": max(resamples, 200 * tests), "seed": seed, "method": method}
    findings = [finding for part in parts for finding in part.findings(editors, pages, options)]
    corrected = holm([math.nan if finding.p is None else finding.p for finding in findings])
    findings = [replace(one, p_holm=_number(p)) for one, p in zip(findings, corrected, strict=True)]
    notes = [*_notes(editors, parts, pages, options, findings), *unjudged_notes]
    return RunComparison(findings, editors, differing, notes)


@dataclass(frozen=True)
class _Part:
    """The same samples of all runs, in one setting and slice."""

    setting: str
    slice: str
    matrices: list[Matrix]
    apart: int
    """Samples of the setting that not all have."""
    lacking: int
    """Samples without some editor's value, left out of means over samples."""

    @property
    def metrics(self) -> list[str]:
        return self.matrices[0].metrics

    @property
    def samples(self) -> list[str]:
        return self.matrices[0].samples

    def findings(
        self, editors: Sequence[str], pages: Mapping[str, str] | None, options: Mapping[str, Any]
    ) -> Iterator[ComparedMean]:
        """A finding for every metric and editor, metric by metric."""
        drawn = clusters(self.samples, pages) if pages is not None else self.samples
        about = {"samples": len(self.samples), "pages": len(set(drawn))}
        rough = {name: value for name, value in options.items() if name != "permutations"}
        found = []
        for editor, one in zip(editors, self.matrices, strict=True):
            low, high = self._bounds(one, drawn, rough)
            columns: dict[str, Array] = {"mean": one.means(), "low": low, "high": high}
            if one is not self.matrices[0]:
                columns |= self._against_first(one, drawn, options)
            found.append((editor, columns))
        for at, metric in enumerate(self.metrics):
            for editor, columns in found:
                numbers: dict[str, Any] = {name: _number(column[at]) for name, column in columns.items()}
                if columns["mean"][at] == math.inf:
                    numbers["mean"] = math.inf
                if numbers.get("needed") is not None:
                    numbers["needed_pages"] = float(math.ceil(numbers["needed"] * about["pages"] / about["samples"]))
                yield ComparedMean(self.setting, self.slice, metric, editor, **about, **numbers)

    def _bounds(self, one: Matrix, drawn: Sequence[str], options: Mapping[str, Any]) -> tuple[Array, Array]:
        """The intervals of an editor's means."""
        return bootstrap(one.numerators, one.denominators, drawn, derive=one.derive, **options)

    def told(self, pages: Mapping[str, str] | None) -> Iterator[str]:
        """What must be said of its samples."""
        where = f"{self.setting}, {self.slice}" if self.slice else self.setting
        drawn, what = len(self.pages(pages)), "pages" if pages is not None else "samples"
        left = f"; {self.apart} that not all runs have are left out" if self.apart and not self.slice else ""
        on = f" of {drawn} pages" if pages is not None else ""
        yield f"{where}: {len(self.samples)} samples{on}{left}"
        yield from self._lacking(where)
        if drawn < _FEW:
            yield f"{where}: intervals of {drawn} {what} are too narrow: at 12 they hold the truth in 91 %, not in 95 %"
        if 2 / 2**drawn > 0.05:
            yield f"{where}: of {drawn} {what} no difference can be told from chance (p is at least {2 / 2**drawn:.3g})"

    def pages(self, pages: Mapping[str, str] | None) -> set[str]:
        """The pages of its samples; the samples where pages are not known."""
        return {pages[sample] for sample in self.samples} if pages is not None else set(self.samples)

    def _lacking(self, where: str) -> Iterator[str]:
        if self.lacking:
            yield f"{where}: {self.lacking} samples lack some editor's value and are left out of the means that lack it"

    def _against_first(self, one: Matrix, drawn: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
        first = self.matrices[0]
        lower = [facts(metric).best == "lower" for metric in self.metrics]
        two = Side(one.numerators, one.denominators)
        paired = compare_pair(
            Side(first.numerators, first.denominators), two, drawn, lower_is_better=lower, derive=one.derive, **options
        )._asdict()
        return {{"low": "difference_low", "high": "difference_high"}.get(key, key): v for key, v in paired.items()}


@dataclass(frozen=True)
class _UsablePart(_Part):
    """Verdicts on samples that are judged in all runs: rates, compared by an exact test."""

    def _bounds(self, one: Matrix, drawn: Sequence[str], options: Mapping[str, Any]) -> tuple[Array, Array]:
        """Wilson's interval, as in every table of usable edits: a bootstrap of no failures is too sure."""
        bounds = rate_interval([bool(each) for each in one.numerators[:, 0]], drawn)
        assert bounds is not None
        return np.array([bounds[0]]), np.array([bounds[1]])

    def _against_first(self, one: Matrix, drawn: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
        found = super()._against_first(one, drawn, options)
        return {**found, "p": np.array([sign_flip_p(self._by_page(one, drawn)[0].astype(int).tolist())])}

    def _by_page(self, one: Matrix, drawn: Sequence[str]) -> tuple[Array, Array]:
        """For every page by how many usable edits an editor is ahead of the first, and how many samples it has."""
        apart = one.numerators - self.matrices[0].numerators
        sums, counts = summed(apart, one.denominators, drawn)
        return sums[:, 0], counts[:, 0]

    def _lacking(self, where: str) -> Iterator[str]:
        if self.lacking and not self.slice:
            yield f"{where}: {self.lacking} samples whose usability is not known in some run are left out"

    def told(self, pages: Mapping[str, str] | None) -> Iterator[str]:
        """The same, and what it takes to show differences of a given size."""
        yield from super().told(pages)
        if self.slice:
            return
        drawn = clusters(self.samples, pages) if pages is not None else self.samples
        each = len(self.samples) / len(set(drawn))
        sizes = []
        for size in _DETECTABLE:
            needed = max(pages_needed(size, *self._by_page(one, drawn)) for one in self.matrices[1:])
            if math.isfinite(needed):
                sizes.append(f"{size:.2f} takes {math.ceil(needed * each)} samples ({needed:.0f} pages)")
        if sizes:
            yield f"{self.setting}: with a power of 80 %, to show a difference of {', of '.join(sizes)}"


def _usable_parts(runs: Sequence[StoredRun], by: str) -> tuple[list[_Part], list[str]]:
    """Verdicts that can be compared, and why there are none, in words; no word of runs that never have any."""
    matrices = [usable_matrix(run) for run in runs]
    if not all(matrices):
        some = [run for run, found in zip(runs, matrices, strict=True) if found is None]
        if len(some) == len(runs):
            return [], []
        return [], [f"{_SETTING}: {run.editor} {unjudged(run) or 'has no verdicts; score again'}" for run in some]
    found = [each for each in matrices if each is not None]
    owned = [set(each.samples) for each in found]
    every, common = set.union(*owned), set.intersection(*owned)
    shared = [sample for sample in found[0].samples if sample in common]
    judged = np.logical_and.reduce([each.of(shared).denominators[:, 0] > 0 for each in found])
    known = [sample for sample, there in zip(shared, judged.tolist(), strict=True) if there]
    if not known:
        return [], [f"{_SETTING}: none of {len(shared)} samples is judged in all runs; `vde usable --samples` says why"]
    apart, lacking = len(every) - len(shared), len(shared) - len(known)
    parts: list[_Part] = [
        _UsablePart(_SETTING, value, [each.of(samples) for each in found], apart, lacking)
        for value, samples in _sliced(runs[0], known, by)
    ]
    return parts, []


def _number(value: Any) -> Any:
    """A plain number, None where it is none or infinite; counts stay whole."""
    if isinstance(value, np.integer):
        return int(value)
    return float(value) if math.isfinite(value) else None


def _names(runs: Sequence[StoredRun]) -> list[str]:
    """The editors' names, with their folders where two are called the same."""
    names = [run.editor for run in runs]
    named = [f"{name} ({run.root})" if names.count(name) > 1 else name for name, run in zip(names, runs, strict=True)]
    if len(set(named)) < len(named):
        raise VdeError(f"{max(named, key=named.count)} is given twice: give each run once")
    return named


def _settings(runs: Sequence[StoredRun], asked: str) -> list[str]:
    """Settings that all runs have, or the one that is asked for."""
    common = [name for name in runs[0].settings if all(name in run.settings for run in runs)]
    if asked and asked not in common:
        raise VdeError(f"not all runs have the setting {asked!r}; common settings: {', '.join(common) or 'none'}")
    return [asked] if asked else common


def _common(runs: Sequence[StoredRun], setting: str) -> list[str]:
    """Metrics that all runs have, made in the same way."""
    first, *others = (matrix(run, setting).statistics for run in runs)
    return [name for name, made in first.items() if all(other.get(name) == made for other in others)]


def _parts(runs: Sequence[StoredRun], setting: str, metrics: Sequence[str] | None, by: str) -> Iterator[_Part]:
    """What is compared in a setting: all shared samples, or every slice of them."""
    common = _common(runs, setting)
    chosen = [name for name in (runs[0].protocol.compared if metrics is None else metrics) if name in common]
    matrices = [matrix(run, setting, chosen) for run in runs]
    owned = [set(each.samples) for each in matrices]
    every, common_to_all = set.union(*owned), set.intersection(*owned)
    shared = [sample for sample in matrices[0].samples if sample in common_to_all]
    for value, samples in _sliced(runs[0], shared, by) if chosen else ():
        same = [each.of(samples) for each in matrices]
        # Means over samples are over those of which every editor has a value: none gains by failing on a hard page.
        there = np.logical_and.reduce([each.denominators > 0 for each in same])
        kept = there | ~np.logical_or.reduce([each.each for each in same])
        lacking = int(np.sum(np.any(np.logical_or.reduce([each.denominators > 0 for each in same]) & ~kept, axis=1)))
        filled = [
            each._replace(numerators=each.numerators * kept, denominators=each.denominators * kept) for each in same
        ]
        yield _Part(setting, value, filled, len(every) - len(shared), lacking)


def _sliced(run: StoredRun, samples: Sequence[str], by: str) -> list[tuple[str, list[str]]]:
    """The samples of every value of a column."""
    if not by:
        return [("", list(samples))] if samples else []
    column = run.protocol.slice_column(by)
    known = [name for name in _SLICES if name in run.rows.columns]
    if column not in known:
        raise VdeError(f"cannot compare by {by!r}: expected one of {', '.join(known)}")
    value_of = dict(run.rows.select("sample", column).iter_rows())
    slices: dict[str, list[str]] = {}
    for sample in samples:
        slices.setdefault(str(value_of[sample]), []).append(sample)
    return sorted(slices.items())


def _notes(
    editors: Sequence[str],
    parts: Sequence[_Part],
    pages: Mapping[str, str] | None,
    options: Mapping[str, Any],
    findings: Sequence[ComparedMean],
) -> Iterator[str]:
    """How the numbers were made, and what they leave out."""
    tests = sum(finding.p is not None for finding in findings)
    yield (
        f"Differences to {editors[0]}, paired. * p < .05, ** p < .01: permutation test, after Holm's correction for "
        f"{tests} tests. Win, tie, loss: samples. Needed: samples that would show the difference at .05 with 80 % "
        "power, by a normal approximation from the differences seen here."
    )
    what = "pages" if pages is not None else "samples"
    if any(isinstance(part, _UsablePart) for part in parts):
        yield (
            f"Usable edits: exact test, the signs of the differences of {what} flipped in all ways (with one sample "
            "per page McNemar's); the rates' intervals are Wilson's."
        )
    yield (
        f"Intervals: 95 %, {options['method']} bootstrap, {options['resamples']:,} resamples of {what}, "
        f"seed {options['seed']}."
    )
    if pages is None:
        yield "Which samples share a page is not known: each counts as a page of its own. Name the suite with --suite."
    for part in parts:
        yield from part.told(pages)
