"""Pages of PDFs as images, by pdfium."""

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
"""To the inch."""
_RANGE = re.compile(r"(?P<first>[1-9]\d{0,5})(-(?P<last>[1-9]\d{0,5}))?")


def wanted_pages(told: str) -> list[int]:
    """Numbers of pages, from 1; none where nothing is said.

    >>> wanted_pages("1-3, 7")
    [1, 2, 3, 7]
    """
    found: set[int] = set()
    for part in filter(None, (part.strip() for part in told.split(","))):
        numbers = _RANGE.fullmatch(part)
        if numbers is None or int(numbers["last"] or numbers["first"]) < int(numbers["first"]):
            raise InputError(f"pages {told!r}: {part!r} is no page and no range of pages; expected such as 1-3,7")
        found.update(range(int(numbers["first"]), int(numbers["last"] or numbers["first"]) + 1))
    return sorted(found)


def count_pages(file: Path) -> int:
    """How many pages a PDF has, or an error that says why it cannot be opened."""
    document = _open(file)
    try:
        return len(document)
    finally:
        document.close()


class PageOfPdf(NamedTuple):
    """A page of a PDF, drawn when it is asked for."""

    file: Path
    page: int
    """From 1."""
    ppi: int

    def png(self) -> bytes:
        """The page on white paper."""
        document = _open(self.file)
        try:
            page = document[self.page - 1]
            scale = self.ppi / POINTS
            width, height = (side * scale for side in page.get_size())
            if width * height > MAX_PIXELS:
                raise TooLargeError(
                    f"{self.file}: page {self.page} has {width:.0f}×{height:.0f} pixels at {self.ppi} per inch, more"
                    f" than the {MAX_PIXELS:,} we open; choose a lower --ppi"
                )
            bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
            pixels = np.ascontiguousarray(bitmap.to_numpy()[:, :, :3])
            return encode_png(pixels)
        except _pdfium_error() as error:
            raise InputError(f"{self.file}: page {self.page} cannot be drawn: {error}") from None
        finally:
            document.close()


def _open(file: Path) -> Any:
    import pypdfium2

    if not is_file(file):
        raise InputError(f"{file}: is not there, expected a PDF")
    try:
        return pypdfium2.PdfDocument(fetched(file))
    except _pdfium_error() as error:
        why = "it is locked with a password" if "assword" in str(error) else str(error)
        raise InputError(f"{file}: cannot be opened as a PDF: {why}") from None


def _pdfium_error() -> type[Exception]:
    import pypdfium2

    error: type[Exception] = pypdfium2.PdfiumError
    return error
