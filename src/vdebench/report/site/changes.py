"""JSON data of changes in the report: of a sample, of the sample browser, and of the list of changed facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from vdebench.changes.change import CHANGE_KINDS, Change, PageChanges
from vdebench.changes.verdict import TEXT_DAMAGE
from vdebench.core.sample import Sample
from vdebench.report.change_data import change_data, places
from vdebench.report.edit_check import geometry_text, ordered_changes
from vdebench.report.site.gather import ScoredEditor
from vdebench.stats.change_properties import changes_of
from vdebench.stats.request_properties import request_check


def changed_facts(page: PageChanges) -> list[Change]:
    """Return the changes of facts outside the edited regions."""
    return [each for each in page.changes if each.asked is False and each.fact and each.kind in TEXT_DAMAGE]


def browser_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Values that the sample browser filters by; empty if changes were not measured."""
    page = changes_of(row)
    if page is None:
        return {}
    kinds = {change.kind for change in page.changes}
    facts = len(changed_facts(page))
    return {
        "changed_facts": "yes" if facts else "no",
        "facts": facts,
        "change_kind": [kind for kind in CHANGE_KINDS if kind in kinds] or ["no change"],
    }


def sample_changes(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Changes of a sample with their boxes in percent, from its score rows; None if they were not measured.

    Without a reference they are against the page, and `edit` is the outcome of the request.
    """
    page = next((found for row in rows if (found := changes_of(row)) is not None), None)
    if page is None:
        return None
    kinds = {change.kind for change in page.changes}
    request = next((check for row in rows if (check := request_check(row)) is not None), None)
    return {
        **({"edit": request.edit} if request else {}),
        "geometry": geometry_text(page.geometry),
        "unknown": page.unknown,
        "kinds": [kind for kind in CHANGE_KINDS if kind in kinds],
        "changes": [change_data(change, page.geometry) for change in ordered_changes(page.changes)],
        "map": {"scale": [page.geometry.scale_x, page.geometry.scale_y], "shift": list(page.geometry.shift)},
    }


def fact_gallery(results: Sequence[ScoredEditor], samples: Sequence[Sample]) -> list[dict[str, Any]] | None:
    """Changed facts of all samples, by editor: words, number of the sample, and where to look in both images.

    None if no run has measured changes.
    """
    numbers = {sample.key: at for at, sample in enumerate(samples)}
    entries, measured = [], False
    for result in results:
        rows = _measured_rows(result)
        measured = measured or len(rows) > 0
        found = [entry for row in rows.iter_rows(named=True) for entry in _facts(row, numbers, result.editor)]
        entries += sorted(found, key=lambda entry: int(entry["at"]))
    return entries if measured else None


def _measured_rows(result: ScoredEditor) -> pl.DataFrame:
    """Samples with their changes as JSON; none for runs of versions without them."""
    table = result.table("scores")
    if "changes" not in table.collect_schema().names():
        return pl.DataFrame()
    return table.select("sample", "changes").drop_nulls().collect()


def _facts(row: Mapping[str, Any], numbers: Mapping[str, int], editor: str) -> list[dict[str, Any]]:
    page, at = changes_of(row), numbers.get(row["sample"])
    if page is None or at is None:
        return []
    return [{"editor": editor, "at": at, **_fact(change, page)} for change in changed_facts(page)]


def _fact(change: Change, page: PageChanges) -> dict[str, Any]:
    data = change.to_json()
    shown = ("kind", "before", "after", "fact_kind", "confidence", "note")
    return {**{name: data[name] for name in shown}, "places": list(places(change, page.geometry))}
