"""Tables of the leaderboard as files: CSV for programs, Markdown and LaTeX for papers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from vdebench.io.files import write_text
from vdebench.report.leaderboard.groups import SignatureGroup
from vdebench.report.leaderboard.latex import document, latex
from vdebench.report.overview import REFERENCE
from vdebench.report.rendering import render
from vdebench.report.table import Column, Row, Table

FOLDER = "exports"
_NAMED = 3  # rows whose OCR ceiling is named after them, as on the page
_COVERAGE = ("samples", "scored", "missing", "failed")
_USABLE, _REGIONS = Column("usable, %", digits=1), Column("Regions done")


def measured_table(group: SignatureGroup, data: Mapping[str, Any], slices: Mapping[str, Any], by: str) -> Table:
    """A table over all samples or by a slice, with a section for every setting and value."""
    parts: Mapping[str, Any] = slices if by else {"": data}
    metrics = _measured(data["metrics"], parts)
    usable = any(row["usable"] for row in data["rows"])
    columns = [*([_USABLE] if usable else []), *(Column(m["title"], m["best"], m["digits"]) for m in metrics)]
    regions = any(row and row["regions"] for part in parts.values() for row in part["rows"])
    columns += [*([_REGIONS] if regions else []), *(Column(state, "", 0) for state in _COVERAGE)]
    rows, ceilings = [], False
    for value, part in parts.items():
        for setting in data["settings"]:
            section = ", ".join(text for text in (value, setting if len(data["settings"]) > 1 else "") if text)
            for definition, row in zip(data["rows"], part["rows"], strict=True):
                if row and setting in row["cells"]:
                    rows.append(_row(definition["editor"], row, setting, metrics, usable, regions, section))
            for ceiling in part["ceilings"]:
                if setting in ceiling["cells"]:
                    ceilings = True
                    name = _ceiling_name(ceiling["of"], len(part["ceilings"]) > 1)
                    rows.append(
                        replace(_row(name, ceiling, setting, metrics, usable, regions, section), reference=True)
                    )
    other_tables = "; ".join(difference.label() for difference in data["differs"])
    warnings = [f"Not comparable, because of these differences, with {other_tables}"] if other_tables else []
    ceiling_note = [f"{REFERENCE}: OCR ceiling, the scores of the reference images"] if ceilings else []
    notes = [*warnings, *ceiling_note, *data["notes"], f"all rows: {group.signature}"]
    title = f"{group.title}, by {data['slices'][by]}" if by else group.title
    return Table(title, columns, rows, "Editor", notes=notes, interval_notes=[f"In brackets: {group.level} intervals"])


def _measured(metrics: Sequence[Mapping[str, Any]], parts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Metrics with a number in some row; columns of whole runs have none by slice."""
    rows = [row for part in parts.values() for row in (*part["rows"], *part["ceilings"]) if row]
    known = {key for row in rows for means in row["cells"].values() for key in means}
    return [metric for metric in metrics if metric["key"] in known]


def _ceiling_name(rows: Sequence[str], several: bool) -> str:
    """What a OCR ceiling is called; where there are several, with the rows it is of."""
    whose = ", ".join(rows) if len(rows) <= _NAMED else f"{len(rows)} rows"
    return f"{REFERENCE[:-1]} for {whose})" if several else REFERENCE


def _row(
    name: str,
    row: Mapping[str, Any],
    setting: str,
    metrics: Sequence[Mapping[str, Any]],
    usable: bool,
    regions: bool,
    section: str,
) -> Row:
    """A row of numbers; an OCR ceiling has metrics only."""
    cells = [row["cells"][setting].get(metric["key"]) for metric in metrics]
    if usable:
        verdict = row.get("usable")
        cells.insert(0, verdict and [None if part is None else 100 * part for part in verdict[:3]])
    if regions:
        rate = row.get("regions")
        cells.append(rate and rate[:1])
    counts = row.get("coverage") or [None] * len(_COVERAGE)
    bounds = [(cell[1], cell[2]) if cell and len(cell) == 3 and cell[1] is not None else None for cell in cells]
    values = [None if not cell else math.inf if cell[0] == "∞" else cell[0] for cell in cells]
    return Row(name, [*values, *counts], section, bounds=[*bounds, *[None] * len(counts)])


def write_tables(folder: Path, tables: Mapping[str, Table]) -> None:
    """Write every table in three formats, and a document of all."""
    for name, table in tables.items():
        write_text(folder / FOLDER / f"{name}.csv", render(table, "csv", intervals=True, full_signature=True))
        write_text(folder / FOLDER / f"{name}.md", render(table, "markdown", intervals=True, full_signature=True))
        write_text(folder / FOLDER / f"{name}.tex", latex(table))
    write_text(folder / FOLDER / "all.tex", document(list(tables)))


def file_names(stems: Sequence[str]) -> Iterator[str]:
    """File names that are safe everywhere, including LaTeX, and unique regardless of case.

    >>> list(file_names(["1 my_protocol by operation,language"]))
    ['1-my-protocol-by-operation-language']
    >>> list(file_names(["1 strict by 语言", "1 strict by 来源"]))
    ['1-strict-by', '1-strict-by-2']
    """
    used: set[str] = set()
    for stem in stems:
        name = re.sub(r"[^A-Za-z0-9]+", "-", stem).strip("-")[:80]
        numbered = (f"{name}-{at}" for at in count(2))
        name = (
            name
            if name.lower() not in used
            else next(candidate for candidate in numbered if candidate.lower() not in used)
        )
        used.add(name.lower())
        yield name
