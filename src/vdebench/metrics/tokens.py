"""Tokenisers: by white space, as in the papers, or by script, as in `strict`."""

from __future__ import annotations

import unicodedata

import regex

from vdebench.metrics.registry import versioned

_SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"  # scripts without word spaces
_LETTER = rf"(?:[\p{{L}}\p{{N}}--[{_SPACELESS}]]\p{{M}}*)"
_TOKEN = regex.compile(
    rf"""
      [{_SPACELESS}]\p{{M}}*
    | (?: {_LETTER}
        | (?<=\p{{N}})[.,](?=\p{{N}})          # 1,234.5
        | (?<=\p{{L}}\p{{M}}*)['’](?={_LETTER})  # don't
      )+
    | \S                                     # punctuation and symbols, one by one
    """,
    regex.VERBOSE | regex.VERSION1,
)
_SPACE = regex.compile(r"\s+")
_CJK = r"[\p{Han}\p{Hiragana}\p{Katakana}\u3000-\u303f\uff5f-\uffef]"
_WIDE_MARKS = r"[\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff5e]{0,4}"  # full-width letters have spaces
_SPACE_BESIDE_CJK = regex.compile(rf"(?<={_CJK}{_WIDE_MARKS}) | (?={_WIDE_MARKS}{_CJK})")


@versioned("whitespace-tokens")
def whitespace_tokens(text: str) -> list[str]:
    """Split at white space: a Chinese sentence is one token.

    >>> whitespace_tokens("基金 2024 年")
    ['基金', '2024', '年']
    """
    return text.split()


@versioned("script-tokens")
def script_tokens(text: str) -> list[str]:
    """Split by script: a token is a CJK character, a word, a number or a punctuation mark.

    Numbers keep their inner points and commas; apostrophes stay in their word; a hyphen parts two words.

    >>> script_tokens("PM2.5 升至 1,234.5μg, don't worry。")
    ['PM2.5', '升', '至', '1,234.5μg', ',', "don't", 'worry', '。']
    >>> script_tokens("Приказ № 7 от 3 мая — السلام عليكم")
    ['Приказ', '№', '7', 'от', '3', 'мая', '—', 'السلام', 'عليكم']
    """
    return _TOKEN.findall(text)


def settled(text: str) -> str:
    """Compose characters (NFC) and normalise white space.

    Runs of white space become one space; next to CJK characters and their full-width punctuation white space is
    removed, because line breaks there have no meaning. So the joined texts of split blocks equal the original text.

    >>> settled("基金\\n分析  of  2024\\nreturns ")
    '基金分析of 2024 returns'
    """
    return _SPACE_BESIDE_CJK.sub("", _SPACE.sub(" ", unicodedata.normalize("NFC", text))).strip()
