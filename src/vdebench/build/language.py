"""What language a page is in, and whether it has a table, by its reading."""

from __future__ import annotations

import regex

from vdebench.core.page_text import PageText

HAN, OTHER = regex.compile(r"\p{Han}"), regex.compile(r"[\p{L}--\p{Han}--\p{Latin}--\p{Greek}]", regex.V1)
WORD = regex.compile(r"\p{Latin}{2,}")
MIXED = (0.05, 0.75)
"""Shares of Chinese characters among these and Latin words between which a page is in both languages."""
LEAST = 3
"""Characters and words below which nothing can be said."""


def language_of(reading: PageText) -> str:
    """english, simplified_chinese or en_ch_mixed; nothing where there is no text, or one in other letters.

    >>> from vdebench.core.box import Box
    >>> from vdebench.core.page_text import Block
    >>> language_of(PageText((Block(Box(0, 0, 9, 9), "Quarterly report of the harbour office"),)))
    'english'
    """
    text = " ".join(block.plain_text for block in reading.blocks)
    han, words, others = len(HAN.findall(text)), len(WORD.findall(text)), len(OTHER.findall(text))
    if han + words < LEAST or others > han + words:
        return ""
    share = han / (han + words)
    return "english" if share < MIXED[0] else "simplified_chinese" if share > MIXED[1] else "en_ch_mixed"


def has_table(reading: PageText) -> bool:
    """Whether a table with its cells was read."""
    return any(block.html for block in reading.blocks)
