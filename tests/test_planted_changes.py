"""The ground truth of planted changes: the words differ exactly there, and so do the pixels."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

from vdebench.core.box import Box

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
from planted_changes import PLANS, TRANSFORMATIONS, Planted, pieces, plant, typeset_pages

from vdebench.studies.validity.outputs.look_alikes import chinese_look_alikes

SEEDS = {"en": 1, "zh": 2}  # a paper and a book


@pytest.fixture(scope="module", params=SEEDS)
def page(request):
    (page,) = typeset_pages([SEEDS[request.param]])
    assert page.language == request.param
    return page


def differing(pair, *boxes, margin=2):
    """Whether pixels differ inside the boxes, and whether they differ outside."""
    different = (pair.before != pair.after).any(axis=2)
    inside = np.zeros_like(different)
    for box in boxes:
        x1, y1, x2, y2 = (int(side) for side in box)
        inside[max(0, y1 - margin) : y2 + margin + 1, max(0, x1 - margin) : x2 + margin + 1] = True
    return (different & inside).any(), (different & ~inside).any()


def texts(document):
    return [text for *_, text in pieces(document)]


def test_seeds_cover_all_kinds_and_languages():
    pages = [page.name.split("-")[1:3] for page in typeset_pages(range(0, 36, 2))]
    assert len({tuple(each) for each in pages}) == 18


@pytest.mark.parametrize("kind", ["digit", "letter", "word", "punctuation"])
def test_words_differ_where_they_were_planted(page, kind):
    pair = plant(page, {kind: 3}, Random(3))
    assert len(pair.planted) == 3
    for each in pair.planted:
        assert each.kind == kind
        assert each.before != each.after
        assert differing(pair, each.box, each.box_after)[0]
        assert 0 <= each.box.x1 < each.box.x2 <= pair.before.shape[1]
        assert each.height >= each.box.y2 - each.box.y1 - 1
        if kind == "punctuation":
            assert not any(letter.isalnum() for letter in "".join(each.difference))


def test_one_digit_changes_no_other_pixels(page):
    pair = plant(page, {"digit": 3}, Random(1))  # digits are of equal width in every font of these pages
    inside, outside = differing(pair, *(each.box for each in pair.planted))
    assert inside
    assert not outside
    for each in pair.planted:
        assert len(each.before) == len(each.after)
        assert sum(a != b for a, b in zip(each.before, each.after, strict=True)) == 1


def test_chinese_characters_are_replaced_by_look_alikes():
    (page,) = typeset_pages([2])
    pair = plant(page, {"letter": 3}, Random(1))
    assert all(each.after in chinese_look_alikes()[each.before] for each in pair.planted)
    assert not differing(pair, *(each.box for each in pair.planted))[1]  # all of one width


def test_a_lost_line_is_blank_and_no_other_pixel_differs(page):
    pair = plant(page, {"lost_line": 1}, Random(4))
    (lost,) = pair.planted
    assert differing(pair, lost.box) == (True, False)
    x1, y1, x2, y2 = (int(side) for side in lost.box)
    assert np.ptp(pair.after[y1 : y2 + 1, x1 : x2 + 1].reshape(-1, 3), axis=0).max() == 0
    assert any(lost.before[:10] in text for text in texts(page.document))


def test_a_duplicated_line_stands_on_blank_paper(page):
    pair = plant(page, {"duplicated_line": 1}, Random(4))
    (copy,) = pair.planted
    assert differing(pair, copy.box) == (True, False)
    x1, y1, x2, y2 = (int(side) for side in copy.box)
    assert np.ptp(pair.before[y1 : y2 + 1, x1 : x2 + 1].reshape(-1, 3), axis=0).max() == 0
    assert any(copy.after in text for text in texts(page.document))


def test_an_added_sentence_is_new_and_follows_its_anchor(page):
    pair = plant(page, {"added_sentence": 1}, Random(4))
    (added,) = pair.planted
    assert added.before == ""
    assert not any(added.after in text for text in texts(page.document))
    assert added.box_after.y2 >= added.box.y1 - added.height


def test_the_same_seed_plants_the_same_changes(page):
    one, other = (plant(page, PLANS["characters"], Random(7)) for _ in range(2))
    assert one.planted == other.planted
    assert np.array_equal(one.after, other.after)


def test_changes_of_a_plan_are_on_distinct_lines(page):
    planted = plant(page, PLANS["characters"], Random(5)).planted
    assert len(planted) >= 8
    for index, one in enumerate(planted):
        grown = Box(one.box.x1 - 100, one.box.y1, one.box.x2 + 100, one.box.y2)
        assert not any(grown.shared_area(other.box) for other in planted[:index])


def test_the_differing_characters_are_cut_out():
    box = Box(0, 0, 9, 9)
    assert Planted("punctuation", "generation,", "generation", box, 9, box).difference == (",", "")
    assert Planted("word", "market", "marble", box, 9, box).difference == ("ket", "ble")
    assert Planted("digit", "11", "111", box, 9, box).difference == ("", "1")


@pytest.mark.parametrize("name", [name for name in TRANSFORMATIONS if not name.startswith("autoencoder")])
def test_transformations_keep_the_page(name):
    image = np.full((1300, 1000, 3), 250, np.uint8)
    image[600:640, 480:520] = 20
    result = TRANSFORMATIONS[name](image)
    height, width = result.shape[:2]
    sizes = {"1mp-native": (1168, 898), "70%": (910, 700), "aspect": (1152, 896)}
    # 1024 · √(1300 / 1000) = 1167.5 rows, 36.49 times 32; 898.1 columns, 28.1 times 32
    assert (height, width) == sizes.get(name, (1300, 1000))
    assert result.dtype == np.uint8
    dark = np.argwhere(result.mean(axis=2) < 128) / [height, width] * [1300, 1000]
    expected = (619.5, 499.5) if name != "shift3" else (622.5, 502.5)
    zoom = {"zoom0.5": 1.005, "zoom1.5": 1.015}.get(name, 1.0)
    expected = tuple((at - centre) * zoom + centre for at, centre in zip(expected, (649.5, 499.5), strict=True))
    assert np.allclose(dark.mean(axis=0), expected, atol=1)
