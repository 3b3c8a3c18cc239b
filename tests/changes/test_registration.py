"""Registration of a small page that was enlarged, shifted, cropped, resized or turned by known amounts."""

from __future__ import annotations

import numpy as np
import pytest

from tests.changes.drawn import LINES, WIDTH, blank, draw, jpeg, line_top, noise, resized, warped
from vdebench.changes import registration
from vdebench.changes.registration import (
    Registration,
    by_edges,
    from_lines,
    geometry_of,
    of_sparse_page,
    register,
    whole_page,
)
from vdebench.core.box import Box, Size

PAGE = Size(1000, 2000)
OTHER_LINES = [
    "Another page, other words",
    "Prices rise in autumn: 99 %",
    "Call 0171 555 for bookings",
    "今天下午图书馆不开门",
]


@pytest.fixture(autouse=True)
def _fast(monkeypatch):
    """Detect features at half the size, in a quarter of the time: the page is small. `test_engine` has the default."""
    monkeypatch.setattr(registration, "LONG_SIDE", 800)


@pytest.fixture(scope="module")
def page():
    return draw()


def size(image):
    return Size(image.shape[1], image.shape[0])


def geometry(before, after):
    return geometry_of(register(before, after), size(before), size(after))


@pytest.mark.parametrize(
    ("change", "kind", "scale", "shift", "visible"),
    [
        (jpeg, "same", (1, 1), (0, 0), (0, 0, 1, 1)),
        (lambda page: resized(page, 360, 315), "scaled", (1, 1), (0, 0), (0, 0, 1, 1)),
        (lambda page: resized(page, 720, 630), "scaled", (1, 1), (0, 0), (0, 0, 1, 1)),
        (lambda page: resized(page, WIDTH, 400), "aspect_changed", (1, 1), (0, 0), (0, 0, 1, 1)),
        # 3 / 480 and 2 / 420: less than 1.2 % is outside
        (lambda page: warped(page, shift=(3, -2)), "shifted", (1, 1), (0.00625, -0.00476), (0, 0.00476, 0.99375, 1)),
        # a zoom of 1.1 about the centre shows 1 / 1.1 of the page: from 0.5 - 0.4545 to 0.5 + 0.4545
        (lambda page: warped(page, 1.1), "cropped", (1.1, 1.1), (-0.05, -0.05), (0.0455, 0.0455, 0.9545, 0.9545)),
        (lambda page: warped(page, 0.9), "scaled", (0.9, 0.9), (0.05, 0.05), (0, 0, 1, 1)),
        # 300 of 480 pixels: the page is 1.6 times as wide as the frame
        (lambda page: page[:, :300], "cropped", (1.6, 1), (0, 0), (0, 0, 0.625, 1)),
        # without the first 30 columns and rows: 480 / 450 and 420 / 390; -30 / 450 and -30 / 390
        (lambda page: page[30:, 30:], "cropped", (1.0667, 1.0769), (-0.0667, -0.0769), (0.0625, 0.0714, 1, 1)),
    ],
    ids=["jpeg", "smaller", "larger", "aspect", "shift", "zoom", "unzoom", "half", "corner"],
)
def test_geometry_is_measured(page, change, kind, scale, shift, visible):
    found = geometry(page, change(page))
    assert found.kind == kind
    assert (found.scale_x, found.scale_y) == pytest.approx(scale, abs=0.002)
    assert found.shift == pytest.approx(shift, abs=0.001)
    assert found.visible == pytest.approx(visible, abs=0.002)
    assert found.rotation == pytest.approx(0, abs=0.03)
    assert found.residual < 0.3
    assert found.matches >= 60


def test_a_small_rotation_is_measured(page):
    found = geometry(page, warped(page, degrees=0.5))
    assert found.rotation == pytest.approx(0.5, abs=0.02)
    assert (found.scale_x, found.scale_y) == pytest.approx((1, 1), abs=0.002)
    assert found.residual < 0.3


def test_a_change_of_some_lines_does_not_matter(page):
    found = geometry(page, draw([*LINES[:5], "", "其他的字", "Nothing of this was here"]))
    assert found.kind == "same"
    assert (found.scale_x, found.scale_y, *found.shift) == (1, 1, 0, 0)  # exactly: it is no enlargement


@pytest.mark.parametrize(
    "lines", [["Total 12"], ["A"], ["The same line of words"] * 8], ids=["words", "letter", "repeated"]
)
def test_a_page_without_distinct_features_is_registered_as_a_whole(lines):
    sparse = draw(lines, rule=False)
    smaller = resized(sparse, 360, 315)
    assert geometry_of(by_edges(sparse, jpeg(sparse)), size(sparse), size(sparse)).kind == "same"
    assert by_edges(sparse, smaller).matrix == pytest.approx(whole_page(size(sparse), size(smaller)), abs=0.02)
    assert by_edges(sparse, blank()) is None
    assert by_edges(sparse, warped(sparse, 1.08)) is None
    assert by_edges(sparse, resized(sparse, 480, 480)) is None  # other proportions


@pytest.mark.parametrize(
    "after",
    [draw(OTHER_LINES), blank(), blank(1, 1), blank(8, 8, 0), noise(), draw()[100:101], draw()[:, 100:101]],
    ids=["other page", "blank", "one pixel", "black", "noise", "one row", "one column"],
)
def test_what_is_not_the_page_is_not_registered(page, after):
    assert register(page, after) is None
    found = geometry_of(None, size(page), size(after))
    assert (found.kind, found.matches, found.after) == ("reframed", 0, size(after))


def test_a_blank_page_is_not_registered(page):
    assert register(blank(), page) is None
    assert register(blank(), blank()) is None
    assert register(blank(1, 1), blank(8, 8)) is None
    assert register(blank(4000, 1), blank(1, 4000)) is None


def test_an_enlarged_page_whose_lines_were_pushed_down_is_registered_by_its_frame():
    # six of eight lines stand 30 px lower: more points have their shift than that of the page
    page = draw(height=470)
    lower = page.copy()
    top = line_top(2) - 10
    lower[top + 30 :] = page[top:-30]
    lower[top : top + 30] = page[0, 0]
    found = geometry(page, warped(lower, 1.015))
    # a zoom of 1.015 about the centre shifts by (1 - 1.015) / 2
    assert (found.scale_x, found.scale_y) == pytest.approx((1.015, 1.015), abs=0.002)
    assert found.shift == pytest.approx((-0.0075, -0.0075), abs=0.003)


def test_the_result_does_not_depend_on_what_was_registered_before(page):
    after = warped(page, 1.03, (4, 2))
    first = register(page, after)
    register(noise(), page)
    second = register(page, after)
    assert (first.matrix == second.matrix).all()
    assert (first.residual, first.matches) == (second.residual, second.matches)


def transformation(*matrix):
    return Registration(np.array(matrix, np.float64).reshape(2, 3), 0.1, 99, "features")


def test_the_centre_of_the_first_pixel_is_at_zero():
    # Twice as large: the centre of pixel 0 is at 0.5 in areas, 1 there, and 0.5 as the centre of a pixel.
    assert whole_page(Size(10, 20), Size(20, 60)).tolist() == [[2, 0, 0.5], [0, 3, 1]]


@pytest.mark.parametrize(
    ("matrix", "output", "kind"),
    [
        ((1, 0, 0, 0, 1, 0), PAGE, "same"),
        ((1, 0, 1.9, 0, 1, 3.9), PAGE, "same"),  # below 0.2 %
        ((1, 0, 5, 0, 1, 0), PAGE, "shifted"),
        ((1, 0, 13, 0, 1, 0), PAGE, "cropped"),  # more than 1.2 %
        ((0.99, 0, 5, 0, 0.99, 10), PAGE, "scaled"),
        ((1.02, 0, -10, 0, 1.02, -20), PAGE, "cropped"),
        ((0.95, 0, 25, 0, 1, 0), PAGE, "aspect_changed"),
        ((0.5, 0, -0.25, 0, 0.5, -0.25), Size(500, 1000), "scaled"),
        ((1, 0, 0, 0, 0.9, 0), Size(1000, 1800), "aspect_changed"),
    ],
)
def test_kinds_of_geometry(matrix, output, kind):
    assert geometry_of(transformation(*matrix), PAGE, output).kind == kind


def test_a_resized_page_is_whole():
    found = geometry_of(transformation(0.5, 0, -0.25, 0, 0.5, -0.25), PAGE, Size(500, 1000))
    assert (found.scale_x, found.scale_y, found.shift) == (1, 1, (0, 0))
    assert found.visible == Box(0, 0, 1, 1)
    assert found.aspect_change == 1


LINE_BOXES = [Box(50, 50 + 60 * row, 300 + 40 * row, 80 + 60 * row) for row in range(8)]


def mapped(box, scale=1.1, right=-50.0, down=-40.0):
    return Box(scale * box.x1 + right, scale * box.y1 + down, scale * box.x2 + right, scale * box.y2 + down)


def test_lines_are_fitted_by_scale_and_shift():
    found = from_lines([(box, mapped(box)) for box in LINE_BOXES], PAGE, PAGE)
    assert found.matrix == pytest.approx(np.array([[1.1, 0, -50], [0, 1.1, -40]]))
    assert (found.by, found.matches) == ("lines", 8)
    assert found.residual == pytest.approx(0, abs=1e-6)


def test_some_lines_may_stand_elsewhere():
    pairs = [(box, mapped(box)) for box in LINE_BOXES]
    pairs[2], pairs[5] = (LINE_BOXES[2], Box(700, 1700, 900, 1730)), (LINE_BOXES[5], Box(0, 0, 9, 9))
    found = from_lines(pairs, PAGE, PAGE)
    assert found.matrix == pytest.approx(np.array([[1.1, 0, -50], [0, 1.1, -40]]))
    assert found.matches == 6


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [(box, box) for box in LINE_BOXES[:2]],  # too few
        [(LINE_BOXES[0], box) for box in LINE_BOXES],  # one line everywhere
        [(box, LINE_BOXES[0]) for box in LINE_BOXES],
        [(box, mapped(box, 5)) for box in LINE_BOXES],  # too large
        [(box, Box(1000 - box.x2, box.y1, 1000 - box.x1, box.y2)) for box in LINE_BOXES],  # no common left edge
        [(Box(50, 50, 300, 52),) * 2] * 6,  # a height of 2 tells no scale
    ],
)
def test_lines_that_do_not_agree(pairs):
    assert from_lines(pairs, PAGE, PAGE) is None


def test_a_page_with_one_line_did_not_move_if_the_output_has_its_size():
    one, other = draw(LINES[:1], rule=False), draw(LINES[1:2], rule=False)
    assert register(one, other) is None
    assert geometry_of(of_sparse_page(one, other), size(one), size(other)).kind == "same"
    assert of_sparse_page(one, resized(other, 360, 315)) is None
    assert of_sparse_page(draw(), draw(OTHER_LINES)) is None  # too much ink
