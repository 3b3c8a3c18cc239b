from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import release as plain
from vdebench.core.box import Box, Size
from vdebench.metrics.boxes import as_array, iou_matrix
from vdebench.metrics.matching import PageBlocks, Unit, assign, greedy_by_centre, greedy_by_iou

boxes = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 12), st.integers(0, 12)).map(
        lambda t: Box(t[0], t[1], t[0] + t[2], t[1] + t[3])
    ),
    max_size=8,
)


def page(found, texts=None):
    return PageBlocks(found, texts or ["x"] * len(found), Size(100, 100))


def pairs(units):
    return [(unit.truth[0], unit.prediction[0]) for unit in units if unit.truth and unit.prediction]


def plain_by_centre(truth, prediction):
    """Sort all pairs by distance, ties by (truth, prediction), and take them while both are free."""

    def centre(box):
        return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2

    every = []
    for g, a in enumerate(truth):
        for p, b in enumerate(prediction):
            (x, y), (u, v) = centre(a), centre(b)
            every.append((((x - u) ** 2 + (y - v) ** 2) ** 0.5, g, p))
    found, used_g, used_p = [], set(), set()
    for _, g, p in sorted(every):
        if g not in used_g and p not in used_p:
            used_g.add(g)
            used_p.add(p)
            found.append((g, p))
    return found


@given(boxes, boxes)
def test_greedy_strategies_equal_the_plain_ones(truth, prediction):
    assert pairs(greedy_by_centre(page(truth), page(prediction))) == plain_by_centre(truth, prediction)
    blocks = [[{"block_bbox": box} for box in side] for side in (truth, prediction)]
    expected = [(g, p) for g, p, _ in plain.match(*blocks)]
    assert pairs(greedy_by_iou(page(truth), page(prediction))) == expected


@given(boxes, boxes)
def test_iou_of_all_pairs_equals_that_of_each_and_keeps_its_bounds(truth, prediction):
    found = iou_matrix(as_array(truth), as_array(prediction))
    for g, one in enumerate(truth):
        for p, other in enumerate(prediction):
            assert found[g, p] == one.iou(other) == other.iou(one)
            assert 0 <= found[g, p] <= 1
        assert one.iou(one) == (1 if one.area else 0)


@given(boxes, boxes)
def test_every_block_stands_in_one_unit(truth, prediction):
    for strategy in (greedy_by_centre, greedy_by_iou, assign):
        units = strategy(page(truth), page(prediction))
        assert sorted(g for unit in units for g in unit.truth) == list(range(len(truth)))
        assert sorted(p for unit in units for p in unit.prediction) == list(range(len(prediction)))


@pytest.mark.parametrize("strategy", [greedy_by_centre, greedy_by_iou, assign])
def test_a_newspaper_page_is_instant(strategy):
    rng = random.Random(1)
    truth = [Box(x, y, x + 90, y + 30) for x in range(0, 2000, 100) for y in range(0, 1000, 40)]
    moved = [Box(*(side + rng.uniform(-5, 5) for side in box)) for box in truth]
    texts = ["".join(rng.choice("abcdefgh ") for _ in range(80)) for _ in truth]
    begin = time.process_time()
    units = strategy(PageBlocks(truth, texts), PageBlocks(moved, texts))
    assert time.process_time() - begin < 2  # 0.1 s here; a slow machine has room, a quadratic mistake has not
    assert len(truth) == 500
    assert sum(unit.truth == unit.prediction for unit in units) == 500


def test_paragraphs_that_the_reader_merged_are_one_unit_whatever_their_number():
    texts = [
        f"paragraph {word} of the page, as long as the others"
        for word in ["one", "two", "three", "four", "five", "six"]
    ]
    truth = PageBlocks([Box(0, 20 * i, 90, 20 * i + 18) for i in range(6)], texts, Size(100, 200))
    merged = PageBlocks([Box(0, 0, 90, 118)], [" ".join(texts)], Size(100, 200))
    assert assign(truth, merged) == [Unit((0, 1, 2, 3, 4, 5), (0,))]
    assert assign(merged, truth) == [Unit((0,), (0, 1, 2, 3, 4, 5))]


def test_paragraphs_cut_at_another_place_are_one_unit():
    size = Size(100, 100)
    truth = PageBlocks([Box(0, 0, 90, 40), Box(0, 42, 90, 60)], ["first. second.", "third."], size)
    prediction = PageBlocks([Box(0, 0, 90, 20), Box(0, 22, 90, 60)], ["first.", "second. third."], size)
    assert assign(truth, prediction) == [Unit((0, 1), (0, 1))]


def test_a_neighbour_that_is_right_is_not_drawn_in():
    size = Size(100, 100)
    truth = PageBlocks(
        [Box(0, 0, 90, 20), Box(0, 22, 90, 40), Box(0, 42, 90, 60)], ["one, one", "two, two", "three, three"], size
    )
    prediction = PageBlocks([Box(0, 0, 90, 45), Box(0, 42, 90, 60)], ["one, one two, two", "three, three"], size)
    assert assign(truth, prediction) == [Unit((0, 1), (0,)), Unit((2,), (1,))]


def test_blocks_whose_joined_text_is_beyond_all_measure_are_not_joined():
    """Hundreds of long texts on one spot: each is comparable, all together are not."""
    rng = random.Random(2)
    texts = ["".join(rng.choice("abcdefghij ") for _ in range(30_000)) for _ in range(8)]
    one, other = (PageBlocks([Box(0, 0, 90, 90)] * 4, side, Size(100, 100)) for side in (texts[:4], texts[4:]))
    assert len(assign(one, other)) == 4


def test_a_line_that_moved_is_matched_by_its_text_not_by_its_place():
    size = Size(1000, 1000)
    lines = [Box(0, 40 * i, 500, 40 * i + 30) for i in range(4)]
    truth = PageBlocks(lines[:3], ["Ship the reader", "Hire two engineers", "Open an office"], size)
    left_a_gap = PageBlocks(
        [lines[0], lines[2], lines[3]], ["Ship the reader", "Hire two engineers", "Open an office"], size
    )
    assert pairs(assign(truth, left_a_gap)) == [(0, 0), (1, 1), (2, 2)]
    assert pairs(greedy_by_iou(truth, left_a_gap)) == [(0, 0), (2, 1)]  # the release pairs lines with other lines


def test_a_garbled_block_in_its_place_is_matched_and_one_elsewhere_is_not():
    size = Size(1000, 1000)
    truth = PageBlocks([Box(100, 100, 500, 140)], ["The office expects a quiet winter"], size)
    assert pairs(assign(truth, PageBlocks([Box(100, 100, 500, 140)], ["Wqz xkjv bnm"], size))) == [(0, 0)]
    assert (
        pairs(assign(truth, PageBlocks([Box(500, 800, 900, 840)], ["The office expects a quiet winter"], size))) == []
    )


def test_the_rest_of_a_wiped_paragraph_counts_once():
    """A fifth of a block is left, too unlike it for a pair and too little for a join that halves the edits."""
    text = "The committee met on Tuesday to discuss the budget of the coming year and its many open questions."
    page = Size(1000, 1000)
    truth = PageBlocks([Box(100, 100, 900, 130), Box(100, 200, 900, 230)], [text, "Another paragraph."], page)
    left = PageBlocks([Box(100, 100, 260, 130), Box(100, 200, 900, 230)], [text[:20], "Another paragraph."], page)
    assert assign(truth, left) == [Unit((0,), (0,)), Unit((1,), (1,))]
    strange = PageBlocks(left.boxes, ["8341-XQ 77/Z %%% ###", "Another paragraph."], page)
    assert assign(truth, strange) == [Unit((0,), ()), Unit((1,), (1,)), Unit((), (0,))]


def test_what_was_added_to_a_block_counts_once_too():
    page = Size(1000, 1000)
    truth = PageBlocks([Box(100, 100, 260, 130)], ["Total: 412.70"], page)
    more = "Total: 412.70" + " and so on and so forth" * 4
    assert assign(truth, PageBlocks([Box(100, 100, 900, 130)], [more], page)) == [Unit((0,), (0,))]
