"""Rows of a submission beside those that are scored here: what is not the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from vdebench.submission.consistency import STRICT, same
from vdebench.suites.pages import pages_of
from vdebench.suites.suite import Suite

LOOSE = ("lpips", "clip")
BY_NETWORKS = 1e-4
"""How far metrics by neural networks may differ: other processors add up in another order."""
_TEXTS = ("state", "alignment", "against", "group", "operation", "edit_class", "language", "source", "tier")
_NOT_COMPARED = ("fingerprint", "page", "reason", "image_reason")
"""What says the same in other words: names of pages, reasons that name files."""


class RowDifference(NamedTuple):
    """A number of a row that is another one here."""

    sample: str
    setting: str
    column: str
    claimed: Any
    found: Any


def row_differences(before: pl.DataFrame, after: pl.DataFrame, left_out: Sequence[str]) -> Iterator[RowDifference]:
    """Numbers and states that are not the same, and rows that only one side has."""
    columns = [
        name
        for name, kind in before.schema.items()
        if (kind.is_numeric() or kind == pl.Boolean or name in _TEXTS)
        and name in after.columns
        and name not in left_out
    ]
    again = {(row["sample"], row["setting"]): row for row in after.iter_rows(named=True)}
    for row in before.iter_rows(named=True):
        other = again.pop((row["sample"], row["setting"]), None)
        if other is None:
            yield RowDifference(row["sample"], row["setting"], "row", "there", "not there")
            continue
        for name in columns:
            within = BY_NETWORKS if name.startswith(LOOSE) else STRICT
            if not same(row[name], other[name], within):
                yield RowDifference(row["sample"], row["setting"], name, row[name], other[name])
    for sample, setting in again:
        yield RowDifference(sample, setting, "row", "not there", "there")


def part_differences(before: pl.DataFrame, after: pl.DataFrame, table: str) -> Iterator[RowDifference]:
    """Blocks and regions of a sample that are not the same, in their order; or rows of its reference image."""
    name = table.removesuffix(".parquet").replace("/", " ")
    again, columns = _by_sample(after), [each for each in before.columns if each not in _NOT_COMPARED]
    for key, rows in _by_sample(before).items():
        others = again.pop(key, [])
        if len(rows) != len(others):
            yield RowDifference(*key, name, len(rows), len(others))
            continue
        for at, (row, other) in enumerate(zip(rows, others, strict=True)):
            for column in columns:
                if not same(row[column], other[column]):
                    yield RowDifference(*key, f"{name} {at} {column}", row[column], other[column])
    for key, others in again.items():
        yield RowDifference(*key, name, 0, len(others))


def _by_sample(rows: pl.DataFrame) -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows.iter_rows(named=True):
        found.setdefault((row["sample"], row["setting"]), []).append(row)
    return found


def page_differences(rows: pl.DataFrame, suite: Suite) -> Iterator[RowDifference]:
    """Samples that share their page with others than in the suite: intervals are made by pages.

    Of all samples, since nothing need be scored for it. What a page is called does not matter.
    """
    if "page" not in rows.columns:
        return
    claimed = _sharing(dict(rows.select("sample", "page").iter_rows()))
    known = pages_of(suite)
    found = _sharing({sample: known[sample] for sample in claimed if sample in known})
    for sample, others in claimed.items():
        if others != found.get(sample, others):
            yield RowDifference(sample, "", "samples of its page", len(others), len(found[sample]))


def _sharing(pages: Mapping[str, str | None]) -> dict[str, frozenset[str]]:
    groups: dict[str | None, list[str]] = {}
    for sample, page in pages.items():
        groups.setdefault(page, []).append(sample)
    return {sample: group for each in groups.values() for group in [frozenset(each)] for sample in each}
