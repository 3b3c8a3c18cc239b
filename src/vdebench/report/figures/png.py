"""Figures as files: SVG, or PNG by the typesetter and its fonts (data set hubs show PNG in cards)."""

from __future__ import annotations

import tempfile
from pathlib import Path

from vdebench.errors import VdeError
from vdebench.io.files import write_bytes
from vdebench.suites.typeset.language_rules import font_folders

_PAGE = '#set page(width: auto, height: auto, margin: 0pt)\n#image("figure.svg")\n'


def check_figure(file: Path) -> None:
    """Raise an error for a name that ends neither with .svg nor .png, before anything is computed."""
    if file.suffix.lower() not in (".svg", ".png"):
        raise VdeError(f"--out {file}: expected a file that ends with .svg or .png")


def write_figure(svg: str, file: Path) -> None:
    """Write a figure as SVG or PNG, by the file's name."""
    check_figure(file)
    write_bytes(file, png_of(svg) if file.suffix.lower() == ".png" else svg.encode())


def png_of(svg: str, scale: float = 2.0) -> bytes:
    """Convert an SVG to PNG, scaled; the same fonts give the same bytes."""
    import typst

    with tempfile.TemporaryDirectory(prefix="vdebench-figure-") as temporary:
        page = Path(temporary, "page.typ")
        page.write_text(_PAGE, "utf-8")
        Path(temporary, "figure.svg").write_text(svg, "utf-8")
        fonts = [str(folder) for folder in font_folders()]
        # typst takes a pixel of an SVG as 1/96 inch
        compiler = typst.Compiler(str(page), font_paths=fonts, ignore_system_fonts=True)
        data = compiler.compile(format="png", ppi=96 * scale)
    assert isinstance(data, bytes)
    return data
