"""Which words of a page a template can quote: clean ones that readers show alike, in whole words, that occur once."""

from __future__ import annotations

from typing import NamedTuple

import regex

from vdebench.core.page_text import Block
from vdebench.instructions.folding import folded, without_tabs
from vdebench.instructions.page_index import PageIndex
from vdebench.instructions.seeded_choice import SeededChoice
from vdebench.instructions.word_boundary import next_boundary

_BODY = ("text", "abstract", "content", "reference", "paragraph_title", "doc_title", "figure_title", "")
_MARGIN = ("header", "footer", "footnote", "vision_footnote")
_UNCLEAN = regex.compile(
    r"[^\p{L}\p{N}\p{Han} ,.;:!?()%％/±+\-–—，。；：！？（）、％～~·&$¥￥№°]|\$(?!\d)|(?<=\p{Han}.*)\$"
)
"""What a reader may show in other ways: formulas, quotation marks, bullets."""
_CLAUSE = regex.compile(r"[,.;:!?，。；：！？、()（）](?!\d)")
_NO_BEGINNING = ")）,，。.、；;：:%％年月日万亿"
_WHOLE_CLAUSE = 16
"""Letters of a clause that is quoted whole: half words of Chinese are hard to read."""
SHORTEST = 4
LONGEST = {"en": 90, "zh": 45}
"""Letters of a quotation."""


class QuotableText(NamedTuple):
    """Clean text of a block, up to where a formula or a mark begins that readers show in other ways."""

    block: Block
    text: str
    whole: bool
    """Whether the block says nothing else."""
    tongue: str


def tongue_of(text: str, language: str) -> str:
    """`en` or `zh`: the page's, or on a mixed page the text's."""
    if language in ("english", "simplified_chinese"):
        return "en" if language == "english" else "zh"
    return "zh" if 3 * len(regex.findall(r"\p{Han}", text)) > len(folded(text)) else "en"


def stretches(on_page: PageIndex, language: str, chance: SeededChoice) -> list[QuotableText]:
    """Clean text outside of tables, in a random order, the margins of the page last."""
    found = []
    for labels in (_BODY, _MARGIN):
        blocks = [block for block in on_page.reading.blocks if block.label in labels and not block.html]
        for block in chance.shuffled(blocks):
            for line in lines_of(block):
                for piece in chance.shuffled(piece.strip() for piece in _UNCLEAN.split(line)):
                    whole = piece == block.content.strip()
                    if len(folded(piece)) >= SHORTEST and _in_tongue(piece, language):
                        found.append(QuotableText(block, piece, whole, tongue_of(piece, language)))
    return found


def lines_of(block: Block) -> list[str]:
    """A block's lines without the bullets, tabs and numbers they begin with."""
    return [regex.sub(r"^(?:[-–—•·*\s]+)", "", without_tabs(line)).strip() for line in block.content.split("\n")]


def _in_tongue(text: str, language: str) -> bool:
    """Whether a text is of the page's language, not a line of pinyin or a web address on a Chinese page."""
    han = bool(regex.search(r"\p{Han}", text))
    return {"english": not han, "simplified_chinese": han}.get(language, True)


def balanced(text: str) -> bool:
    """Whether no bracket is left open."""
    return len(regex.findall(r"[(（]", text)) == len(regex.findall(r"[)）]", text))


def quote(on_page: PageIndex, stretch: QuotableText, start: int, end: int) -> tuple[int, int] | None:
    """Some words, with as many around them in their clause as it takes that they occur once on the page."""
    text = stretch.text
    first = max((mark.end() for mark in _CLAUSE.finditer(text, 0, start)), default=0)
    last = next((mark.start() for mark in _CLAUSE.finditer(text, end)), len(text))
    first += len(text[first:start]) - len(text[first:start].lstrip())
    left, right = start, end
    while right - left <= LONGEST[stretch.tongue]:
        ends_well = (
            text[right - 1] not in "([（$¥￥ " and text[left] not in _NO_BEGINNING and balanced(text[left:right])
        )
        if ends_well and len(folded(text[left:right])) >= SHORTEST and on_page.count(text[left:right]) == 1:
            return left, right
        if stretch.tongue == "zh" and last - first <= _WHOLE_CLAUSE and (left, right) != (first, last):
            left, right = first, last
            continue
        wider = min(last, next_boundary(text, right, 1)), max(first, next_boundary(text, left, -1))
        if wider == (right, left):
            return None
        right, left = wider
    return None


def ending(on_page: PageIndex, stretch: QuotableText, start: int, end: int, least: int) -> str:
    """Last words of a stretch that occur nowhere else, so many letters at least; of Chinese, whole clauses if short."""
    text = stretch.text
    if stretch.tongue == "zh":
        clause = max((mark.end() for mark in _CLAUSE.finditer(text, start, max(start, end - 1))), default=start)
        if least <= end - clause <= _WHOLE_CLAUSE and on_page.count(text[clause:end]) == 1:
            return text[clause:end].strip()
    left = end
    while left > start and end - left < LONGEST[stretch.tongue]:
        left = max(start, next_boundary(text, left, -1))
        whole = end - left >= least and (text[left].isalnum() or text[left] in "$¥￥")
        whole = (
            whole and text[left] not in _NO_BEGINNING and bool(regex.search(r"\p{L}{3}|\p{Han}|\d{3}", text[left:end]))
        )
        if whole and on_page.count(text[left:end]) == 1:
            return text[left:end]
    return ""
