"""The output folder of `vde validate-metrics`: a page with figures and tables, JSON, CSV and Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

import polars as pl

from vdebench.io.files import write_json, write_text
from vdebench.report.figures.validity import ladder_figure
from vdebench.report.output_folder import replacing_folder, require_generated
from vdebench.report.output_validity import output_csv, output_json, output_tables
from vdebench.report.validity import MARKS, ladder_csv, ladder_json, ladder_tables
from vdebench.report.web.document import document, html_figure, html_table
from vdebench.studies.validity.ladder_run import Ladder
from vdebench.studies.validity.outputs.study import OutputStudy

MARKER = "vdebench-validity.json"


def require_ladder_folder(folder: Path) -> None:
    """Raise `RunFolderError` if a folder has other content; called before hours of work."""
    require_generated(folder, MARKER, "ladder")


def write_ladder(ladder: Ladder, out: Path) -> None:
    """Write validity.json, validity.csv, a figure for each protocol, index.html, and the rows as Parquet."""
    require_ladder_folder(out)
    with replacing_folder(Path(os.path.abspath(out)), MARKER, "ladder") as folder:
        _fill(folder, ladder)


def write_output_study(study: OutputStudy, out: Path) -> None:
    """Write validity.json, validity.csv, index.html, and the rows as Parquet."""
    require_ladder_folder(out)
    with replacing_folder(Path(os.path.abspath(out)), MARKER, "ladder") as folder:
        write_json(folder / "validity.json", output_json(study))
        write_text(folder / "validity.csv", output_csv(study))
        _write_rows(folder, study.rows)
        parts = [part for table in output_tables(study) for part in html_table(table)]
        write_text(folder / "index.html", document("Output corruptions", [*parts, *_error_list(study)]))


def _error_list(study: OutputStudy) -> Iterator[str]:
    """Every false accept and false reject."""
    for error in study.errors:
        if error.samples:
            yield f"<h2>{escape(error.name.capitalize())}</h2><ul>"
            for each in error.samples:
                reason = f": {each['fails_at']}, {each['evidence']}" if each["fails_at"] else ""
                yield f"<li>{escape(each['corruption'])}, sample {escape(each['sample'])}{escape(reason)}</li>"
            yield "</ul>"


def _write_rows(folder: Path, tables: Mapping[str, pl.DataFrame]) -> None:
    for name, rows in tables.items():
        if len(rows):
            rows.write_parquet(folder / f"{name}.parquet")


def _fill(folder: Path, ladder: Ladder) -> None:
    write_json(folder / "validity.json", ladder_json(ladder))
    write_text(folder / "validity.csv", ladder_csv(ladder))
    _write_rows(folder, ladder.rows)
    protocols = list(dict.fromkeys(finding.protocol for finding in ladder.findings))
    for protocol in protocols:
        write_text(folder / f"validity-{protocol}.svg", ladder_figure(ladder, protocol))
    write_text(folder / "index.html", _page(ladder, protocols))


def _page(ladder: Ladder, protocols: Sequence[str]) -> str:
    """For each protocol its figure and its table. The page loads only the figures in its folder."""
    about = ladder.about
    parts = [
        f"<p>{about['samples']} samples of <code>{escape(about['suite'])}</code>, read by "
        f"<code>{escape(about['reader'])}</code>.</p><ul>",
        *(f"<li><b>{escape(each.title)}</b>: {escape(each.says)}</li>" for each in ladder.corruptions),
        "</ul>",
    ]
    for protocol, table in zip(protocols, ladder_tables(ladder), strict=True):
        image = f'<img src="validity-{escape(protocol)}.svg" alt="small multiples">'
        parts += [html_figure(protocol, image), *html_table(table, _verdict)]
    return document("Validity ladder", parts)


def _verdict(cell: str) -> str:
    return next((verdict for verdict, mark in MARKS.items() if mark and mark in cell), "")
