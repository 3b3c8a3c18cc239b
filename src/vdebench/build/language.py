"""Language of a page, and whether it has a table, from its OCR output."""

from __future__ import annotations

import regex

from vdebench.core.page_text import PageText

HAN, OTHER = regex.compile(r"\p{Han}"), regex.compile(r"[\p{L}--\p{Han}--\p{Latin}--\p{Greek}]", regex.V1)
WORD = regex.compile(r"\p{Latin}{2,}")
MIXED = (0.05, 0.75)
"""Range of the share of Chinese characters (among Chinese characters and Latin words) of mixed pages."""
LEAST = 3
"""Minimum number of characters and words."""


def language_of(page_text: PageText) -> str:
    """Return english, simplified_chinese or en_ch_mixed; empty if there is too little text or another script.

    >>> from vdebench.core.box import Box
    >>> from vdebench.core.page_text import Block
    >>> language_of(PageText((Block(Box(0, 0, 9, 9), "Quarterly report of the harbour office"),)))
    'english'
    """
    text = " ".join(block.plain_text for block in page_text.blocks)
    han, words, others = len(HAN.findall(text)), len(WORD.findall(text)), len(OTHER.findall(text))
    if han + words < LEAST or others > han + words:
        return ""
    share = han / (han + words)
    return "english" if share < MIXED[0] else "simplified_chinese" if share > MIXED[1] else "en_ch_mixed"


def has_table(page_text: PageText) -> bool:
    """Whether OCR found a table with cells."""
    return any(block.html for block in page_text.blocks)
