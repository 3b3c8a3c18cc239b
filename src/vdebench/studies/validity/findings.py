"""From rows of every level to findings: means as a summary has them, and the samples' own values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from vdebench.metrics.registry import facts, page_columns
from vdebench.pipeline.scoring.sample import SETTINGS
from vdebench.protocols import get_protocol
from vdebench.stats.bootstrap import means
from vdebench.stats.stored import StoredRun, matrix
from vdebench.stats.usable import PROPERTIES, Rows, Thresholds, verdicts
from vdebench.studies.validity.corruption import Corruption
from vdebench.studies.validity.statistics import CorruptionResult, find

LEVEL = "level"
DONE = "done"
USABLE = "usable"
_GOOD = ("done", "success")
_NO_VERDICT = ("text_kept", "text_changed")
_KEY = ("protocol", "corruption", LEVEL)
Values = dict[tuple[str, str], tuple[float | None, Mapping[str, float]]]
"""By setting and metric: the mean, and what each sample has."""


def findings_of(
    protocol: str, corruption: Corruption, levels: Sequence[Mapping[str, pl.DataFrame]], *, exact_layout: bool
) -> Iterator[CorruptionResult]:
    """A finding for every setting and metric, from the tables of every level."""
    values = [_values(protocol, level) for level in levels]
    for key in dict.fromkeys(key for level in values for key in level):
        setting, metric = key
        found = [level.get(key, (None, dict[str, float]())) for level in values]
        if all(mean is None for mean, _ in found):
            continue
        samples = sorted(set[str]().union(*(each for _, each in found)))
        table = [[each.get(sample, math.nan) for _, each in found] for sample in samples]
        yield find(
            (protocol, corruption.name, setting, metric),
            [mean for mean, _ in found],
            np.array(table).reshape(len(samples), len(levels)),
            lower=facts(metric).best == "lower",
            business=protocol == "strict" and exact_layout and f"{setting}.{metric}" in corruption.business,
        )


def usable_rows(rows: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """A row for every sample and step by a protocol that judges usable edits: each property, and the evidence."""
    judged = [name for name in rows["scores"]["protocol"].unique(maintain_order=True) if get_protocol(name).properties]
    parts = []
    for name in judged:
        own = [rows[table].filter(pl.col("protocol") == name) for table in ("scores", "regions")]
        right = [table.filter(pl.col(LEVEL) == 0) for table in own]
        for key, scores in own[0].group_by(_KEY, maintain_order=True):
            regions = own[1].filter((pl.col("corruption") == key[1]) & (pl.col(LEVEL) == key[2]))
            parts += [
                {
                    **dict(zip(_KEY, key, strict=True)),
                    "sample": each.sample,
                    USABLE: each.usable,
                    **each.properties,
                    **{f"{name}_evidence": why for name, why in each.evidence.items()},
                }
                for each in verdicts(Rows(scores, regions, *right), Thresholds())
            ]
    return pl.DataFrame(parts, infer_schema_length=None)


def _values(protocol: str, level: Mapping[str, pl.DataFrame]) -> Values:
    scores = level["scores"]
    run = StoredRun(Path(), {"protocol": protocol}, scores)
    found: Values = {}
    shown = {name for name, each in page_columns().items() if each.kind != "mean"}
    for setting in SETTINGS:
        if scores.filter(pl.col("setting") == setting)["gt_blocks"].count():
            table = matrix(run, setting)
            overall = table.means()
            each = means(table.numerators, table.denominators, table.derive)
            for at, metric in enumerate(table.metrics):
                if metric in shown:
                    found[setting, metric] = _number(overall[at]), _by_sample(table.samples, each[:, at])
    if "regions" in level:
        found["local", DONE] = _done(level["regions"])
    if USABLE in level and len(level[USABLE]):
        found |= _usable(level[USABLE])
    return found


def _done(regions: pl.DataFrame) -> tuple[float | None, dict[str, float]]:
    """Share of regions in which the edit was done, of those where text can tell; and each sample's."""
    judged = regions.filter(~pl.col("outcome").is_in(_NO_VERDICT))
    good = judged.select("sample", pl.col("outcome").is_in(_GOOD).cast(pl.Float64).alias("good"))
    shares = dict(good.group_by("sample", maintain_order=True).agg(pl.col("good").mean()).iter_rows())
    return (sum(good["good"]) / len(good) if len(good) else None), shares


def _usable(rows: pl.DataFrame) -> Values:
    found: Values = {}
    for name in (USABLE, *PROPERTIES):
        known = rows.filter(pl.col(name).is_not_null())
        each = {sample: float(passed) for sample, passed in known.select("sample", name).iter_rows()}
        rate = sum(each.values()) / len(each) if each else None
        found["sample", name if name == USABLE else f"{USABLE}.{name}"] = rate, each
    return found


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _by_sample(samples: Sequence[str], values: NDArray[np.float64]) -> dict[str, float]:
    return {sample: value for sample, value in zip(samples, values.tolist(), strict=True) if not math.isnan(value)}
