"""All corruptions, with their levels and the metrics of `strict` that must fall."""

from __future__ import annotations

from collections.abc import Sequence

from vdebench.errors import InputError
from vdebench.registry import unknown_name
from vdebench.studies.validity import document_corruptions, pixel_corruptions
from vdebench.studies.validity.corruption import IMAGES, TEXTS, Corruption, both, region, whole

_SHARES = (0.25, 0.5, 0.75, 1.0)
# Metrics that cannot fall are not required to, see docs/validity.md: `done` of a region that is already wrong and is
# blanked further; SSIM of smaller text; PSNR and SSIM of a region that the text has left.
_ALL = (
    Corruption(
        "wrong-characters", "Characters wrong", "characters of the edited text replaced by others of their kind",
        (1, 2, 4, 8), "characters", document_corruptions.wrong_characters, document_corruptions.has_letters,
        both(*TEXTS, *IMAGES) | region("done"),
    ),
    Corruption(
        "blank", "Region blanked", "the right end of the edited block painted over",
        _SHARES, "of its width", pixel_corruptions.blanked, pixel_corruptions.has_target,
        both("iou", *TEXTS, *IMAGES),
    ),
    Corruption(
        "not-done", "Edit not done", "the page as it was before, for a share of the samples",
        _SHARES, "of samples", pixel_corruptions.not_done, pixel_corruptions.always,
        both("iou", *TEXTS, *IMAGES) | region("done"),
    ),
    Corruption(
        "done-again", "Edit done again", "the new text written once more, and once more",
        (1, 2, 3, 4), "times too often", document_corruptions.done_again, document_corruptions.has_copy,
        both(*TEXTS, *IMAGES) | region("done"),
    ),
    Corruption(
        "wrong-place", "Wrong place", "the edited block elsewhere, over whatever stands there",
        (0.02, 0.05, 0.1, 0.2), "of the diagonal", pixel_corruptions.misplaced, pixel_corruptions.has_target,
        both("iou") | whole(*IMAGES) | region(*TEXTS),
    ),
    Corruption(
        "shift", "Region shifted", "the edited block moved a little",
        (2, 4, 8, 16), "pixels", pixel_corruptions.shifted, pixel_corruptions.has_target,
        both("iou", *IMAGES),
    ),
    Corruption(
        "resize", "Region resized", "the edited block smaller, its top left corner kept",
        (0.95, 0.85, 0.7, 0.5), "of its size", pixel_corruptions.resized, pixel_corruptions.has_target,
        both("iou", "psnr"),
    ),
    Corruption(
        "neighbour-characters", "Neighbours wrong", "characters outside the edited block replaced",
        (1, 4, 16, 64), "characters", document_corruptions.wrong_neighbours, document_corruptions.has_neighbours,
        whole(*TEXTS, *IMAGES),
    ),
    Corruption(
        "neighbours-lost", "Neighbours lost", "blocks of text beside the edited one painted over",
        (1, 2, 4, 8), "blocks", pixel_corruptions.neighbours_lost, pixel_corruptions.may_lose_neighbours,
        whole("iou", *TEXTS, *IMAGES),
    ),
    Corruption(
        "font", "Font wrong", "a share of the edited block in another font",
        _SHARES, "of its text", document_corruptions.wrong_font, document_corruptions.is_text,
        both(*IMAGES),
    ),
    Corruption(
        "size", "Size wrong", "the edited block set larger",
        document_corruptions.SIZES, "times", document_corruptions.wrong_size, document_corruptions.is_text,
        both("iou", *IMAGES),
    ),
    Corruption(
        "colour", "Colour wrong", "the edited block's ink mixed with a bright colour",
        _SHARES, "of the way", document_corruptions.wrong_colour, document_corruptions.is_text,
        both(*IMAGES),
    ),
    Corruption(
        "blur", "Region blurred", "the edited block out of focus",
        (0.5, 1, 2, 4), "pixels", pixel_corruptions.region_blurred, pixel_corruptions.has_target,
        both(*IMAGES),
    ),
    Corruption(
        "page-blur", "Page blurred", "the whole page out of focus",
        (0.5, 1, 2, 4), "pixels", pixel_corruptions.page_blurred, pixel_corruptions.always,
        both(*IMAGES),
    ),
    Corruption(
        "jpeg", "Page compressed", "the whole page after JPEG",
        (90, 60, 30, 10), "quality", pixel_corruptions.page_compressed, pixel_corruptions.always,
        both(*IMAGES),
    ),
)  # fmt: skip
CORRUPTIONS = {corruption.name: corruption for corruption in _ALL}


def get_corruption(name: str) -> Corruption:
    """The corruption with a name.

    >>> get_corruption("jpeg").levels
    (90, 60, 30, 10)
    """
    if name not in CORRUPTIONS:
        raise InputError(unknown_name("corruption", name, CORRUPTIONS))
    return CORRUPTIONS[name]


def get_corruptions(names: Sequence[str]) -> list[Corruption]:
    """The corruptions with some names, or all."""
    return [get_corruption(name) for name in dict.fromkeys(names)] or list(CORRUPTIONS.values())
