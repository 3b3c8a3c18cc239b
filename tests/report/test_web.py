"""Scripts and styles that all front ends share."""

from __future__ import annotations

import re
from pathlib import Path

from vdebench.report.web.assets import FOLDER, SITE, write_site

SOURCE = Path("src/vdebench")


def test_elements_are_built_in_one_place():
    own = [
        file for file in SOURCE.rglob("*.js") if re.search(r'createElement(NS)?\((?!"canvas")', file.read_text("utf-8"))
    ]
    assert own == [SOURCE / "report/web/elements.js"]


def test_figures_are_drawn_in_one_package():
    svg = [file for file in SOURCE.rglob("*.py") if "<svg" in file.read_text("utf-8")]
    assert svg == [SOURCE / "report/figures/drawing.py"]


def test_a_site_has_the_files_that_its_page_loads(tmp_path):
    for package, more in (("site", ("panes.js", "panes.css", "changes.js", "changes.css")), ("leaderboard", ())):
        write_site(tmp_path / package, f"vdebench.report.{package}", more)
        page = (tmp_path / package / "index.html").read_text("utf-8")
        loaded = set(re.findall(r'(?:src|href)="([\w.]+\.(?:js|css))"', page))
        assert {*SITE, *more} <= loaded
        assert loaded == {file.name for file in (tmp_path / package).iterdir() if file.suffix in (".js", ".css")}


def test_shared_colours_have_a_light_and_a_dark_value():
    style = (FOLDER / "style.css").read_text("utf-8")
    colours = re.findall(r"--[\w-]+: (light-dark\(#\w{6}, #\w{6}\)|#\w+)", style)
    assert len(colours) > 15
    assert all(colour.startswith("light-dark") for colour in colours)
