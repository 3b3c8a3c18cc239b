"""Folding of text for comparison: one width, no spaces, one kind of quotation marks and dashes, no TeX."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

import regex

_SAME = str.maketrans("“”„«»「」『』″‘’‚′`´—–−‐‑―～∼˜。", '"' * 10 + "'" * 6 + "-" * 6 + "~~~.")
_DROPPED = regex.compile(r"[\s·•▪■●◦‣∙□\p{Cf}\p{Cc}]+")
_CONFUSED = str.maketrans("lI|!oOQ,;:、_", "1111000..:.-")
"""Letters and marks that OCR engines confuse with each other."""
_HYPHENATED = regex.compile(r"(?<=\p{Ll})-\s*\n\s*(?=\p{Ll})")
"""A hyphen at a line break inside a word."""
_FORMULA = regex.compile(r"\$([^$]*[\\^_{][^$]*)\$")
_TAB = regex.compile(r"\\t(?![a-z])|(?<=\s)/t\b")
_SIGNS = {
    **{"pm": "±", "mu": "μ", "times": "×", "cdot": "·", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "sim": "~"},
    **{"approx": "≈", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "circ": "°", "degree": "°"},
    **{"rightarrow": "→", "to": "→", "infty": "∞", "sigma": "σ", "lambda": "λ", "pi": "π", "omega": "ω", "theta": "θ"},
}
_CIRCLED = regex.compile(r"\\textcircled ?\{ ?(\d\d?) ?\}")
_COMMAND = regex.compile(r"\\([A-Za-z]+)|\\(.)")


class FoldedText(NamedTuple):
    """Letters that count, and before which of them there was a space."""

    text: str
    gaps: frozenset[int]


def without_tex(text: str) -> str:
    """Return a text as printed on a page: TeX commands become Unicode characters where possible.

    >>> without_tex(r"68.3 $ \\pm $ 19.7, $ km^{2} $, \\textcircled{1}, $10 or $20")
    '68.3 ± 19.7, km2, ①, $10 or $20'
    """
    if "\\" not in text and "$" not in text:
        return without_tabs(text)
    text = _CIRCLED.sub(lambda match: chr(0x2460 + max(0, min(19, int(match[1]) - 1))), without_tabs(text))
    return _FORMULA.sub(lambda match: _plain(match[1]), text)


def without_tabs(text: str) -> str:
    """Remove the tabs that OmniDocBench writes as `\\t` and `/t`."""
    return _TAB.sub(" ", text) if "\\t" in text or "/t" in text else text


def _plain(formula: str) -> str:
    signs = _COMMAND.sub(lambda match: _SIGNS.get(match[1], "") if match[1] else match[2].strip(",;: !"), formula)
    return regex.sub(r"[{}^_]", "", signs).strip()


def fold(text: str) -> FoldedText:
    """Fold a text for comparison.

    >>> fold("“ＡＢ” （1）, x – y").text
    '"AB"(1),x-y'
    >>> sorted(fold("to be").gaps)
    [2]
    """
    text = _HYPHENATED.sub("", without_tex(text))
    whole, gaps = "", set()
    for piece in _DROPPED.split(text):
        gaps.add(len(whole))
        whole += _DROPPED.sub("", unicodedata.normalize("NFKC", piece.translate(_SAME)).translate(_SAME))
    return FoldedText(whole, frozenset(gaps - {0, len(whole)}))


def folded(text: str) -> str:
    """Return the folded letters of a text."""
    return fold(text).text


def confusable(text: str) -> str:
    """Replace letters that OCR engines confuse by one representative; the length stays equal.

    >>> confusable("Il10O,"), confusable("11100.")
    ('11100.', '11100.')
    """
    return text.translate(_CONFUSED)
