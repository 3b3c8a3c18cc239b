"""SVG as PNG, by the typesetter and its fonts: hubs show PNG in cards, and no browser is needed to make it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from vdebench.suites.typeset.language_rules import font_folders

_PAGE = '#set page(width: auto, height: auto, margin: 0pt)\n#image("figure.svg")\n'


def png_of(svg: str, scale: float = 2.0) -> bytes:
    """A drawing as PNG, that many pixels for each of its own; the same bytes wherever the same fonts are."""
    import typst

    with tempfile.TemporaryDirectory(prefix="vdebench-figure-") as folder:
        page = Path(folder, "page.typ")
        page.write_text(_PAGE, "utf-8")
        Path(folder, "figure.svg").write_text(svg, "utf-8")
        fonts = [str(place) for place in font_folders()]
        # A pixel of an SVG is 1/96 inch to the typesetter.
        compiler = typst.Compiler(str(page), font_paths=fonts, ignore_system_fonts=True)
        made = compiler.compile(format="png", ppi=96 * scale)
    assert isinstance(made, bytes)
    return made
