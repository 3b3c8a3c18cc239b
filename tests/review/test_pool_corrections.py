"""A corrected text goes to its own place on the page, and to no other."""

from __future__ import annotations

import pytest

from vdebench.core.box import Box
from vdebench.core.page_text import Block, PageText
from vdebench.review.reference_ocr import ReferenceText, corrected

TOP, PLACE, BELOW = Box(0, 0, 400, 20), Box(0, 100, 400, 130), Box(0, 129, 400, 160)
REGION = Box(80, 100, 110, 132)
"""Reaches into the line below, as boxes do that people draw."""


def page(place, below="", top="", label="text"):
    blocks = (Block(TOP, top), Block(PLACE, place, label), Block(BELOW, below))
    return PageText(blocks)


def given(page, *reads, boxes=(REGION,)):
    regions = tuple(PageText((Block(Box(0, 0, 30, 30), read),)) for read in reads)
    return ReferenceText("e", tuple(boxes), page, regions)


RIGHT = [
    ("12 pieces", "12", "18", "18 pieces"),
    ("from 12", "12", "18", "from 18"),
    ("共12件", "12", "18", "共18件"),  # Chinese has no spaces
    ("数量十二件", "十二", "十八", "数量十八件"),
    ("in 2012: 12 pieces at 12.5 or 3.12", "12", "18", "in 2012: 18 pieces at 12.5 or 3.12"),
    ("a (b) c", "(b)", r"\1", r"a \1 c"),
    ("Total 12 pieces", "12 pieces", "12", "Total 12"),
    ("Tota1", "Tota1", "Total", "Total"),
    ("a gone b", "gone", "", "a  b"),
]


@pytest.mark.parametrize(("place", "read", "text", "wanted"), RIGHT)
def test_what_stands_there_once(place, read, text, wanted):
    elsewhere = f"{read} stands here too, and {text}"
    done = corrected(given(page(place, elsewhere, elsewhere), read), [text])
    assert isinstance(done, ReferenceText), done
    assert [block.content for block in done.page.blocks] == [elsewhere, wanted, elsewhere]
    assert [block.content for block in done.regions[0].blocks] == [text]


UNCLEAR = [
    ("Quantity: 18 pieces", "12", "18", "occurs 0 times on the page"),  # the page was read right
    ("Quantity 112", "12", "18", "occurs 0 times on the page"),
    ("12 or 12", "12", "18", "occurs 2 times on the page"),
    ("18 pieces of 12", "12", "18", "already at its place"),
    ("12 pieces", "12", "12 pieces", "already at its place"),
    ("anything", "", "18", "occurs 0 times on the page"),
]


@pytest.mark.parametrize(("place", "read", "text", "words"), UNCLEAR)
def test_what_is_not_clear_is_no_truth(place, read, text, words):
    told = corrected(given(page(place, f"{read} below", "Annual report 2012, 12"), read), [text])
    assert isinstance(told, str)
    assert words in told


def test_tags_of_a_table_are_no_text():
    table = '<table><tr><td colspan="2">{}</td></tr></table>'
    done = corrected(given(page(table.format("a 2"), label="table"), "2"), ["7"])
    assert isinstance(done, ReferenceText)
    assert done.page.blocks[1].content == table.format("a 7")
    whole = given(page(table.format("a 2"), label="table"), table.format("a 2"))
    done = corrected(whole, [table.format("a 7")])
    assert isinstance(done, ReferenceText)
    assert done.page.blocks[1].content == table.format("a 7")


def test_regions_of_one_block():
    boxes = (REGION, Box(200, 100, 230, 130))
    done = corrected(given(page("l2 and l3 and 4"), "l2", "l3", boxes=boxes), ["1222", "13"])
    assert isinstance(done, ReferenceText)
    assert done.page.blocks[1].content == "1222 and 13 and 4"
    assert [region.blocks[0].content for region in done.regions] == ["1222", "13"]
    told = corrected(given(page("only l2"), "l2", "l2", boxes=boxes), ["12", "1 2"])
    assert "region 2 overlaps that of another region" in str(told)
