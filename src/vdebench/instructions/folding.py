"""Text as it is compared: in one width, without spaces, with one kind of quotation marks and dashes, without TeX."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

import regex

_SAME = str.maketrans("“”„«»「」『』″‘’‚′`´—–−‐‑―～∼˜。", '"' * 10 + "'" * 6 + "-" * 6 + "~~~.")
_DROPPED = regex.compile(r"[\s·•▪■●◦‣∙□\p{Cf}\p{Cc}]+")
_CONFUSED = str.maketrans("lI|!oOQ,;:、_", "1111000..:.-")
"""Letters and marks that readers take for each other; colons for themselves, the others for their likes."""
_PARTED = regex.compile(r"(?<=\p{Ll})-\s*\n\s*(?=\p{Ll})")
"""In a word that a line's end has parted."""
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


def shown(text: str) -> str:
    """What a page shows of a text: TeX as the signs it makes, as far as signs on one line can say it.

    >>> shown(r"68.3 $ \\pm $ 19.7, $ km^{2} $, \\textcircled{1}, $10 or $20")
    '68.3 ± 19.7, km2, ①, $10 or $20'
    """
    if "\\" not in text and "$" not in text:
        return without_tabs(text)
    text = _CIRCLED.sub(lambda found: chr(0x2460 + max(0, min(19, int(found[1]) - 1))), without_tabs(text))
    return _FORMULA.sub(lambda found: _plain(found[1]), text)


def without_tabs(text: str) -> str:
    """A text without the tabs that OmniDocBench writes as `\\t` and `/t`."""
    return _TAB.sub(" ", text) if "\\t" in text or "/t" in text else text


def _plain(formula: str) -> str:
    signs = _COMMAND.sub(lambda found: _SIGNS.get(found[1], "") if found[1] else found[2].strip(",;: !"), formula)
    return regex.sub(r"[{}^_]", "", signs).strip()


def fold(text: str) -> FoldedText:
    """A text as it is compared.

    >>> fold("“ＡＢ” （1）, x – y").text
    '"AB"(1),x-y'
    >>> sorted(fold("to be").gaps)
    [2]
    """
    text = _PARTED.sub("", shown(text))
    whole, gaps = "", set()
    for piece in _DROPPED.split(text):
        gaps.add(len(whole))
        whole += _DROPPED.sub("", unicodedata.normalize("NFKC", piece.translate(_SAME)).translate(_SAME))
    return FoldedText(whole, frozenset(gaps - {0, len(whole)}))


def folded(text: str) -> str:
    """The letters that count."""
    return fold(text).text


def confusable(text: str) -> str:
    """A folded text with one letter for all that readers take for each other; as long as it was.

    >>> confusable("Il10O,"), confusable("11100.")
    ('11100.', '11100.')
    """
    return text.translate(_CONFUSED)
