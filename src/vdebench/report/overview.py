"""The tables `vde score` shows: editors side by side, and one editor's breakdowns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vdebench.report.table import Column, Row, Table

COLUMNS = {
    "iou": "IoU",
    "cdm": "CDM",
    "bleu": "BLEU",
    "teds_like": "TEDS-like",
    "teds": "TEDS",
    "text_similarity": "Similar",
    "text_correctness": "Text",
    "page_text": "Page",
}
SETTINGS = ("global", "local")


def editors_table(summaries: Sequence[Mapping[str, Any]]) -> Table:
    """Editors scored by one protocol, a row each per setting."""
    keys = _used(summary["overall"].get(setting) for summary in summaries for setting in SETTINGS)
    rows = [
        Row(summary["editor"], [(summary["overall"].get(setting) or {}).get(key) for key in keys], setting)
        for setting in SETTINGS
        if any(summary["overall"].get(setting) for summary in summaries)
        for summary in summaries
    ]
    title = f"{summaries[0]['protocol']} on {summaries[0]['suite']}"
    return Table(title, [Column(COLUMNS[key]) for key in keys], rows, "Editor", notes=provenance(summaries))


def breakdown_table(summary: Mapping[str, Any], by: str) -> Table:
    """One editor's numbers by a slice."""
    slices = summary["by"][by]
    keys = _used(found.get(setting) for found in slices.values() for setting in SETTINGS)
    rows = [
        Row(value, [*(found[setting].get(key) for key in keys), found[setting]["gt_blocks"]], setting)
        for setting in SETTINGS
        for value, found in slices.items()
        if found.get(setting)
    ]
    columns = [*(Column(COLUMNS[key], "") for key in keys), Column("blocks", "", 0)]
    return Table(f"{summary['editor']} by {by.replace(',', ' × ')}", columns, rows, by.replace(",", ", "))


def _used(found: Any) -> list[str]:
    """Metrics that have a number anywhere."""
    there = [means for means in found if means]
    return [key for key in COLUMNS if any(means.get(key) is not None for means in there)]


def provenance(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """What must stand under any table: coverage, what is missing, and the signature of every row."""
    notes: list[str] = []
    for summary in summaries:
        coverage = summary["coverage"]
        counted = ", ".join(f"{coverage[state]} {state}" for state in ("scored", "missing", "failed"))
        line = f"{summary['editor']}: {coverage['samples']} samples, {counted}"
        regions = summary.get("regions")
        if regions and regions["n"]:
            found = ", ".join(f"{count} {outcome}" for outcome, count in regions["outcomes"].items())
            line += f"; {regions['n']} regions: {found}"
        notes.append(line)
    notes += [f"note: {note}" for note in dict.fromkeys(note for summary in summaries for note in summary["notes"])]
    for signature in dict.fromkeys(summary["signature"] for summary in summaries):
        names = ", ".join(summary["editor"] for summary in summaries if summary["signature"] == signature)
        notes.append(f"{names}: {signature}")
    return notes
