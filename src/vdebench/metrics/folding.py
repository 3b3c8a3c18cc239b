"""Text normalisation: removes differences that are invisible on a page, such as width, ligatures, quotes, line breaks.

The default protocol compares `folded` texts; `tokens.settled` keeps these differences.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import regex

from vdebench.metrics.registry import versioned

_INVISIBLE = regex.compile(r"[\p{Cf}\p{Variation_Selector}--[\u0600-\u0605\u06dd\u070f]]", regex.VERSION1)
"""Soft hyphens, zero-width characters, direction marks; not the visible format characters of Arabic."""
_SAME = {
    **dict.fromkeys("“”„‟«»″〝〞〟", '"'),
    **dict.fromkeys("‘’‚‛‹›`´′ʹʻʼ", "'"),
    **dict.fromkeys("‐‑‒–−﹣", "-"),
    "。": ".",
}
_SHAPES = str.maketrans(_SAME)
_POWER = regex.compile(r"(?<=\p{N})[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
"""A power of a number: 10⁶ is not 106."""
_LINE_END = regex.compile(r"[^\S\n]*+\n\s*+")
_BLANKS = regex.compile(r"[^\S\n]++")
_LONG_DASHES = regex.compile(r"[—―⸺⸻]+")  # a Chinese dash is two of them

_DELIMITERS = regex.compile(
    r"""\$\$(?P<in>.{1,2000}?)\$\$ | \\\[(?P<in>.{1,2000}?)\\\] | \\\((?P<in>.{1,2000}?)\\\)
    | (?<![\\$\w])\$(?P<in>[^\s$](?:[^$]{0,2000}?[^\s$\\])?)\$(?![\d$])""",  # $5 and $6 are prices
    regex.VERBOSE | regex.DOTALL,
)
_SPACING = regex.compile(r"\\(?:[,;:!> ]|(?:quad|qquad|thinspace|enspace)(?![a-zA-Z]))")
_WRAPPERS = regex.compile(
    r"\\(?:mathrm|mathbf|mathit|mathsf|mathcal|boldsymbol|operatorname|text|textbf)\s*\{([^{}]*)\}"
)
_SIZES = regex.compile(r"\\(?:left|right|displaystyle|limits)(?![a-zA-Z])")
_SCRIPT = regex.compile(r"(?<![\p{N}\^])[\^_] ?\{([^{}]*)\}|(?<!\p{N})\^ ?(?=[\w(+-])")
_NUMBER_POWER = regex.compile(r"(?<=\p{N})\^ ?\{([^{}]*)\}")
_SUBSCRIPT = regex.compile(r"_\s*(?=[\w(])")
_OPERATOR_SPACE = regex.compile(r"\s?([=+<>≤≥≠≈×÷±])\s?")
_LATEX = regex.compile(r"\\[a-zA-Z]|[\^_] ?\{|\^[\w-]")

_BROKEN_WORD = regex.compile(r"(?<=\p{L}{2})-\n?(?=\p{L}{2})")
_BROKEN_LINE = regex.compile(r"(?<=\p{L})-\n(?=\p{L})")
_SPACE = regex.compile(r"\s+")
_SPACELESS = r"[\p{Han}\p{Hiragana}\p{Katakana}\u3000-\u303f]"
_MARKS = r"""[,.:;!?()"'\[\]%]{0,4}"""
_SPACE_BESIDE_CJK = regex.compile(rf"(?<={_SPACELESS}{_MARKS}) +| +(?={_MARKS}{_SPACELESS})")


@versioned("fold")
def folded(text: str) -> str:
    r"""Unify equivalent characters and remove meaningless white space.

    Compatibility forms (full and half width, ligatures, presentation forms, superscripts), quotes and dashes of all
    shapes, soft hyphens, zero-width and direction marks, hyphens inside words and at line ends, and in formulas the
    delimiters, spacing and ways to write scripts.

    >>> folded("Ｔｏｔａｌ：１２％") == folded("Total:12%"), folded("ﬁrst “word”"), folded("inter-\nnational")
    (True, 'first "word"', 'international')
    >>> folded("$$E=mc^2$$"), folded("E = mc^{2}"), folded("E=mc²")
    ('E=mc2', 'E=mc2', 'E=mc2')
    >>> folded("你好， 世界。"), folded("它值 $5 or $6")
    ('你好,世界.', '它值$5 or $6')
    """
    return _cached_fold(text) if len(text) <= _SHORT else _fold(text)


def _fold(text: str) -> str:
    if text.isascii() and not any(mark in text for mark in "\\^_$-`=+<>\n"):
        return _SPACE.sub(" ", text).strip()
    text = _BLANKS.sub(" ", _LINE_END.sub("\n", text))
    text = _INVISIBLE.sub("", _LONG_DASHES.sub("-", text).translate(_SHAPES))
    text = _POWER.sub(lambda match: "^" + match[0], text)
    text = unicodedata.normalize("NFKC", text).translate(_SHAPES)
    text = _plain_formulas(text)
    text = _BROKEN_LINE.sub("-", _BROKEN_WORD.sub("", text))
    return _SPACE_BESIDE_CJK.sub("", _SPACE.sub(" ", text)).strip()


_SHORT = 2000
"""Maximum length of a cached text: blocks are folded for every comparison."""
_cached_fold = lru_cache(maxsize=4096)(_fold)


def _plain_formulas(text: str) -> str:
    text = _DELIMITERS.sub(lambda match: _plain_formula(match["in"]), text)
    if _LATEX.search(text):
        text = _plain_scripts(text)
    return _OPERATOR_SPACE.sub(r"\1", text)


def _plain_formula(formula: str) -> str:
    """Return a formula without spaces, size commands and script marks."""
    plain = _SUBSCRIPT.sub("", _plain_scripts(formula))
    return _SPACE.sub("", plain.replace("~", "")) if _LATEX.search(formula) or not plain.isalpha() else plain


def _plain_scripts(text: str) -> str:
    text = _SPACING.sub(" ", _SIZES.sub("", text))
    text = _NUMBER_POWER.sub(r"^\1", _WRAPPERS.sub(r"\1", text))
    return _SCRIPT.sub(lambda match: match[1] or "", text)
