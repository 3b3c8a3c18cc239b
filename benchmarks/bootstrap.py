"""Intervals of 12 metrics on 942 samples by 10,000 resamples: one product of matrices against a plain loop.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bootstrap.py

Processor time; with more threads, that of all, waiting included. The plain loop draws samples and divides sums, resample by resample. The bounds of both must
agree within a twentieth of the interval, or it stops. Then `vde compare` of two such runs, without start-up; and all
intervals of such a run's summary at once (two settings, slices by operation, language, source, label and so on) against
one slice after the other, which must give the same.
"""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from vdebench.metrics.registry import block_metrics
from vdebench.protocols import get_protocol
from vdebench.protocols.pages.columns import schema_of
from vdebench.protocols.pages.means import label_pieces
from vdebench.protocols.pages.summary import SLICES, summarise
from vdebench.runs.folder import RunFolder
from vdebench.stats.bootstrap import bootstrap
from vdebench.stats.comparison import compare_runs
from vdebench.stats.intervals import with_intervals
from vdebench.stats.paired import Side, compare_pair
from vdebench.stats.stored import StoredRun, intervals

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
    """A run folder's content: the text metrics of `strict` in both settings."""
    columns: dict[str, Any] = {
        "sample": [f"text/{at}" for at in range(len(over))],
        "operation": ["text_delete"] * len(over),
    }
    columns |= {"gt_blocks": under[:, 0].astype(int), "matched_blocks": under[:, 0].astype(int), "iou_sum": over[:, 0]}
    for at, name in enumerate(block_metrics(), start=1):
        counts = under[:, at].astype(int)
        columns |= {f"{name}_sum": over[:, at], f"{name}_n": counts, f"{name}_matched_n": counts}
    frame = pl.DataFrame(columns)
    rows = pl.concat([frame.with_columns(pl.lit(setting).alias("setting")) for setting in ("global", "local")])
    summary = {
        "signature": "vde|p:strict",
        "protocol": "strict",
        "editor": editor,
        "overall": {"global": {"n": 1}, "local": {"n": 1}},
    }
    return StoredRun(Path(editor), summary, rows)


def kept_run(root: Path, random: np.random.Generator) -> RunFolder:
    """A run folder with slices as the paper's suite has them: rows of both settings, and their blocks by label."""
    scores, blocks = [], []
    for at in range(SAMPLES):
        operation, source = int(random.integers(10)), int(random.integers(9))
        about = {"operation": f"operation {operation}", "edit_class": f"class {operation % 4}", "group": f"{at % 2}"}
        about |= {
            "language": ("english", "chinese")[at % 2],
            "source": f"source {source}",
            "page": f"page {at % PAGES}",
        }
        for setting in ("global", "local"):
            values = random.beta(5, 2, (int(random.integers(3, 20)), 1 + len(block_metrics())))
            row = {"sample": f"{at}", "setting": setting, "state": "scored", **about, "unmatched_pred": 0}
            row |= {"gt_blocks": len(values), "matched_blocks": len(values), "unmatched_gt": 0, "image_reason": None}
            row |= {"iou_sum": values[:, 0].sum(), "page_edits": 1, "page_characters": 99, "width": 9, "height": 9}
            row |= {name: float(random.random()) for name in ("mse", "psnr", "ssim", "lpips", "clip")}
            for place, name in enumerate(block_metrics(), start=1):
                row |= {f"{name}_sum": values[:, place].sum()}
                row |= dict.fromkeys((f"{name}_n", f"{name}_matched_n"), len(values))
            scores.append(row)
            for truth, each in enumerate(values):
                label = f"label {min(11, random.geometric(0.3))}"
                block = {"sample": f"{at}", "setting": setting, "state": "matched", "label": label, "truth": truth}
                blocks.append({**block, **dict(zip(("iou", *block_metrics()), each.tolist(), strict=True))})
    pl.DataFrame(scores, schema={**schema_of("scores"), "page": pl.String}).write_parquet(root / "scores.parquet")
    pl.DataFrame(blocks, schema=schema_of("blocks")).write_parquet(root / "blocks.parquet")
    pl.DataFrame(schema=schema_of("regions")).write_parquet(root / "regions.parquet")
    return RunFolder(root)


def one_by_one(summary: dict[str, Any], rows: pl.DataFrame, blocks: pl.LazyFrame) -> dict[str, Any]:
    """The intervals of every slice by themselves."""
    page = dict(rows.select("sample", "page").iter_rows())
    labels = pl.concat(list(label_pieces(rows, blocks)), how="diagonal")
    found = {}
    for name in ("", *SLICES):
        table = labels if name == "label" else rows
        for value in sorted(table[name].unique()) if name else [""]:
            part = table.filter(pl.col(name) == value) if name else table
            run = StoredRun(Path("run"), {"protocol": "vde-release", **summary}, part)
            for setting in ("global", "local"):
                found[name, value, setting] = intervals(run, setting, pages=page)
    return found


def slices(random: np.random.Generator) -> None:
    """All intervals of a summary at once, and one by one."""
    protocol = get_protocol("vde-release")
    with tempfile.TemporaryDirectory() as temporary:
        folder = kept_run(Path(temporary), random)
        rows, blocks = folder.table("scores").collect(), folder.table("blocks")
        summary = summarise(folder, protocol, ("global", "local"))
        made, ours = timed(lambda: with_intervals(summary, rows, protocol, blocks))
        plainly, theirs = timed(lambda: one_by_one(summary, rows, blocks), 1)
        tracemalloc.start()
        with_intervals(summary, rows, protocol, blocks)
        most = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
    count = 0
    for (name, value, setting), bounds in plainly.items():
        means = (made["by"][name][value] if name else made["overall"])[setting]
        known = {metric: each for metric, each in bounds.items() if each and means.get(metric) is not None}
        assert known.keys() == means["intervals"].keys(), (name, value, setting)
        assert all(np.allclose(means["intervals"][key], known[key], rtol=0, atol=1e-9) for key in known)
        count += len(known)
    print(
        f"{count} intervals of {len(plainly)} slices of {SAMPLES} samples: {ours:.2f} s, one by one {theirs:.2f} s:"
        f" {theirs / ours:.1f} times; most memory {most:.0f} MB"
    )


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
    tracemalloc.stop()
    slices(random)


if __name__ == "__main__":
    main()
