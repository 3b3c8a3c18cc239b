from __future__ import annotations

import pytest

from vdebench.core.difficulty import ATTRIBUTES, Difficulty, parse, tier_named, tier_of


def test_the_ten_attributes_stand_in_the_papers_order():
    assert len(ATTRIBUTES) == 10
    assert (ATTRIBUTES[0], ATTRIBUTES[3], ATTRIBUTES[9]) == ("num_text_regions", "language", "semantic_linkage")


@pytest.mark.parametrize(
    ("text", "wrong", "total", "tier"),
    [
        ("2(0,0,0,0,0,0,0,2,0,0)", [], 2, "easy"),
        (" 12 ( 0,0,2,2,0,0,2,2,2,2 ) ", [], 12, "hard"),
        ("4(1,0,0,2,0,0,0,1,2,0)", ["its parts add up to 6, not to 4"], 6, "medium"),  # the parts count
        ("7(0,2,1,2,0,0,1,1,0)", ["9 parts, expected 10"], 7, "medium"),  # the total counts
        ("2(0,0,0,0,0,1,0,0,0,1,0)", ["11 parts, expected 10"], 2, "easy"),
        ("6(0,2,0)", ["3 parts, expected 10", "its parts add up to 2, not to 6"], 6, "medium"),
        ("(0,2,0,0,0,0,0,0,1,0)", ["no total before the parts"], 3, "easy"),
        ("(0,2,0)", ["no total before the parts", "3 parts, expected 10"], None, "unknown"),
        ("3(0,0,0,0,0,0,0,3,0,0)", ["parts of 3, expected 0, 1 or 2"], 3, "easy"),
        ("-1(0,0,0,0,0,0,0,0,0,-1)", None, None, "unknown"),
        ("25(3,3,3,3,3,2,2,2,2,2)", ["parts of 3, 3, 3, 3, 3, expected 0, 1 or 2"], 25, "unknown"),
        ("3（0，0，0，0，0，0，0，2，1，0）", [], 3, "easy"),  # full width
    ],
)
def test_parse(text, wrong, total, tier):
    found, told = parse(text)
    if wrong is None:
        assert found is None
        return
    assert told == wrong
    assert (found.sum, found.tier) == (total, tier)


@pytest.mark.parametrize("text", ["", "hard", "3", "3()", "3(a,b)", "3(0,0", "3(1.5,0)", None, 7, ["3"]])
def test_what_is_no_difficulty_is_named(text):
    found, told = parse(text)
    assert found is None
    assert len(told) == 1
    assert told[0].startswith("expected a total and ten parts")


def test_every_sum_has_its_tier():
    tiers = [tier_of(total) for total in range(21)]
    assert tiers == ["easy"] * 6 + ["medium"] * 5 + ["hard"] * 10
    assert tier_of(-1) == tier_of(21) == "unknown"


@pytest.mark.parametrize(
    ("word", "tier"),
    [
        ("easy", "easy"),
        (" medium", "medium"),
        ("HARD", "hard"),
        ("esay", "easy"),
        ("meduim", "medium"),
        ("", "unknown"),
    ],
)
def test_tier_named(word, tier):
    assert tier_named(word) == tier


def test_attributes_by_name_and_back():
    found = Difficulty((0, 2, 0, 0, 0, 0, 0, 2, 0, 0), 4)
    assert found.by_attribute["text_length"] == found.by_attribute["background_clutter"] == 2
    assert Difficulty.of(found.by_attribute) == found
    assert parse(str(found)) == (found, [])
    assert Difficulty((0, 2), 2).by_attribute is None
    assert str(Difficulty((1, 2))) == "(1,2)"
