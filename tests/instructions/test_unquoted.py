"""Values and places that an instruction names without quotation marks."""

from __future__ import annotations

import pytest

from vdebench.instructions.place import place_of
from vdebench.instructions.unquoted import quote_values


@pytest.mark.parametrize(
    ("words", "quoted"),
    [
        ("Change the time from 8:30 am to 9:15 am", ["8:30 am", "9:15 am"]),
        ("Replace 12 March 2024 with 14 April 2025.", ["12 March 2024", "14 April 2025"]),
        ("Update the price from €1,250.00 to €980.00!", ["€1,250.00", "€980.00"]),
        ("Delete Event Location.", ["Event Location"]),
        ("remove the Terms of Service", ["Terms of Service"]),
        ("把温度从25℃调整为18℃。", ["25℃", "18℃"]),
        ("将票价由￥60改为￥80", ["￥60", "￥80"]),
        ("Change the deadline from 5 to 8.", ["5", "8"]),
        ("Change 1,200 to 1,300.", ["1,200", "1,300"]),
        ("Move the meeting from 8:30 to 9:15", ["8:30", "9:15"]),  # times are text
        ("Delete Section of Interest.", ["Section of Interest"]),
        ("Change the line spacing from 1.0 to 1.5.", []),
        ("Change the opacity of the logo from 50% to 80%", []),
        ("Set the left margin from 10 to 20.", []),
        ("Change the rotation from 0 to 90.", []),
        ("Change the font size of the title from 12 to 14.", []),
        ("Increase brightness from 50 to 80", []),
        ("Change opacity 0.5 to 0.8.", []),
        ("Turn the dial from 3 to 5.", []),  # is it text, or a drawing?
        ("Delete Figure 3.", []),
        ("Remove Table 2", []),
        ("Delete the Logo.", []),
        ("Replace Figure 3 with Figure 4.", []),
        ("将行距由1.0改为1.5。", []),
        ("把透明度从50%调整为80%。", []),
        ("把图片从3换成5。", []),
        ("Change the background from white to black.", []),
        ("Delete the logo.", []),
        ("Delete all words in the picture.", []),
        ("Delete This.", []),
        ("Move the image from left to right.", []),
        ("把标题从左边移到右边。", []),
    ],
)
def test_values(words, quoted):
    assert quote_values(words, [])[1] == quoted


def test_quotations_win():
    assert quote_values("Change ⟦0⟧ from 5 to 6", ["a"]) == ("Change ⟦0⟧ from 5 to 6", ["a"])


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("Replace ⟦0⟧ with ⟦1⟧.", ""),
        ("Replace ⟦0⟧ in the image with ⟦1⟧ in the same font and colour.", ""),
        ("Replace ⟦0⟧ on the page with ⟦1⟧.", ""),
        ("Replace ⟦0⟧ in the sentence ⟦1⟧ with ⟦2⟧.", ""),  # the quotation is the place
        ("Replace ⟦0⟧ in the footer with ⟦1⟧.", "footer"),
        ("Change the heading ⟦0⟧ to ⟦1⟧.", "heading"),
        ("将图片中的⟦0⟧改为⟦1⟧。", ""),
        ("把第二段中的⟦0⟧改为⟦1⟧。", "第二段"),
        ("在⟦0⟧后面加上⟦1⟧。", ""),
    ],
)
def test_parts_of_a_page(words, place):
    assert place_of(words) == place
