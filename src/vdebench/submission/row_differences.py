"""Comparison of the rows of a submission with newly computed rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from vdebench.submission.consistency import TOLERANCE, equal_values
from vdebench.suites.pages import pages_of
from vdebench.suites.suite import Suite

NETWORK_METRICS = ("lpips", "clip")
NETWORK_TOLERANCE = 1e-4
"""Tolerance for metrics of neural networks, whose sums depend on the processor."""
_TEXTS = ("state", "alignment", "against", "group", "operation", "edit_class", "language", "source", "tier")
_NOT_COMPARED = ("fingerprint", "page", "reason", "image_reason")
"""Columns whose values depend on file names."""


class RowDifference(NamedTuple):
    """A value of a row that differs from the newly computed one."""

    sample: str
    setting: str
    column: str
    claimed: Any
    found: Any


def row_differences(before: pl.DataFrame, after: pl.DataFrame, left_out: Sequence[str]) -> Iterator[RowDifference]:
    """Yield numbers and states that differ, and rows that only one side has."""
    columns = [
        name
        for name, kind in before.schema.items()
        if (kind.is_numeric() or kind == pl.Boolean or name in _TEXTS)
        and name in after.columns
        and name not in left_out
    ]
    rescored = {(row["sample"], row["setting"]): row for row in after.iter_rows(named=True)}
    for row in before.iter_rows(named=True):
        other = rescored.pop((row["sample"], row["setting"]), None)
        if other is None:
            yield RowDifference(row["sample"], row["setting"], "row", "there", "not there")
            continue
        for name in columns:
            tolerance = NETWORK_TOLERANCE if name.startswith(NETWORK_METRICS) else TOLERANCE
            if not equal_values(row[name], other[name], tolerance):
                yield RowDifference(row["sample"], row["setting"], name, row[name], other[name])
    for sample, setting in rescored:
        yield RowDifference(sample, setting, "row", "not there", "there")


def part_differences(before: pl.DataFrame, after: pl.DataFrame, table: str) -> Iterator[RowDifference]:
    """Yield blocks and regions of a sample that differ, in order; also used for the rows of its reference image."""
    name = table.removesuffix(".parquet").replace("/", " ")
    rescored, columns = _by_sample(after), [each for each in before.columns if each not in _NOT_COMPARED]
    for key, rows in _by_sample(before).items():
        others = rescored.pop(key, [])
        if len(rows) != len(others):
            yield RowDifference(*key, name, len(rows), len(others))
            continue
        for at, (row, other) in enumerate(zip(rows, others, strict=True)):
            for column in columns:
                if not equal_values(row[column], other[column]):
                    yield RowDifference(*key, f"{name} {at} {column}", row[column], other[column])
    for key, others in rescored.items():
        yield RowDifference(*key, name, 0, len(others))


def _by_sample(rows: pl.DataFrame) -> dict[tuple[str, str], list[dict[str, Any]]]:
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows.iter_rows(named=True):
        groups.setdefault((row["sample"], row["setting"]), []).append(row)
    return groups


def page_differences(rows: pl.DataFrame, suite: Suite) -> Iterator[RowDifference]:
    """Yield samples that share their page with other samples than in the suite: intervals are computed by page.

    Checks all samples, because nothing has to be scored. Names of pages may differ.
    """
    if "page" not in rows.columns:
        return
    claimed = _page_groups(dict(rows.select("sample", "page").iter_rows()))
    pages = pages_of(suite)
    actual = _page_groups({sample: pages[sample] for sample in claimed if sample in pages})
    for sample, others in claimed.items():
        if others != actual.get(sample, others):
            yield RowDifference(sample, "", "samples of its page", len(others), len(actual[sample]))


def _page_groups(pages: Mapping[str, str | None]) -> dict[str, frozenset[str]]:
    groups: dict[str | None, list[str]] = {}
    for sample, page in pages.items():
        groups.setdefault(page, []).append(sample)
    return {sample: group for each in groups.values() for group in [frozenset(each)] for sample in each}
