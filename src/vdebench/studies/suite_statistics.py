"""What a suite is made of, in numbers: counts, lengths of instructions, layout of pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from vdebench.core.sample import Operation, Sample
from vdebench.metrics.tokens import script_tokens
from vdebench.studies.layout.element_types import is_known, kind_of
from vdebench.studies.layout.pages import Layouts, Read, suite_pages
from vdebench.studies.layout.statistics import (
    LayoutMetrics,
    area_density,
    by_source,
    composition,
    layout_metrics,
    metrics_of,
    z_scores,
)
from vdebench.suites.pages import pages_of
from vdebench.suites.suite import Suite

_BINS = 24
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000)


def suite_statistics(suite: Suite, read: Read | None = None) -> dict[str, Any]:
    """All that is counted of a suite, ready for JSON; `read` reads pages of suites that bring no readings."""
    samples = suite.samples
    asking = [sample for sample in samples if sample.operation != Operation.NONE]
    return {
        "suite": suite.name,
        "samples": len(samples),
        "left_out": dict(suite.left_out),
        "pages": len(set(pages_of(suite).values())),
        "groups": _counted(sample.group for sample in samples),
        "operations": _by_group(samples, lambda sample: sample.operation.value),
        "languages": _by_group(samples, lambda sample: sample.language),
        "sources": _by_group(samples, lambda sample: sample.source),
        "places": _places(asking),
        "instructions": _lengths([sample for sample in samples if sample.instruction.strip()]),
        "layout": layout_statistics(suite_pages(suite, read)),
    }


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values))


def _by_group(samples: Sequence[Sample], value_of: Callable[[Sample], str]) -> dict[str, dict[str, int]]:
    """Counts by value and group, values by the alphabet."""
    found: dict[str, Counter[str]] = {}
    for sample in samples:
        found.setdefault(value_of(sample), Counter())[sample.group] += 1
    return {value: dict(found[value]) for value in sorted(found)}


def _places(samples: Sequence[Sample]) -> dict[str, dict[str, int]]:
    """Operations in running text and in tables, by the four classes of the paper where they fall under one."""
    order = {name: at for at, name in enumerate(Operation)}
    places: dict[str, Counter[str]] = {"text": Counter(), "table": Counter()}
    for sample in sorted(samples, key=lambda sample: order[sample.operation]):
        named = sample.operation.edit_class
        title = sample.operation.value.replace("_", " ").capitalize() if named == "Other" else named
        places["table" if sample.operation.value.startswith("table_") else "text"][title] += 1
    return {place: dict(counts) for place, counts in places.items() if counts}


def _lengths(samples: Sequence[Sample]) -> dict[str, Any]:
    """How long instructions are, in characters and in tokens (a word, a number, a Chinese character, a mark)."""
    languages = sorted({sample.language for sample in samples})
    parts = {"all": samples} | {
        language: [sample for sample in samples if sample.language == language] for language in languages
    }
    spread = {}
    for name, members in parts.items() if samples else ():
        texts = [sample.instruction.strip() for sample in members]
        spread[name] = {
            "samples": len(texts),
            "characters": _spread([len(text) for text in texts]),
            "tokens": _spread([len(script_tokens(text)) for text in texts]),
        }
    lengths = {language: [len(sample.instruction.strip()) for sample in parts[language]] for language in languages}
    return {"samples": len(samples), "by_language": spread, "histogram": length_bins(lengths)}


def _spread(values: Sequence[int]) -> dict[str, float]:
    names = ("least", "first_quartile", "median", "third_quartile", "most")
    found = dict(zip(names, np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist(), strict=True))
    return {**found, "mean": float(np.mean(values))}


def length_bins(lengths: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Bins of a round width, at most 24; the last is open where a few are far longer than all others.

    >>> length_bins({"english": [3, 12, 17]})
    {'width': 1, 'open': False, 'counts': {'english': [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}}
    """
    every = sorted(length for some in lengths.values() for length in some)
    if not every:
        return {"width": 0, "open": False, "counts": {}}
    usual = float(np.quantile(every, 0.98))
    is_open = every[-1] > 1.5 * usual
    reach = usual if is_open else every[-1]
    width = next((step for step in _STEPS if (reach + 1) / step <= _BINS), max(_STEPS[-1], int(reach // _BINS) + 1))
    bins = int(reach // width) + 1 + is_open
    counts = {
        name: np.bincount([min(length // width, bins - 1) for length in some], minlength=bins).tolist()
        for name, some in lengths.items()
    }
    return {"width": width, "open": is_open, "counts": counts}


def layout_statistics(layouts: Layouts) -> dict[str, Any]:
    """The layout statistics of pages, equations 6 to 12 of the paper, with where the pages come from."""
    pages = layouts.pages
    densities = area_density(pages)
    types = list(next(iter(densities.values()), {}))
    return {
        "pages": len(pages),
        "from": _counted(layouts.origins.values()),
        "left_out": layouts.left_out,
        "sources": {source: len(members) for source, members in by_source(pages).items()},
        "types": {name: kind_of(name) for name in types},
        "unknown_types": [name for name in types if not is_known(name)],
        "area_density": densities,
        "z": z_scores(densities),
        "composition": composition(pages),
        "composition_by_area": composition(pages, "area"),
        "metrics": {source: found._asdict() for source, found in layout_metrics(pages).items()},
        "all": metrics_of(pages)._asdict() if pages else dict.fromkeys(LayoutMetrics._fields),
    }
