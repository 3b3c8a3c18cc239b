"""Difficulty of samples: those attributes of TextEditBench that can be computed, and their agreement with annotators.

Font, surface, occlusion and context need human judgement and are not estimated. docs/textedit.md has the results.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import regex
from numpy.typing import NDArray

from vdebench.core.difficulty import ATTRIBUTES
from vdebench.core.images import Image
from vdebench.core.page_text import PageText
from vdebench.core.sample import Operation, Sample
from vdebench.errors import VdeError
from vdebench.io.images import open_image
from vdebench.suites.suite import Suite

Mask = NDArray[np.bool_]
ReadPage = Callable[[Path], PageText]
MASK_THRESHOLD = 128
MIN_REGION_AREA = 50
"""In pixels; smaller parts of a mask are JPEG artefacts."""
MIN_COVERED = 0.3
"""Share of a block that the mask must cover for its text to count as edited."""
WORD_LIMITS = (2, 3)
"""Up to two words are short, more than three long. The paper says four, but its annotators call four words long."""
BAND_WIDTH = 40 / 1024
"""Width of the band around the mask in which the background is measured, as a share of the image's longer side."""
ENTROPY_LIMITS = (4.4, 5.25)
"""Entropy of the background's grey values, in bits, above which it is moderate, and cluttered."""
_GEOMETRIC = (Operation.TEXT_RELOCATION, Operation.SCALING, Operation.TEXT_ATTRIBUTE, Operation.TABLE_STRUCTURE)
_SEMANTIC = re.compile(r"translat|correct|\bfix\b|err?or|mistake|spelling|synonym|rotat", re.IGNORECASE)
_QUOTED = re.compile(r"(?<!\w)['\"‘“](.+?)['\"’”](?!\w)")
_LATIN = regex.compile(r"\p{Script=Latin}")
_OTHER = regex.compile(r"(?!\p{Script=Latin})\p{L}")
_HAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")


def estimate(
    sample: Sample, image: Image, masks: Sequence[Mask], page_texts: Sequence[PageText] = ()
) -> dict[str, int]:
    """Estimate the attributes that can be computed, each from 0 to 2.

    `page_texts` is the OCR output of the page before the edit and, if known, after it.

    >>> sample = Sample("1", "web", "Delete 'NO PARKING'", Operation.TEXT_DELETE)
    >>> page, mask = np.full((64, 64, 3), 255, np.uint8), np.zeros((64, 64), bool)
    >>> mask[8:20, 8:56] = True
    >>> estimate(sample, page, [mask])
    {'num_text_regions': 0, 'text_length': 0, 'language': 0, 'background_clutter': 0, 'task_category': 0}
    """
    masks = [_resize_mask(mask, image) for mask in masks]
    edited = np.logical_or.reduce(masks) if masks else None
    quoted = " ".join(_QUOTED.findall(sample.instruction))
    levels: dict[str, int] = {}
    if edited is not None and edited.any():
        regions = max(map(count_regions, masks))
        levels["num_text_regions"] = 0 if regions <= 1 else 1 if regions <= 3 else 2
    if quoted:
        levels["text_length"] = _level(count_words(quoted), WORD_LIMITS)
    elif page_texts and edited is not None:
        levels["text_length"] = _level(
            max(count_words(text_inside(page_text, edited)) for page_text in page_texts), WORD_LIMITS
        )
    text = " ".join(block.plain_text for page_text in page_texts for block in page_text.blocks) or quoted
    if text:
        levels["language"] = _language(text)
    if edited is not None and edited.any():
        levels["background_clutter"] = _level(background_entropy(image, edited), ENTROPY_LIMITS)
    if sample.operation not in (Operation.NONE, Operation.OTHER):
        is_semantic = _SEMANTIC.search(sample.instruction) is not None
        levels["task_category"] = 2 if is_semantic else int(sample.operation in _GEOMETRIC)
    if "knowledge" in sample.extra:
        levels["semantic_linkage"] = 2 if sample.extra["knowledge"] else 0
    return levels


def _level(value: float, limits: tuple[float, float]) -> int:
    return sum(value > limit for limit in limits)


def _resize_mask(mask: Mask, image: Image) -> Mask:
    height, width = image.shape[:2]
    if mask.shape == (height, width):
        return mask
    return cv2.resize(mask.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST) > 0


def count_regions(mask: Mask) -> int:
    """Count the connected parts of a mask, without artefacts.

    >>> mask = np.zeros((40, 40), bool)
    >>> mask[:10, :10] = mask[20:30, 20:30] = mask[39, 39] = True
    >>> count_regions(mask)
    2
    """
    _, _, facts, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return int((facts[1:, cv2.CC_STAT_AREA] >= MIN_REGION_AREA).sum())


def count_words(text: str) -> float:
    """Count words; two Chinese or Japanese characters count as one word.

    >>> count_words("FAST DELIVERY!"), count_words("城市漫步 tour")
    (2.0, 3.0)
    """
    return len(_HAN.findall(text)) / 2 + len(re.findall(r"\w[\w'’.-]*", _HAN.sub(" ", text)))


def text_inside(page_text: PageText, mask: Mask) -> str:
    """Return the text of the blocks that a mask covers."""
    height, width = mask.shape
    across = width / page_text.size.width if page_text.size else 1.0
    down = height / page_text.size.height if page_text.size else 1.0
    texts = []
    for block in page_text.blocks:
        x1, x2 = (max(0, round(side * across)) for side in (block.box.x1, block.box.x2))
        y1, y2 = (max(0, round(side * down)) for side in (block.box.y1, block.box.y2))
        part = mask[y1:y2, x1:x2]
        if part.size and part.mean() > MIN_COVERED:
            texts.append(block.plain_text)
    return " ".join(texts)


def _language(text: str) -> int:
    """0 for Latin script, 1 for another, 2 for both; a single letter of another script counts as an OCR error."""
    if len(_OTHER.findall(text)) < 2:
        return 0
    return 2 if _LATIN.search(text) else 1


def background_entropy(image: Image, mask: Mask) -> float:
    """Entropy in bits of the grey values (64 levels) in a band around the mask."""
    reach = 2 * round(BAND_WIDTH * max(mask.shape)) + 1
    near = cv2.dilate(mask.astype(np.uint8), np.ones((reach, reach), np.uint8)) > 0
    band = near & ~mask
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)[band if band.any() else near]
    counts = np.bincount(grey // 4, minlength=64)
    shares = counts[counts > 0] / grey.size
    return float(-(shares * np.log2(shares)).sum())


class EstimatedDifficulty(NamedTuple):
    """Attributes of a sample as annotated and as estimated, or why the estimate failed."""

    sample: Sample
    stated: dict[str, int]
    estimated: dict[str, int]
    failure: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        data = {"sample": self.sample.key, "stated": self.stated, "estimated": self.estimated}
        return data | ({"failure": self.failure} if self.failure else {})


def estimate_suite(suite: Suite, read: ReadPage | None = None) -> Iterator[EstimatedDifficulty]:
    """Estimate each sample of a suite; `read` reads images if the suite has no OCR output of its own."""
    for sample in suite:
        annotated = sample.extra.get("difficulty")
        values = annotated.items() if isinstance(annotated, dict) else ()
        stated = {name: value for name, value in values if value in (0, 1, 2)}
        try:
            yield EstimatedDifficulty(sample, stated, _estimate_files(suite, sample, read))
        except VdeError as error:
            yield EstimatedDifficulty(sample, stated, {}, str(error))


def _estimate_files(suite: Suite, sample: Sample, read: ReadPage | None) -> dict[str, int]:
    files = suite.image_files(sample)
    image = files.source or files.reference
    if image is None:
        return estimate(sample, np.zeros((1, 1, 3), np.uint8), [], _page_texts(suite, sample, read))
    masks = [open_mask(file) for file in suite.mask_files(sample)]
    return estimate(sample, open_image(image), masks, _page_texts(suite, sample, read))


def _page_texts(suite: Suite, sample: Sample, read: ReadPage | None) -> list[PageText]:
    if suite.provides_text(sample):
        source = suite.source(sample)
        return [page_text for page_text in (source, suite.ground_truth(sample)) if page_text is not None]
    files = suite.image_files(sample)
    return [read(file) for file in (files.source, files.reference) if read and file]


def open_mask(file: Path) -> Mask:
    """Read a mask; white pixels are True."""
    return cv2.cvtColor(open_image(file), cv2.COLOR_RGB2GRAY) >= MASK_THRESHOLD


class AttributeAgreement(NamedTuple):
    """How often estimates equal the annotations, and how often the most common value would."""

    samples: int
    exact: float
    within_one: float
    commonest: float
    commonest_within_one: float


def agreement(pairs: Iterable[tuple[int, int]]) -> AttributeAgreement | None:
    """Agreement of stated and estimated values, or None without values.

    >>> agreement([(0, 0), (0, 1), (2, 2), (0, 2)])
    AttributeAgreement(samples=4, exact=0.5, within_one=0.75, commonest=0.75, commonest_within_one=0.75)
    """
    both = list(pairs)
    if not both:
        return None
    commonest = Counter(stated for stated, _ in both).most_common(1)[0][0]
    return AttributeAgreement(
        len(both),
        sum(stated == guess for stated, guess in both) / len(both),
        sum(abs(stated - guess) <= 1 for stated, guess in both) / len(both),
        sum(stated == commonest for stated, _ in both) / len(both),
        sum(abs(stated - commonest) <= 1 for stated, _ in both) / len(both),
    )


def agreement_by_attribute(estimates: Sequence[EstimatedDifficulty]) -> dict[str, AttributeAgreement]:
    """Agreement for each attribute that is both stated and estimated for some sample."""
    agreements = {}
    for name in ATTRIBUTES:
        both = [one for one in estimates if name in one.stated and name in one.estimated]
        if result := agreement((one.stated[name], one.estimated[name]) for one in both):
            agreements[name] = result
    return agreements
