"""Statistics of a suite: counts, lengths of instructions, layout of pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from vdebench.core.sample import Operation, Sample
from vdebench.metrics.tokens import script_tokens
from vdebench.studies.layout.element_types import is_known, kind_of
from vdebench.studies.layout.pages import Layouts, ReadPage, suite_pages
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


def suite_statistics(suite: Suite, read: ReadPage | None = None) -> dict[str, Any]:
    """Return all statistics of a suite as JSON data; `read` reads pages of suites without OCR output."""
    samples = suite.samples
    edits = [sample for sample in samples if sample.operation != Operation.NONE]
    return {
        "suite": suite.name,
        "samples": len(samples),
        "left_out": dict(suite.left_out),
        "pages": len(set(pages_of(suite).values())),
        "groups": _count(sample.group for sample in samples),
        "operations": _by_group(samples, lambda sample: sample.operation.value),
        "languages": _by_group(samples, lambda sample: sample.language),
        "sources": _by_group(samples, lambda sample: sample.source),
        "places": _operations_by_place(edits),
        "instructions": _lengths([sample for sample in samples if sample.instruction.strip()]),
        "layout": layout_statistics(suite_pages(suite, read)),
    }


def _count(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values))


def _by_group(samples: Sequence[Sample], value_of: Callable[[Sample], str]) -> dict[str, dict[str, int]]:
    """Count samples by value and group; values are sorted."""
    counts: dict[str, Counter[str]] = {}
    for sample in samples:
        counts.setdefault(value_of(sample), Counter())[sample.group] += 1
    return {value: dict(counts[value]) for value in sorted(counts)}


def _operations_by_place(samples: Sequence[Sample]) -> dict[str, dict[str, int]]:
    """Count operations in running text and in tables, by the four classes of the paper where they belong to one."""
    order = {name: at for at, name in enumerate(Operation)}
    places: dict[str, Counter[str]] = {"text": Counter(), "table": Counter()}
    for sample in sorted(samples, key=lambda sample: order[sample.operation]):
        edit_class = sample.operation.edit_class
        title = sample.operation.value.replace("_", " ").capitalize() if edit_class == "Other" else edit_class
        places["table" if sample.operation.value.startswith("table_") else "text"][title] += 1
    return {place: dict(counts) for place, counts in places.items() if counts}


def _lengths(samples: Sequence[Sample]) -> dict[str, Any]:
    """Lengths of instructions in characters and tokens (words, numbers, Chinese characters, punctuation marks)."""
    languages = sorted({sample.language for sample in samples})
    parts = {"all": samples} | {
        language: [sample for sample in samples if sample.language == language] for language in languages
    }
    distributions = {}
    for name, members in parts.items() if samples else ():
        texts = [sample.instruction.strip() for sample in members]
        distributions[name] = {
            "samples": len(texts),
            "characters": _distribution([len(text) for text in texts]),
            "tokens": _distribution([len(script_tokens(text)) for text in texts]),
        }
    lengths = {language: [len(sample.instruction.strip()) for sample in parts[language]] for language in languages}
    return {"samples": len(samples), "by_language": distributions, "histogram": length_bins(lengths)}


def _distribution(values: Sequence[int]) -> dict[str, float]:
    names = ("least", "first_quartile", "median", "third_quartile", "most")
    quantiles = dict(zip(names, np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist(), strict=True))
    return {**quantiles, "mean": float(np.mean(values))}


def length_bins(lengths: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Histogram with at most 24 bins of a round width; the last bin is open if a few lengths are outliers.

    >>> length_bins({"english": [3, 12, 17]})
    {'width': 1, 'open': False, 'counts': {'english': [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}}
    """
    every = sorted(length for some in lengths.values() for length in some)
    if not every:
        return {"width": 0, "open": False, "counts": {}}
    typical_maximum = float(np.quantile(every, 0.98))
    is_open = every[-1] > 1.5 * typical_maximum
    reach = typical_maximum if is_open else every[-1]
    width = next((step for step in _STEPS if (reach + 1) / step <= _BINS), max(_STEPS[-1], int(reach // _BINS) + 1))
    bins = int(reach // width) + 1 + is_open
    counts = {
        name: np.bincount([min(length // width, bins - 1) for length in some], minlength=bins).tolist()
        for name, some in lengths.items()
    }
    return {"width": width, "open": is_open, "counts": counts}


def layout_statistics(layouts: Layouts) -> dict[str, Any]:
    """Layout statistics of pages (equations 6 to 12 of the paper), with the origin of the pages."""
    pages = layouts.pages
    densities = area_density(pages)
    types = list(next(iter(densities.values()), {}))
    return {
        "pages": len(pages),
        "from": _count(layouts.origins.values()),
        "left_out": layouts.left_out,
        "sources": {source: len(members) for source, members in by_source(pages).items()},
        "types": {name: kind_of(name) for name in types},
        "unknown_types": [name for name in types if not is_known(name)],
        "area_density": densities,
        "z": z_scores(densities),
        "composition": composition(pages),
        "composition_by_area": composition(pages, "area"),
        "metrics": {source: metrics._asdict() for source, metrics in layout_metrics(pages).items()},
        "all": metrics_of(pages)._asdict() if pages else dict.fromkeys(LayoutMetrics._fields),
    }
