"""Text of lines: joining lines into paragraphs, normalising the width of punctuation."""

from __future__ import annotations

from collections.abc import Sequence

import regex

BLANK = "_"
"""Character that stands for a blank to fill in."""
FULL_WIDTH = regex.compile(r"\p{Han}|\p{Hiragana}|\p{Katakana}|[\u3000-\u303f\uff00-\uffef]")
"""A full-width character, which needs no space next to it."""
_HAN = regex.compile(r"\p{Han}")
_LETTER = regex.compile(r"\p{L}")
_HYPHENATED = regex.compile(r"\p{Ll}-$")
_PUNCTUATION = regex.compile(r"(?<=[\p{Han}）”])\s*([,;:?!])(?!\d)\s*")
_PARENTHESES = regex.compile(r"(\p{Han}?)\s*[(（]([^()（）]*)[)）](\p{Han}?)")
_TO_FULL_WIDTH = str.maketrans(",;:?!()", "，；：？！（）")


def join_lines(texts: Sequence[str]) -> str:
    """Join the lines of a paragraph: a space between words, none between Chinese characters, hyphenation undone.

    >>> join_lines(["基金情", "况 fund", "report"]), join_lines(["evapo-", "ration"]), join_lines(["Mancos-", "Gallup"])
    ('基金情况 fund report', 'evaporation', 'Mancos-Gallup')
    """
    paragraph = ""
    for text in filter(None, (text.strip() for text in texts)):
        if _HYPHENATED.search(paragraph) and text[0].islower():
            paragraph = paragraph[:-1] + text
            continue
        no_space = (
            not paragraph or paragraph.endswith("-") or (FULL_WIDTH.match(paragraph[-1]) and FULL_WIDTH.match(text[0]))
        )
        paragraph += text if no_space else f" {text}"
    return paragraph


def widen_punctuation(text: str) -> str:
    """Write punctuation next to Chinese characters in full width; OCR engines return either width.

    >>> widen_punctuation("寿命 (年): 造价,税前?"), widen_punctuation("Fig. 1: (a) 3:2, 0.5")
    ('寿命（年）：造价，税前？', 'Fig. 1: (a) 3:2, 0.5')
    >>> widen_punctuation("常熟银行(601128）")
    '常熟银行（601128）'
    """
    if 2 * len(_HAN.findall(text)) < len(_LETTER.findall(text)):
        return text
    text = _PARENTHESES.sub(_widen_parentheses, text)
    return _PUNCTUATION.sub(lambda match: match[1].translate(_TO_FULL_WIDTH), text)


def _widen_parentheses(match: regex.Match[str]) -> str:
    if not (_HAN.search(match[0]) or "（" in match[0] or "）" in match[0]):
        return match[0]
    return f"{match[1]}（{match[2]}）{match[3]}"
