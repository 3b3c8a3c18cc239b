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
"""The prompt asks for boxes in thousandths of the page: servers resize pages, and the model cannot know by how much."""
_SLACK = 20
"""Thousandths by which a box may exceed the page; more means that the model answers in pixels."""

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
    """Return the text of an answer; raise `InputError` if it is refused, cut off or empty."""
    if answer.state != "answered":
        raise InputError(answer.reason)
    if answer.finish == "length":
        raise InputError(
            f"the answer was cut off after {len(answer.text)} characters: {excerpt(answer.text)}\n"
            "  raise max_tokens=…, or the server's context length"
        )
    if not answer.text.strip():
        raise InputError(f"the answer is empty (finish_reason {answer.finish!r})")
    return answer.text


def page_text_from_answer(text: str, page: Size) -> PageText:
    """Parse the blocks in a model's answer; boxes become pixels of the page. Raises `InputError`.

    >>> text = '{"blocks": [{"box": [100, 200, 300, 400], "label": "text", "text": "hi"}]}'
    >>> page_text_from_answer(text, Size(2000, 500)).blocks[0].box
    Box(x1=200.0, y1=100.0, x2=600.0, y2=200.0)
    """
    fenced = _FENCED.match(text)
    try:
        data = parse_json((fenced[1] if fenced else text).encode("utf-8", "replace"), "the answer")
        blocks = data.get("blocks") if isinstance(data, dict) else None
        if not isinstance(blocks, list):
            raise InputError("the answer has no list 'blocks'")
        items = [_paddle_block(block, index, page) for index, block in enumerate(blocks)]
    except InputError as error:
        raise InputError(f"{error}: {excerpt(text)}\n  try schema=strict, or another model") from None
    size = {"width": page.width, "height": page.height}
    return PageText.from_json({**size, "parsing_res_list": items}, "the answer")


def _paddle_block(block: Any, index: int, page: Size) -> dict[str, Any]:
    if not isinstance(block, dict):
        raise InputError(f"block {index} is not an object")
    for key in ("label", "text"):
        if not isinstance(block.get(key), str):
            raise InputError(f"block {index}: {key!r} is not a string")
    box = as_numbers(block.get("box"), 4)
    if box is None:
        raise InputError(f"block {index}: 'box' is {excerpt(repr(block.get('box')), 60)}, expected four numbers")
    if not all(-_SLACK <= side <= SCALE + _SLACK for side in box):
        raise InputError(f"block {index}: box {box} is not in thousandths of the page")
    x1, y1, x2, y2 = (min(max(side, 0), SCALE) for side in box)
    if x2 < x1 or y2 < y1:
        raise InputError(f"block {index}: box {box} has negative width or height")
    by_x, by_y = page.width / SCALE, page.height / SCALE
    return {
        "block_bbox": [x1 * by_x, y1 * by_y, x2 * by_x, y2 * by_y],
        "block_label": block["label"],
        "block_content": block["text"],
        "block_id": index,
        "block_order": index,
    }
