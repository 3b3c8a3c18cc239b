"""Joining of the texts of lines."""

from __future__ import annotations

import pytest

from vdebench.readers.lines.text import join_lines, widen_punctuation


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["基金", "情况"], "基金情况"),
        (["the", "end"], "the end"),
        (["增长", "12.5%"], "增长 12.5%"),
        (["，然后", "（见下）"], "，然后（见下）"),
        (["", "  a "], "a"),
        (["evapo-", "ration of"], "evaporation of"),  # a broken word
        (["COVID-", "19"], "COVID-19"),  # not one: what follows is no small letter
        (["Mancos-", "Gallup"], "Mancos-Gallup"),
        (["12-", "month"], "12-month"),
        ([], ""),
    ],
)
def test_joined_lines(texts, expected):
    assert join_lines(texts) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("哪一个条件?", "哪一个条件？"),
        ("资料馆:只在周三", "资料馆：只在周三"),
        ("比分为3:2", "比分为3:2"),
        ("高(厘米)", "高（厘米）"),
        ("(1)天气", "（1）天气"),
        ("寿命（年)", "寿命（年）"),
        ("What is that? (那是什么?)", "What is that? (那是什么?)"),  # mostly Latin: as it is
        ("f(x), g(y)", "f(x), g(y)"),
        ("", ""),
    ],
)
def test_marks_in_chinese_are_wide(text, expected):
    assert widen_punctuation(text) == expected
