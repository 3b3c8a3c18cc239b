"""The letters of a PDF page, by the text object that draws them."""

from __future__ import annotations

import ctypes
from functools import cached_property
from typing import Any

import pypdfium2.raw as raw

_HYPHEN_AT_LINE_END = "\x02"  # pdfium's character for it


class PdfLetters:
    """Text of each text object of a page, without the spaces that pdfium inserts at gaps."""

    def __init__(self, page: Any) -> None:
        self._page = page.get_textpage()

    @cached_property
    def _indices(self) -> dict[int, list[int]]:
        """Character indices of each object, by its address."""
        indices: dict[int, list[int]] = {}
        page = self._page.raw
        for index in range(raw.FPDFText_CountChars(page)):
            owner = raw.FPDFText_GetTextObject(page, index)
            if owner and not raw.FPDFText_IsGenerated(page, index):
                indices.setdefault(ctypes.addressof(owner.contents), []).append(index)
        return indices

    def _of(self, item: Any) -> list[int]:
        return self._indices.get(ctypes.addressof(item.contents), [])

    def text(self, item: Any) -> str:
        """Return the text of an object."""
        text = "".join(chr(raw.FPDFText_GetUnicode(self._page.raw, index)) for index in self._of(item))
        return text.replace(_HYPHEN_AT_LINE_END, "-")

    def bounds(self, item: Any, letter: int) -> tuple[float, float, float, float]:
        """Return left, bottom, right and top of the ink of one letter of an object, in points."""
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        raw.FPDFText_GetCharBox(self._page.raw, self._of(item)[letter], left, right, bottom, top)
        return left.value, bottom.value, right.value, top.value
