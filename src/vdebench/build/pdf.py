"""Render pages of PDFs with pdfium."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vdebench.core.images import MAX_PIXELS
from vdebench.core.png import encode_png
from vdebench.errors import InputError, TooLargeError
from vdebench.io.files import fetched, is_file

POINTS = 72
"""Points per inch."""
_RANGE = re.compile(r"(?P<first>[1-9]\d{0,5})(-(?P<last>[1-9]\d{0,5}))?")


def parse_pages(pages: str) -> list[int]:
    """Parse page numbers, from 1; empty if nothing is given.

    >>> parse_pages("1-3, 7")
    [1, 2, 3, 7]
    """
    numbers: set[int] = set()
    for part in filter(None, (part.strip() for part in pages.split(","))):
        match = _RANGE.fullmatch(part)
        if match is None or int(match["last"] or match["first"]) < int(match["first"]):
            raise InputError(f"pages {pages!r}: {part!r} is not a page or range of pages, expected for example 1-3,7")
        numbers.update(range(int(match["first"]), int(match["last"] or match["first"]) + 1))
    return sorted(numbers)


def count_pages(file: Path) -> int:
    """Return the number of pages of a PDF; raise `InputError` if it cannot be opened."""
    document = _open(file)
    try:
        return len(document)
    finally:
        document.close()


class PageOfPdf(NamedTuple):
    """A page of a PDF, rendered on demand."""

    file: Path
    page: int
    """From 1."""
    ppi: int

    def png(self) -> bytes:
        """Render the page on white."""
        document = _open(self.file)
        try:
            page = document[self.page - 1]
            scale = self.ppi / POINTS
            width, height = (side * scale for side in page.get_size())
            if width * height > MAX_PIXELS:
                raise TooLargeError(
                    f"{self.file}: page {self.page} has {width:.0f}×{height:.0f} pixels at {self.ppi} per inch, more"
                    f" than the limit of {MAX_PIXELS:,}; use a lower --ppi"
                )
            bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
            pixels = np.ascontiguousarray(bitmap.to_numpy()[:, :, :3])
            return encode_png(pixels)
        except _pdfium_error() as error:
            raise InputError(f"{self.file}: page {self.page} cannot be rendered: {error}") from None
        finally:
            document.close()


def _open(file: Path) -> Any:
    import pypdfium2

    if not is_file(file):
        raise InputError(f"{file}: no such file, expected a PDF")
    try:
        return pypdfium2.PdfDocument(fetched(file))
    except _pdfium_error() as error:
        why = "it requires a password" if "assword" in str(error) else str(error)
        raise InputError(f"{file}: cannot be opened as a PDF: {why}") from None


def _pdfium_error() -> type[Exception]:
    import pypdfium2

    error: type[Exception] = pypdfium2.PdfiumError
    return error
