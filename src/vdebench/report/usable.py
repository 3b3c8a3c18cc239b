"""Tables of usable edits: a row for every editor, with the property at which its edits fail first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vdebench.report.table import Column, Row, Table
from vdebench.stats.usable import PROPERTIES, UsableVerdict


def _head(title: str) -> str:
    """A short column head for a property."""
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
_CHANGES = {
    "unasked_per_page": Column("unasked / page", "lower", 2, group="changes"),
    "facts_per_100": Column("facts / 100 edits", "lower", 1, group="changes"),
    "illegible_words": Column("illegible words", "lower", 0, group="changes"),
    "cropped_words": Column("cropped words", "lower", 0, group="changes"),
    "mean_zoom": Column("zoom", "lower", 3, group="changes"),
}
"""Columns of changes, by their keys in the summary."""


def usable_table(
    summaries: Sequence[tuple[str, Mapping[str, Any]]],
    by: str = "",
    notes: Sequence[str] = (),
    *,
    with_changes: bool = True,
) -> Table:
    """Every editor's rate of usable edits with its waterfall and counts of changes, or its rates by a slice."""
    all_notes = [*gap_lines(summaries), *dict.fromkeys(usable["signature"] for _, usable in summaries), *notes]
    if not by:
        counts = [usable.get("changes") or {} for _, usable in summaries]
        shown = _CHANGES if with_changes and any(count.get("measured") for count in counts) else {}
        rows = [
            Row(editor, [*_values(usable, usable["waterfall"]), *(count.get(key) for key in shown)])
            for (editor, usable), count in zip(summaries, counts, strict=True)
        ]
        legend = ", ".join(f"{_head(title)}: {title.lower()}" for title in PROPERTIES.values() if " " in title)
        columns = (*_COLUMNS, *shown.values())
        return Table("Usable edits", columns, rows, "Editor", notes=[legend, *all_notes])
    values = dict.fromkeys(value for _, usable in summaries for value in usable["by"][by])
    rows = [
        Row(editor, _values(usable["by"][by][value]), value)
        for value in values
        for editor, usable in summaries
        if value in usable["by"][by]
    ]
    return Table(f"Usable edits by {by}", _SLICE_COLUMNS, rows, "Editor", notes=all_notes)


def changes_table(summaries: Sequence[tuple[str, Mapping[str, Any]]]) -> Table | None:
    """Every editor's counts of changes between references and outputs; None if they were not measured."""
    counts = [(editor, usable.get("changes") or {}) for editor, usable in summaries]
    if not any(count.get("measured") for _, count in counts):
        return None
    columns = {
        **{key: replace(column, group="") for key, column in _CHANGES.items()},
        "measured": Column("edits measured", "", 0),
    }
    rows = [Row(editor, [count.get(key) for key in columns]) for editor, count in counts]
    return Table("Changes against the references", list(columns.values()), rows, "Editor")


def usable_overview(summaries: Sequence[Mapping[str, Any]]) -> Table | None:
    """The table of editors with verdicts, or None."""
    pairs = [(summary["editor"], summary["usable"]) for summary in summaries if summary.get("usable")]
    return usable_table(pairs) if pairs else None


def bounds_line(usable: Mapping[str, Any]) -> str:
    """The bounds of an unknown rate of usable edits.

    >>> bounds_line({"bounds": [0, 19], "n": 5, "unknown": 19})
    '0 to 19 of 24 edits are usable: 19 could not be judged'
    """
    (low, high), unknown = usable["bounds"], usable["unknown"]
    return f"{low} to {high} of {usable['n'] + unknown} edits are usable: {unknown} could not be judged"


def gap_lines(summaries: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Notes on samples that are not part of an editor's rate."""
    for editor, usable in summaries:
        if usable["unknown"]:
            yield f"{editor}: {bounds_line(usable)}; see `vde usable RUN --samples`"
        if usable.get("not_judgeable"):
            yield f"{editor}: {usable['not_judgeable']} samples are in no rate: no editor can be judged on them"


def _values(usable: Mapping[str, Any], waterfall: Sequence[Mapping[str, Any]] = ()) -> list[float | None]:
    low, high = usable["interval"] or (None, None)
    return [usable["rate"], low, high, *(step["failed"] for step in waterfall), usable["n"], usable["unknown"]]


def verdict_lines(editor: str, verdicts: Sequence[UsableVerdict]) -> Iterator[str]:
    """Yield a line for every sample: whether its edit is usable, and the deciding evidence."""
    for verdict in verdicts:
        if verdict.usable:
            yield f"{editor} {verdict.sample}: usable"
            continue
        result = None if verdict.usable is None else False
        names = [name for name, passed in verdict.properties.items() if passed is result]
        reasons: dict[str, list[str]] = {}  # a missing output fails everything for one reason
        for name in names:
            reasons.setdefault(verdict.evidence[name], []).append(PROPERTIES[name].lower())
        evidence = "; ".join(f"{', '.join(properties)}: {reason}" for reason, properties in reasons.items())
        yield f"{editor} {verdict.sample}: {'unknown' if result is None else 'not usable'}: {evidence}"
