"""How many planted changes the change engine finds, per kind and transformation, and its false alarms.

python benchmarks/changes.py [--part tuning] [--pages 9] [--seeds 0 2 4] [--kinds digit letter] [--transformations 1mp]
    [--unchanged 9] [--per-page 3] [--list] [--save FOLDER] [--workers 2] [--cold]

Each page has a seed. Even seeds are for tuning, odd ones are held out: choose parameters on `--part tuning` and report
`--part held-out`. `planted_changes.PLANS` says which kinds share a page; each plan gives one pair of images per page and
transformation of the page after. A planted change is found if changes of text are reported at its place whose words
contain the differing characters (`change_scores.py`). `+1o`, `+1w`, `+1i` beside a count: one more place was reported
with other words, as weakened, as illegible. Other reported changes are false alarms; those of `--unchanged` pages all are.
`--per-page N` compares each page after N of the transformations only, in turn, so that more pages fit into the time.
CPU seconds include all threads. The reader keeps what it read in `$VDE_CACHE`, so they are too low unless `--cold` is
given: each pair is then compared by a new reader with an empty cache.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

import cv2
import numpy as np
from change_scores import FALSE_GROUPS, FOUND, ILLEGIBLE, OTHER, WEAKENED, PlantedChange, score_changes
from planted_changes import PLANS, PLANTED_KINDS, TRANSFORMATIONS, PlantedPair, plant, typeset_pages

from vdebench.changes.change import Change
from vdebench.core.images import Image
from vdebench.core.png import encode_png
from vdebench.readers.reader import Reader, get_reader

PARTS = {"tuning": 0, "held-out": 1}
"""Remainder of a part's seeds by 2."""
UNCHANGED = "unchanged"
_MARKS = {OTHER: "o", WEAKENED: "w", ILLEGIBLE: "i"}


class Options(NamedTuple):
    """What is compared on each page."""

    plans: Mapping[str, Mapping[str, int]]
    transformations: Sequence[str]
    save: Path | None
    cold: bool


class Result(NamedTuple):
    """The comparison of one pair."""

    page: str
    plan: str
    transformation: str
    planted: list[PlantedChange]
    outcomes: list[str]
    false_alarms: list[Change]
    seconds: float
    geometry: str
    unknown: str

    @property
    def failed(self) -> bool:
        """Whether a planted change is not found, or words are reported that did not change."""
        false = [change for change in self.false_alarms if change.kind in FALSE_GROUPS["text"]]
        return bool(false) or bool(self.unknown) or any(outcome != FOUND for outcome in self.outcomes)


def main() -> None:
    """Compare pairs and print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=PARTS, default="tuning", help="even or odd seeds")
    parser.add_argument("--pages", type=int, default=9, help="number of pages with planted changes")
    parser.add_argument("--seeds", type=int, nargs="+", help="pages to take them from, instead of a part")
    parser.add_argument("--kinds", nargs="+", choices=PLANTED_KINDS, default=PLANTED_KINDS)
    parser.add_argument("--transformations", nargs="+", choices=TRANSFORMATIONS, default=list(TRANSFORMATIONS))
    parser.add_argument("--unchanged", type=int, default=0, help="number of unchanged pages")
    parser.add_argument("--per-page", type=int, help="number of transformations of each page, in turn (default: all)")
    parser.add_argument("--list", action="store_true", help="print every miss and every false alarm")
    parser.add_argument("--save", type=Path, help="folder for the images of failed pairs")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--cold", action="store_true", help="an empty cache for each pair, to measure CPU time")
    chosen = parser.parse_args()
    first = PARTS[chosen.part]
    seeds, unchanged = (
        (chosen.seeds or [first + 2 * k for k in range(n)])[:n] for n in (chosen.pages, chosen.unchanged)
    )
    plans = {name: {kind: n for kind, n in plan.items() if kind in chosen.kinds} for name, plan in PLANS.items()}
    plans = {name: plan for name, plan in plans.items() if plan}
    jobs = []
    for seed in sorted({*seeds, *unchanged}):
        each = (plans if seed in seeds else {}) | ({UNCHANGED: {}} if seed in unchanged else {})
        names = in_turn(chosen.transformations, len(jobs), chosen.per_page)
        jobs.append((seed, Options(each, names, chosen.save, chosen.cold)))
    results: list[Result] = []
    for found in compared(jobs, chosen.workers):
        results += found
        for result in found if chosen.list else ():
            show_failures(result)
    show([result for result in results if result.plan != UNCHANGED], chosen.transformations, "planted changes")
    show([result for result in results if result.plan == UNCHANGED], chosen.transformations, "unchanged pages")


def in_turn(names: Sequence[str], page: int, number: int | None) -> list[str]:
    """Return the transformations of a page: all, or the next `number` of them after those of the page before."""
    count = min(number or len(names), len(names))
    return [names[(page * count + step) % len(names)] for step in range(count)]


def compared(jobs: Sequence[tuple[int, Options]], workers: int) -> Iterator[list[Result]]:
    """Yield the results of each page, in order."""
    if workers < 2:
        yield from (compare_page(*job) for job in jobs)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(compare_page, *zip(*jobs, strict=True))


@cache
def _reader() -> Reader:
    return get_reader("rapidocr")


@contextmanager
def _cold_reader() -> Iterator[Reader]:
    """A new reader with an empty cache; its models are loaded."""
    with TemporaryDirectory() as folder:
        os.environ["VDE_CACHE"] = folder
        reader = get_reader("rapidocr")
        page = np.full((800, 800, 3), 255, np.uint8)
        reader.read(np.asarray(cv2.putText(page, "Total 59", (99, 400), 0, 2, (0, 0, 0), 3), np.uint8))
        yield reader


def compare_page(seed: int, options: Options) -> list[Result]:
    """Compare all pairs of the page of a seed."""
    from vdebench.changes.engine import compare_pages

    (page,) = typeset_pages([seed])
    results: list[Result] = []
    for plan, counts in options.plans.items():
        image = page.image()
        pair = plant(page, counts, Random(f"{seed}/{plan}")) if counts else PlantedPair(image, image, [])
        if counts and not pair.planted:
            continue
        planted = [PlantedChange(*each, each.difference) for each in pair.planted]
        for transformation in options.transformations:
            after = TRANSFORMATIONS[transformation](pair.after)
            with _cold_reader() if options.cold else nullcontext(_reader()) as reader:
                start = time.process_time()
                found = compare_pages(pair.before, after, reader)
                seconds = time.process_time() - start
            score = score_changes(planted, found)
            if plan == "added_sentence":  # what follows the sentence really moves
                score = score._replace(false_alarms=[each for each in score.false_alarms if each.kind != "moved"])
            result = Result(
                *(page.name, plan, transformation, planted, *score, seconds),
                geometry=found.geometry.kind,
                unknown=found.unknown,
            )
            if options.save and result.failed:
                _save(options.save, f"{page.name}-{plan}-{transformation}", pair.before, after)
            results.append(result)
    return results


def _save(folder: Path, name: str, before: Image, after: Image) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for side, image in (("before", before), ("after", after)):
        (folder / f"{name.replace('%', '')}-{side}.png").write_bytes(encode_png(image))


def show_failures(result: Result) -> None:
    """Print the changes that were not found, and false alarms."""
    where = f"{result.page} {result.plan} {result.transformation} ({result.geometry})"
    if result.unknown:
        print(f"{where}: unknown: {result.unknown}")
    for planted, outcome in zip(result.planted, result.outcomes, strict=True):
        if outcome != FOUND:
            box = " ".join(f"{side:.0f}" for side in planted.box)
            words = f"{planted.before!r} → {planted.after!r}"
            print(f"{where}: {outcome}: {planted.kind} {words} at {box}, {planted.height:.0f} px high")
    for change in result.false_alarms:
        place = change.box_before or change.box_after
        box = "" if place is None else " ".join(f"{side:.0f}" for side in place)
        evidence = " ".join(f"{name}={value:.3g}" for name, value in change.evidence.items())
        words = f"{change.before!r} → {change.after!r}"
        print(f"{where}: false {change.kind}: {words} at {box} {change.note} {evidence}".rstrip(), flush=True)


def show(results: Sequence[Result], transformations: Sequence[str], title: str) -> None:
    """Print found / planted per transformation and kind, false alarms per page, and CPU seconds per pair."""
    if not results:
        return
    planted = [
        kind for kind in PLANTED_KINDS if any(each.kind == kind for result in results for each in result.planted)
    ]
    groups = [group for group in FALSE_GROUPS if any(false_alarms(results)[kind] for kind in FALSE_GROUPS[group])]
    heads = "".join(f"{kind.replace('_', ' '):>17}" for kind in planted)
    false = "".join(f"{group:>10}" for group in groups or ["none"])
    print(f"\n{title}; false alarms per pair: right of the bar; CPU s: median, 95 %, worst")
    print(f"{'transformation':16}{'pairs':>6}{heads} |{false} |   CPU s")
    for name in [*transformations, "all"] if len(transformations) > 1 else transformations:
        rows = [result for result in results if name in ("all", result.transformation)]
        if not rows:
            continue
        cells = "".join(f"{recall(rows, kind):>17}" for kind in planted)
        counts = false_alarms(rows)
        rates = [sum(counts[kind] for kind in FALSE_GROUPS[group]) / len(rows) for group in groups]
        alarms = "".join(f"{rate:10.2f}" for rate in rates or [0.0])
        seconds = [result.seconds for result in rows]
        cpu = f"{np.median(seconds):7.1f}{np.quantile(seconds, 0.95):7.1f}{max(seconds):7.1f}"
        unknown = sum(bool(result.unknown) for result in rows)
        print(f"{name:16}{len(rows):6}{cells} |{alarms} |{cpu}" + (f"   {unknown} unknown" if unknown else ""))


def false_alarms(results: Sequence[Result]) -> Counter[str]:
    """Number of false alarms by kind."""
    return Counter(change.kind for result in results for change in result.false_alarms)


def recall(results: Sequence[Result], kind: str) -> str:
    """Found / planted, and the numbers of other outcomes."""
    outcomes = Counter(
        outcome
        for result in results
        for planted, outcome in zip(result.planted, result.outcomes, strict=True)
        if planted.kind == kind
    )
    more = "".join(f" +{outcomes[outcome]}{mark}" for outcome, mark in _MARKS.items() if outcomes[outcome])
    return f"{outcomes[FOUND]}/{outcomes.total()}{more}" if outcomes else ""


if __name__ == "__main__":
    main()
