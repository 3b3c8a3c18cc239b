"""Intervals of 12 metrics on 942 samples by 10,000 resamples: one product of matrices against a plain loop.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bootstrap.py

Processor time; with more threads, that of all, waiting included. The plain loop draws samples and divides sums, resample by resample. The bounds of both must
agree within a twentieth of the interval, or it stops. Then `vde compare` of two such runs, without start-up.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from vdebench.analysis.bootstrap import bootstrap
from vdebench.analysis.compared import compare_runs
from vdebench.analysis.paired import Side, compare_pair
from vdebench.analysis.stored import StoredRun
from vdebench.protocols import TEXT_METRICS

SAMPLES, METRICS, RESAMPLES, PAGES = 942, 12, 10_000, 300


def plain(over: np.ndarray, under: np.ndarray, resamples: int) -> np.ndarray:
    """Means of every resample, one after the other."""
    random = np.random.default_rng(1)
    values = np.empty((resamples, over.shape[1]))
    for at in range(resamples):
        drawn = random.integers(0, len(over), len(over))
        for column in range(over.shape[1]):
            values[at, column] = over[drawn, column].sum() / under[drawn, column].sum()
    return values


def timed(function: Callable[[], Any], times: int = 3) -> tuple[Any, float]:
    """What it gives, and the least processor time of a few tries."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        found = function()
        seconds.append(time.process_time() - start)
    return found, min(seconds)


def run_of(editor: str, over: np.ndarray, under: np.ndarray) -> StoredRun:
    """A run folder's content: the text metrics of `exact` in both settings."""
    columns: dict[str, Any] = {
        "sample": [f"text/{at}" for at in range(len(over))],
        "operation": ["text_delete"] * len(over),
    }
    columns |= {"gt_blocks": under[:, 0].astype(int), "matched_blocks": under[:, 0].astype(int), "iou_sum": over[:, 0]}
    for at, name in enumerate(TEXT_METRICS, start=1):
        counts = under[:, at].astype(int)
        columns |= {f"{name}_sum": over[:, at], f"{name}_n": counts, f"{name}_matched_n": counts}
    frame = pl.DataFrame(columns)
    rows = pl.concat([frame.with_columns(pl.lit(setting).alias("setting")) for setting in ("global", "local")])
    summary = {
        "signature": "vde|p:exact",
        "protocol": "exact",
        "editor": editor,
        "overall": {"global": {"n": 1}, "local": {"n": 1}},
    }
    return StoredRun(Path(editor), summary, rows)


def main() -> None:
    random = np.random.default_rng(0)
    under = random.poisson(9, (SAMPLES, METRICS)) + 1.0
    one, two = (under * random.beta(5, 2, under.shape) for _ in range(2))
    page = random.integers(0, PAGES, SAMPLES)

    (low, high), ours = timed(lambda: bootstrap(one, under, resamples=RESAMPLES))
    values, theirs = timed(lambda: plain(one, under, RESAMPLES), 1)
    apart = float(np.max(np.abs(np.quantile(values, [0.025, 0.975], axis=0) - [low, high]) / (high - low)))
    assert apart < 0.05, f"bounds differ by {apart:.3f} of the interval"
    print(f"{SAMPLES} samples × {METRICS} metrics, {RESAMPLES:,} resamples: {ours:.2f} s, a plain loop {theirs:.2f} s")
    print(f"{theirs / ours:.0f} times; bounds differ by {apart:.3f} of an interval at most")
    for told, task in (
        ("BCa", lambda: bootstrap(one, under, method="bca")),
        (f"{PAGES} pages", lambda: bootstrap(one, under, page)),
        ("a pair, all there is to say", lambda: compare_pair(Side(one, under), Side(two, under))),
        ("vde compare, two runs, four metrics, two settings", lambda: compare_runs([run_of("a", one, under), run_of("b", two, under)])),
    ):  # fmt: skip
        print(f"{told}: {timed(task)[1]:.2f} s")
    tracemalloc.start()
    bootstrap(one, under)
    print(f"most memory of the first: {tracemalloc.get_traced_memory()[1] / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
