"""Select words of a page that a template can quote: clean, whole words, unique on the page."""

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
"""Characters that OCR engines write differently: formulas, quotation marks, bullets."""
_CLAUSE = regex.compile(r"[,.;:!?，。；：！？、()（）](?!\d)")
_NO_BEGINNING = ")）,，。.、；;：:%％年月日万亿"
_WHOLE_CLAUSE = 16
"""Maximum length of a Chinese clause that is quoted completely."""
SHORTEST = 4
LONGEST = {"en": 90, "zh": 45}
"""Maximum length of a quotation."""


class QuotableText(NamedTuple):
    """Clean text of a block, up to a formula or mark that OCR engines write differently."""

    block: Block
    text: str
    whole: bool
    """Whether it is the whole text of the block."""
    language_code: str


def language_code_of(text: str, language: str) -> str:
    """Return `en` or `zh`: the language of the page, or of the text on mixed pages."""
    if language in ("english", "simplified_chinese"):
        return "en" if language == "english" else "zh"
    return "zh" if 3 * len(regex.findall(r"\p{Han}", text)) > len(folded(text)) else "en"


def quotable_texts(on_page: PageIndex, language: str, chance: SeededChoice) -> list[QuotableText]:
    """Return clean texts outside of tables in random order, margins of the page last."""
    texts = []
    for labels in (_BODY, _MARGIN):
        blocks = [block for block in on_page.page_text.blocks if block.label in labels and not block.html]
        for block in chance.shuffled(blocks):
            for line in lines_of(block):
                for piece in chance.shuffled(piece.strip() for piece in _UNCLEAN.split(line)):
                    whole = piece == block.content.strip()
                    if len(folded(piece)) >= SHORTEST and _in_language(piece, language):
                        texts.append(QuotableText(block, piece, whole, language_code_of(piece, language)))
    return texts


def lines_of(block: Block) -> list[str]:
    """Return the lines of a block without leading bullets and tabs."""
    return [regex.sub(r"^(?:[-–—•·*\s]+)", "", without_tabs(line)).strip() for line in block.content.split("\n")]


def _in_language(text: str, language: str) -> bool:
    """Whether a text is in the page's language, not for example pinyin or a URL on a Chinese page."""
    han = bool(regex.search(r"\p{Han}", text))
    return {"english": not han, "simplified_chinese": han}.get(language, True)


def balanced(text: str) -> bool:
    """Whether all brackets are closed."""
    return len(regex.findall(r"[(（]", text)) == len(regex.findall(r"[)）]", text))


def quote(on_page: PageIndex, quotable: QuotableText, start: int, end: int) -> tuple[int, int] | None:
    """Extend some words within their clause until they are unique on the page; None if that is not possible."""
    text = quotable.text
    first = max((mark.end() for mark in _CLAUSE.finditer(text, 0, start)), default=0)
    last = next((mark.start() for mark in _CLAUSE.finditer(text, end)), len(text))
    first += len(text[first:start]) - len(text[first:start].lstrip())
    left, right = start, end
    while right - left <= LONGEST[quotable.language_code]:
        ends_well = (
            text[right - 1] not in "([（$¥￥ " and text[left] not in _NO_BEGINNING and balanced(text[left:right])
        )
        if ends_well and len(folded(text[left:right])) >= SHORTEST and on_page.count(text[left:right]) == 1:
            return left, right
        if quotable.language_code == "zh" and last - first <= _WHOLE_CLAUSE and (left, right) != (first, last):
            left, right = first, last
            continue
        wider = min(last, next_boundary(text, right, 1)), max(first, next_boundary(text, left, -1))
        if wider == (right, left):
            return None
        right, left = wider
    return None


def ending(on_page: PageIndex, quotable: QuotableText, start: int, end: int, least: int) -> str:
    """Return the last words of a range that are unique, at least `least` letters; short Chinese clauses completely."""
    text = quotable.text
    if quotable.language_code == "zh":
        clause = max((mark.end() for mark in _CLAUSE.finditer(text, start, max(start, end - 1))), default=start)
        if least <= end - clause <= _WHOLE_CLAUSE and on_page.count(text[clause:end]) == 1:
            return text[clause:end].strip()
    left = end
    while left > start and end - left < LONGEST[quotable.language_code]:
        left = max(start, next_boundary(text, left, -1))
        whole = end - left >= least and (text[left].isalnum() or text[left] in "$¥￥")
        whole = (
            whole and text[left] not in _NO_BEGINNING and bool(regex.search(r"\p{L}{3}|\p{Han}|\d{3}", text[left:end]))
        )
        if whole and on_page.count(text[left:end]) == 1:
            return text[left:end]
    return ""
