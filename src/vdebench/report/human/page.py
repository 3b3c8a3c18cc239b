"""What `vde human correlate` leaves in a folder: everything as JSON, the figure, the tables, and a page to look at."""

from __future__ import annotations

import os
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from vdebench._version import __version__
from vdebench.io.files import write_json, write_text
from vdebench.report.html_table import html_table
from vdebench.report.human.figure import study_figure
from vdebench.report.human.tables import study_tables
from vdebench.report.output_folder import replacing_folder, require_generated
from vdebench.report.rendering import render
from vdebench.report.table import Table

MARKER = "vdebench-agreement.json"


def write_agreement(found: Mapping[str, Any], out: Path) -> Path:
    """Write what `correlate_study` found into a folder, and give its page; one that we made before is replaced."""
    target = Path(os.path.realpath(out))
    require_generated(target, MARKER, "agreement")
    with replacing_folder(target, MARKER, "agreement") as folder:
        write_json(folder / "agreement.json", dict(found))
        write_text(folder / "figure.svg", study_figure(found))
        tables = study_tables(found)
        write_text(folder / "tables.md", "\n".join(render(table, "markdown") for table in tables))
        write_text(folder / "index.html", _page(found, tables))
    return Path(out) / "index.html"


def _page(found: Mapping[str, Any], tables: list[Table]) -> str:
    style = files("vdebench.report.human").joinpath("assets/agreement.css").read_text(encoding="utf-8")
    people = len(found["annotators"])
    about = (
        f"{found['suite']}: {found['samples']} samples, {len(found['editors'])} models, {people} "
        f"{'annotator' if people == 1 else 'annotators'}; scored by {found['protocol']}, {found['setting']}."
    )
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'\">",
        f'<title>People and metrics on {escape(found["suite"])}</title>\n<link rel="icon" href="data:,">',
        f"<style>{style}</style>\n</head>\n<body>\n<main>",
        f"<h1>People and metrics</h1>\n<p>{escape(about)}</p>",
        f'<div class="scroll figure" tabindex="0" role="region" aria-label="Figure">{study_figure(found)}</div>',
        *(line for table in tables for line in html_table(table)),
        f"<footer>Made by vdebench {__version__}.</footer>\n</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)
