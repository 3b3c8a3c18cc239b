"""The answer of a vision-language model: our JSON of blocks, as the text of a page."""

from __future__ import annotations

from typing import Any

import regex

from vdebench.core.box import Size
from vdebench.core.page_text import PageText, as_numbers
from vdebench.errors import InputError
from vdebench.io.files import parse_json
from vdebench.net.addresses import excerpt
from vdebench.net.answer import ModelAnswer

SCALE = 1000
"""Boxes are asked for in thousandths of the page: servers shrink pages, and models do not know by how much."""
_SLACK = 20
"""Thousandths that a box may reach over the edge; more means that the model answers in pixels."""

LABELS = (
    *("doc_title", "paragraph_title", "text", "abstract", "content", "reference", "table", "display_formula"),
    *("formula_number", "figure_title", "image", "chart", "seal", "header", "footer", "number", "footnote"),
    *("aside_text", "algorithm"),
)
_BLOCK = {
    "type": "object",
    "properties": {
        "box": {"type": "array", "items": {"type": "integer"}, "minItems": 4, "maxItems": 4},
        "label": {"type": "string", "enum": list(LABELS)},
        "text": {"type": "string"},
    },
    "required": ["box", "label", "text"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": {"blocks": {"type": "array", "items": _BLOCK}},
    "required": ["blocks"],
    "additionalProperties": False,
}
_FENCED = regex.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", regex.DOTALL)


def answer_text(answer: ModelAnswer) -> str:
    """What the model wrote; an error where it refused, was cut off, or wrote nothing."""
    if answer.state != "answered":
        raise InputError(answer.reason)
    if answer.finish == "length":
        raise InputError(
            f"the answer was cut off after {len(answer.text)} characters: {excerpt(answer.text)}\n"
            "  give it more room with max_tokens=…, or raise the server's context length"
        )
    if not answer.text.strip():
        raise InputError(f"the answer is empty (finish_reason {answer.finish!r})")
    return answer.text


def answer_reading(text: str, page: Size) -> PageText:
    """The reading that a model wrote, with boxes in pixels of the page.

    >>> text = '{"blocks": [{"box": [100, 200, 300, 400], "label": "text", "text": "hi"}]}'
    >>> answer_reading(text, Size(2000, 500)).blocks[0].box
    Box(x1=200.0, y1=100.0, x2=600.0, y2=200.0)
    """
    fenced = _FENCED.match(text)
    try:
        data = parse_json((fenced[1] if fenced else text).encode("utf-8", "replace"), "the answer")
        blocks = data.get("blocks") if isinstance(data, dict) else None
        if not isinstance(blocks, list):
            raise InputError("the answer has no list 'blocks'")
        items = [_item(block, index, page) for index, block in enumerate(blocks)]
    except InputError as error:
        raise InputError(f"{error}: {excerpt(text)}\n  try schema=strict, or another model") from None
    size = {"width": page.width, "height": page.height}
    return PageText.from_json({**size, "parsing_res_list": items}, "the answer")


def _item(block: Any, index: int, page: Size) -> dict[str, Any]:
    if not isinstance(block, dict):
        raise InputError(f"block {index} is no object")
    for key in ("label", "text"):
        if not isinstance(block.get(key), str):
            raise InputError(f"block {index}: {key!r} is no text")
    box = as_numbers(block.get("box"), 4)
    if box is None:
        raise InputError(f"block {index}: 'box' is {excerpt(repr(block.get('box')), 60)}, expected four numbers")
    if not all(-_SLACK <= side <= SCALE + _SLACK for side in box):
        raise InputError(f"block {index}: box {box} is not in thousandths of the page")
    x1, y1, x2, y2 = (min(max(side, 0), SCALE) for side in box)
    if x2 < x1 or y2 < y1:
        raise InputError(f"block {index}: box {box} is inside out")
    by_x, by_y = page.width / SCALE, page.height / SCALE
    return {
        "block_bbox": [x1 * by_x, y1 * by_y, x2 * by_x, y2 * by_y],
        "block_label": block["label"],
        "block_content": block["text"],
        "block_id": index,
        "block_order": index,
    }
