"""Comparison of runs: every editor's means with intervals, and the paired difference to the first editor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from vdebench.errors import VdeError
from vdebench.metrics.registry import facts
from vdebench.stats.bootstrap import RESAMPLES, Array, Method, bootstrap, sum_by_cluster
from vdebench.stats.pages import clusters
from vdebench.stats.paired import Side, compare_pair, holm
from vdebench.stats.rates import rate_interval
from vdebench.stats.sign_flip import pages_needed, sign_flip_p
from vdebench.stats.stored import Matrix, StoredRun, differing_parts, matrix
from vdebench.stats.usable_runs import USABLE, missing_verdicts_reason, usable_matrix

_SLICES = ("operation", "edit_class", "language", "source", "group", "tier")
_FEW_PAGES = 20
_SETTING = "usable edits"
_DETECTABLE = (0.05, 0.10)
"""Differences of rates for which the required number of samples is reported."""
_MARKS = ((0.01, "**"), (0.05, "*"))


@dataclass(frozen=True)
class ComparedMean:
    """One editor's mean of one metric and its difference to the first editor's; None for an undefined number."""

    setting: str
    slice: str
    metric: str
    editor: str
    samples: int
    pages: int
    mean: float | None
    """Infinite for the PSNR of identical images."""
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
    """Samples needed to show the difference."""
    needed_pages: float | None = None
    """The same in pages."""

    @property
    def mark(self) -> str:
        """Stars of a significant difference, after Holm's correction."""
        return next((mark for limit, mark in _MARKS if self.p_holm is not None and self.p_holm < limit), "")


@dataclass(frozen=True)
class RunComparison:
    """Findings of a comparison, and notes on them."""

    findings: list[ComparedMean]
    editors: list[str]
    differing: dict[str, list[str]]
    """Parts of the signatures in which the runs differ, with `force`."""
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        findings = [
            {**asdict(finding), "mean": None if finding.mean == math.inf else finding.mean} for finding in self.findings
        ]
        return {**asdict(self), "findings": findings}


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

    `pages` maps samples to their source page: samples of one page are drawn and swapped together.
    """
    if len(runs) < 2:
        raise VdeError("a comparison needs two runs or more, such as runs/copy/strict runs/mine/strict")
    differing = differing_parts([run.summary["signature"] for run in runs])
    if differing and not force:
        differences = "".join(f"\n  {part}: {' | '.join(dict.fromkeys(values))}" for part, values in differing.items())
        raise VdeError(
            f"the runs were scored differently:{differences}\n  score them with the same options, or add --force"
        )
    editors = _names(runs)
    settings = _settings(runs, setting)
    usable_parts, usable_notes = _usable_parts(runs, by) if metrics is None or USABLE in metrics else ([], [])
    parts = [*usable_parts, *(part for name in settings for part in _parts(runs, name, metrics, by))]
    if not parts:
        requested = f" of {', '.join(metrics)}" if metrics else ""
        reasons = "".join(f"\n  {note}" for note in usable_notes)
        raise VdeError(f"nothing to compare: the runs have no metric{requested} on the same samples in common{reasons}")
    if unknown := [name for name in metrics or () if not any(name in part.metrics for part in parts)]:
        available = ", ".join(dict.fromkeys(name for setting in settings for name in _common(runs, setting)))
        raise VdeError(f"not all runs have {unknown[0]!r}; they have: {available}")
    tests = sum(len(part.metrics) for part in parts) * (len(runs) - 1)
    # With few permutations no p is small enough for two stars among many tests.
    options = {"resamples": resamples, "permutations": max(resamples, 200 * tests), "seed": seed, "method": method}
    findings = [finding for part in parts for finding in part.findings(editors, pages, options)]
    corrected = holm([math.nan if finding.p is None else finding.p for finding in findings])
    findings = [replace(finding, p_holm=_number(p)) for finding, p in zip(findings, corrected, strict=True)]
    notes = [*_notes(editors, parts, pages, options, findings), *usable_notes]
    return RunComparison(findings, editors, differing, notes)


@dataclass(frozen=True)
class _Part:
    """The same samples of all runs, in one setting and slice."""

    setting: str
    slice: str
    matrices: list[Matrix]
    apart: int
    """Samples of the setting that some runs lack."""
    lacking: int
    """Samples without a value of some editor, excluded from means over samples."""

    @property
    def metrics(self) -> list[str]:
        return self.matrices[0].metrics

    @property
    def samples(self) -> list[str]:
        return self.matrices[0].samples

    def findings(
        self, editors: Sequence[str], pages: Mapping[str, str] | None, options: Mapping[str, Any]
    ) -> Iterator[ComparedMean]:
        """Yield a finding for every metric and editor, metric by metric."""
        cluster_names = clusters(self.samples, pages) if pages is not None else self.samples
        about = {"samples": len(self.samples), "pages": len(set(cluster_names))}
        bootstrap_options = {name: value for name, value in options.items() if name != "permutations"}
        rows = []
        for editor, side in zip(editors, self.matrices, strict=True):
            low, high = self._bounds(side, cluster_names, bootstrap_options)
            columns: dict[str, Array] = {"mean": side.means(), "low": low, "high": high}
            if side is not self.matrices[0]:
                columns |= self._against_first(side, cluster_names, options)
            rows.append((editor, columns))
        for index, metric in enumerate(self.metrics):
            for editor, columns in rows:
                numbers: dict[str, Any] = {name: _number(column[index]) for name, column in columns.items()}
                if columns["mean"][index] == math.inf:
                    numbers["mean"] = math.inf
                if numbers.get("needed") is not None:
                    numbers["needed_pages"] = float(math.ceil(numbers["needed"] * about["pages"] / about["samples"]))
                yield ComparedMean(self.setting, self.slice, metric, editor, **about, **numbers)

    def _bounds(self, side: Matrix, cluster_names: Sequence[str], options: Mapping[str, Any]) -> tuple[Array, Array]:
        """Intervals of an editor's means."""
        return bootstrap(side.numerators, side.denominators, cluster_names, derive=side.derive, **options)

    def notes(self, pages: Mapping[str, str] | None) -> Iterator[str]:
        """Yield notes on the samples."""
        place = f"{self.setting}, {self.slice}" if self.slice else self.setting
        count, unit = len(self.pages(pages)), "pages" if pages is not None else "samples"
        excluded = f"; {self.apart} that some runs lack are excluded" if self.apart and not self.slice else ""
        pages_text = f" of {count} pages" if pages is not None else ""
        yield f"{place}: {len(self.samples)} samples{pages_text}{excluded}"
        yield from self._lacking(place)
        if count < _FEW_PAGES:
            yield f"{place}: intervals of {count} {unit} are too narrow: with 12, their coverage is 91 %, not 95 %"
        if 2 / 2**count > 0.05:
            yield f"{place}: with {count} {unit} no difference is significant (p is at least {2 / 2**count:.3g})"

    def pages(self, pages: Mapping[str, str] | None) -> set[str]:
        """Pages of the samples; the samples themselves if pages are unknown."""
        return {pages[sample] for sample in self.samples} if pages is not None else set(self.samples)

    def _lacking(self, place: str) -> Iterator[str]:
        if self.lacking:
            yield f"{place}: {self.lacking} samples have no value of some editor and are excluded from that mean"

    def _against_first(self, side: Matrix, cluster_names: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
        first = self.matrices[0]
        lower = [facts(metric).best == "lower" for metric in self.metrics]
        second = Side(side.numerators, side.denominators)
        paired = compare_pair(
            Side(first.numerators, first.denominators),
            second,
            cluster_names,
            lower_is_better=lower,
            derive=side.derive,
            **options,
        )._asdict()
        return {{"low": "difference_low", "high": "difference_high"}.get(key, key): v for key, v in paired.items()}


@dataclass(frozen=True)
class _UsablePart(_Part):
    """Verdicts on samples that have one in all runs: rates, compared by an exact test."""

    def _bounds(self, side: Matrix, cluster_names: Sequence[str], options: Mapping[str, Any]) -> tuple[Array, Array]:
        """Wilson's interval, as in every table of usable edits: a bootstrap without failures has no width."""
        bounds = rate_interval([bool(value) for value in side.numerators[:, 0]], cluster_names)
        assert bounds is not None
        return np.array([bounds[0]]), np.array([bounds[1]])

    def _against_first(self, side: Matrix, cluster_names: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
        columns = super()._against_first(side, cluster_names, options)
        return {**columns, "p": np.array([sign_flip_p(self._by_page(side, cluster_names)[0].astype(int).tolist())])}

    def _by_page(self, side: Matrix, cluster_names: Sequence[str]) -> tuple[Array, Array]:
        """For every page, the difference in usable edits to the first editor, and the number of samples."""
        differences = side.numerators - self.matrices[0].numerators
        sums, counts = sum_by_cluster(differences, side.denominators, cluster_names)
        return sums[:, 0], counts[:, 0]

    def _lacking(self, place: str) -> Iterator[str]:
        if self.lacking and not self.slice:
            yield f"{place}: {self.lacking} samples without a verdict in some run are excluded"

    def notes(self, pages: Mapping[str, str] | None) -> Iterator[str]:
        """Yield notes on the samples, and the number needed to show differences of some sizes."""
        yield from super().notes(pages)
        if self.slice:
            return
        cluster_names = clusters(self.samples, pages) if pages is not None else self.samples
        per_page = len(self.samples) / len(set(cluster_names))
        sizes = []
        for size in _DETECTABLE:
            needed = max(pages_needed(size, *self._by_page(side, cluster_names)) for side in self.matrices[1:])
            if math.isfinite(needed):
                sizes.append(f"{size:.2f} takes {math.ceil(needed * per_page)} samples ({needed:.0f} pages)")
        if sizes:
            yield f"{self.setting}: with a power of 80 %, to show a difference of {', of '.join(sizes)}"


def _usable_parts(runs: Sequence[StoredRun], by: str) -> tuple[list[_Part], list[str]]:
    """Return verdicts that can be compared, or notes why there are none; neither if no run can have verdicts."""
    matrices = [usable_matrix(run) for run in runs]
    if not all(matrices):
        without = [run for run, present in zip(runs, matrices, strict=True) if present is None]
        if len(without) == len(runs):
            return [], []
        return [], [
            f"{_SETTING}: {run.editor} {missing_verdicts_reason(run) or 'has no verdicts; score again'}"
            for run in without
        ]
    present = [item for item in matrices if item is not None]
    sample_sets = [set(item.samples) for item in present]
    all_samples, common = set.union(*sample_sets), set.intersection(*sample_sets)
    shared = [sample for sample in present[0].samples if sample in common]
    has_verdict = np.logical_and.reduce([item.of(shared).denominators[:, 0] > 0 for item in present])
    judged = [sample for sample, keep in zip(shared, has_verdict.tolist(), strict=True) if keep]
    if not judged:
        return [], [f"{_SETTING}: none of {len(shared)} samples has a verdict in all runs; see `vde usable --samples`"]
    apart, lacking = len(all_samples) - len(shared), len(shared) - len(judged)
    parts: list[_Part] = [
        _UsablePart(_SETTING, value, [item.of(samples) for item in present], apart, lacking)
        for value, samples in _sliced(runs[0], judged, by)
    ]
    return parts, []


def _number(value: Any) -> Any:
    """Convert a NumPy number to int or float; None for NaN and infinity."""
    if isinstance(value, np.integer):
        return int(value)
    return float(value) if math.isfinite(value) else None


def _names(runs: Sequence[StoredRun]) -> list[str]:
    """Names of the editors, with their folders if two have the same name."""
    names = [run.editor for run in runs]
    labels = [f"{name} ({run.root})" if names.count(name) > 1 else name for name, run in zip(names, runs, strict=True)]
    if len(set(labels)) < len(labels):
        raise VdeError(f"{max(labels, key=labels.count)} is listed twice: pass each run once")
    return labels


def _settings(runs: Sequence[StoredRun], requested: str) -> list[str]:
    """Settings that all runs have, or the requested one."""
    common = [name for name in runs[0].settings if all(name in run.settings for run in runs)]
    if requested and requested not in common:
        raise VdeError(f"not all runs have the setting {requested!r}; common settings: {', '.join(common) or 'none'}")
    return [requested] if requested else common


def _common(runs: Sequence[StoredRun], setting: str) -> list[str]:
    """Metrics that all runs have, computed in the same way."""
    first, *others = (matrix(run, setting).statistics for run in runs)
    return [
        name for name, statistic in first.items() if all(statistics.get(name) == statistic for statistics in others)
    ]


def _parts(runs: Sequence[StoredRun], setting: str, metrics: Sequence[str] | None, by: str) -> Iterator[_Part]:
    """Yield what is compared in a setting: all shared samples, or every slice of them."""
    common = _common(runs, setting)
    chosen = [name for name in (runs[0].protocol.compared if metrics is None else metrics) if name in common]
    matrices = [matrix(run, setting, chosen) for run in runs]
    sample_sets = [set(item.samples) for item in matrices]
    all_samples, common_to_all = set.union(*sample_sets), set.intersection(*sample_sets)
    shared = [sample for sample in matrices[0].samples if sample in common_to_all]
    for value, samples in _sliced(runs[0], shared, by) if chosen else ():
        selected = [item.of(samples) for item in matrices]
        # Means over samples use only samples with a value of every editor: none gains by failing on a hard page.
        complete = np.logical_and.reduce([item.denominators > 0 for item in selected])
        included = complete | ~np.logical_or.reduce([item.each for item in selected])
        lacking = int(
            np.sum(np.any(np.logical_or.reduce([item.denominators > 0 for item in selected]) & ~included, axis=1))
        )
        filled = [
            item._replace(numerators=item.numerators * included, denominators=item.denominators * included)
            for item in selected
        ]
        yield _Part(setting, value, filled, len(all_samples) - len(shared), lacking)


def _sliced(run: StoredRun, samples: Sequence[str], by: str) -> list[tuple[str, list[str]]]:
    """Samples by the values of a column."""
    if not by:
        return [("", list(samples))] if samples else []
    column = run.protocol.slice_column(by)
    allowed = [name for name in _SLICES if name in run.rows.columns]
    if column not in allowed:
        raise VdeError(f"cannot compare by {by!r}: expected one of {', '.join(allowed)}")
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
    """Yield notes on methods and excluded samples."""
    tests = sum(finding.p is not None for finding in findings)
    yield (
        f"Differences to {editors[0]}, paired. * p < .05, ** p < .01: permutation test, after Holm's correction for "
        f"{tests} tests. Win, tie, loss: samples. Needed: samples to show the difference at .05 with 80 % "
        "power, by a normal approximation from these differences."
    )
    unit = "pages" if pages is not None else "samples"
    if any(isinstance(part, _UsablePart) for part in parts):
        yield (
            f"Usable edits: exact sign-flip test over {unit} (with one sample per page McNemar's test); Wilson "
            "intervals of rates."
        )
    yield (
        f"Intervals: 95 %, {options['method']} bootstrap, {options['resamples']:,} resamples of {unit}, "
        f"seed {options['seed']}."
    )
    if pages is None:
        yield "The pages of the samples are unknown: each sample counts as a page. Pass the suite with --suite."
    for part in parts:
        yield from part.notes(pages)
