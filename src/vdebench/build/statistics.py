"""Write a suite's statistics to a folder: figures, numbers, an HTML page, lines for a card."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vdebench.io.files import list_folder, write_bytes, write_json, write_text
from vdebench.report.figures.page import card_lines, statistics_page
from vdebench.report.figures.png import png_of
from vdebench.report.figures.suite import suite_figures
from vdebench.report.output_folder import replacing_folder, require_generated
from vdebench.studies.layout.pages import ReadPage
from vdebench.studies.suite_statistics import suite_statistics
from vdebench.suites.suite import Suite

MARKER = "vdebench-statistics.json"


def write_figures(suite: Suite, folder: Path, read: ReadPage | None = None) -> list[Path]:
    """Write all figures of a suite (SVG and PNG), `statistics.json` and an HTML page; return the files.

    A folder written by this function is replaced; any other folder that is not empty is refused.
    """
    return write_statistics(suite_statistics(suite, read), folder)


def require_place(folder: Path) -> None:
    """Raise an error if the folder contains other files; call it before the work."""
    require_generated(Path(os.path.realpath(folder)), MARKER, "statistics")


def write_statistics(statistics: Mapping[str, Any], folder: Path) -> list[Path]:
    """Like `write_figures`, for computed statistics."""
    require_place(folder)
    target = Path(os.path.realpath(folder))
    with replacing_folder(target, MARKER, "statistics") as temporary:
        write_json(temporary / "statistics.json", dict(statistics))
        for figure in suite_figures(statistics):
            write_text(temporary / f"{figure.name}.svg", figure.svg)
            write_bytes(temporary / f"{figure.name}.png", png_of(figure.svg))
        write_text(temporary / "index.html", statistics_page(statistics))
        write_text(temporary / "card.md", "\n".join(card_lines(statistics)) + "\n")
    return [Path(folder) / name for name in sorted(list_folder(target)) if name != MARKER]
