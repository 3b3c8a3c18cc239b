"""Tables of the leaderboard as files: CSV for programs, Markdown and LaTeX for papers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vdebench.files import write_text
from vdebench.report.leaderboard.groups import Group
from vdebench.report.leaderboard.latex import document, latex
from vdebench.report.table import Column, Row, Table, render

FOLDER = "exports"
_COVERAGE = ("samples", "scored", "missing", "failed")
_USABLE = Column("usable, %", digits=1)


def measured_table(group: Group, data: Mapping[str, Any], slices: Mapping[str, Any], by: str) -> Table:
    """A measured table over all samples, or by the values of a slice; a section for every setting and value."""
    metrics = data["metrics"]
    usable = any(row["usable"] for row in data["rows"])
    columns = [*([_USABLE] if usable else []), *(Column(m["title"], m["best"], m["digits"]) for m in metrics)]
    columns += [Column(state, "", 0) for state in _COVERAGE]
    parts = {value: entry["rows"] for value, entry in slices.items()} if by else {"": data["rows"]}
    rows = []
    for value, found in parts.items():
        for setting in data["settings"]:
            section = ", ".join(part for part in (value, setting if len(data["settings"]) > 1 else "") if part)
            for known, row in zip(data["rows"], found, strict=True):
                if row and setting in row["cells"]:
                    rows.append(_row(known["editor"], row, setting, metrics, usable, section))
    others = "; ".join(other.told() for other in data["differs"])
    unlike = [f"Not comparable, for what differs, with {others}"] if others else []
    notes = [*unlike, *data["notes"], f"all rows: {group.signature}"]
    title = f"{group.title}, by {data['slices'][by]}" if by else group.title
    return Table(title, columns, rows, "Editor", notes=notes, interval_notes=[f"In brackets: {group.level} intervals"])


def _row(
    name: str, row: Mapping[str, Any], setting: str, metrics: Sequence[Mapping[str, Any]], usable: bool, section: str
) -> Row:
    found = [row["cells"][setting].get(metric["key"]) for metric in metrics]
    if usable:
        verdict = row["usable"]
        found.insert(0, verdict and [None if part is None else 100 * part for part in verdict[:3]])
    counts = row["coverage"] or [None] * len(_COVERAGE)
    bounds = [(cell[1], cell[2]) if cell and len(cell) == 3 and cell[1] is not None else None for cell in found]
    values = [None if not cell else math.inf if cell[0] == "∞" else cell[0] for cell in found]
    return Row(name, [*values, *counts], section, bounds=[*bounds, *[None] * len(counts)])


def write_tables(folder: Path, tables: Mapping[str, Table]) -> None:
    """Every table in three forms, and a document of all."""
    for name, table in tables.items():
        write_text(folder / FOLDER / f"{name}.csv", render(table, "csv", intervals=True))
        write_text(folder / FOLDER / f"{name}.md", render(table, "markdown", intervals=True))
        write_text(folder / FOLDER / f"{name}.tex", latex(table))
    write_text(folder / FOLDER / "all.tex", document(list(tables)))


def file_names(stems: Sequence[str]) -> Iterator[str]:
    """Names of files that are safe everywhere, LaTeX included.

    >>> list(file_names(["1 my_protocol by operation,language"]))
    ['1-my-protocol-by-operation-language']
    """
    for stem in stems:
        yield re.sub(r"[^A-Za-z0-9]+", "-", stem).strip("-")[:80]
