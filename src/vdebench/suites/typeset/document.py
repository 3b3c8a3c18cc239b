"""The document model: the content and style of a page before typesetting.

All values are frozen, so an edit is a function from document to document and both can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, NamedTuple

CELLS = 200
"""Size of a block's number range: the block has number `id * CELLS`, its parts the following numbers."""


@dataclass(frozen=True, slots=True)
class TextStyle:
    """Differences of a text from the style of its block."""

    ink: str | None = None
    bold: bool | None = None
    font: str | None = None
    scale: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields that differ, for the typesetter."""
        fields = {"ink": self.ink, "bold": self.bold, "font": self.font, "scale": self.scale}
        return {name: value for name, value in fields.items() if value is not None}


PLAIN = TextStyle()


@dataclass(frozen=True, slots=True)
class BlockStyle:
    """Style of a role: sizes in points; `leading`, `indent` and `hang` in multiples of the size; colours as
    `#rrggbb`.
    """

    font: str = "serif"
    size: float = 10
    ink: str = "#111111"
    bold: bool = False
    italic: bool = False
    justify: bool = False
    leading: float = 0.26
    indent: float = 0
    hang: float = 0
    above: float = 4
    below: float = 4
    panel: str | None = None
    inset: float = 0
    radius: float = 0
    bar: str | None = None
    frame: str | None = None
    rule: str = "#333333"
    style: str = "grid"
    pad: float = 3
    head_panel: str | None = None
    head_ink: str = "#111111"
    stripe: str | None = None
    tones: tuple[str, ...] = ("#33608c",)


class Decor(NamedTuple):
    """A rectangle behind the text."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None
    frame: str | None = None
    radius: float = 0


@dataclass(frozen=True, slots=True)
class Span:
    """Text in one style."""

    text: str
    style: TextStyle = PLAIN


class Slot(NamedTuple):
    """A value inside a text that another value of its class could replace: a number, a name, a date."""

    start: int
    end: int
    name: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """One block of text: paragraph, heading, list item, caption …; it never breaks over columns.

    `slots` and `sentences` locate values and sentences in the text; edits choose their targets from them.
    """

    id: int
    role: str
    spans: tuple[Span, ...]
    align: str = "left"
    slots: tuple[Slot, ...] = field(default=(), compare=False)
    sentences: tuple[tuple[int, int], ...] = field(default=(), compare=False)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(span.text for span in self.spans)

    def with_text(self, start: int, end: int, new: str) -> Text:
        """Replace a range of the text, keeping the style of the range.

        >>> Text(1, "paragraph", (Span("one "), Span("two", TextStyle(bold=True)))).with_text(4, 7, "three").spans[1]
        Span(text='three', style=TextStyle(ink=None, bold=True, font=None, scale=None))
        """
        style = self._style_at(start, end)
        return self._with_spans(start, end, (Span(new, style),) if new else ())

    def with_style(self, start: int, end: int, **changes: Any) -> Text:
        """Change the style of a range."""
        cut = [replace(span, style=replace(span.style, **changes)) for span in self._cut(start, end)]
        return self._with_spans(start, end, tuple(cut))

    def _style_at(self, start: int, end: int) -> TextStyle:
        covered = self._cut(start, end) or self._cut(max(0, start - 1), start) or self.spans[:1]
        return covered[0].style if covered else PLAIN

    def _cut(self, start: int, end: int) -> tuple[Span, ...]:
        pieces, at = [], 0
        for span in self.spans:
            piece = span.text[max(0, start - at) : max(0, end - at)]
            if piece:
                pieces.append(replace(span, text=piece))
            at += len(span.text)
        return tuple(pieces)

    def _with_spans(self, start: int, end: int, new: tuple[Span, ...]) -> Text:
        spans: list[Span] = []
        for span in (*self._cut(0, start), *new, *self._cut(end, len(self.text))):
            if spans and spans[-1].style == span.style:
                spans[-1] = replace(span, text=spans[-1].text + span.text)
            else:
                spans.append(span)
        return replace(self, spans=tuple(spans), slots=(), sentences=())


@dataclass(frozen=True, slots=True)
class DocumentCell:
    """A table cell with its position."""

    row: int
    column: int
    text: str
    rowspan: int = 1
    colspan: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table; its first `head` rows are header rows."""

    id: int
    cells: tuple[DocumentCell, ...]
    widths: tuple[float, ...]
    head: int = 1
    values: tuple[str, ...] = field(default=(), compare=False)
    """Kind of value of each column, from which edits draw new values; empty for label columns."""
    spare_rows: tuple[str, ...] = field(default=(), compare=False)
    spare_columns: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    """Unused row labels, and unused column heads with their kind of value."""

    @property
    def height(self) -> int:
        """Number of rows."""
        return max(cell.row + cell.rowspan for cell in self.cells)

    def at(self, row: int, column: int) -> DocumentCell:
        """Return the cell that covers a grid position; raise `LookupError` if there is none."""
        for cell in self.cells:
            if 0 <= row - cell.row < cell.rowspan and 0 <= column - cell.column < cell.colspan:
                return cell
        raise LookupError(f"no cell at row {row}, column {column}")

    @property
    def ordered(self) -> list[DocumentCell]:
        """Cells row by row."""
        return sorted(self.cells, key=lambda cell: (cell.row, cell.column))

    @property
    def html(self) -> str:
        """The table as HTML, as OCR engines write it.

        >>> cells = (DocumentCell(0, 0, "a", colspan=2), DocumentCell(1, 0, "1 < 2"), DocumentCell(1, 1, "c"))
        >>> Table(1, cells, (1, 1)).html
        '<table><tr><td colspan="2">a</td></tr><tr><td>1 &lt; 2</td><td>c</td></tr></table>'
        """
        rows: list[str] = [""] * self.height
        for cell in self.ordered:
            spans = "".join(
                f' {name}="{count}"'
                for name, count in (("rowspan", cell.rowspan), ("colspan", cell.colspan))
                if count > 1
            )
            rows[cell.row] += f"<td{spans}>{escape(cell.text, quote=False)}</td>"
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure that the typesetter draws: bars, a line, an area, or a flow chart."""

    id: int
    kind: str
    labels: tuple[str, ...]
    values: tuple[float, ...] = ()
    height: float = 110


@dataclass(frozen=True, slots=True)
class Formula:
    """A displayed formula: Typst source, and LaTeX for the ground truth."""

    id: int
    source: str
    latex: str
    number: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """A line between blocks."""

    id: int
    weight: float = 0.6


Block = Text | Table | Chart | Formula | Rule


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of the page, in points: `head` over its full width, `body` in columns, `foot` at the bottom."""

    x: float
    y: float
    width: float
    height: float
    body: tuple[Block, ...]
    head: tuple[Block, ...] = ()
    foot: tuple[Block, ...] = ()
    columns: int = 1
    gutter: float = 16

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks in reading order."""
        return self.head + self.body + self.foot


@dataclass(frozen=True, slots=True)
class Document:
    """A page: its areas with blocks, and its styles."""

    kind: str
    language: str
    topic: str
    width: float
    height: float
    areas: tuple[Area, ...]
    styles: Mapping[str, BlockStyle]
    fonts: Mapping[str, list[str]]
    decor: tuple[Decor, ...] = ()
    paper: str | None = None
    lang: str = "en"
    rtl: bool = False

    @property
    def blocks(self) -> Iterator[Block]:
        """All blocks in reading order."""
        return (block for area in self.areas for block in area.blocks)

    def block(self, number: int) -> Block:
        """Return the block with an id."""
        return next(block for block in self.blocks if block.id == number)

    def with_block(self, number: int, *new: Block) -> Document:
        """Replace a block by other blocks, or by none."""
        return self._mapped(lambda block: new if block.id == number else (block,))

    def only(self, present: set[int]) -> Document:
        """Return the document without blocks that did not fit on the page."""
        return self._mapped(lambda block: (block,) if block.id in present else ())

    def _mapped(self, change: Any) -> Document:
        def blocks(old: tuple[Block, ...]) -> tuple[Block, ...]:
            return tuple(new for block in old for new in change(block))

        areas = (
            replace(area, head=blocks(area.head), body=blocks(area.body), foot=blocks(area.foot)) for area in self.areas
        )
        return replace(self, areas=tuple(areas))

    @property
    def next_id(self) -> int:
        """An unused id."""
        return max(block.id for block in self.blocks) + 1
