"""Folding: equivalent texts become equal, different texts stay different."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vdebench.metrics.folding import folded

FULL_WIDTH = str.maketrans({chr(c): chr(c + 0xFEE0) for c in range(0x21, 0x7F)} | {" ": "\u3000"})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Total: 412.7 (net)", "Total: 412.7 (net)".translate(FULL_WIDTH)),
        ("你好，世界！再见；对：吗？", "你好,世界!再见;对:吗?"),
        ("图书馆开放。", "图书馆开放."),
        ("カタカナ", "ｶﾀｶﾅ"),
        ("ガイド", "ｶﾞｲﾄﾞ"),
        ("مرحبا", unicodedata.normalize("NFC", "\ufee3\ufeae\ufea3\ufe92\ufe8e")),
        ("first office flow", "ﬁrst oﬃce ﬂow"),
        ('"Hello", it\'s', "“Hello”, it’s"),
        ('"Hello"', "«Hello»"),
        ("2020-2021", "2020–2021"),
        ("wait - no", "wait — no"),
        ("他——走了", "他—走了"),
        ("softhyphen", "soft\u00adhyphen"),
        ("zerowidth", "zero\u200bwidth\ufeff"),
        ("שלום 12", "\u200fשלום\u200e 12\u202c"),
        ("international", "inter-\nnational"),
        ("well-known", "well-\nknown"),
        ("e-mail", "e-\nmail"),
        ("E = mc^{2}", "$$E=mc^2$$"),
        ("E=mc²", "$E = mc^{2}$"),
        ("x_{i} + y_{i}", r"\(x_i + y_i\)"),
        (r"$a \, b \quad c$", r"\[a\;b\,c\]"),
        (r"10 \mathrm{kg}", "10 kg"),
        ("H₂O", "H_{2}O"),
        ("项目：ABC", "项目: ABC"),
        ("ABC（项目）", "ABC (项目)"),
        ("café", "cafe\u0301"),
    ],
)
def test_equal_looking_texts_are_equal(one, other):
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("412.7", "412,7"),
        ("1200", "120"),
        ("x+y", "x-y"),
        ("除菌", "除霜"),
        ("间", "问"),
        ("resume", "résumé"),
        ("US", "us"),
        ("a_b", "ab"),
        ("2020-2021", "20202021"),
        ("、", ","),
        ("x^2 = 4", "x^3 = 4"),
    ],
)
def test_other_texts_stay_different(one, other):
    assert folded(one) != folded(other)


def test_prices_are_no_formulas():
    assert folded("it costs $5, now $6") == "it costs $5, now $6"
    assert folded("$5-$6") == "$5-$6"


@settings(max_examples=300)
@given(st.text(max_size=60))
def test_folding_twice_is_folding_once_for_width_and_spaces(text):
    once = folded(text)
    assert folded(unicodedata.normalize("NFKC", once)) == folded(once)
    assert once == once.strip()


def test_hostile_text_takes_no_time():
    for piece in ("\\[", "$$", "$a", "( 中", "-\n", "^{", "_{", "|"):
        folded(piece * 50_000)
