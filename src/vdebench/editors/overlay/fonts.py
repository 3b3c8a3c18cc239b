"""Words rendered in our fonts: width and pixels at any size."""

from __future__ import annotations

import ctypes
import json
import math
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
import regex
import typst
from numpy.typing import NDArray

from vdebench.suites.typeset.language_rules import font_folders

Coverage = NDArray[np.float32]
"""Ink coverage of each pixel, 0 to 1."""

FAMILIES: dict[str, tuple[str, ...]] = {
    "serif": ("Libertinus Serif", "Noto Serif SC"),
    "modern": ("New Computer Modern", "Noto Serif SC"),
    "sans": ("Noto Sans SC",),
    "mono": ("DejaVu Sans Mono", "Noto Sans SC"),
}
_SIZE, _MARGIN = 10, 4
"""Points, as in `words.typ`."""
_WIDE = regex.compile(r"\p{Han}")
_MOST = 400
"""Number of words per compilation."""


class FontStyle(NamedTuple):
    """A font family, weight and slant."""

    family: str
    bold: bool = False
    italic: bool = False

    def __str__(self) -> str:
        """Return a readable name."""
        return " ".join([self.family, *(["bold"] if self.bold else []), *(["italic"] if self.italic else [])])


STYLES = [FontStyle(family, bold, italic) for italic in (False, True) for bold in (False, True) for family in FAMILIES]


class FontWord:
    """A word in a style, at any size."""

    def __init__(self, document: pdfium.PdfDocument, page: int) -> None:
        self._document, self._page = document, page

    @cached_property
    def advance(self) -> float:
        """Width in multiples of the size, from pen to pen."""
        return float((self._document.get_page_size(self._page)[0] - 2 * _MARGIN) / _SIZE)

    def drawn(self, size: float, shift: float = 0.0, drop: float = 0.0) -> tuple[Coverage, int, int]:
        """Return its coverage at a size in pixels, with the column of the pen and the row of the baseline.

        `shift` and `drop` move the ink right and down by fractions of a pixel.
        """
        scale = size / _SIZE
        column, row = round(_MARGIN * scale), round((_MARGIN + _SIZE) * scale)
        page = self._document[self._page]
        width, height = (math.ceil(side * scale) + 2 for side in page.get_size())
        stride = (width + 3) // 4 * 4
        rows = np.full((height, stride), 255, np.uint8)
        matrix = raw.FS_MATRIX(
            scale, 0, 0, scale, column - _MARGIN * scale + shift, row - (_MARGIN + _SIZE) * scale + drop
        )
        place = rows.ctypes.data_as(ctypes.c_void_p)
        bitmap = raw.FPDFBitmap_CreateEx(width, height, raw.FPDFBitmap_Gray, place, stride)
        try:
            raw.FPDF_RenderPageBitmapWithMatrix(bitmap, page.raw, matrix, raw.FS_RECTF(0, 0, width, height), 0)
        finally:
            raw.FPDFBitmap_Destroy(bitmap)
            page.close()
        return (1 - rows[:, :width] / np.float32(255)).astype(np.float32), column, row


class WordRenderer:
    """A Typst compiler with a cache of rendered words."""

    def __init__(self) -> None:
        root = Path(tempfile.mkdtemp(prefix="vde-overlay-"))
        weakref.finalize(self, shutil.rmtree, root, ignore_errors=True)
        source = (resources.files(__package__) / "words.typ").read_text("utf-8")
        (root / "words.typ").write_text(source, "utf-8")
        self._data = root / "words.json"
        self._compiler = typst.Compiler(
            str(root / "words.typ"), font_paths=[str(folder) for folder in font_folders()], ignore_system_fonts=True
        )
        self._words: dict[tuple[str, FontStyle], FontWord] = {}

    def words(self, texts: Iterable[str], style: FontStyle) -> list[FontWord]:
        """Return words in a style."""
        texts = list(texts)
        new = [text for text in dict.fromkeys(texts) if (text, style) not in self._words]
        for start in range(0, len(new), _MOST):
            self._set(new[start : start + _MOST], style)
        return [self._words[text, style] for text in texts]

    def _set(self, texts: list[str], style: FontStyle) -> None:
        fonts = FAMILIES[style.family]
        data = {
            "words": texts,
            "fonts": fonts,
            "bold": style.bold,
            "italic": style.italic,
            "outlined": len(fonts) == 1,
            "lang": "zh" if any(_WIDE.search(text) for text in texts) else "en",
        }
        self._data.write_text(json.dumps(data, ensure_ascii=False), "utf-8")
        pdf = self._compiler.compile(format="pdf")
        assert isinstance(pdf, bytes)
        document = pdfium.PdfDocument(pdf)
        for page, text in enumerate(texts):
            self._words[text, style] = FontWord(document, page)

    def word(self, text: str, style: FontStyle) -> FontWord:
        """Return a word in a style."""
        return self.words([text], style)[0]

    def gaps(self, pairs: Iterable[tuple[str, str, str]], style: FontStyle) -> list[float]:
        """Return the space between two words in multiples of the size: left word, separator, right word."""
        pairs = list(pairs)
        self.words([text for left, part, right in pairs for text in (left, right, left + part + right)], style)
        return [
            self.word(left + part + right, style).advance
            - self.word(left, style).advance
            - self.word(right, style).advance
            for left, part, right in pairs
        ]
