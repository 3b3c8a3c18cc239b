"""Figures as the papers print them: tables of their own, and rows beside a measured table of the same protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from vdebench.protocols import get_protocol
from vdebench.report.leaderboard.groups import PARTS, SignatureGroup
from vdebench.report.paper_tables import SHAPES, paper_table
from vdebench.report.table import Table
from vdebench.report.table_rows import published_models

_METRICS = {"iou": "IoU", "cdm": "CDM", "bleu": "BLEU", "ssim": "SSIM", "psnr": "PSNR", "lpips": "LPIPS"}
_CLASSES = ("Text Modify", "Text Addition", "Text Deletion", "Table Structure Edit")


class _View(NamedTuple):
    """Which table of a paper has what a measured table shows in a setting and slice."""

    table: str
    setting: str
    slice_name: str
    values: Mapping[str, str]
    """Of the slice: ours, and how the figures name them."""
    printed_setting: str = ""


_WHOLE = {"": ""}
_LANGUAGES = {"english": "english", "simplified_chinese": "chinese"}
_VIEWS = {
    "vde-v3": (
        _View("2", "local", "", _WHOLE),
        _View("2", "global", "", _WHOLE),
        _View("9", "global", "edit_class", {name: name for name in _CLASSES}),
        _View("10", "local", "edit_class", {name: name for name in _CLASSES}),
    ),
    "vde-v1": (
        _View("2", "global", "language", _LANGUAGES),
        _View("3", "local", "language", _LANGUAGES),
        _View("4", "local", "operation", {"text_replace": "replace", "text_delete": "delete", "text_insert": "add"}),
    ),
    "textedit": (_View("3", "outside", "group", {"manual": "synthetic", "web": "real"}, "outside-mask"),),
}


def printed_tables() -> dict[str, Table]:
    """All tables of the papers that runs could fill, as printed."""
    return {shape: paper_table(shape, [], published=True) for shape in SHAPES}


def printed_data(shape: str, table: Table) -> dict[str, Any]:
    """A paper's table as data for the page."""
    best = table.best()
    paper, _, number = shape.partition(":")
    return {
        "paper": paper,
        "number": number,
        "title": table.title,
        "head": table.head,
        "columns": [[column.group, column.name, column.best] for column in table.columns],
        "rows": [
            {
                "label": row.label,
                "section": row.section,
                "cells": [table.cell(row, at) for at in range(len(table.columns))],
                "best": [at for at in range(len(table.columns)) if (r, at) in best],
            }
            for r, row in enumerate(table.rows)
        ],
        "notes": list(table.notes),
    }


def beside(group: SignatureGroup) -> dict[str, Any] | None:
    """Printed rows by `slice/value/setting` of a measured table of the same protocol, with a warning; None for none."""
    views = _VIEWS.get(group.protocol)
    if not views:
        return None
    metrics = _named(group.protocol)
    rows: dict[str, list[dict[str, Any]]] = {}
    for view in views:
        for ours, theirs in view.values.items():
            shown = []
            for model in published_models(group.protocol, view.table):
                found = {
                    key: model.value(view.printed_setting or view.setting, view.slice_name or "all", theirs, metric)
                    for key, metric in metrics.items()
                }
                cells = {key: [value] for key, value in found.items() if value is not None}
                if cells:
                    shown.append({"editor": f"{model.name} †", "table": view.table, "cells": cells})
            rows[f"{view.slice_name}/{ours}/{view.setting}"] = shown
    unknown = [PARTS.get(key, key) for key in group.parts if key not in ("p", "match", "tok", "track", "against")]
    return {
        "warning": f"† Printed in the paper of {group.protocol}, not measured here: no signature, so it is not known "
        f"whether these agree with the rows above in {', '.join(unknown)}. Do not rank the one against the other.",
        "rows": rows,
    }


def _named(protocol: str) -> dict[str, str]:
    """Our columns, and what the paper calls them."""
    if protocol == "textedit":
        return {"ssim": "SSIM", "lpips": "LPIPS", "psnr": "PSNR", "mse": "MSE"}
    known = get_protocol(protocol)
    return {**_METRICS, known.teds_column: "TEDS", known.clip: "CLIP"}
