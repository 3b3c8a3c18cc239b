"""Conversion of SVG to PNG with typst and the bundled fonts, without a browser."""

from __future__ import annotations

import tempfile
from pathlib import Path

from vdebench.suites.typeset.language_rules import font_folders

_PAGE = '#set page(width: auto, height: auto, margin: 0pt)\n#image("figure.svg")\n'


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
