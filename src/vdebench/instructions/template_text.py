"""Templates for running text: what on the page could be replaced, inserted or deleted, and how to say so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex

from vdebench.instructions.folding import folded
from vdebench.instructions.page_index import PageIndex
from vdebench.instructions.quoting import LONGEST, SHORTEST, QuotableText, balanced, ending, lines_of, quote, stretches
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
"""Abbreviations, after which a sentence goes on."""
_LEAST_WORDS, _LEAST_HAN = 4, 8
"""Of a sentence."""
_REMARK = regex.compile(r" ?[(（][^()（）]{2,30}[)）]")
_TELLING = {"en": 14, "zh": 7}
"""Letters of an anchor, where there are so many: shorter ones are easily misread into others."""


class PhrasedEdit(NamedTuple):
    """An edit in the fields of a phrasing."""

    phrasing: str
    quoted: dict[str, str | list[str]]
    role: str = ""
    tongue: str = "en"


def replacements(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """A date, number or word by another; where there is none, a heading by another."""
    found = stretches(on_page, language, chance)
    order = chance.shuffled(["date", "number", "word"])
    for kind in order:
        for stretch in found:
            for value in chance.shuffled(values_in(stretch.text, stretch.tongue, chance)):
                span = quote(on_page, stretch, value.start, value.end) if value.kind == kind else None
                if span is None:
                    continue
                start, end = span
                new = stretch.text[start : value.start] + value.new + stretch.text[value.end : end]
                if not on_page.count(new):
                    yield PhrasedEdit(
                        "replace_text", {"target": stretch.text[start:end], "new": new}, "", stretch.tongue
                    )
    for stretch in found:
        role = ROLES.get(stretch.block.label, "")
        if role and stretch.whole and on_page.count(stretch.text) == 1 and len(stretch.text) <= LONGEST[stretch.tongue]:
            for new in chance.shuffled(bank(stretch.tongue)["headings"]):
                yield PhrasedEdit("replace_block", {"target": stretch.text, "new": new}, role, stretch.tongue)


def insertions(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """A sentence behind a sentence, a remark behind a value, a remark behind a heading."""
    found = stretches(on_page, language, chance)
    kinds = chance.shuffled([_sentences_more, _remarks_more])
    for kind in (*kinds, _headings_more):
        for stretch in found:
            yield from kind(on_page, stretch, chance)


def _sentences(stretch: QuotableText) -> list[regex.Match[str]]:
    """Sentences that are sentences: no abbreviation at the end, no bracket left open, some words long."""
    return [
        match
        for match in _SENTENCE[stretch.tongue].finditer(stretch.text)
        if not _NO_END.search(match[0])
        and balanced(match[0])
        and (match[0].count(" ") >= _LEAST_WORDS if stretch.tongue == "en" else len(match[0]) >= _LEAST_HAN)
    ]


def _sentences_more(on_page: PageIndex, stretch: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for match in chance.shuffled(_sentences(stretch)):
        anchor = ending(on_page, stretch, match.start(), match.end(), _TELLING[stretch.tongue])
        new = _absent(on_page, bank(stretch.tongue)["sentences"], chance)
        if anchor and new:
            yield PhrasedEdit("insert_sentence", {"anchor": anchor, "new": new}, "", stretch.tongue)


def _remarks_more(on_page: PageIndex, stretch: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for value in chance.shuffled(values_in(stretch.text, stretch.tongue, chance)):
        following = stretch.text[value.end : value.end + 1]
        if value.kind == "word" or following not in (",", ".", "，", "。", "；", ";", ""):
            continue  # a unit or a noun follows, from which the number must not be parted
        anchor = ending(on_page, stretch, 0, value.end, max(SHORTEST + 2, value.end - value.start))
        new = _absent(on_page, bank(stretch.tongue)["remarks"], chance)
        if anchor and new:
            yield PhrasedEdit("insert_text", {"anchor": anchor, "new": new}, "", stretch.tongue)


def _headings_more(on_page: PageIndex, stretch: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    text = stretch.text
    new = _absent(on_page, bank(stretch.tongue)["heading_remarks"], chance)
    ends = (
        len(text) <= LONGEST[stretch.tongue]
        and stretch.block.content.rstrip().endswith(text)
        and on_page.count(text) == 1
    )
    if new and ends and text[-1] not in ".。,，":
        yield PhrasedEdit("insert_text", {"anchor": text, "new": new}, "", stretch.tongue)


def deletions(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """A sentence of several, a remark in brackets, a word that can be spared; else a whole short line."""
    found = stretches(on_page, language, chance)
    kinds = chance.shuffled([_sentences_less, _remarks_less, _words_less])
    for kind in (*kinds, _lines_less):
        for stretch in found:
            yield from kind(on_page, stretch, chance)


def _sentences_less(on_page: PageIndex, stretch: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    found = _sentences(stretch)
    for match in chance.shuffled(found if len(found) > 1 else []):
        if len(match[0]) <= LONGEST[stretch.tongue] and on_page.count(match[0]) == 1:
            yield PhrasedEdit("delete_remark", {"target": match[0]}, "", stretch.tongue)


def _remarks_less(on_page: PageIndex, stretch: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for match in chance.shuffled(_REMARK.finditer(stretch.text)):
        remark = match[0].strip()
        if match.start() > SHORTEST and len(folded(remark)) >= SHORTEST + 2 and on_page.count(remark) == 1:
            yield PhrasedEdit("delete_remark", {"target": remark}, "", stretch.tongue)


def _words_less(on_page: PageIndex, stretch: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for word in chance.shuffled(bank(stretch.tongue)["spare"]):
        pattern = (
            rf"(?<=\w )(?<![\w-]){word}(?= \w)" if stretch.tongue == "en" else rf"(?<=\p{{Han}}){word}(?=\p{{Han}})"
        )
        if regex.search(pattern, stretch.text) and on_page.count(word) == 1:
            yield PhrasedEdit("delete_text", {"target": word}, "", stretch.tongue)


def _lines_less(on_page: PageIndex, stretch: QuotableText, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    short = len(stretch.text) <= LONGEST[stretch.tongue]
    if short and stretch.text in lines_of(stretch.block) and on_page.count(stretch.text) == 1:
        yield PhrasedEdit("delete_line", {"target": stretch.text}, "", stretch.tongue)


def _absent(on_page: PageIndex, options: list[str], chance: SeededChoice) -> str:
    """One of some texts that the page does not have."""
    return next((option for option in chance.shuffled(options) if not on_page.count(option)), "")
