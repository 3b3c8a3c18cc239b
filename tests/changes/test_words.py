"""Words, differences in whole words, and facts, on hand-made readings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vdebench.changes.words import (
    LineText,
    compared,
    count_words,
    differences,
    fact_kind,
    is_meaningful,
    same_text,
    similarity,
    tokens,
    whole_tokens,
)

texts = st.text(alphabet="ab Ic1258.,-中文键。\t", max_size=24)


def words_of(one, other):
    return [each.texts(one, other) for each in differences(one, other)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \t\n", ""),
        ("Ｔｏｔａｌ：１２", "Total:12"),  # full width
        ("“a”–‘b’", "\"a\"-'b'"),
        ("résumé", "resume"),
        ("ﬁve", "five"),  # a ligature
        ("½", "1/2"),
        ("I|l", "lll"),
        ("COPS abc", "copsabc"),  # capitals of the same shape
        ("AB", "AB"),  # of another shape
        ("a…b", "a...b"),
    ],
)
def test_compared_characters(text, expected):
    assert compared(text).characters == expected


def test_compared_characters_know_where_they_come_from():
    # "½" is three characters from one position; the space is none.
    assert compared("a ½b") == ("a1/2b", (0, 2, 2, 2, 3))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("", "", True),
        ("", ".", True),  # a mark at an end may be cut by the box
        ("Total 12", "Total12.", True),
        ("- item", "item", True),
        ("Income", "lncome", True),
        ("-5 %", "5 %", False),  # a minus sign counts
        ("*-5", "-5.", True),
        ("-", "", True),
        ("12.5", "125", False),  # a mark inside a number counts
        ("12.5", "12,5", False),
        ("a,b", "ab", False),
        ("59.00", "69.00", False),
        ("", "a", False),
    ],
)
def test_same_text(one, other, same):
    assert same_text(one, other) is same


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "", []),
        ("", "abc", [("", "abc")]),
        ("abc", "", [("abc", "")]),
        ("a", "b", [("a", "b")]),
        ("total cost", "totalcost", []),  # spaces do not count
        ("pay 1,250 now", "pay 1,350 now", [("1,250", "1,350")]),
        ("cost 21.88", "cost 211.88", [("21.88", "211.88")]),  # a digit inserted
        ("12 kg", "128 kg", [("12", "128")]),  # at the end of a number, not of the next word
        ("5 12 kg", "5 812 kg", [("12", "812")]),  # at its beginning
        ("1,250", "1.250", [("1,250", "1.250")]),
        ("1,250", "1250", [("1,250", "1250")]),
        ("at 10:30", "at 10:80", [("10:30", "10:80")]),
        ("100 % of it", "90 % of it", [("100 %", "90 %")]),  # a number has its unit
        ("code AB-123", "code AB-128", [("AB-123", "AB-128")]),
        ("the cat ran", "the cats ran", [("cat", "cats")]),  # a word grew at its end
        ("the cats ran", "the cat ran", [("cats", "cat")]),
        ("to order 5", "to reorder 5", [("order", "reorder")]),  # at its beginning
        ("the quick brown fox", "the slow brown dog", [("quick", "slow"), ("fox", "dog")]),
        ("A B C", "A C", [("B", "")]),
        ("A C", "A B C", [("", "B")]),
        ("ends here", "ends here now", [("", "now")]),
        ("and and", "and", [("and", "")]),  # one of two
        ("Total: 12", "Total 12", [("Total:", "Total")]),  # a mark has its word
        ("we, too", "we too", [("we,", "we")]),
        ("don't go", "dont go", [("don't", "dont")]),
        ("costs 21.88 now", "costs -21.88 now", [("21.88", "-21.88")]),  # a sign has its number
        ("costs $5 now", "costs 5 now", [("$5", "5")]),
        ("costs 5 now", "costs 6% now", [("5", "6%")]),  # and so has a unit
        ("is 5 °C", "is 5 C", [("5 °", "5")]),
        ("按除菌键三秒", "按除霜键三秒", [("除菌键", "除霜键")]),  # one neighbour on each side
        ("按除菌键三秒", "按除菌三秒", [("键", "")]),
        ("按菌三秒", "按除菌三秒", [("", "除")]),
        ("三三三", "三三", [("三", "")]),
        ("第3章", "第8章", [("3", "8")]),
        ("共12元", "共128元", [("12", "128")]),
        ("冷藏", "风速", [("冷藏", "风速")]),
    ],
)
def test_differences_in_whole_words(one, other, expected):
    assert words_of(one, other) == expected


@pytest.mark.parametrize(
    ("one", "other", "punctuation"),
    [
        ("we, too", "we too", True),
        ("ends.", "ends,", True),
        ("12.5", "125", False),  # between digits a mark is a part of the number
        ("3-5 days", "35 days", False),
        ("10:30", "10.30", False),
        ("we, too", "we, two", False),
        ("1, 2", "1 2", True),  # the marks of a list
    ],
)
def test_a_difference_of_marks_alone(one, other, punctuation):
    (difference,) = differences(one, other)
    assert difference.is_punctuation(one, other) is punctuation


@given(texts, texts)
def test_differences_are_ordered_ranges_that_turn_one_text_into_the_other(one, other):
    found = differences(one, other)
    assert bool(found) == (compared(one).characters != compared(other).characters)
    rebuilt, at = "", 0
    for each in found:
        assert each.before.start >= at
        for text, span, words in ((one, each.before, each.words_before), (other, each.after, each.words_after)):
            assert 0 <= words.start <= span.start <= span.stop <= words.stop <= len(text)
        rebuilt += one[at : each.before.start] + other[each.after.start : each.after.stop]
        at = each.before.stop
    assert compared(rebuilt + one[at:]).characters == compared(other).characters


@given(texts, texts)
def test_similarity_is_symmetric_and_limited(one, other):
    assert 0 <= similarity(one, other) == similarity(other, one) <= 1
    assert similarity(one, one) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  ", []),
        ("Total: $12.50, 三人", ["Total", ":", "$12.50", ",", "三", "人"]),
        ("5 apples", ["5", "apples"]),  # without the space
        ("5 % fat", ["5 %", "fat"]),
        ("don't well-known", ["don't", "well-known"]),
        ("2024-05-01 10:30", ["2024-05-01", "10:30"]),
        ("a…", ["a", "…"]),
    ],
)
def test_tokens(text, expected):
    assert [text[each.start : each.stop] for each in tokens(text)] == expected


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (range(7, 8), range(6, 11)),  # inside the number
        (range(8, 8), range(6, 11)),  # an insertion inside it
        (range(11, 11), range(11, 11)),  # behind it
        (range(4, 7), range(0, 11)),  # from the word into the number
        (range(0, 0), range(0, 0)),
    ],
)
def test_whole_tokens(span, expected):
    assert whole_tokens("Total 59.00 三", span) == expected  # Total: 0 to 5, 59.00: 6 to 11


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("... —", 0), ("don't stop", 2), ("三人", 2), ("12 % of 1,250.00", 3), ("a,b", 2)],
)
def test_count_words(text, count):
    assert count_words(text) == count
    assert is_meaningful(text) is (count > 0)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ((), ""),
        (("", ""), ""),
        (("12",), "number"),
        (("1250.75",), "number"),  # no month 75
        (("maybe 5",), "number"),  # no month of that name
        (("12%",), "number"),
        (("€12",), "price"),
        (("12元",), "price"),
        (("12 USD",), "price"),
        (("2024-05",), "date"),
        (("01.02.2024",), "date"),
        (("5 May",), "date"),
        (("Sept. 5",), "date"),
        (("3月",), "date"),
        (("2024年",), "date"),
        (("A1",), "code"),
        (("Mr Smith",), "name"),
        (("Then",), ""),  # the first word may begin a sentence
        (("cat", "12"), "number"),  # either side
        (("£5", "12"), "price"),  # the first that states one
    ],
)
def test_fact_kind(texts, kind):
    assert fact_kind(*texts) == kind


def test_the_span_of_characters():
    measured = LineText("abc", (0.0, 0.2, 0.6, 1.0), (0.9, 0.5, 0.7))
    assert measured.span(1, 2) == (0.2, 0.6)
    assert measured.span(1, 1) == pytest.approx((0.19, 0.21))  # a place between two characters
    assert measured.span(0, 0) == pytest.approx((0.0, 0.01))
    assert LineText("abcd").span(1, 2) == (0.25, 0.5)  # equal widths if they are not known
    assert LineText("").span(0, 0) == (0.0, 1.0)


def test_the_probability_of_characters():
    measured = LineText("abc", (0.0, 0.2, 0.6, 1.0), (0.9, 0.5, 0.7))
    assert measured.probability(0, 3) == 0.5
    assert measured.probability(2, 2) == 1.0
    assert LineText("abc").probability(0, 3) == 1.0
