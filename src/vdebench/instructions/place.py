"""The part of a page that an instruction names beside the text that it quotes."""

from __future__ import annotations

import regex

_MEDIUM = (
    r"(?:page|image|picture|photo|photograph|document|text|poster|slide|sign|screenshot|figure|file|paper|scene|label"
    r"|board|banner|cover|card)s?"
)
_PLACE = regex.compile(
    r"\b(?:in|on|at|from|under|below|above|within|inside|near|of) (?:the|this|that|its|his|her|their) "
    r"(?P<place>(?:(?!with\b|to\b|by\b|and\b|from\b|after\b|before\b|is\b|⟦)[\w'’-]+ ?){1,6})",
    regex.IGNORECASE,
)
_NOT_A_PLACE = regex.compile(
    rf"(?:(?:whole|entire|given|same) )?{_MEDIUM}|.*\b(?:style|colou?r|font|size|manner|way)\b.*", regex.I
)
_HAN_PLACE = regex.compile(
    r"(?P<place>[\p{Han}\d]{1,10}?)(?:中|里|内|(?<![加写添附补填接])上|处|部分)的?(?=[，,]?[^⟦，。；]{0,6}⟦)"
)
_HAN_START = regex.compile(r"^(?:请)?(?:帮我)?(?:将|把|在|于|删除|删掉|删去|去掉|移除|替换|修改)*")
_HAN_MEDIUM = regex.compile(
    r"(?:整个|整张|这张|该|此|全)?(?:图|图片|图像|画面|页面|页|文|文档|文件|照片|海报|幻灯片|正文|文本|文字|招牌|标牌)?"
)
_PART = regex.compile(
    r"第[一二三四五六七八九十\d]+个?(?:段|句|节|章|页|题|栏|条|词|字)|(?:最后一|首|末)(?:段|句|节|章|页|题|栏|条|词|字)"
    r"|\b(?:first|second|third|fourth|fifth|last|final) (?:word|character|letter|number|sentence|item|entry) (?=⟦)",
    regex.IGNORECASE,
)
HEADING = regex.compile(
    r"\b(?:(?:main |page |document )?(?:heading|title|headline))\b(?! of the table)|(?<!小|副|表|栏|列)标题|题目",
    regex.IGNORECASE,
)


def place_of(words: str) -> str:
    """Return the part of the page that an instruction without its quotations names; empty for the whole page.

    >>> place_of("Replace ⟦0⟧ with ⟦1⟧ in the second paragraph."), place_of("Change ⟦0⟧ on the picture to ⟦1⟧.")
    ('second paragraph', '')
    >>> place_of("将标题⟦0⟧改为⟦1⟧。"), place_of("把表格中的⟦0⟧改为⟦1⟧。"), place_of("删除图片中的⟦0⟧。")
    ('标题', '表格', '')
    """
    for match in _PLACE.finditer(words):
        place = match["place"].strip()
        if not _NOT_A_PLACE.fullmatch(place) and not words.startswith("⟦", match.end()):
            return place
    part = _PART.search(words)
    if part:
        return part[0].strip()
    for match in _HAN_PLACE.finditer(words):
        place = _HAN_START.sub("", match["place"])
        if place and not _HAN_MEDIUM.fullmatch(place):
            return place
    heading = HEADING.search(words)
    return heading[0] if heading else ""
