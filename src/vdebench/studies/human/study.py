"""People's ranks beside the metrics: how well they go together, over models, over outputs, and with each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vdebench.errors import VdeError
from vdebench.stats.bootstrap import RESAMPLES, Array, bootstrap, means
from vdebench.stats.correlation import (
    LEAST,
    coefficients,
    from_sums,
    sums_within,
    told,
    untold,
    why_not,
)
from vdebench.stats.pages import clusters
from vdebench.stats.ranks import rankdata
from vdebench.stats.stored import StoredRun, differing_parts
from vdebench.studies.human.answers import RankingAnswers, people_agree
from vdebench.studies.human.metric import StudyMetric, measure
from vdebench.studies.human.sheet import Key

METRICS = {"box alignment": "iou", "text correctness": "text_correctness"}
"""What each of the paper's criteria is held against."""
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
        """All that is found for one criterion."""
        ranks = self.answers.ranks[name]
        ranked = np.asarray(~np.isnan(ranks).any(axis=2))  # people × samples
        used = np.flatnonzero(ranked.any(axis=0)).tolist()
        if not used:
            nothing = untold(0, "no whole ranking of any sample")
            return {
                "metric": metric,
                "samples": 0,
                "models": nothing,
                "outputs": nothing,
                "points": [],
                "agreement": None,
            }
        # Scores as in the paper: as many as there are models for the best, 1 for the worst.
        count = len(self.key.editors)
        human = count + 1 - np.stack([ranks[:, at][ranked[:, at]].mean(axis=0) for at in used])
        samples = [self.key.samples[at].sample for at in used]
        drawn = clusters(samples, self.pages) if self.pages is not None else samples
        try:
            measured = measure(self.runs, samples, self.setting, metric)
        except VdeError as error:
            raise VdeError(f'{error}\n  --metric "{name}=METRIC" names what {name} is held against') from None
        values = measured.of_outputs()
        return {
            "metric": metric,
            "samples": len(used),
            "lacking": int(np.sum(np.isnan(values).any(axis=1))),
            **self._models(human, measured, drawn, metric),
            "outputs": self._outputs(human, values, drawn, metric),
            "agreement": people_agree(self.key, ranks),
        }

    def _models(self, human: Array, measured: StudyMetric, drawn: Sequence[str], metric: str) -> dict[str, Any]:
        """Coefficients over models, and the points of the figure."""
        count, parts = measured.over.shape[1:]

        def split(found: Array) -> tuple[Array, Array]:
            rest = found[..., count:].reshape(*found.shape[:-1], count, parts)
            return found[..., :count], measured.value(rest)

        # People's ranks are averaged over the samples that have the metric: both means are of the same pages.
        there = (~np.isnan(measured.of_outputs())).any(axis=1, keepdims=True)
        over = np.hstack([np.where(there, human, 0.0), measured.over.reshape(len(human), -1)])
        under = np.hstack([there * np.ones_like(human), measured.under.reshape(len(human), -1)])
        people, automatic = split(means(over.sum(axis=0), under.sum(axis=0)))
        points = self._points(people, automatic, measured.lower)
        reason = _no_values(automatic, metric) or why_not(people, automatic, _named(metric), "models")
        if reason:
            return {"models": untold(count, reason), "points": points}
        low, high = bootstrap(
            over,
            under,
            drawn,
            resamples=self.resamples,
            seed=self.seed,
            derive=lambda found: coefficients(*split(found)),
        )
        return {"models": told(coefficients(people, automatic), low, high, count), "points": points}

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

    def _outputs(self, human: Array, values: Array, drawn: Sequence[str], metric: str) -> dict[str, Any]:
        """Coefficients over single outputs, each compared with the others of its sample."""
        sums = sums_within(human, values)
        compared = (~np.isnan(values)).sum(axis=1)
        n = int(compared[compared > 1].sum())
        found = from_sums(sums.sum(axis=0))
        low, high = bootstrap(
            sums,
            np.ones_like(sums),
            drawn,
            resamples=self.resamples,
            seed=self.seed,
            derive=from_sums,
        )
        reason = f"{n} outputs, at least {LEAST} are needed" if n < LEAST else ""
        if not reason and not np.isfinite(found[1]):
            same = [name for name, part in zip(_named(metric), (4, 5), strict=True) if not sums[:, part].any()]
            reason = f"all {same[0]} are the same within every sample" if same else "no number"
        return told(found, low, high, n, reason)


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
    """People's ranks against metrics, criterion by criterion; runs are in the order of the key's editors."""
    if differing := differing_parts([run.summary["signature"] for run in runs]):
        listed = "".join(f"\n  {part}: {' | '.join(dict.fromkeys(said))}" for part, said in differing.items())
        raise VdeError(f"the runs were not scored alike, they differ in:{listed}\n  score them alike")
    if runs[0].summary["suite"] != key.suite:
        raise VdeError(f"the key is of the suite {key.suite}, the runs are of {runs[0].summary['suite']}")
    common = [name for name in runs[0].settings if all(name in run.settings for run in runs)]
    chosen = setting or (common[0] if common else "")
    if chosen not in common:
        raise VdeError(f"not all runs have the setting {chosen!r}; in common they have: {', '.join(common) or 'none'}")
    study = _Study(key, answers, runs, chosen, pages, resamples, seed)
    against = criteria_metrics(key.criteria, metrics or {})
    found = {name: study.criterion(name, metric) for name, metric in against.items()}
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
        "criteria": found,
        "notes": list(_notes(study, found, absent)),
    }


def criteria_metrics(criteria: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """The metric for every criterion: as asked for, else as in the paper.

    >>> criteria_metrics(["box alignment", "text correctness"], {"Text correctness": "cdm"})
    {'box alignment': 'iou', 'text correctness': 'cdm'}
    """
    asked = {name.casefold(): metric for name, metric in given.items()}
    if unknown := [name for name in given if name.casefold() not in {each.casefold() for each in criteria}]:
        raise VdeError(f"no criterion {unknown[0]!r} on the sheet; it has: {', '.join(criteria)}")
    found = {name: asked.get(name.casefold(), METRICS.get(name.casefold(), "")) for name in criteria}
    if lost := [name for name, metric in found.items() if not metric]:
        raise VdeError(f'which metric is {lost[0]!r} held against? give --metric "{lost[0]}=cdm"')
    return found


def _named(metric: str) -> tuple[str, str]:
    return "human ranks", f"values of {metric}"


def _no_values(automatic: Array, metric: str) -> str:
    return f"no sample of which every model has {metric}" if np.isnan(automatic).any() else ""


def _notes(study: _Study, found: Mapping[str, Any], absent: int) -> Iterator[str]:
    """How the numbers were made, and how far they carry."""
    key, answers = study.key, study.answers
    models, samples = len(key.editors), len(key.samples)
    drawn = samples if study.pages is None else len({study.pages[sample.sample] for sample in key.samples})
    what = "samples" if study.pages is None else "pages"
    yield (
        "Models: people's ranks, averaged, against the metric's mean over the same samples. Outputs: each only against "
        "the others of its sample, as people saw them."
    )
    yield f"Intervals: 95 %, percentile bootstrap, {study.resamples:,} resamples of {drawn} {what}, seed {study.seed}."
    if study.pages is None:
        yield "Which samples share a page is not known: each counts as a page of its own."
    if models < _FEW_MODELS:
        yield (
            f"{models} models are few points: the intervals over models are wide, and they speak of these models on "
            "other pages, not of other models."
        )
    if drawn < _FEW_SAMPLES:
        yield f"{drawn} {what} are few: bootstrap intervals of fewer than {_FEW_SAMPLES} are too narrow."
    if answers.missing:
        yield (
            f"{answers.missing} of {answers.cells} ranks are missing (first: {answers.first_missing}): "
            f"{answers.incomplete} rankings that are not whole are left out."
        )
    if answers.unchecked:
        yield (
            f"{', '.join(answers.unchecked)}: answers do not say to which sheet they are (column sheet): it could not "
            f"be checked against the key; make sure that it is {key.sheet}, the key's."
        )
    if absent:
        yield (
            f"{absent} of {models * samples} outputs are not there: they are ranked last by rule, which people and "
            "metrics share; agreement between people leaves them out."
        )
    for name, one in found.items():
        if one.get("lacking"):
            yield f"{name}: {one['lacking']} samples lack some model's {one['metric']} and are left out of it."
    if len(answers.people) < 2:
        yield "One annotator: how far people agree is not known."
