"""The corruptions there are, each with its levels and with what `exact` must say of it."""

from __future__ import annotations

from collections.abc import Sequence

from vdebench.errors import InputError
from vdebench.validity import pixels, retyped
from vdebench.validity.corruption import IMAGES, TEXTS, Corruption, both, region, whole

_SHARES = (0.25, 0.5, 0.75, 1.0)
# What cannot fall by its nature is nobody's business, see docs/validity.md: `done` of a region that is blanked further
# when it was spoilt before; SSIM of smaller text; PSNR and SSIM of a region that the text has left.
_ALL = (
    Corruption(
        "wrong-characters", "Characters wrong", "characters of the edited text replaced by others of their kind",
        (1, 2, 4, 8), "characters", retyped.wrong_characters, retyped.has_letters,
        both(*TEXTS, *IMAGES) | region("done"),
    ),
    Corruption(
        "blank", "Region blanked", "the right end of the edited block painted over",
        _SHARES, "of its width", pixels.blanked, pixels.has_target,
        both("iou", *TEXTS, *IMAGES),
    ),
    Corruption(
        "not-done", "Edit not done", "the page as it was before, for a share of the samples",
        _SHARES, "of samples", pixels.not_done, pixels.anyone,
        both("iou", *TEXTS, *IMAGES) | region("done"),
    ),
    Corruption(
        "done-again", "Edit done again", "the new text written once more, and once more",
        (1, 2, 3, 4), "times too often", retyped.done_again, retyped.has_copy,
        both(*TEXTS, *IMAGES) | region("done"),
    ),
    Corruption(
        "wrong-place", "Wrong place", "the edited block elsewhere, over whatever stands there",
        (0.02, 0.05, 0.1, 0.2), "of the diagonal", pixels.misplaced, pixels.has_target,
        both("iou") | whole(*IMAGES) | region(*TEXTS),
    ),
    Corruption(
        "shift", "Region shifted", "the edited block moved a little",
        (2, 4, 8, 16), "pixels", pixels.shifted, pixels.has_target,
        both("iou", *IMAGES),
    ),
    Corruption(
        "resize", "Region resized", "the edited block smaller, its top left corner kept",
        (0.95, 0.85, 0.7, 0.5), "of its size", pixels.resized, pixels.has_target,
        both("iou", "psnr"),
    ),
    Corruption(
        "neighbour-characters", "Neighbours wrong", "characters outside the edited block replaced",
        (1, 4, 16, 64), "characters", retyped.wrong_neighbours, retyped.has_neighbours,
        whole(*TEXTS, *IMAGES),
    ),
    Corruption(
        "neighbours-lost", "Neighbours lost", "blocks of text beside the edited one painted over",
        (1, 2, 4, 8), "blocks", pixels.neighbours_lost, pixels.may_lose_neighbours,
        whole("iou", *TEXTS, *IMAGES),
    ),
    Corruption(
        "font", "Font wrong", "a share of the edited block in another font",
        _SHARES, "of its text", retyped.wrong_font, retyped.is_text,
        both(*IMAGES),
    ),
    Corruption(
        "size", "Size wrong", "the edited block set larger",
        retyped.SIZES, "times", retyped.wrong_size, retyped.is_text,
        both("iou", *IMAGES),
    ),
    Corruption(
        "colour", "Colour wrong", "the edited block's ink mixed with a bright colour",
        _SHARES, "of the way", retyped.wrong_colour, retyped.is_text,
        both(*IMAGES),
    ),
    Corruption(
        "blur", "Region blurred", "the edited block out of focus",
        (0.5, 1, 2, 4), "pixels", pixels.blurred, pixels.has_target,
        both(*IMAGES),
    ),
    Corruption(
        "page-blur", "Page blurred", "the whole page out of focus",
        (0.5, 1, 2, 4), "pixels", pixels.page_blurred, pixels.anyone,
        both(*IMAGES),
    ),
    Corruption(
        "jpeg", "Page compressed", "the whole page after JPEG",
        (90, 60, 30, 10), "quality", pixels.page_compressed, pixels.anyone,
        both(*IMAGES),
    ),
)  # fmt: skip
CORRUPTIONS = {corruption.name: corruption for corruption in _ALL}


def get_corruption(name: str) -> Corruption:
    """The corruption of a name.

    >>> get_corruption("jpeg").levels
    (90, 60, 30, 10)
    """
    if name not in CORRUPTIONS:
        raise InputError(f"no corruption is called {name!r}; there are: {', '.join(CORRUPTIONS)}")
    return CORRUPTIONS[name]


def get_corruptions(names: Sequence[str]) -> list[Corruption]:
    """The corruptions of some names, or all."""
    return [get_corruption(name) for name in dict.fromkeys(names)] or list(CORRUPTIONS.values())
