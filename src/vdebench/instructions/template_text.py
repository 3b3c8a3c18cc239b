"""Templates for running text: candidates for replacement, insertion and deletion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex

from vdebench.instructions.folding import folded
from vdebench.instructions.page_index import PageIndex
from vdebench.instructions.quoting import (
    LONGEST,
    SHORTEST,
    QuotableText,
    balanced,
    ending,
    lines_of,
    quotable_texts,
    quote,
)
from vdebench.instructions.seeded_choice import SeededChoice
from vdebench.instructions.values import bank, values_in

ROLES = {
    "paragraph_title": "heading",
    "doc_title": "title",
    "figure_title": "caption",
    "header": "header",
    "footer": "footer",
    "footnote": "footnote",
    "vision_footnote": "footnote",
}
_SENTENCE = {
    "en": regex.compile(r"(?<=^|[.!?] )\p{Lu}[^.!?]*(?:[.!?](?=\S)[^.!?]*)*[.!?](?= \p{Lu}|\s*$)"),
    "zh": regex.compile(r"(?<=^|[。！？；])[^。！？；\s][^。！？；]*[。！？]"),
}
_NO_END = regex.compile(
    r"(?:\b\p{L}|\b(?:Mr|Mrs|Ms|Dr|No|Fig|Figs|Eq|Vol|St|al|cf|vs|etc|Doc|Ref|Sec|pp|Proof|Remark \d+))\.$"
)
"""Abbreviations after which a sentence continues."""
_MIN_WORDS, _MIN_HAN = 4, 8
"""Minimum length of a sentence."""
_REMARK = regex.compile(r" ?[(（][^()（）]{2,30}[)）]")
_MIN_ANCHOR = {"en": 14, "zh": 7}
"""Minimum length of an anchor: OCR confuses shorter ones with others."""


class PhrasedEdit(NamedTuple):
    """An edit with the fields of its phrasing."""

    phrasing: str
    quoted: dict[str, str | list[str]]
    role: str = ""
    language_code: str = "en"


def replacements(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """Propose to replace a date, number or word; if there is none, a heading."""
    texts = quotable_texts(on_page, language, chance)
    order = chance.shuffled(["date", "number", "word"])
    for kind in order:
        for quotable in texts:
            for value in chance.shuffled(values_in(quotable.text, quotable.language_code, chance)):
                span = quote(on_page, quotable, value.start, value.end) if value.kind == kind else None
                if span is None:
                    continue
                start, end = span
                new = quotable.text[start : value.start] + value.new + quotable.text[value.end : end]
                if not on_page.count(new):
                    yield PhrasedEdit(
                        "replace_text", {"target": quotable.text[start:end], "new": new}, "", quotable.language_code
                    )
    for quotable in texts:
        role = ROLES.get(quotable.block.label, "")
        if (
            role
            and quotable.whole
            and on_page.count(quotable.text) == 1
            and len(quotable.text) <= LONGEST[quotable.language_code]
        ):
            for new in chance.shuffled(bank(quotable.language_code)["headings"]):
                yield PhrasedEdit("replace_block", {"target": quotable.text, "new": new}, role, quotable.language_code)


def insertions(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """Propose a sentence after a sentence, a remark after a value, or a remark after a heading."""
    texts = quotable_texts(on_page, language, chance)
    kinds = chance.shuffled([_add_sentence, _add_remark])
    for kind in (*kinds, _add_heading_remark):
        for quotable in texts:
            yield from kind(on_page, quotable, chance)


def _sentences(quotable: QuotableText) -> list[regex.Match[str]]:
    """Return complete sentences: no abbreviation at the end, brackets closed, a minimum length."""
    return [
        match
        for match in _SENTENCE[quotable.language_code].finditer(quotable.text)
        if not _NO_END.search(match[0])
        and balanced(match[0])
        and (match[0].count(" ") >= _MIN_WORDS if quotable.language_code == "en" else len(match[0]) >= _MIN_HAN)
    ]


def _add_sentence(on_page: PageIndex, quotable: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for match in chance.shuffled(_sentences(quotable)):
        anchor = ending(on_page, quotable, match.start(), match.end(), _MIN_ANCHOR[quotable.language_code])
        new = _absent(on_page, bank(quotable.language_code)["sentences"], chance)
        if anchor and new:
            yield PhrasedEdit("insert_sentence", {"anchor": anchor, "new": new}, "", quotable.language_code)


def _add_remark(on_page: PageIndex, quotable: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for value in chance.shuffled(values_in(quotable.text, quotable.language_code, chance)):
        following = quotable.text[value.end : value.end + 1]
        if value.kind == "word" or following not in (",", ".", "，", "。", "；", ";", ""):
            continue  # a unit or noun follows, which belongs to the number
        anchor = ending(on_page, quotable, 0, value.end, max(SHORTEST + 2, value.end - value.start))
        new = _absent(on_page, bank(quotable.language_code)["remarks"], chance)
        if anchor and new:
            yield PhrasedEdit("insert_text", {"anchor": anchor, "new": new}, "", quotable.language_code)


def _add_heading_remark(on_page: PageIndex, quotable: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    text = quotable.text
    new = _absent(on_page, bank(quotable.language_code)["heading_remarks"], chance)
    ends = (
        len(text) <= LONGEST[quotable.language_code]
        and quotable.block.content.rstrip().endswith(text)
        and on_page.count(text) == 1
    )
    if new and ends and text[-1] not in ".。,，":
        yield PhrasedEdit("insert_text", {"anchor": text, "new": new}, "", quotable.language_code)


def deletions(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """Propose to delete one of several sentences, a remark in brackets or a dispensable word; else a short line."""
    texts = quotable_texts(on_page, language, chance)
    kinds = chance.shuffled([_delete_sentence, _delete_remark, _delete_word])
    for kind in (*kinds, _delete_line):
        for quotable in texts:
            yield from kind(on_page, quotable, chance)


def _delete_sentence(on_page: PageIndex, quotable: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    texts = _sentences(quotable)
    for match in chance.shuffled(texts if len(texts) > 1 else []):
        if len(match[0]) <= LONGEST[quotable.language_code] and on_page.count(match[0]) == 1:
            yield PhrasedEdit("delete_remark", {"target": match[0]}, "", quotable.language_code)


def _delete_remark(on_page: PageIndex, quotable: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for match in chance.shuffled(_REMARK.finditer(quotable.text)):
        remark = match[0].strip()
        if match.start() > SHORTEST and len(folded(remark)) >= SHORTEST + 2 and on_page.count(remark) == 1:
            yield PhrasedEdit("delete_remark", {"target": remark}, "", quotable.language_code)


def _delete_word(on_page: PageIndex, quotable: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for word in chance.shuffled(bank(quotable.language_code)["spare"]):
        pattern = (
            rf"(?<=\w )(?<![\w-]){word}(?= \w)"
            if quotable.language_code == "en"
            else rf"(?<=\p{{Han}}){word}(?=\p{{Han}})"
        )
        if regex.search(pattern, quotable.text) and on_page.count(word) == 1:
            yield PhrasedEdit("delete_text", {"target": word}, "", quotable.language_code)


def _delete_line(on_page: PageIndex, quotable: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    short = len(quotable.text) <= LONGEST[quotable.language_code]
    if short and quotable.text in lines_of(quotable.block) and on_page.count(quotable.text) == 1:
        yield PhrasedEdit("delete_line", {"target": quotable.text}, "", quotable.language_code)


def _absent(on_page: PageIndex, options: list[str], chance: SeededChoice) -> str:
    """Return a text that does not occur on the page."""
    return next((option for option in chance.shuffled(options) if not on_page.count(option)), "")
