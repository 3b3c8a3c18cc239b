"""The letters of a PDF page, by the object that draws them."""

from __future__ import annotations

import ctypes
from functools import cached_property
from typing import Any

import pypdfium2.raw as raw

_HYPHEN_AT_LINE_END = "\x02"  # pdfium's own sign for it


class PdfLetters:
    """What each text object of a page says, without the spaces that pdfium adds where it sees a gap."""

    def __init__(self, page: Any) -> None:
        self._page = page.get_textpage()

    @cached_property
    def _indices(self) -> dict[int, list[int]]:
        """Numbers of the letters of each object, by its address."""
        found: dict[int, list[int]] = {}
        page = self._page.raw
        for index in range(raw.FPDFText_CountChars(page)):
            owner = raw.FPDFText_GetTextObject(page, index)
            if owner and not raw.FPDFText_IsGenerated(page, index):
                found.setdefault(ctypes.addressof(owner.contents), []).append(index)
        return found

    def _of(self, item: Any) -> list[int]:
        return self._indices.get(ctypes.addressof(item.contents), [])

    def text(self, item: Any) -> str:
        """What an object says."""
        said = "".join(chr(raw.FPDFText_GetUnicode(self._page.raw, index)) for index in self._of(item))
        return said.replace(_HYPHEN_AT_LINE_END, "-")

    def bounds(self, item: Any, letter: int) -> tuple[float, float, float, float]:
        """Left, bottom, right and top of the ink of one of an object's letters, in points."""
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        raw.FPDFText_GetCharBox(self._page.raw, self._of(item)[letter], left, right, bottom, top)
        return left.value, bottom.value, right.value, top.value
