"""Published figures: tables of their own, and rows next to a measured table of the same protocol."""

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
    """The table of a paper for a setting and slice of a measured table."""

    table: str
    setting: str
    slice_name: str
    values: Mapping[str, str]
    """Values of the slice: here and in the paper."""
    printed_setting: str = ""


_ALL = {"": ""}
_LANGUAGES = {"english": "english", "simplified_chinese": "chinese"}
_VIEWS = {
    "vde-v3": (
        _View("2", "local", "", _ALL),
        _View("2", "global", "", _ALL),
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
    """All tables of the papers that runs can fill, as published."""
    return {shape: paper_table(shape, [], published=True) for shape in SHAPES}


def printed_data(shape: str, table: Table) -> dict[str, Any]:
    """JSON data of a paper's table."""
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


def published_rows(group: SignatureGroup) -> dict[str, Any] | None:
    """Published rows by `slice/value/setting` for a measured table of the same protocol, with a warning, or None."""
    views = _VIEWS.get(group.protocol)
    if not views:
        return None
    metrics = _metric_titles(group.protocol)
    rows: dict[str, list[dict[str, Any]]] = {}
    for view in views:
        for value_here, value_printed in view.values.items():
            model_rows = []
            for model in published_models(group.protocol, view.table):
                values = {
                    key: model.value(
                        view.printed_setting or view.setting, view.slice_name or "all", value_printed, metric
                    )
                    for key, metric in metrics.items()
                }
                cells = {key: [value] for key, value in values.items() if value is not None}
                if cells:
                    model_rows.append({"editor": f"{model.name} †", "table": view.table, "cells": cells})
            rows[f"{view.slice_name}/{value_here}/{view.setting}"] = model_rows
    unknown = [PARTS.get(key, key) for key in group.parts if key not in ("p", "match", "tok", "track", "against")]
    return {
        "warning": f"† Published in the paper of {group.protocol}, not measured here. Without a signature it is "
        f"unknown whether these rows agree with those above in {', '.join(unknown)}: do not rank them together.",
        "rows": rows,
    }


def _metric_titles(protocol: str) -> dict[str, str]:
    """Columns, with their names in the paper."""
    if protocol == "textedit":
        return {"ssim": "SSIM", "lpips": "LPIPS", "psnr": "PSNR", "mse": "MSE"}
    definition = get_protocol(protocol)
    return {**_METRICS, definition.teds_column: "TEDS", definition.clip: "CLIP"}
