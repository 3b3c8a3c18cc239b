"""Edit traces: re-encoding and small shifts do not count, redrawn letters do."""

from __future__ import annotations

import io

import cv2
import numpy as np
import pytest
from PIL import Image
from scipy.stats import wasserstein_distance

from vdebench.metrics.edit_traces import FLOOR, edited_share, outside, visual_fidelity

NOWHERE = np.zeros((480, 640), bool)


def write(page, text, x, y, colour=(0, 0, 0)):
    cv2.putText(page, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, 1, cv2.LINE_AA)


@pytest.fixture(scope="module")
def page():
    image = np.full((480, 640, 3), 255, np.uint8)
    for line in range(10):
        write(image, f"Line {line}: the quick brown fox jumps over it", 20, 30 + 28 * line)
    return image


def jpeg(image, quality):
    data = io.BytesIO()
    Image.fromarray(image).save(data, "JPEG", quality=quality)
    return np.asarray(Image.open(data).convert("RGB"))


@pytest.mark.parametrize(
    "benign",
    [
        lambda a: jpeg(a, 60),
        lambda a: np.roll(a, (1, 2), (0, 1)),
        lambda a: cv2.GaussianBlur(a, (0, 0), 0.7),
        lambda a: cv2.warpAffine(a, np.float32([[1, 0, 1.5], [0, 1, 0.5]]), (640, 480), borderValue=(255,) * 3),
        lambda a: np.clip(a * 0.96 + 4, 0, 255).astype(np.uint8),  # paler
    ],
    ids=["jpeg", "moved", "soft", "half a pixel", "paler"],
)
def test_what_saving_anew_does_is_no_damage(page, benign):
    found = outside(benign(page), page, NOWHERE)
    assert found.preservation == 1
    assert found.stray == 0


def test_a_word_drawn_anew_is_damage_unless_it_stands_in_a_region(page):
    other = page.copy()
    other[100:120, 150:250] = 255
    write(other, "slow green", 150, 114)
    found = outside(other, page, NOWHERE)
    assert 0.9 < found.preservation < 0.99
    inside = NOWHERE.copy()
    inside[96:124, 144:256] = True
    assert outside(other, page, inside).preservation == 1


def test_a_word_where_nothing_was_is_stray(page):
    other = page.copy()
    write(other, "invented", 300, 400)
    found = outside(other, page, NOWHERE)
    assert found.preservation == 1
    assert 0.002 < found.stray < 0.01  # some 90 × 20 pixels of 640 × 480


def test_what_moves_after_an_edit_may_move_or_stay(page):
    moved = page.copy()
    moved[150:] = np.roll(page[150:], 20, axis=0)
    assert outside(page, moved, NOWHERE).preservation < 0.8
    assert outside(page, moved, NOWHERE, source=page).preservation == 1
    assert outside(moved, moved, NOWHERE, source=page).preservation == 1
    gone = page.copy()
    gone[150:] = 255
    assert outside(gone, moved, NOWHERE, source=page).preservation < 0.95  # neither moved nor left


def test_nothing_is_said_where_regions_cover_all(page):
    assert outside(page, page, ~NOWHERE) is None
    tiny = np.zeros((3, 5, 3), np.uint8)
    assert outside(tiny, tiny, np.zeros((3, 5), bool)) == (1, 0)


def test_an_edit_is_seen_in_text_and_in_colour(page):
    before = page[90:130, 20:420]
    blank = np.full_like(before, 255)
    assert edited_share(before, before, blank) == 0
    assert edited_share(blank, before, blank) == 1
    red = np.where(before < 128, np.uint8([[[200, 0, 0]]]), before).astype(np.uint8)
    assert edited_share(jpeg(before, 75), before, red) < 0.2
    assert edited_share(red, before, red) == 1
    assert edited_share(blank, before, before) is None


def test_look_is_blind_to_place_and_sees_blur_colour_and_size(page):
    crop = page[90:140, 10:430]
    assert visual_fidelity(crop, crop) == 1
    assert visual_fidelity(np.roll(crop, 5, axis=1), crop) > 0.98
    assert visual_fidelity(jpeg(crop, 60), crop) > 0.8
    blurred = [visual_fidelity(cv2.GaussianBlur(crop, (0, 0), sigma), crop) for sigma in (0.5, 1, 2, 3)]
    assert blurred == sorted(blurred, reverse=True)
    assert blurred[-1] < 0.6
    red = np.where(crop < 128, np.uint8([[[230, 30, 30]]]), crop).astype(np.uint8)
    assert visual_fidelity(red, crop) < 0.85
    assert visual_fidelity(np.full_like(crop, 255), crop) < 0.4


def test_the_distance_is_wassersteins():
    rng = np.random.default_rng(0)
    one, other = (rng.integers(0, 256, (40, 50, 3), np.uint8) for _ in range(2))
    one[..., 1:] = other[..., 1:] = 128  # one channel alone differs
    paper = np.median(other[..., 0])
    values = [image[..., 0].ravel() - paper for image in (one, other)]
    colour = wasserstein_distance(*values) / (max(np.abs(each).mean() for each in values) + FLOOR)
    assert 1 - visual_fidelity(one, other) >= colour - 1e-6  # edges may lie farther apart


def test_images_of_two_sizes_are_refused(page):
    with pytest.raises(ValueError, match="expected the same size"):
        outside(page, page[:400], NOWHERE)


def test_crops_of_large_pages_are_seen_as_those_of_small_ones(page):
    """Three times as large and moved by as much: the same page, not an edit."""
    before = page[60:160, 10:430]
    blank = np.full_like(before, 255)
    large = [np.repeat(np.repeat(image, 3, axis=0), 3, axis=1) for image in (before, blank)]
    moved = np.roll(large[0], 6, axis=1)
    small = edited_share(np.roll(before, 2, axis=1), before, blank)
    assert small < 0.25
    assert edited_share(moved, large[0], large[1], long_side=3300) == pytest.approx(small, abs=0.05)
    assert edited_share(moved, large[0], large[1]) > 0.5  # taken for a small page's
