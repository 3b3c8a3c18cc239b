"""Usable edits as tables: a row for every editor, and where its edits fail first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vdebench.report.table import Column, Row, Table
from vdebench.stats.usable import PROPERTIES, UsableVerdict


def _head(title: str) -> str:
    """A property's name in a narrow column."""
    return title.split()[0].lower()


_COLUMNS = (
    Column("Usable", headline=True),
    Column("low", "", group="interval"),
    Column("high", "", group="interval"),
    *(Column(_head(title), "", 0, group="samples that fail first at") for title in PROPERTIES.values()),
    Column("judged", "", 0, headline=True),
    Column("unknown", "", 0, headline=True),
)
_SLICE_COLUMNS = (*_COLUMNS[:3], *_COLUMNS[-2:])


def usable_table(found: Sequence[tuple[str, Mapping[str, Any]]], by: str = "", notes: Sequence[str] = ()) -> Table:
    """Every editor's rate of usable edits with its waterfall, or its rates within each value of a slice."""
    told = [*gap_lines(found), *dict.fromkeys(usable["signature"] for _, usable in found), *notes]
    if not by:
        rows = [Row(editor, _values(usable, usable["waterfall"])) for editor, usable in found]
        legend = ", ".join(f"{_head(title)}: {title.lower()}" for title in PROPERTIES.values() if " " in title)
        return Table("Usable edits", _COLUMNS, rows, "Editor", notes=[legend, *told])
    values = dict.fromkeys(value for _, usable in found for value in usable["by"][by])
    rows = [
        Row(editor, _values(usable["by"][by][value]), value)
        for value in values
        for editor, usable in found
        if value in usable["by"][by]
    ]
    return Table(f"Usable edits by {by}", _SLICE_COLUMNS, rows, "Editor", notes=told)


def judged_table(summaries: Sequence[Mapping[str, Any]]) -> Table | None:
    """The table of editors whose edits were judged, nothing where none were."""
    found = [(summary["editor"], summary["usable"]) for summary in summaries if summary.get("usable")]
    return usable_table(found) if found else None


def bounds_line(found: Mapping[str, Any]) -> str:
    """Between what the rate of usable edits lies, where it is not known.

    >>> bounds_line({"bounds": [0, 19], "n": 5, "unknown": 19})
    '0 to 19 of 24 edits are usable: 19 could not be judged'
    """
    low, high = found["bounds"]
    return (
        f"{low} to {high} of {found['n'] + found['unknown']} edits are usable: {found['unknown']} could not be judged"
    )


def gap_lines(found: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """For every editor what its rate of usable edits does not cover."""
    for editor, usable in found:
        if usable["unknown"]:
            yield f"{editor}: {bounds_line(usable)}; `vde usable RUN --samples` says why"
        if usable.get("not_judgeable"):
            yield f"{editor}: {usable['not_judgeable']} samples are in no rate: no editor can be judged on them"


def _values(found: Mapping[str, Any], waterfall: Sequence[Mapping[str, Any]] = ()) -> list[float | None]:
    low, high = found["interval"] or (None, None)
    return [found["rate"], low, high, *(step["failed"] for step in waterfall), found["n"], found["unknown"]]


def verdict_lines(editor: str, found: Sequence[UsableVerdict]) -> Iterator[str]:
    """A line for every sample: whether its edit is usable, and the evidence of what decides."""
    for verdict in found:
        if verdict.usable:
            yield f"{editor} {verdict.sample}: usable"
            continue
        wanted = None if verdict.usable is None else False
        names = [name for name, passed in verdict.properties.items() if passed is wanted]
        reasons: dict[str, list[str]] = {}  # a missing output fails everything for one reason
        for name in names:
            reasons.setdefault(verdict.evidence[name], []).append(PROPERTIES[name].lower())
        told = "; ".join(f"{', '.join(properties)}: {reason}" for reason, properties in reasons.items())
        yield f"{editor} {verdict.sample}: {'unknown' if wanted is None else 'not usable'}: {told}"
