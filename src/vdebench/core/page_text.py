"""Readings: what a reader saw on a page, in PaddleOCR-VL's JSON, our interchange format.

    {"width": 1240, "height": 1754, "parsing_res_list": [
      {"block_bbox": [x1, y1, x2, y2], "block_label": "text", "block_content": "…", "block_id": 0, "block_order": 1}]}

What the format says beyond that is kept and written back: `extra` on the page and on each block. Blocks without a box
of four finite numbers cannot be placed: they stand in `left_out`, with the reason, and are written back too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from vdebench.core.box import Box, Size
from vdebench.errors import InputError, TooLargeError

MAX_BLOCK_CHARACTERS = 500_000
"""More than fifty dense newspaper pages in one block: a broken reading, and hours of edit distance."""

_OWN_BLOCK_FIELDS = ("block_bbox", "block_label", "block_content", "block_id", "block_order")
_OWN_PAGE_FIELDS = ("width", "height", "parsing_res_list")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a page: where it is, what it is, what it says (HTML for tables)."""

    box: Box
    content: str = ""
    label: str = "text"
    id: Any = None
    order: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def html(self) -> str:
        """The table's HTML, or nothing where the block is no such table."""
        return self.content if self.label == "table" and self.content.startswith("<") else ""

    @property
    def plain_text(self) -> str:
        """The content; of a table with every tag replaced by one space, stripped (the papers' rule).

        >>> Block(Box(0, 0, 9, 9), "<table><tr><td>a</td><td>b</td></tr></table>", "table").plain_text
        'a  b'
        """
        return without_tags(self.content).strip() if self.html else self.content


class SkippedBlock(NamedTuple):
    """A block that could not be placed: where it stood in the list, why, and what was found."""

    position: int
    reason: str
    raw: Any


@dataclass(frozen=True, slots=True)
class PageText:
    """All blocks of a page in reading order."""

    blocks: tuple[Block, ...] = ()
    size: Size | None = None
    left_out: tuple[SkippedBlock, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: object, where: str = "reading") -> PageText:
        """Reading from parsed JSON; `where` names the file in error messages.

        >>> PageText.from_json({"parsing_res_list": [{"block_bbox": [0, 0, 9, 9], "block_content": "hi"}]}).blocks[0]
        Block(box=Box(x1=0, y1=0, x2=9, y2=9), content='hi', label='', id=None, order=None, extra={})
        """
        if isinstance(data, dict) and isinstance(data.get("res"), dict):  # PaddleOCR's `.json` wraps its result
            data = data["res"]
        if not isinstance(data, dict):
            raise InputError(f"{where}: found {_kind(data)}, expected an object with 'parsing_res_list'")
        items = data.get("parsing_res_list")
        if not isinstance(items, list):
            raise InputError(f"{where}: 'parsing_res_list' is {_kind(items)}, expected a list of blocks")
        blocks, left_out = [], []
        for index, item in enumerate(items):
            block = _block(item, f"{where}: block {index}")
            if isinstance(block, Block):
                blocks.append(block)
            else:
                left_out.append(SkippedBlock(index, block, item))
        size = _size(data)
        own = _OWN_PAGE_FIELDS if size else ("parsing_res_list",)
        extra = {key: value for key, value in data.items() if key not in own}
        return cls(tuple(blocks), size, tuple(left_out), extra)

    def scaled_to(self, page: Size | None) -> PageText:
        """The reading as it would stand on a page of another size; as it is where either size is not known.

        >>> PageText((Block(Box(1, 1, 2, 2)),), Size(10, 10)).scaled_to(Size(20, 40)).blocks[0].box
        Box(x1=2.0, y1=4.0, x2=4.0, y2=8.0)
        """
        if self.size is None or page is None or self.size == page:
            return self
        by_x, by_y = page.width / self.size.width, page.height / self.size.height
        blocks = tuple(replace(block, box=block.box.scaled(by_x, by_y)) for block in self.blocks)
        return replace(self, blocks=blocks, size=page)

    def to_json(self) -> dict[str, Any]:
        """The reading in PaddleOCR-VL's form, with everything it was read with."""
        items = [
            {
                "block_bbox": list(block.box),
                "block_label": block.label,
                "block_content": block.content,
                "block_id": block.id,
                "block_order": block.order,
                **block.extra,
            }
            for block in self.blocks
        ]
        for left_out in self.left_out:
            items.insert(left_out.position, left_out.raw)
        size = {} if self.size is None else {"width": self.size.width, "height": self.size.height}
        return {**self.extra, **size, "parsing_res_list": items}


def _block(item: object, where: str) -> Block | str:
    """The block, or the reason why it cannot be placed."""
    if not isinstance(item, dict):
        return f"{_kind(item)} instead of an object"
    box = as_numbers(item.get("block_bbox"), 4)
    if box is None:
        return f"block_bbox is {_short(item.get('block_bbox'))}, expected four finite numbers"
    content = item.get("block_content")
    if content is None:
        content = ""
    if not isinstance(content, str):
        raise InputError(f"{where}: 'block_content' is {_kind(content)}, expected text")
    if len(content) > MAX_BLOCK_CHARACTERS:
        raise TooLargeError(f"{where}: {len(content):,} characters, more than the {MAX_BLOCK_CHARACTERS:,} we compare")
    label = item.get("block_label")
    kept = {
        key: value
        for key, value in item.items()
        if key not in _OWN_BLOCK_FIELDS or (key in ("block_label", "block_content") and not isinstance(value, str))
    }
    return Block(
        box=Box(*box),
        content=content,
        label=label if isinstance(label, str) else "",
        id=item.get("block_id"),
        order=item.get("block_order"),
        extra=kept,  # and a label or content that is no text, so that it is written back as it was
    )


def without_tags(html: str) -> str:
    """What the release's pattern `<[^>]+>` leaves, each match a space, in one pass however many `<` stay open.

    >>> without_tags("<b>p <> q < 1</b>")
    ' p <> q  '
    """
    kept, at = [], 0
    start = html.find("<")
    while start >= 0 and (end := html.find(">", start)) >= 0:
        if end > start + 1:
            kept += [html[at:start], " "]
            at = end + 1
        start = html.find("<", max(at, start + 1))
    return "".join([*kept, html[at:]])


def _size(data: Mapping[str, Any]) -> Size | None:
    return as_size(data.get("width"), data.get("height"))


def as_size(width: object, height: object) -> Size | None:
    """A page size from JSON values, nothing where they are not two positive numbers."""
    found = as_numbers([width, height], 2)
    return Size(*found) if found and min(found) > 0 else None


def as_numbers(value: object, count: int) -> list[float] | None:
    """A JSON value as that many numbers a page could hold (no NaN, no infinity, no 1e300), else nothing."""
    if not isinstance(value, list) or len(value) != count:
        return None
    good = all(isinstance(n, int | float) and not isinstance(n, bool) and -1e12 < n < 1e12 for n in value)
    return value if good else None


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true/false", int: "a number", float: "a number"}
    return "nothing" if value is None else names.get(type(value), type(value).__name__)


def _short(value: object) -> str:
    shown = "missing" if value is None else repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "…"
