"""Values that an instruction names without quotation marks: `Change the price from $12.99 to $15.99`."""

from __future__ import annotations

from collections.abc import Sequence

import regex

_NUMERIC = (
    r"(?:[A-Z][\w.-]* |[\p{Sc}+-]\s?)?(?:\w+ ){0,2}?(?:[^\s,;⟦⟧]|,(?=\d))*\d(?:(?:[^\s,;⟦⟧]|,(?=\d))*[^\s,;.!⟦⟧])?"
    r"(?: (?!to\b|with\b|by\b)[\w%°/]+){0,2}?"
)
"""A number with its sign, its unit and a word before it, such as a month."""
_CAPITAL = r"(?:(?!The\b|It\b|This\b|That\b)\p{Lu}[\w'’&-]*|\d[\w.,%-]*)"
_TITLE = rf"{_CAPITAL}(?: (?:{_CAPITAL}|of|and|the|for|&)){{0,6}}"
_HAN_VALUE = r"[^\s，。、；⟦⟧从由]{0,10}\d[^\s，。、；⟦⟧从由]{0,10}?"
_TO = r"(?:替换为|替换成|改为|改成|修改为|修改成|更改为|更改成|换成|换为|更新为|变为|变成|调整为|调整到|改到)"
_END = r"(?=(?: (?:on|in|at|from|of) (?:the|this) [\w ]+)?[.!]?$)"
_PATTERNS = (
    regex.compile(rf"\bfrom (?P<a>{_NUMERIC}) to (?P<b>{_NUMERIC}){_END}", regex.IGNORECASE),
    regex.compile(
        rf"(?<=(?:replace|change|update|correct) )(?P<a>{_NUMERIC}) (?:with|to|by) (?P<b>{_NUMERIC}){_END}",
        regex.IGNORECASE,
    ),
    regex.compile(rf"^(?i:please )?(?i:delete|remove|erase) (?:the )?(?P<a>{_TITLE})(?=[.!]?$)"),
    regex.compile(rf"(?<=[\p{{Han}}，])(?:从|由)(?P<a>{_HAN_VALUE}){_TO}(?P<b>{_HAN_VALUE})(?=[。！]?$)"),
)
_ENGLISH_START = regex.compile(r"^(?:the|a|an|all|some|every|it|this|that|these|those|row|column|line|page)\b", regex.I)


def quote_values(words: str, quoted: Sequence[str]) -> tuple[str, list[str]]:
    """Treat the values of an instruction without quotations as quotations, where they are easily told.

    >>> quote_values("Change the price from $12.99 to $15.99.", [])
    ('Change the price from ⟦0⟧ to ⟦1⟧.', ['$12.99', '$15.99'])
    >>> quote_values("将日期由5月1日改为6月1日。", [])
    ('将日期由⟦0⟧改为⟦1⟧。', ['5月1日', '6月1日'])
    >>> quote_values("Change the colour from black to white.", [])
    ('Change the colour from black to white.', [])
    """
    if quoted:
        return words, list(quoted)
    for pattern in _PATTERNS:
        match = pattern.search(words)
        if match and not any(_ENGLISH_START.match(value) for value in match.groups()):
            texts = list(match.groups())
            for number in reversed(range(len(texts))):
                start, end = match.span(number + 1)
                words = f"{words[:start]}⟦{number}⟧{words[end:]}"
            return words, texts
    return words, []
