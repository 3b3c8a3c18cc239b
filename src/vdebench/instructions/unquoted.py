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
_LOOK = (
    r"(?:spacing|leading|kerning|tracking|opacity|transparency|margins?|padding|rotation|angle|orientation|brightness"
    r"|contrast|saturation|hue|gamma|exposure|sharpness|blur|noise|size|scale|scaling|zoom|width|height|thickness"
    r"|indent|indentation|offset|radius|resolution|dpi|ppi|layout|alignment|position|colou?rs?|font|typeface|weight"
    r"|stroke|borders?|shadow|columns|rows|pixels?|crop)"
)
"""Attributes whose values are not text of the page."""
_HAN_LOOK = (
    r"(?:[行字段]?间?距|透明度|不透明度|边距|旋转|角度|亮度|对比度|饱和度|色相|字号|大小|尺寸|缩放|比例尺|宽度|高度"
    r"|粗细|缩进|分辨率|圆角|半径|线宽|字重|颜色|位置|列数|行数|栏数)"
)
_OF = r"(?: (?:of|in|on|between|for) (?:(?!from\b|to\b)[^⟦])*)?"
_CHANGES_LOOK = regex.compile(
    rf"\b{_LOOK}\b{_OF} (?:from|to|by|is|be) |{_HAN_LOOK}[^⟦，。；]{{0,8}}(?:从|由|调|改|换|变|设|增|减|提|降|更|修)",
    regex.IGNORECASE,
)
_CHANGES_QUOTED_LOOK = regex.compile(
    rf"\b{_LOOK}\b{_OF} (?:from|to|by) ⟦|{_HAN_LOOK}(?:从|由|改为|改成|调整为|调整到|设为|设置为|变为|变成|换成)⟦",
    regex.IGNORECASE,
)
_OBJECT = (
    r"(?:figures?|fig|tables?|charts?|graphs?|diagrams?|images?|pictures?|photos?|logos?|icons?|section|chapter|page"
    r"|slide|row|column|cell|line|paragraph|block|box|panel|item|step|equation|formula|appendix|footnotes?|reference"
    r"|watermark|background|header|footer|signature|stamp|barcode|qr|title|heading|subtitle|caption|listing|algorithm"
    r"|part|question|exercise)"
)
"""Objects that a name such as `Figure 3` means, and not its text."""
_TEXT_NOUN = regex.compile(
    r"\b(?:price|cost|fare|fee|rate|amount|total|subtotal|sum|balance|discount|tax|salary|budget|revenue|profit|date"
    r"|day|month|year|time|hours?|deadline|duration|age|number|code|id|phone|telephone|fax|zip|address|score|grade"
    r"|mark|percentage|percent|share|ratio|quantity|count|value|figure|result|temperature|speed|distance|population"
    r"|name|title|heading|label|caption|text|word|phrase|sentence|term|version|edition|volume|issue|room|gate|flight"
    r"|platform|track|seat|model|invoice|order|entry|cell|field|reading|dose|dosage|capacity|density|statistic)s?\b",
    regex.IGNORECASE,
)
_HAN_TEXT_NOUN = regex.compile(
    r"[价费额号码数值率分时日年月期龄名题字词句]|金|温度|时间|电话|总|版本|地址|房间|班次|百分比|折扣|剂量|工资|收入|成绩|比分|文"
)
_CLEAR_VALUE = regex.compile(
    r"\p{Sc}|\d{1,2}[:：]\d\d|\d{4}-\d\d|\d ?[ap]\.?m\b|\d+(?:st|nd|rd|th)\b|[年月日元℃]"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b",
    regex.IGNORECASE,
)
"""A price, date or time, which is text whatever it belongs to."""
_EDIT = regex.compile(
    r"^(?:please )?(?:replace|change|update|correct|edit|modify|revise|amend|set|adjust)\b|[将把请]", regex.I
)
_PATTERNS = (
    regex.compile(rf"\bfrom (?P<a>{_NUMERIC}) to (?P<b>{_NUMERIC}){_END}", regex.IGNORECASE),
    regex.compile(
        rf"(?<=(?:replace|change|update|correct) )(?P<a>{_NUMERIC}) (?:with|to|by) (?P<b>{_NUMERIC}){_END}",
        regex.IGNORECASE,
    ),
    regex.compile(rf"^(?i:please )?(?i:delete|remove|erase) (?:the )?(?P<a>{_TITLE})(?=[.!]?$)"),
    regex.compile(rf"(?<=[\p{{Han}}，])(?:从|由)(?P<a>{_HAN_VALUE}){_TO}(?P<b>{_HAN_VALUE})(?=[。！]?$)"),
)
_NOT_A_VALUE = regex.compile(
    rf"^(?:(?:the|a|an|all|some|every|it|this|that|these|those)\b|{_LOOK}\b|{_OBJECT}\b\.?(?! of\b))", regex.I
)


def quote_values(words: str, quoted: Sequence[str]) -> tuple[str, list[str]]:
    """Treat the values of an instruction without quotations as quotations, where they are easily told.

    >>> quote_values("Change the price from $12.99 to $15.99.", [])
    ('Change the price from ⟦0⟧ to ⟦1⟧.', ['$12.99', '$15.99'])
    >>> quote_values("将日期由5月1日改为6月1日。", [])
    ('将日期由⟦0⟧改为⟦1⟧。', ['5月1日', '6月1日'])
    >>> quote_values("Change the line spacing from 1.0 to 1.5.", [])
    ('Change the line spacing from 1.0 to 1.5.', [])
    """
    if quoted or changes_look(words):
        return words, list(quoted)
    for pattern in _PATTERNS:
        match = pattern.search(words)
        if match and _are_text(match, words):
            texts = list(match.groups())
            for number in reversed(range(len(texts))):
                start, end = match.span(number + 1)
                words = f"{words[:start]}⟦{number}⟧{words[end:]}"
            return words, texts
    return words, []


def changes_look(words: str) -> bool:
    """Whether an instruction sets a value that is not text of the page, such as the opacity.

    >>> changes_look("Change the opacity of the logo from 50% to 80%."), changes_look("将行距由1.0改为1.5。")
    (True, True)
    """
    return (_CHANGES_QUOTED_LOOK if "⟦" in words else _CHANGES_LOOK).search(words) is not None


def _are_text(match: regex.Match[str], words: str) -> bool:
    """Whether the values that an instruction names stand on the page: named as text, alone, or clear by themselves."""
    values = match.groups()
    if any(_NOT_A_VALUE.match(value) for value in values):
        return False
    if len(values) == 1:
        return True
    before = words[: match.start()]
    what = _EDIT.sub("", before).strip(" ,，")
    named = _TEXT_NOUN.search(before) or _HAN_TEXT_NOUN.search(what)
    alone = not what or regex.search(r"\b(?:replace|change|update|correct) $", before, regex.IGNORECASE) is not None
    return alone or bool(named) or all(_CLEAR_VALUE.search(value) for value in values)
