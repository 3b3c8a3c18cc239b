"""Texts of lines: joined into paragraphs, marks in the width of their script."""

from __future__ import annotations

from collections.abc import Sequence

import regex

BLANK = "_"
"""What a blank to be filled in reads."""
WIDE = regex.compile(r"\p{Han}|\p{Hiragana}|\p{Katakana}|[\u3000-\u303f\uff00-\uffef]")
"""A character that needs no space beside it."""
_HAN = regex.compile(r"\p{Han}")
_LETTER = regex.compile(r"\p{L}")
_BROKEN = regex.compile(r"\p{Ll}-$")
_MARK = regex.compile(r"(?<=[\p{Han}）”])\s*([,;:?!])(?!\d)\s*")
_PAIR = regex.compile(r"(\p{Han}?)\s*[(（]([^()（）]*)[)）](\p{Han}?)")
_TO_WIDE = str.maketrans(",;:?!()", "，；：？！（）")


def join_lines(texts: Sequence[str]) -> str:
    """Lines of a paragraph as one text: a space between words, none between Chinese characters, no broken words.

    >>> join_lines(["基金情", "况 fund", "report"]), join_lines(["evapo-", "ration"]), join_lines(["Mancos-", "Gallup"])
    ('基金情况 fund report', 'evaporation', 'Mancos-Gallup')
    """
    whole = ""
    for text in filter(None, (text.strip() for text in texts)):
        if _BROKEN.search(whole) and text[0].islower():
            whole = whole[:-1] + text
            continue
        touching = not whole or whole.endswith("-") or (WIDE.match(whole[-1]) and WIDE.match(text[0]))
        whole += text if touching else f" {text}"
    return whole


def wide_marks(text: str) -> str:
    """Marks beside Chinese characters in full width, as Chinese is set; engines read them in either.

    >>> wide_marks("寿命 (年): 造价,税前?"), wide_marks("常熟银行(601128）"), wide_marks("Fig. 1: (a) 3:2, 0.5")
    ('寿命（年）：造价，税前？', '常熟银行（601128）', 'Fig. 1: (a) 3:2, 0.5')
    """
    if 2 * len(_HAN.findall(text)) < len(_LETTER.findall(text)):
        return text
    text = _PAIR.sub(_wide_pair, text)
    return _MARK.sub(lambda mark: mark[1].translate(_TO_WIDE), text)


def _wide_pair(pair: regex.Match[str]) -> str:
    if not (_HAN.search(pair[0]) or "（" in pair[0] or "）" in pair[0]):
        return pair[0]
    return f"{pair[1]}（{pair[2]}）{pair[3]}"
