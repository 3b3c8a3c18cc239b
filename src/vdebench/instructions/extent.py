"""Which places of a text an instruction means: all of them, the second one, those in a line."""

from __future__ import annotations

from typing import NamedTuple

import regex

_COUNT = r"occurrences?|instances?|mentions?|appearances?|uses"
_KIND = r"(?:the )?(?:(?:words?|text|phrases?|numbers?|terms?|names?|characters?|strings?|values?) )?"
_ORDINALS = {
    **{word: at for at, word in enumerate(["first", "second", "third", "fourth", "fifth", "sixth", "seventh"], 1)},
    "last": -1,
}
_HAN_ORDINALS = {**{digit: at for at, digit in enumerate("一二三四五六七八九十", 1)}, "两": 2}
_NTH = rf"(?P<nth>{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))"
_HAN_NTH = r"(?:第(?P<nth>[一二三四五六七八九十]|\d+)|(?P<nth>最后|末)一?|(?P<nth>首))"
_PAGE = (
    r"(?: (?:in|on|of|across) (?:the|this) (?:whole |entire )?(?:page|image|picture|document|text|photo|slide|poster))?"
)

_EVERYWHERE = (
    rf"\b(?:all|every|each)(?: of)?(?: the)? (?:{_COUNT})(?: of)? {_KIND}(?=⟦)",
    rf"\b(?:all|every|each)(?: of)? {_KIND}(?=⟦)",
    rf"\bboth (?:{_COUNT}) of {_KIND}(?=⟦)",
    rf",? (?:in|at) (?:all|every|each)(?: of)?(?: the| its)? (?:{_COUNT}|places?|positions?){_PAGE}",
    rf",? ?\beverywhere{_PAGE}(?: (?:it|that it) (?:appears|occurs|stands))?,?",
    r",? ?\bwherever (?:it|this|that|the \w+) (?:appears|occurs|stands|is (?:found|used|mentioned))"
    r"(?: [^⟦]*?)?(?=[.;!]|$)",
    r",? ?\bthroughout(?: (?:the|this) (?:whole |entire )?\w+)?,?",
)
_HAN_EVERYWHERE = (
    r"(?:所有|全部|每一?[处个]|各处)(?:出现)?的?(?=(?:文字|文本|词语?|字样?|数字|短语)?⟦)",
    r"(?<=⟦\d+⟧)(?:全部|全都|均|都)(?=[\p{Han}])",
    r"(?<=⟦\d+⟧)(?:在)?(?:所有|每一?个?|全部)(?:出现的?)?(?:地方|处|位置)(?:都|均|全部)?",
)
_OCCURRENCE = (
    rf"\bthe {_NTH} (?:(?:{_COUNT}) of {_KIND})?(?=⟦)",
    rf",? (?:in|at|for|on)(?: only)? (?:the|its) {_NTH} (?:{_COUNT}|time)(?: only)?"
    r"(?: (?:it|that it) (?:appears|occurs))?",
    rf",? the {_NTH} time (?:it|that it) (?:appears|occurs)(?: only)?",
)
_HAN_OCCURRENCE = (
    rf"{_HAN_NTH}(?:个|处|次)(?:出现)?的?(?=⟦)",
    rf"(?<=⟦\d+⟧)的?{_HAN_NTH}(?:处|次)(?:出现)?的?",
)
_LINE = (
    rf"(?:,? ?\b(?:in|on|of|from|at|within) (?:only )?the {_NTH} line(?: of (?:the )?"
    r"(?:page|image|picture|document|text|photo|slide|poster))?,?)",
    r"(?:,? ?\b(?:in|on|of|from|at|within) line (?P<nth>\d+)(?: of (?:the )?(?:page|image|text|document))?,?)",
)
_HAN_LINE = (rf"(?:在)?{_HAN_NTH}行(?:文字|文本)?(?:中|里|内|上)?的?[，,]?(?=[^⟦]{{0,3}}⟦)",)
_TABLE = regex.compile(r"\b(?:tables?|rows?|columns?|cells?)\b|表(?!示|明|达|现)|列|单元格", regex.IGNORECASE)
_LEFT_OVER = regex.compile(
    rf"\b(?:all|every|each|both|everywhere|throughout|wherever|except|other than)\b|\b(?:{_COUNT})\b"
    r"|所有|全部|每一?[处个]|各处|除了|(?<!删|移|去|清)除⟦|以外|之外",
    regex.IGNORECASE,
)
_HAN = regex.compile(r"\p{Han}")


class Extent(NamedTuple):
    """Which places of a text are meant; by default the one that the text has."""

    everywhere: bool = False
    occurrence: int = 0
    """Number of the place in reading order, from 1; -1 is the last, 0 none."""
    line: int = 0
    """Number of the line of the page in which it stands, from 1; -1 is the last, 0 none."""

    @property
    def is_stated(self) -> bool:
        """Whether the instruction says anything about it."""
        return self != Extent()


class UnclearExtentError(ValueError):
    """The instruction names places in words that are not understood."""


def cut_extent(words: str) -> tuple[str, Extent]:
    """Cut out of an instruction without its quotations which places it means.

    >>> cut_extent("Replace every occurrence of ⟦0⟧ with ⟦1⟧.")
    ('Replace ⟦0⟧ with ⟦1⟧.', Extent(everywhere=True, occurrence=0, line=0))
    >>> cut_extent("将第二个⟦0⟧改为⟦1⟧。")[1].occurrence, cut_extent("In the last line, delete ⟦0⟧.")
    (2, ('delete ⟦0⟧.', Extent(everywhere=False, occurrence=0, line=-1)))
    """
    han = bool(_HAN.search(words))
    rest, everywhere = _cut(words, _HAN_EVERYWHERE if han else _EVERYWHERE)
    rest, occurrence = _cut(rest, _HAN_OCCURRENCE if han else _OCCURRENCE)
    line = ""
    if not _TABLE.search(words):
        rest, line = _cut(rest, _HAN_LINE if han else _LINE)
    if (everywhere and occurrence) or _LEFT_OVER.search(rest):
        raise UnclearExtentError("it names several places, or exceptions, in words that are not understood")
    return rest.strip(), Extent(bool(everywhere), _number(occurrence), _number(line))


def _cut(words: str, patterns: tuple[str, ...]) -> tuple[str, str]:
    """Return the words without what the patterns match, and the ordinal (or the words) that was cut out."""
    found = ""
    for pattern in patterns:
        match = regex.search(pattern, words, regex.IGNORECASE)
        if match:
            found = match.groupdict().get("nth") or match[0]
            words = words[: match.start()] + words[match.end() :]
    return words, found


def _number(ordinal: str) -> int:
    """Return the number of an ordinal.

    >>> _number("third"), _number("2nd"), _number("三"), _number("最后"), _number("")
    (3, 2, 3, -1, 0)
    """
    name = ordinal.lower()
    if name in ("最后", "末"):
        return -1
    if name == "首":
        return 1
    digits = regex.match(r"\d+", name)
    return int(digits[0]) if digits else _ORDINALS.get(name, _HAN_ORDINALS.get(name, 0))
