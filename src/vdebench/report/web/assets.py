"""Write the files of a page that opens from a folder: shared assets, its own assets, data in scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from vdebench.io.files import write_text

FOLDER = Path(__file__).parent
SITE = ("elements.js", "site.js", "figures.js", "style.css", "site.css", "figures.css")
"""Shared by the report and the leaderboard."""


def shared_text(name: str) -> str:
    """The text of a shared asset."""
    return (FOLDER / name).read_text(encoding="utf-8")


def write_site(folder: Path, package: str, more: Sequence[str] = ()) -> None:
    """Write a package's `assets` and those that sites share, and `more` of the shared ones."""
    for name in (*SITE, *more):
        write_text(folder / name, shared_text(name))
    for asset in files(package).joinpath("assets").iterdir():
        if asset.name.endswith((".html", ".css", ".js")):
            write_text(folder / asset.name, asset.read_text(encoding="utf-8"))


def write_data(folder: Path, name: str, data: Any) -> None:
    """Write a script that hands data to the page: pages from files cannot fetch JSON."""
    write_text(folder / "data" / f"{name}.js", f"Vde.take({script_json(name)}, {script_json(data)});\n")


def script_json(data: Any) -> str:
    r"""JSON that is safe inside a script; NaN and Infinity are valid there too.

    >>> print(script_json("</script>"))
    "\u003c/script>"
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
