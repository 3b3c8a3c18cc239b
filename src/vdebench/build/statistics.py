"""A suite's statistics as a folder: every figure, the numbers, a page that shows them, lines for a card."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vdebench.io.files import list_folder, write_bytes, write_json, write_text
from vdebench.report.figures.page import card_lines, statistics_page
from vdebench.report.figures.png import png_of
from vdebench.report.figures.suite import suite_figures
from vdebench.report.output_folder import replacing_folder, require_ours
from vdebench.studies.layout.pages import ReadPage
from vdebench.studies.suite_statistics import suite_statistics
from vdebench.suites.suite import Suite

MARKER = "vdebench-statistics.json"


def write_figures(suite: Suite, folder: Path, read: ReadPage | None = None) -> list[Path]:
    """Write all figures of a suite (SVG and PNG), `statistics.json`, and a page that shows them; give the files.

    A folder that we made before is replaced; any other that is not empty is refused.
    """
    return write_statistics(suite_statistics(suite, read), folder)


def require_place(folder: Path) -> None:
    """Refuse a folder with other things in it: best before the work."""
    require_ours(Path(os.path.realpath(folder)), MARKER, "statistics")


def write_statistics(found: Mapping[str, Any], folder: Path) -> list[Path]:
    """The same of statistics that are there already."""
    require_place(folder)
    target = Path(os.path.realpath(folder))
    with replacing_folder(target, MARKER, "statistics") as fresh:
        write_json(fresh / "statistics.json", dict(found))
        for figure in suite_figures(found):
            write_text(fresh / f"{figure.name}.svg", figure.svg)
            write_bytes(fresh / f"{figure.name}.png", png_of(figure.svg))
        write_text(fresh / "index.html", statistics_page(found))
        write_text(fresh / "card.md", "\n".join(card_lines(found)) + "\n")
    return [Path(folder) / name for name in sorted(list_folder(target)) if name != MARKER]
