"""Findings from the rows of every level: means as in a summary, and the values of samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from vdebench.metrics.registry import facts, page_columns
from vdebench.pipeline.scoring.sample import SETTINGS
from vdebench.protocols import get_protocol
from vdebench.stats.bootstrap import means
from vdebench.stats.stored import StoredRun, matrix
from vdebench.stats.usable import PROPERTIES, Rows, Thresholds, UsableVerdict, verdict_signature, verdicts
from vdebench.studies.validity.corruption import Corruption
from vdebench.studies.validity.row_store import LEVEL
from vdebench.studies.validity.statistics import CorruptionResult, find

DONE_METRIC = "done"
USABLE = "usable"
_GOOD = ("done", "success")
_NO_VERDICT = ("text_kept", "text_changed")
_KEY = ("protocol", "corruption", LEVEL)
Values = dict[tuple[str, str], tuple[float | None, Mapping[str, float]]]
"""The mean and the values of samples, by setting and metric."""


def findings_of(
    protocol: str, corruption: Corruption, levels: Sequence[Mapping[str, pl.DataFrame]], *, exact_layout: bool
) -> Iterator[CorruptionResult]:
    """Yield a finding for every setting and metric, from the tables of every level."""
    values = [values_of(protocol, level) for level in levels]
    for key in dict.fromkeys(key for level in values for key in level):
        setting, metric = key
        by_level = [level.get(key, (None, dict[str, float]())) for level in values]
        if all(mean is None for mean, _ in by_level):
            continue
        samples = sorted(set[str]().union(*(by_sample for _, by_sample in by_level)))
        table = [[by_sample.get(sample, math.nan) for _, by_sample in by_level] for sample in samples]
        yield find(
            (protocol, corruption.name, setting, metric),
            [mean for mean, _ in by_level],
            np.array(table).reshape(len(samples), len(levels)),
            lower=facts(metric).best == "lower",
            business=protocol == "strict" and exact_layout and f"{setting}.{metric}" in corruption.business,
        )


def usable_rows(rows: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Properties and evidence of every sample and level, for protocols that judge usable edits."""
    return pl.DataFrame([verdict_row(key, verdict) for key, verdict in verdicts_of(rows)], infer_schema_length=None)


def verdict_row(key: Sequence[Any], verdict: UsableVerdict) -> dict[str, Any]:
    """The row of a verdict; the key has protocol, corruption and level."""
    return {
        **dict(zip(_KEY, key, strict=True)),
        "sample": verdict.sample,
        USABLE: verdict.usable,
        **verdict.properties,
        **{f"{name}_evidence": text for name, text in verdict.evidence.items()},
    }


def verdicts_of(rows: Mapping[str, pl.DataFrame]) -> Iterator[tuple[Sequence[Any], UsableVerdict]]:
    """Yield protocol, corruption and level with the verdict on every sample; level 0 is the reference."""
    protocols = [
        name for name in rows["scores"]["protocol"].unique(maintain_order=True) if get_protocol(name).properties
    ]
    for name in protocols:
        tables = [rows[table].filter(pl.col("protocol") == name) for table in ("scores", "regions")]
        reference = [table.filter(pl.col(LEVEL) == 0) for table in tables]
        for key, scores in tables[0].group_by(_KEY, maintain_order=True):
            regions = tables[1].filter((pl.col("corruption") == key[1]) & (pl.col(LEVEL) == key[2]))
            for verdict in verdicts(Rows(scores, regions, *reference), Thresholds()):
                yield key, verdict


def usable_signature(rows: Mapping[str, pl.DataFrame]) -> str:
    """Rules, what they rest on, and thresholds of the verdicts on usable edits; level 0 is not judged."""
    protocols = [name for name in rows["scores"]["protocol"].unique() if get_protocol(name).properties]
    scores = rows["scores"].filter(pl.col("protocol").is_in(protocols) & (pl.col(LEVEL) > 0))
    return verdict_signature(scores, Thresholds())


def values_of(protocol: str, level: Mapping[str, pl.DataFrame]) -> Values:
    """Means and values of samples, from the tables of a level."""
    scores = level["scores"]
    run = StoredRun(Path(), {"protocol": protocol}, scores)
    values: Values = {}
    columns = {name for name, by_sample in page_columns().items() if by_sample.kind != "mean"}
    for setting in SETTINGS:
        if scores.filter(pl.col("setting") == setting)["gt_blocks"].count():
            table = matrix(run, setting)
            overall = table.means()
            by_sample = means(table.numerators, table.denominators, table.derive)
            for index, metric in enumerate(table.metrics):
                if metric in columns:
                    values[setting, metric] = _number(overall[index]), _by_sample(table.samples, by_sample[:, index])
    if "regions" in level:
        values["local", DONE_METRIC] = _done(level["regions"])
    if USABLE in level and len(level[USABLE]):
        values |= _usable(level[USABLE])
    return values


def _done(regions: pl.DataFrame) -> tuple[float | None, dict[str, float]]:
    """Share of regions done, of those that text can decide; overall and by sample."""
    decided = regions.filter(~pl.col("outcome").is_in(_NO_VERDICT))
    good = decided.select("sample", pl.col("outcome").is_in(_GOOD).cast(pl.Float64).alias("good"))
    shares = dict(good.group_by("sample", maintain_order=True).agg(pl.col("good").mean()).iter_rows())
    return (sum(good["good"]) / len(good) if len(good) else None), shares


def _usable(rows: pl.DataFrame) -> Values:
    values: Values = {}
    for name in (USABLE, *PROPERTIES):
        decided = rows.filter(pl.col(name).is_not_null())
        by_sample = {sample: float(passed) for sample, passed in decided.select("sample", name).iter_rows()}
        rate = sum(by_sample.values()) / len(by_sample) if by_sample else None
        values["sample", name if name == USABLE else f"{USABLE}.{name}"] = rate, by_sample
    return values


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _by_sample(samples: Sequence[str], values: NDArray[np.float64]) -> dict[str, float]:
    return {sample: value for sample, value in zip(samples, values.tolist(), strict=True) if not math.isnan(value)}
