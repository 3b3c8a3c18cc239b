"""OCR output of a page, stored in PaddleOCR-VL's JSON format:

    {"width": 1240, "height": 1754, "parsing_res_list": [
      {"block_bbox": [x1, y1, x2, y2], "block_label": "text", "block_content": "…", "block_id": 0, "block_order": 1}]}

Other fields are kept in `extra` of the page or the block and written back. Blocks whose box is not four finite numbers
go to `left_out`, with the reason, and are written back too. Lines that the reader found but could not read are in the
page's list "unread":

    {"bbox": [x1, y1, x2, y2], "reason": "illegible", "height": 7.0, "confidence": 0.41}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, cast, get_args

from vdebench.core.box import Box, Size
from vdebench.errors import InputError, TooLargeError

MAX_BLOCK_CHARACTERS = 500_000
"""More than fifty dense newspaper pages in one block: broken OCR output, and hours of edit distance."""

_OWN_BLOCK_FIELDS = ("block_bbox", "block_label", "block_content", "block_id", "block_order")
_OWN_PAGE_FIELDS = ("width", "height", "parsing_res_list")

UnreadReason = Literal["illegible", "unknown script", "low confidence"]
"""Why a line was not read: its type is too small, the reader has no letters for it, or its text is too uncertain."""
UNREAD_REASONS: tuple[UnreadReason, ...] = get_args(UnreadReason)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page: its box, its label and its content (HTML for tables)."""

    box: Box
    content: str = ""
    label: str = "text"
    id: Any = None
    order: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def html(self) -> str:
        """HTML of a table; empty if the block is not a table in HTML."""
        return self.content if self.label == "table" and self.content.startswith("<") else ""

    @property
    def plain_text(self) -> str:
        """The content; for tables each tag is replaced by one space and the result stripped, as in the papers.

        >>> Block(Box(0, 0, 9, 9), "<table><tr><td>a</td><td>b</td></tr></table>", "table").plain_text
        'a  b'
        """
        return without_tags(self.content).strip() if self.html else self.content


class SkippedBlock(NamedTuple):
    """A block without a valid box: its index in the list, the reason, and the JSON value."""

    position: int
    reason: str
    raw: Any


class UnreadLine(NamedTuple):
    """A line that the reader found but could not read; its text is unknown and in no block."""

    box: Box
    reason: UnreadReason
    height: float = 0.0
    """Height of the line in pixels, like the box: of a vertical line, its width."""
    confidence: float = 0.0
    """Mean probability of the characters of the rejected text; 0 without any."""


@dataclass(frozen=True, slots=True)
class PageText:
    """All blocks of a page in reading order, and the lines that could not be read."""

    blocks: tuple[Block, ...] = ()
    size: Size | None = None
    left_out: tuple[SkippedBlock, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    unread: tuple[UnreadLine, ...] = ()

    @classmethod
    def from_json(cls, data: object, where: str = "OCR output") -> PageText:
        """Parse OCR output from JSON data; `where` names the file in error messages.

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
        unread: tuple[UnreadLine, ...] = ()
        if isinstance(stored := extra.get("unread"), list):
            lines = [_unread_line(item) for item in stored]
            unread = tuple(line for line in lines if line)
            extra["unread"] = [item for item, line in zip(stored, lines, strict=True) if not line]
            if not extra["unread"] and unread:
                del extra["unread"]
        return cls(tuple(blocks), size, tuple(left_out), extra, unread)

    def scaled_to(self, page: Size | None) -> PageText:
        """Scale all boxes to a page of another size; return the same object if either size is unknown.

        >>> PageText((Block(Box(1, 1, 2, 2)),), Size(10, 10)).scaled_to(Size(20, 40)).blocks[0].box
        Box(x1=2.0, y1=4.0, x2=4.0, y2=8.0)
        """
        if self.size is None or page is None or self.size == page:
            return self
        by_x, by_y = page.width / self.size.width, page.height / self.size.height
        blocks = tuple(replace(block, box=block.box.scaled(by_x, by_y)) for block in self.blocks)
        unread = tuple(
            line._replace(box=line.box.scaled(by_x, by_y), height=line.height * by_y) for line in self.unread
        )
        return replace(self, blocks=blocks, size=page, unread=unread)

    def to_json(self) -> dict[str, Any]:
        """Return the output in PaddleOCR-VL's format, with all extra fields and skipped blocks."""
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
        unread: list[Any] = [
            {"bbox": list(line.box), "reason": line.reason, "height": line.height, "confidence": line.confidence}
            for line in self.unread
        ]
        if unread and isinstance(invalid := self.extra.get("unread"), list):
            unread += invalid
        return {**self.extra, **size, "parsing_res_list": items, **({"unread": unread} if unread else {})}


def describe_unread(lines: Sequence[UnreadLine]) -> str:
    """Return the number of lines that were not read, by reason; for illegible ones the greatest height.

    >>> small, faint = (UnreadLine(Box(0, 0, 90, 7), reason, 7) for reason in ("illegible", "low confidence"))
    >>> describe_unread([small, faint, small])
    '3 lines not read: 2 illegible (up to 7 px high), 1 low confidence'
    """
    parts = []
    for reason in UNREAD_REASONS:
        heights = [line.height for line in lines if line.reason == reason]
        note = f" (up to {max(heights):g} px high)" if heights and reason == "illegible" else ""
        parts += [f"{len(heights)} {reason}{note}"] if heights else []
    return f"{len(lines)} {'line' if len(lines) == 1 else 'lines'} not read: {', '.join(parts)}"


def _block(item: object, where: str) -> Block | str:
    """Return the block, or the reason why its box is invalid."""
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
        extra=kept,  # includes a label or content that is not a string, so that it is written back unchanged
    )


def _unread_line(item: object) -> UnreadLine | None:
    """Return a line that was not read; None if its box or its reason is invalid."""
    if not isinstance(item, dict):
        return None
    box, reason = as_numbers(item.get("bbox"), 4), item.get("reason")
    if box is None or reason not in UNREAD_REASONS:
        return None
    height, confidence = (as_numbers([item.get(key)], 1) or [0.0] for key in ("height", "confidence"))
    return UnreadLine(Box(*box), cast("UnreadReason", reason), height[0], confidence[0])


def without_tags(html: str) -> str:
    """Replace each match of the release's pattern `<[^>]+>` by a space, in linear time for any number of unclosed `<`.

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
    """Return a page size from two JSON values; None if they are not positive numbers."""
    sides = as_numbers([width, height], 2)
    return Size(*sides) if sides and min(sides) > 0 else None


def as_numbers(value: object, count: int) -> list[float] | None:
    """Return a JSON list as `count` finite numbers below 1e12 in size; None if it is anything else."""
    if not isinstance(value, list) or len(value) != count:
        return None
    good = all(isinstance(n, int | float) and not isinstance(n, bool) and -1e12 < n < 1e12 for n in value)
    return value if good else None


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true/false", int: "a number", float: "a number"}
    return "nothing" if value is None else names.get(type(value), type(value).__name__)


def _short(value: object) -> str:
    text = "missing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
