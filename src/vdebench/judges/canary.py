"""The canary: a few generated edits of known quality that are graded in every judged run.

A judge that cannot distinguish a perfect edit from a wrong one here is reported as not trusted (`canary_quality`). The
images are small crops of dense pages, to be cheap: passing is necessary, not sufficient.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import cv2
import numpy as np

from vdebench.core.box import Box, Size
from vdebench.core.images import Image, PixelBox
from vdebench.core.sample import Operation, Sample
from vdebench.errors import VdeError
from vdebench.judges.canary_quality import GROUP
from vdebench.judges.canary_quality import judge_quality as judge_quality
from vdebench.suites.typeset.document import CELLS, Block, Document, Text
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.ground_truth import box_of, lines_of, tight_boxes
from vdebench.suites.typeset.language_rules import font_folders
from vdebench.suites.typeset.page_samples import TypesetSample, make_page
from vdebench.suites.typeset.recipe import SuiteRecipe
from vdebench.suites.typeset.typesetter import TypesetPage, Typesetter

CASES = ("perfect", "wrong_text", "wrong_place", "collateral", "nothing")
RIGHT: dict[str, dict[str, int]] = {
    "perfect": {"IF": 5, "TA": 5, "VC": 5, "LP": 5, "SE": 5},
    "wrong_text": {"IF": 3, "TA": 1, "VC": 5, "LP": 5, "SE": 2},
    "wrong_place": {"IF": 1, "TA": 1, "VC": 1, "LP": 2, "SE": 1},
    "collateral": {"IF": 4, "TA": 5, "VC": 5, "LP": 2, "SE": 5},
    "nothing": {"IF": 0, "TA": 0, "VC": 5, "LP": 5, "SE": 0},
}
"""Grades of a careful judge, within one level; `canary_quality` has the cases that must differ from `perfect`."""
_SEED = 7
_PPI = 110
_KINDS = ("academic_literature", "book", "research_report")
_WINDOW = (720, 440)
_PAGES_TRIED = 60


class _Page(NamedTuple):
    """A page to generate; `first` is the number of a page known to be suitable, to shorten the search."""

    name: str
    language: str
    operation: Operation
    first: int
    cases: tuple[str, ...] = CASES


_PAGES = (
    _Page("en-1", "en", Operation.TEXT_REPLACE, 15),
    _Page("zh-1", "zh", Operation.TEXT_REPLACE, 15),
    _Page("en-2", "en", Operation.TEXT_INSERT, 10, ("perfect", "wrong_text", "collateral")),
    _Page("zh-2", "zh", Operation.TEXT_INSERT, 4, ("perfect", "nothing")),
)


@dataclass(frozen=True, eq=False)
class CanaryCase:
    """Source page, output of known quality, reference and instruction."""

    name: str
    page: str
    sample: Sample
    source: Image
    output: Image
    reference: Image

    @property
    def key(self) -> str:
        """The key of its questions: `canary/wrong_text.en-1`."""
        return self.sample.key

    @property
    def instruction(self) -> str:
        """The instruction."""
        return self.sample.instruction

    @property
    def operation(self) -> Operation:
        """The operation."""
        return self.sample.operation

    @property
    def knowledge(self) -> str:
        """Expected consequences of the edit, for the dimension SE."""
        return str(self.sample.extra["knowledge"])

    @property
    def right(self) -> Mapping[str, int]:
        """Grades of a careful judge by dimension."""
        return RIGHT[self.name]


def canary_cases() -> list[CanaryCase]:
    """Return all cases, deterministic; takes two seconds once per process.

    >>> [case.key for case in canary_cases()][:2]
    ['canary/perfect.en-1', 'canary/wrong_text.en-1']
    """
    return list(_all_cases())


@cache
def _all_cases() -> tuple[CanaryCase, ...]:
    typesetter = Typesetter(_PPI, font_folders())
    return tuple(case for page in _PAGES for case in _cases(typesetter, page))


def _cases(typesetter: Typesetter, page: _Page) -> Iterator[CanaryCase]:
    recipe = SuiteRecipe(_SEED, (page.language,), (page.operation,), _KINDS, per_page=1, ppi=_PPI)
    numbers = range(page.first, page.first + _PAGES_TRIED)
    scenes = (_scene(typesetter, make_page(recipe, number, typesetter)[0]) for number in numbers)
    scene = next((scene for scene in scenes if scene is not None), None)
    if scene is None:
        raise VdeError(
            f"canary: none of {_PAGES_TRIED} {page.language} pages is suitable for {page.operation}: the typeset suite"
            " has changed; choose other pages in judges/canary.py"
        )
    outputs = {
        "perfect": scene.reference,
        "wrong_text": scene.wrong_text,
        "wrong_place": scene.wrong_place(),
        "collateral": scene.collateral(),
        "nothing": scene.source,
    }
    original = scene.sample
    for case in page.cases:
        sample = Sample(
            id=f"{case}.{page.name}",
            group=GROUP,
            instruction=original.instruction,
            operation=original.operation,
            language=original.language,
            source=original.source,
            extra={"knowledge": scene.knowledge},
        )
        source, output, reference = map(scene.crop, (scene.source, outputs[case], scene.reference))
        yield CanaryCase(case, page.name, sample, source, output, reference)


class _Scene(NamedTuple):
    """A suitable page: the edit and a neighbouring paragraph fit into one crop."""

    sample: Sample
    source: Image
    reference: Image
    wrong_text: Image
    new: Box
    neighbour: Box
    window: PixelBox
    knowledge: str

    def crop(self, image: Image) -> Image:
        """Return the crop of a page."""
        crop = np.ascontiguousarray(self.window.cut(image))
        crop.setflags(write=False)
        return crop

    def wrong_place(self) -> Image:
        """Return the source page with the new text pasted across the neighbour's lines."""
        image = self.source.copy()
        patch = _pixels(self.new, 3).cut(self.reference)
        height, width = patch.shape[:2]
        x = int(self.neighbour.x1 + self.neighbour.x2 - width) // 2
        y = int(self.neighbour.y1 + self.neighbour.y2) // 2  # from the middle line into the next
        image[y : y + height, x : x + width] = patch
        return image

    def collateral(self) -> Image:
        """Return the reference with the neighbour's text blurred, a typical artefact of editors."""
        image = self.reference.copy()
        part = _pixels(self.neighbour, 2).cut(image)
        part[:] = cv2.blur(part, (11, 7))
        return image


def _scene(typesetter: Typesetter, pair: TypesetSample) -> _Scene | None:
    """Return the scene of a sample; None if the sample is not suitable."""
    before, after = pair.documents
    edit = pair.proposal.edit
    if edit.action not in ("replace_text", "insert_text") or pair.sample.extra["moved_blocks"]:
        return None
    new, old = edit.arguments["new"].strip(), pair.proposal.quoted.get("target", "")
    wrong = garbled(edit.arguments["new"])
    letters = sum(letter.isalpha() for letter in new)
    if letters < 3 or len(new) > 24 or wrong.strip() in (new, old):  # at least a word: a wrong digit is easily missed
        return None
    with ExitStack() as sheets:

        def typeset(document: Document, heights: Mapping[Block, float]) -> TypesetPage:
            sheet = typesetter.print(document, heights=heights)
            sheets.callback(sheet.close)
            return sheet

        sheet = typeset(before, {})
        heights = sheet.heights(before)
        edited = typeset(after, heights)
        wrongly = typeset(
            DocumentEdit(edit.action, edit.block, {**edit.arguments, "new": wrong}).apply(before), heights
        )
        boxes = tight_boxes(after, edited, edit.places(before, after)[1])
        texts = [block for block in before.blocks if isinstance(block, Text)]
        match = _neighbour(sheet, before.block(edit.block), texts)
        if len(boxes) != 1 or match is None:
            return None
        neighbour, both = match
        images = sheet.image(), edited.image(), wrongly.image()
        return _Scene(pair.sample, *images, boxes[0], neighbour, _window(both, sheet.size), _knowledge(new, pair))


def _neighbour(sheet: TypesetPage, target: Block, blocks: list[Text]) -> tuple[Box, Box] | None:
    """Return the nearest paragraph of at least three lines that fits into the crop with the target, and their union."""
    own = box_of(sheet, target)
    candidates = []
    for block in blocks:
        box = box_of(sheet, block)
        both = Box.around([own, box])
        fits = both.x2 - both.x1 <= _WINDOW[0] - 20 and both.y2 - both.y1 <= _WINDOW[1] - 20
        if block.id != target.id and fits and len(lines_of(sheet, block.id * CELLS)) >= 3:
            candidates.append((both.area, block.id, box, both))
    return min(candidates)[2:] if candidates else None


def _window(box: Box, page: Size) -> PixelBox:
    """Return the crop around a box, within the page."""
    wide, high = min(_WINDOW[0], int(page.width)), min(_WINDOW[1], int(page.height))
    x = min(max(int((box.x1 + box.x2 - wide) / 2), 0), int(page.width) - wide)
    y = min(max(int((box.y1 + box.y2 - high) / 2), 0), int(page.height) - high)
    return PixelBox(x, y, x + wide, y + high)


def _pixels(box: Box, margin: int) -> PixelBox:
    return PixelBox(int(box.x1) - margin, int(box.y1) - margin, int(box.x2) + 1 + margin, int(box.y2) + 1 + margin)


def _knowledge(new: str, pair: TypesetSample) -> str:
    """Describe the expected result of the edit."""
    quoted = pair.proposal.quoted
    if "target" in quoted:
        return (
            f"After the edit the page reads “{new}” where it read “{quoted['target']}”, which no longer stands there."
        )
    return f"After the edit “{new}” stands directly behind “{quoted['anchor']}”, and nothing is lost around it."


def garbled(text: str) -> str:
    """Replace the digits and reverse every word: a wrong text of the same length.

    >>> garbled("8 September 2022"), garbled("（此前为88.2%）")
    ('1 rebmetpeS 5355', '（为前此11.5%）')
    """
    digits = str.maketrans("0123456789", "3456789012")
    return re.sub(r"[^\W\d_]+", lambda word: word[0][::-1], text).translate(digits)
