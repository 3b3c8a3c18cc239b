"""Correlation of human ranks with metrics, over models and over outputs, and agreement between annotators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vdebench.errors import VdeError
from vdebench.stats.bootstrap import RESAMPLES, Array, bootstrap, means
from vdebench.stats.correlation import (
    MIN_PAIRS,
    absence_reason,
    absent_coefficients,
    coefficient_record,
    coefficients,
    from_sums,
    sums_within,
)
from vdebench.stats.pages import clusters
from vdebench.stats.ranks import rankdata
from vdebench.stats.stored import StoredRun, differing_parts
from vdebench.studies.human.answers import RankingAnswers, annotator_agreement
from vdebench.studies.human.metric import StudyMetric, measure
from vdebench.studies.human.sheet import Key

METRICS = {"box alignment": "iou", "text correctness": "text_correctness"}
"""Metric that each criterion of the paper is compared with."""
_FEW_SAMPLES, _FEW_MODELS = 20, 10


@dataclass(frozen=True)
class _Study:
    key: Key
    answers: RankingAnswers
    runs: Sequence[StoredRun]
    setting: str
    pages: Mapping[str, str] | None
    resamples: int
    seed: int

    def criterion(self, name: str, metric: str) -> dict[str, Any]:
        """Return all results for one criterion."""
        ranks = self.answers.ranks[name]
        ranked = np.asarray(~np.isnan(ranks).any(axis=2))  # people × samples
        used = np.flatnonzero(ranked.any(axis=0)).tolist()
        if not used:
            nothing = absent_coefficients(0, "no complete ranking of any sample")
            return {
                "metric": metric,
                "samples": 0,
                "models": nothing,
                "outputs": nothing,
                "points": [],
                "agreement": None,
            }
        # Scores as in the paper: the number of models for the best, 1 for the worst.
        count = len(self.key.editors)
        human = count + 1 - np.stack([ranks[:, at][ranked[:, at]].mean(axis=0) for at in used])
        samples = [self.key.samples[at].sample for at in used]
        page_ids = clusters(samples, self.pages) if self.pages is not None else samples
        try:
            measured = measure(self.runs, samples, self.setting, metric)
        except VdeError as error:
            raise VdeError(
                f'{error}\n  --metric "{name}=METRIC" sets the metric that {name} is compared with'
            ) from None
        values = measured.of_outputs()
        return {
            "metric": metric,
            "samples": len(used),
            "lacking": int(np.sum(np.isnan(values).any(axis=1))),
            **self._models(human, measured, page_ids, metric),
            "outputs": self._outputs(human, values, page_ids, metric),
            "agreement": annotator_agreement(self.key, ranks),
        }

    def _models(self, human: Array, measured: StudyMetric, page_ids: Sequence[str], metric: str) -> dict[str, Any]:
        """Return the coefficients over models and the points of the figure."""
        count, parts = measured.over.shape[1:]

        def split(values: Array) -> tuple[Array, Array]:
            rest = values[..., count:].reshape(*values.shape[:-1], count, parts)
            return values[..., :count], measured.value(rest)

        # Human ranks are averaged over the samples that have the metric, so that both means are over the same pages.
        there = (~np.isnan(measured.of_outputs())).any(axis=1, keepdims=True)
        over = np.hstack([np.where(there, human, 0.0), measured.over.reshape(len(human), -1)])
        under = np.hstack([there * np.ones_like(human), measured.under.reshape(len(human), -1)])
        people, automatic = split(means(over.sum(axis=0), under.sum(axis=0)))
        points = self._points(people, automatic, measured.lower)
        reason = _no_values(automatic, metric) or absence_reason(people, automatic, _series_names(metric), "models")
        if reason:
            return {"models": absent_coefficients(count, reason), "points": points}
        low, high = bootstrap(
            over,
            under,
            page_ids,
            resamples=self.resamples,
            seed=self.seed,
            derive=lambda values: coefficients(*split(values)),
        )
        return {"models": coefficient_record(coefficients(people, automatic), low, high, count), "points": points}

    def _points(self, people: Array, automatic: Array, lower: bool) -> list[dict[str, Any]]:
        known = np.isfinite(automatic) | np.isinf(automatic)
        ranks = np.full(len(automatic), np.nan)
        ranks[known] = rankdata(np.round(automatic[known], 9))
        return [
            {
                "editor": editor,
                "human_rank": float(score) if np.isfinite(score) else None,
                "automatic_rank": float(rank) if np.isfinite(rank) else None,
                "metric": float(-value if lower else value) if np.isfinite(value) else None,
            }
            for editor, score, rank, value in zip(self.key.editors, people, ranks, automatic, strict=True)
        ]

    def _outputs(self, human: Array, values: Array, page_ids: Sequence[str], metric: str) -> dict[str, Any]:
        """Return the coefficients over outputs, each compared with the other outputs of its sample."""
        sums = sums_within(human, values)
        compared = (~np.isnan(values)).sum(axis=1)
        n = int(compared[compared > 1].sum())
        estimates = from_sums(sums.sum(axis=0))
        low, high = bootstrap(
            sums,
            np.ones_like(sums),
            page_ids,
            resamples=self.resamples,
            seed=self.seed,
            derive=from_sums,
        )
        reason = f"{n} outputs, at least {MIN_PAIRS} are needed" if n < MIN_PAIRS else ""
        if not reason and not np.isfinite(estimates[1]):
            constant = [
                name for name, part in zip(_series_names(metric), (4, 5), strict=True) if not sums[:, part].any()
            ]
            reason = f"all {constant[0]} are the same within every sample" if constant else "no number"
        return coefficient_record(estimates, low, high, n, reason)


def correlate_study(
    key: Key,
    answers: RankingAnswers,
    runs: Sequence[StoredRun],
    *,
    setting: str = "",
    metrics: Mapping[str, str] | None = None,
    pages: Mapping[str, str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """Correlate human ranks with metrics for each criterion; `runs` are in the order of the key's editors.

    Raises `VdeError` if the runs were not scored in the same way, on the suite of the key, with a common setting.
    """
    if differing := differing_parts([run.summary["signature"] for run in runs]):
        listed = "".join(f"\n  {part}: {' | '.join(dict.fromkeys(values))}" for part, values in differing.items())
        raise VdeError(
            f"the runs were not scored in the same way, they differ in:{listed}\n  score them in the same way"
        )
    if runs[0].summary["suite"] != key.suite:
        raise VdeError(f"the key is for the suite {key.suite}, the runs are for {runs[0].summary['suite']}")
    common = [name for name in runs[0].settings if all(name in run.settings for run in runs)]
    if not common:
        raise VdeError("the runs have no setting with metrics in common; samples without a reference have no metrics")
    chosen = setting or common[0]
    if chosen not in common:
        raise VdeError(f"not all runs have the setting {chosen!r}; common settings: {', '.join(common)}")
    study = _Study(key, answers, runs, chosen, pages, resamples, seed)
    by_criterion = criteria_metrics(key.criteria, metrics or {})
    results = {name: study.criterion(name, metric) for name, metric in by_criterion.items()}
    absent = sum(len(sample.absent) for sample in key.samples)
    return {
        "suite": key.suite,
        "sheet": key.sheet,
        "protocol": runs[0].summary["protocol"],
        "setting": chosen,
        "editors": list(key.editors),
        "signatures": [run.summary["signature"] for run in runs],
        "annotators": answers.people,
        "samples": len(key.samples),
        "absent": absent,
        "answers": {
            "cells": answers.cells,
            "missing": answers.missing,
            "missing_by_annotator": dict(answers.missing_by),
            "incomplete_rankings": answers.incomplete,
            "unchecked_files": list(answers.unchecked),
        },
        "resamples": resamples,
        "seed": seed,
        "criteria": results,
        "notes": list(_notes(study, results, absent)),
    }


def criteria_metrics(criteria: Sequence[str], overrides: Mapping[str, str]) -> dict[str, str]:
    """Return the metric for each criterion: from `overrides`, else as in the paper. Raises `VdeError` if there is none.

    >>> criteria_metrics(["box alignment", "text correctness"], {"Text correctness": "cdm"})
    {'box alignment': 'iou', 'text correctness': 'cdm'}
    """
    by_name = {name.casefold(): metric for name, metric in overrides.items()}
    if unknown := [name for name in overrides if name.casefold() not in {each.casefold() for each in criteria}]:
        raise VdeError(f"no criterion {unknown[0]!r} on the sheet; it has: {', '.join(criteria)}")
    metrics = {name: by_name.get(name.casefold(), METRICS.get(name.casefold(), "")) for name in criteria}
    if missing := [name for name, metric in metrics.items() if not metric]:
        raise VdeError(f'no metric for the criterion {missing[0]!r}; pass one, for example --metric "{missing[0]}=cdm"')
    return metrics


def _series_names(metric: str) -> tuple[str, str]:
    return "human ranks", f"values of {metric}"


def _no_values(automatic: Array, metric: str) -> str:
    return f"no sample for which every model has {metric}" if np.isnan(automatic).any() else ""


def _notes(study: _Study, results: Mapping[str, Any], absent: int) -> Iterator[str]:
    """Yield notes on how the numbers are computed and how reliable they are."""
    key, answers = study.key, study.answers
    models, samples = len(key.editors), len(key.samples)
    units = samples if study.pages is None else len({study.pages[sample.sample] for sample in key.samples})
    what = "samples" if study.pages is None else "pages"
    yield (
        "Models: mean human ranks against the metric's mean over the same samples. Outputs: each is compared only with "
        "the other outputs of its sample, as the annotators saw them."
    )
    yield f"Intervals: 95 %, percentile bootstrap, {study.resamples:,} resamples of {units} {what}, seed {study.seed}."
    if study.pages is None:
        yield "Unknown which samples share a page: each counts as its own page."
    if models < _FEW_MODELS:
        yield (
            f"{models} models are few points: the intervals over models are wide, and they hold for these models on "
            "other pages, not for other models."
        )
    if units < _FEW_SAMPLES:
        yield f"{units} {what} are few: bootstrap intervals of fewer than {_FEW_SAMPLES} are too narrow."
    if answers.missing:
        yield (
            f"{answers.missing} of {answers.cells} ranks are missing (first: {answers.first_missing}): "
            f"{answers.incomplete} incomplete rankings are left out."
        )
    if answers.unchecked:
        yield (
            f"{', '.join(answers.unchecked)}: answers do not name their sheet (column sheet), so that it could not be "
            f"checked; make sure that it is {key.sheet}."
        )
    if absent:
        yield (
            f"{absent} of {models * samples} outputs are missing: they are ranked last by rule, for annotators and "
            "metrics alike; agreement between annotators leaves them out."
        )
    for name, result in results.items():
        if result.get("lacking"):
            yield f"{name}: {result['lacking']} samples have no {result['metric']} for some model and are left out."
    if len(answers.people) < 2:
        yield "One annotator: agreement between annotators is unknown."
