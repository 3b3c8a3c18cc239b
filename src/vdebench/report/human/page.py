"""The output folder of `vde human correlate`: JSON, the figure, the tables, and a page with both."""

from __future__ import annotations

import os
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from vdebench.io.files import write_json, write_text
from vdebench.report.figures.ranks import study_figure
from vdebench.report.human.tables import study_tables
from vdebench.report.output_folder import replacing_folder, require_generated
from vdebench.report.rendering import render
from vdebench.report.table import Table
from vdebench.report.web.document import document, html_figure, html_table

MARKER = "vdebench-agreement.json"


def write_agreement(study: Mapping[str, Any], out: Path) -> Path:
    """Write the result of `correlate_study` into a folder and return its page; an older such folder is replaced."""
    target = Path(os.path.realpath(out))
    require_generated(target, MARKER, "agreement")
    with replacing_folder(target, MARKER, "agreement") as folder:
        write_json(folder / "agreement.json", dict(study))
        write_text(folder / "figure.svg", study_figure(study))
        tables = study_tables(study)
        write_text(folder / "tables.md", "\n".join(render(table, "markdown") for table in tables))
        write_text(folder / "index.html", _page(study, tables))
    return Path(out) / "index.html"


def _page(study: Mapping[str, Any], tables: list[Table]) -> str:
    people = len(study["annotators"])
    about = (
        f"{study['suite']}: {study['samples']} samples, {len(study['editors'])} models, {people} "
        f"{'annotator' if people == 1 else 'annotators'}; scored by {study['protocol']}, {study['setting']}."
    )
    figure = html_figure("Figure", study_figure(study))
    lines = (line for table in tables for line in html_table(table))
    return document(f"People and metrics on {study['suite']}", [f"<p>{escape(about)}</p>", figure, *lines])
