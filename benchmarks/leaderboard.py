"""A leaderboard of 100 runs of 942 samples: made from summaries against made from the samples' rows.

    python benchmarks/leaderboard.py [--runs 100] [--keep FOLDER]

Runs are synthetic: numbers of a run folder's shape, by a seed. The plain way reads every row, averages them by every slice
(without intervals) and puts the rows into the page, so that it can sort and filter them itself; both means must agree, or
it stops. Processor time. With chromium and playwright: how long the page takes to load, to sort, to show a slice.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from vdebench.report.leaderboard import write_leaderboard
from vdebench.report.leaderboard.board import slice_data, slice_names, table_data
from vdebench.report.leaderboard.gather import find_runs
from vdebench.report.leaderboard.groups import group_runs

SAMPLES, SETTINGS = 942, ("global", "local")
METRICS = (
    "iou",
    "cdm",
    "bleu",
    "teds",
    "teds_like",
    "text_similarity",
    "text_correctness",
    "page_text",
    "ssim",
    "psnr",
)
SLICES = {"operation": 8, "edit_class": 4, "language": 2, "source": 9, "group": 2}
PROPERTIES = ("completeness", "textual_correctness", "spatial_precision", "visual_fidelity", "preservation")


def make_run(folder: Path, at: int) -> None:
    """A run folder's summary and rows."""
    random = np.random.default_rng(at)
    skill = random.beta(4, 2)
    parts = {name: [f"{name} {each}" for each in random.integers(0, count, SAMPLES)] for name, count in SLICES.items()}
    frames, means, by = [], {}, {name: {} for name in SLICES}
    for setting in SETTINGS:
        values = np.clip(random.normal(skill, 0.2, (SAMPLES, len(METRICS))), 0, 1)
        values[:, -1] = 12 + 25 * values[:, -1]
        columns = {"sample": [f"text/{n}" for n in range(SAMPLES)], "setting": [setting] * SAMPLES, **parts}
        frames.append(pl.DataFrame({**columns, **dict(zip(METRICS, values.T, strict=True))}))
        means[setting] = _means(values)
        for name, keys in parts.items():
            for key in sorted(set(keys)):
                by[name].setdefault(key, {})[setting] = _means(values[np.array(keys) == key])
    lost = random.multinomial(SAMPLES, [*random.dirichlet(np.ones(5)) * (1 - skill), skill])
    left = SAMPLES - np.cumsum(lost[:-1])
    rate = {"rate": lost[-1] / SAMPLES, "interval": [skill * 0.93, min(1, skill * 1.07)], "n": SAMPLES, "unknown": 0}
    summary = {
        "signature": f"vde|p:strict|v:0.1.0|match:assign|tok:script|reader:r@1|suite:s@sha256:0f0f|n:{SAMPLES}",
        **{"protocol": "strict", "suite": "synthetic", "editor": f"editor-{at:03d}"},
        "coverage": {"samples": SAMPLES, "scored": SAMPLES, "missing": 0, "failed": 0},
        **{"overall": means, "by": by, "notes": []},
        "usable": {
            **rate,
            "thresholds": {"text": 0.9},
            "waterfall": [
                {"property": name, "failed": int(count), "left": int(rest)}
                for name, count, rest in zip(PROPERTIES, lost[:-1], left, strict=True)
            ],
            "by": {name: dict.fromkeys(sorted(set(keys)), rate) for name, keys in parts.items()},
        },
    }
    folder.mkdir(parents=True)
    (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    pl.concat(frames).write_parquet(folder / "scores.parquet")


def _means(values: np.ndarray) -> dict[str, Any]:
    mean, half = values.mean(axis=0), 1.96 * values.std(axis=0) / np.sqrt(len(values))
    bounds = {name: [m - h, m + h] for name, m, h in zip(METRICS, mean, half, strict=True)}
    counts = {"scored": len(values), "missing": 0, "failed": 0}
    return {**dict(zip(METRICS, mean, strict=True)), "intervals": bounds, "samples": counts, "images": len(values)}


def plain(folders: list[Path], out: Path) -> dict[str, float]:
    """Rows in the page, averages by every slice; the mean CDM of every run."""
    found, rows = {}, []
    for folder in folders:
        frame = pl.read_parquet(folder / "scores.parquet")
        for by in ("setting", *SLICES):
            means = frame.group_by(list(dict.fromkeys(("setting", by))), maintain_order=True).agg(
                pl.col(METRICS).mean()
            )
            if by == "setting":
                found[folder.name] = means.filter(pl.col("setting") == "local")["cdm"][0]
        rows.append({column: frame[column].to_list() for column in frame.columns})
    out.write_text(json.dumps(rows), encoding="utf-8")
    return found


def spent_by(task: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and the least processor time of three tries."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        found = task()
        seconds.append(time.process_time() - start)
    return found, min(seconds)


def numbers(root: Path) -> list[Any]:
    """What the page and its slices are made of, from summaries."""
    groups = group_runs(find_runs([root]).runs)
    return [(table_data(groups, group), [slice_data(group, by) for by in slice_names(group)]) for group in groups]


def in_the_browser(page_file: Path) -> dict[str, tuple[float, float]] | None:
    """Milliseconds by the clock, and of the page's own processor time: to load, to sort, to show a slice."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if shutil.which("chromium") is None:
        return None
    drawn = "performance.getEntriesByName('drawn').length"
    wait = f"while ({drawn} === before) await new Promise((done) => setTimeout(done)); "
    frame = "await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"
    sort = "document.querySelector(`[data-sort=${name}]`).click(); "
    pick = "const box = document.getElementById('by-slice'); box.value = name; box.dispatchEvent(new Event('change')); "
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        tools = page.context.new_cdp_session(page)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})

        def spent() -> float:
            found = {each["name"]: each["value"] for each in tools.send("Performance.getMetrics")["metrics"]}
            return 1000 * found["TaskDuration"]

        def timed(script: str, name: str) -> tuple[float, float]:
            before = spent()
            body = f"const start = performance.now(), before = {drawn}; {script}{wait}{frame} return performance.now() - start;"
            return page.evaluate(f"async (name) => {{ {body} }}", name), spent() - before

        loads = []
        for _ in range(5):
            page.goto("about:blank")
            before = spent()
            page.goto(page_file.resolve().as_uri())
            page.wait_for_selector("[data-table] tbody tr")
            loads.append((page.evaluate("performance.getEntriesByName('drawn')[0].startTime"), spent() - before))
        sorts = [timed(sort, name) for name in ("cdm", "iou", "editor", "cdm", "usable", "psnr", "iou")]
        slices = [timed(pick, "operation")]
        browser.close()
    every = {"load": loads, "sort": sorts, "slice": slices}
    return {
        name: (min(c for c, _ in tries), sorted(p for _, p in tries)[len(tries) // 2]) for name, tries in every.items()
    }


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=100)
    options.add_argument("--keep", type=Path)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = asked.keep or Path(temporary)
        folders = [root / "runs" / f"editor-{at:03d}" for at in range(asked.runs)]
        for at, folder in enumerate(folders):
            if not folder.exists():
                make_run(folder, at)
        page, whole = spent_by(lambda: write_leaderboard([root / "runs"], root / "board"))
        _, ours = spent_by(lambda: numbers(root / "runs"))
        means, theirs = spent_by(lambda: plain(folders, root / "rows.json"))
        first = root / "board" / "data" / "leaderboard.js"
        shown = json.loads(first.read_text(encoding="utf-8").partition(", ")[2].rpartition(")")[0])
        apart = max(abs(row["cells"]["local"]["cdm"][0] - means[row["editor"]]) for row in shown["tables"][0]["rows"])
        assert apart < 1e-9, f"means differ by {apart}"
        sizes = (root / "rows.json").stat().st_size, first.stat().st_size
        print(f"{asked.runs} runs: from summaries {ours:.2f} s, from rows {theirs:.2f} s: {theirs / ours:.1f} times")
        print(f"vde leaderboard with all its files: {whole:.2f} s")
        print(
            f"the page loads {sizes[1] / 1e3:.0f} kB, with rows {sizes[0] / 1e6:.1f} MB: {sizes[0] / sizes[1]:.0f} times"
        )
        for name, (clock, processor) in (in_the_browser(page) or {}).items():
            print(f"in chromium: {name} {processor:.0f} ms of processor time, at best {clock:.0f} ms by the clock")


if __name__ == "__main__":
    main()
