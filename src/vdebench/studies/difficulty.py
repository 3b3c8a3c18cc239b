"""How hard new samples are: the attributes of TextEditBench that can be computed, and how well they agree with people.

Font, surface, occlusion and context are for people to judge: nothing is said of them. docs/textedit.md has the figures.
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
Read = Callable[[Path], PageText]
WHITE = 128
SMALLEST_REGION = 50
"""Pixels: less is a speck that JPEG has left."""
INSIDE = 0.3
"""Share of a block's box that must be white for its text to count as edited."""
WORDS = (2, 3)
"""Up to two words are short, more than three long: the paper says four, its annotators call four words long."""
AROUND = 40 / 1024
"""How far around the mask the background is looked at, as a share of the image's longer side."""
CLUTTER = (4.4, 5.25)
"""Bits of the background's grey values beyond which it is moderate, and cluttered."""
_GEOMETRIC = (Operation.TEXT_RELOCATION, Operation.SCALING, Operation.TEXT_ATTRIBUTE, Operation.TABLE_STRUCTURE)
_SEMANTIC = re.compile(r"translat|correct|\bfix\b|err?or|mistake|spelling|synonym|rotat", re.IGNORECASE)
_QUOTED = re.compile(r"(?<!\w)['\"‘“](.+?)['\"’”](?!\w)")
_LATIN = regex.compile(r"\p{Script=Latin}")
_OTHER = regex.compile(r"(?!\p{Script=Latin})\p{L}")
_HAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")


def estimate(sample: Sample, image: Image, masks: Sequence[Mask], readings: Sequence[PageText] = ()) -> dict[str, int]:
    """Each attribute that can be computed, 0 to 2; `readings` are of the page before the edit, and after it if known.

    >>> sample = Sample("1", "web", "Delete 'NO PARKING'", Operation.TEXT_DELETE)
    >>> page, mask = np.full((64, 64, 3), 255, np.uint8), np.zeros((64, 64), bool)
    >>> mask[8:20, 8:56] = True
    >>> estimate(sample, page, [mask])
    {'num_text_regions': 0, 'text_length': 0, 'language': 0, 'background_clutter': 0, 'task_category': 0}
    """
    masks = [_fitted(mask, image) for mask in masks]
    edited = np.logical_or.reduce(masks) if masks else None
    quoted = " ".join(_QUOTED.findall(sample.instruction))
    found: dict[str, int] = {}
    if edited is not None and edited.any():
        regions = max(map(count_regions, masks))
        found["num_text_regions"] = 0 if regions <= 1 else 1 if regions <= 3 else 2
    if quoted:
        found["text_length"] = _step(count_words(quoted), WORDS)
    elif readings and edited is not None:
        found["text_length"] = _step(max(count_words(text_inside(reading, edited)) for reading in readings), WORDS)
    seen = " ".join(block.plain_text for reading in readings for block in reading.blocks) or quoted
    if seen:
        found["language"] = _language(seen)
    if edited is not None and edited.any():
        found["background_clutter"] = _step(background_entropy(image, edited), CLUTTER)
    if sample.operation not in (Operation.NONE, Operation.OTHER):
        is_semantic = _SEMANTIC.search(sample.instruction) is not None
        found["task_category"] = 2 if is_semantic else int(sample.operation in _GEOMETRIC)
    if "knowledge" in sample.extra:
        found["semantic_linkage"] = 2 if sample.extra["knowledge"] else 0
    return found


def _step(value: float, limits: tuple[float, float]) -> int:
    return sum(value > limit for limit in limits)


def _fitted(mask: Mask, image: Image) -> Mask:
    height, width = image.shape[:2]
    if mask.shape == (height, width):
        return mask
    return cv2.resize(mask.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST) > 0


def count_regions(mask: Mask) -> int:
    """Connected white parts that are more than specks.

    >>> mask = np.zeros((40, 40), bool)
    >>> mask[:10, :10] = mask[20:30, 20:30] = mask[39, 39] = True
    >>> count_regions(mask)
    2
    """
    _, _, facts, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return int((facts[1:, cv2.CC_STAT_AREA] >= SMALLEST_REGION).sum())


def count_words(text: str) -> float:
    """Words; two characters of Chinese or Japanese count as one.

    >>> count_words("FAST DELIVERY!"), count_words("城市漫步 tour")
    (2.0, 3.0)
    """
    return len(_HAN.findall(text)) / 2 + len(re.findall(r"\w[\w'’.-]*", _HAN.sub(" ", text)))


def text_inside(reading: PageText, mask: Mask) -> str:
    """What is written in the blocks of which enough is white."""
    height, width = mask.shape
    across = width / reading.size.width if reading.size else 1.0
    down = height / reading.size.height if reading.size else 1.0
    texts = []
    for block in reading.blocks:
        x1, x2 = (max(0, round(side * across)) for side in (block.box.x1, block.box.x2))
        y1, y2 = (max(0, round(side * down)) for side in (block.box.y1, block.box.y2))
        part = mask[y1:y2, x1:x2]
        if part.size and part.mean() > INSIDE:
            texts.append(block.plain_text)
    return " ".join(texts)


def _language(text: str) -> int:
    """0 for English, 1 for another script, 2 for both; a single strange letter is the reader's mistake."""
    if len(_OTHER.findall(text)) < 2:
        return 0
    return 2 if _LATIN.search(text) else 1


def background_entropy(image: Image, mask: Mask) -> float:
    """Bits of the grey values, in 64 steps, of a band around the mask."""
    reach = 2 * round(AROUND * max(mask.shape)) + 1
    near = cv2.dilate(mask.astype(np.uint8), np.ones((reach, reach), np.uint8)) > 0
    band = near & ~mask
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)[band if band.any() else near]
    counts = np.bincount(grey // 4, minlength=64)
    shares = counts[counts > 0] / grey.size
    return float(-(shares * np.log2(shares)).sum())


class EstimatedDifficulty(NamedTuple):
    """A sample's attributes as people have put them down, and as they were computed; or why they were not."""

    sample: Sample
    stated: dict[str, int]
    estimated: dict[str, int]
    failure: str = ""

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        told = {"sample": self.sample.key, "stated": self.stated, "estimated": self.estimated}
        return told | ({"failure": self.failure} if self.failure else {})


def estimate_suite(suite: Suite, read: Read | None = None) -> Iterator[EstimatedDifficulty]:
    """Each sample of a suite; `read` reads images where the suite has no readings of its own."""
    for sample in suite:
        told = sample.extra.get("difficulty")
        stated = {name: value for name, value in told.items() if value in (0, 1, 2)} if isinstance(told, dict) else {}
        try:
            yield EstimatedDifficulty(sample, stated, _estimate_files(suite, sample, read))
        except VdeError as error:
            yield EstimatedDifficulty(sample, stated, {}, str(error))


def _estimate_files(suite: Suite, sample: Sample, read: Read | None) -> dict[str, int]:
    files = suite.image_files(sample)
    image = files.source or files.reference
    if image is None:
        return estimate(sample, np.zeros((1, 1, 3), np.uint8), [], _readings(suite, sample, read))
    masks = [open_mask(file) for file in suite.mask_files(sample)]
    return estimate(sample, open_image(image), masks, _readings(suite, sample, read))


def _readings(suite: Suite, sample: Sample, read: Read | None) -> list[PageText]:
    if suite.provides_text(sample):
        source = suite.source(sample)
        return [reading for reading in (source, suite.ground_truth(sample)) if reading is not None]
    files = suite.image_files(sample)
    return [read(file) for file in (files.source, files.reference) if read and file]


def open_mask(file: Path) -> Mask:
    """Where an image is white."""
    return cv2.cvtColor(open_image(file), cv2.COLOR_RGB2GRAY) >= WHITE


class AttributeAgreement(NamedTuple):
    """How often an estimate is what people have put down, and how often the commonest value would be."""

    samples: int
    exact: float
    within_one: float
    commonest: float
    commonest_within_one: float


def agreement(pairs: Iterable[tuple[int, int]]) -> AttributeAgreement | None:
    """Agreement of stated and estimated values, nothing where there are none.

    >>> agreement([(0, 0), (0, 1), (2, 2), (0, 2)])
    AttributeAgreement(samples=4, exact=0.5, within_one=0.75, commonest=0.75, commonest_within_one=0.75)
    """
    both = list(pairs)
    if not both:
        return None
    usual = Counter(stated for stated, _ in both).most_common(1)[0][0]
    return AttributeAgreement(
        len(both),
        sum(stated == guess for stated, guess in both) / len(both),
        sum(abs(stated - guess) <= 1 for stated, guess in both) / len(both),
        sum(stated == usual for stated, _ in both) / len(both),
        sum(abs(stated - usual) <= 1 for stated, _ in both) / len(both),
    )


def agreement_by_attribute(found: Sequence[EstimatedDifficulty]) -> dict[str, AttributeAgreement]:
    """Agreement on each attribute that is both stated and estimated somewhere."""
    agreements = {}
    for name in ATTRIBUTES:
        both = [one for one in found if name in one.stated and name in one.estimated]
        if got := agreement((one.stated[name], one.estimated[name]) for one in both):
            agreements[name] = got
    return agreements
