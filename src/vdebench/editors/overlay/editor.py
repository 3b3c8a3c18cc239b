"""The editor `overlay`: reads the page with OCR, erases text, and typesets new text in a similar font; no
image model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Protocol

from vdebench.core.images import Image
from vdebench.editors.editor import About, Edit, Editor
from vdebench.editors.overlay.blocks import alignment_of, delete_block
from vdebench.editors.overlay.cells import edit_cell
from vdebench.editors.overlay.fonts import WordRenderer
from vdebench.editors.overlay.location import OverlayPage, Paragraph, fold
from vdebench.editors.overlay.typeset import ParagraphEdit
from vdebench.instructions.request import EditRequest, NotUnderstoodError, parse
from vdebench.readers.line_cache import LineCache
from vdebench.readers.lines.line import Line
from vdebench.readers.rapid import RapidReader

VERSION = "1"


class LineReader(Protocol):
    """Interface of a reader of text lines."""

    def lines(self, image: Image) -> Sequence[Line]:
        """Return lines with their boxes."""


class OverlayEditor(Editor):
    """Replaces, inserts and deletes text in paragraphs and table cells; refuses what it cannot parse, find or place."""

    about: ClassVar[About] = About(model="none: rapidocr finds the text, fonts set it", licence="Apache-2.0")

    def __init__(self, threads: int | str = 0) -> None:
        self.threads = threads
        self._last: tuple[bytes, OverlayPage] | None = None

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return what is missing for OCR."""
        return RapidReader.missing()

    @property
    def identity(self) -> Mapping[str, str]:
        """Name and version, and those of the reader."""
        reader = RapidReader(tables=False).identity
        return {"name": "overlay", "version": VERSION, "reader": f"rapidocr {reader['version']}, {reader['engine']}"}

    @cached_property
    def reader(self) -> LineReader:
        """The embedded reader, without its table model; no page is read twice."""
        return LineCache(RapidReader(threads=self.threads, tables=False))

    @cached_property
    def _setter(self) -> WordRenderer:
        return WordRenderer()

    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """Return the edited page or a refusal; uses only image and instruction."""
        try:
            request = parse(instruction)
            page = self._page(image)
            return self._edited(page, request)
        except NotUnderstoodError as reason:
            return Edit.refused(str(reason))

    def _page(self, image: Image) -> OverlayPage:
        """Read a page; the last one is cached, since edits of one page often follow each other."""
        key = repr(image.shape).encode() + image.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, OverlayPage(image, self.reader.lines(image))
        return self._last[1]

    def _edited(self, page: OverlayPage, request: EditRequest) -> Edit:
        if request.in_cell:
            return Edit.of(edit_cell(self._setter, page, request))
        begins = request.action in ("delete_block", "insert_block")
        paragraph, spot = page.find(request.target, request.within, begins)
        whole = self._is_whole(paragraph, request)
        if request.action == "delete_block" or (request.action == "delete" and whole and not paragraph.in_table):
            return Edit.of(delete_block(page, paragraph))
        edit = ParagraphEdit(self._setter, page, paragraph, spot, request)
        image = edit.run(alignment_of(page, paragraph))
        return Edit.of(
            image, font=str(edit.face.style), size=round(edit.face.size, 2), likeness=round(edit.fit.likeness, 3)
        )

    @staticmethod
    def _is_whole(paragraph: Paragraph, request: EditRequest) -> bool:
        return fold(request.target) == "".join(letter for letter, _, _ in paragraph.unbroken)
