"""Outputs of an editor as they occur.

Each function makes an image from the workspace of a sample, or returns None where it does not apply.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import Image, PixelBox
from vdebench.studies.validity.document_corruptions import (
    done_again,
    has_copy,
    in_edited_text,
    letters_of,
    wrong_characters,
)
from vdebench.studies.validity.outputs.planted_words import Page, plant_words
from vdebench.studies.validity.pixel_edits import around, background, distorted, erased, moved_ink, smeared, with_ink
from vdebench.studies.validity.subject import CorruptionWorkspace, PrintedDocument, cached_typesetter
from vdebench.suites.typeset.document import CELLS, Chart, Document, Rule, Span, Text
from vdebench.suites.typeset.edits import EditPlace
from vdebench.suites.typeset.ground_truth import box_of, lines_of, tight_boxes
from vdebench.suites.typeset.language_rules import get_language
from vdebench.suites.typeset.typesetter import role_of
from vdebench.suites.typeset.words import Writer

_LONG = 60
"""Characters of a paragraph, at least; Chinese ones count twice."""
_VISIBLE = 32
"""Mean difference in grey levels of halves of characters that look different, at least."""


def wobbling(workspace: CorruptionWorkspace) -> Image:
    """The right edit with strokes that wobble by a third of a pixel."""
    image = workspace.reference.image
    height, width = image.shape[:2]
    return distorted(image, around(Box(0, 0, width, height), image), 0.35, 5, seed=1)


def cropped(workspace: CorruptionWorkspace, share: float = 0.88) -> Image:
    """The right edit without its right and bottom ends, enlarged to the size of the page."""
    image = workspace.reference.image
    height, width = image.shape[:2]
    part = image[: round(height * share), : round(width * share)]
    return np.asarray(cv2.resize(part, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


def source(workspace: CorruptionWorkspace) -> Image:
    """The page before the edit."""
    return workspace.typeset(workspace.subject.before).image


def _typeset(workspace: CorruptionWorkspace, document: Document) -> Image | None:
    """The page of a document; None if not all blocks fit."""
    printed = workspace.typeset(document)
    return printed.image if printed.document == document else None


def _edited_blocks(workspace: CorruptionWorkspace) -> set[int]:
    """Blocks that the edit changes."""
    target = workspace.subject.target
    return {workspace.subject.edit.block, *([target.id] if target else [])}


def _paragraphs(workspace: CorruptionWorkspace) -> list[Text]:
    """Paragraphs besides the edited one, in random order."""
    edited = _edited_blocks(workspace)
    texts = [block for block in workspace.subject.after.blocks if isinstance(block, Text) and block.id not in edited]
    long = [block for block in texts if sum(1 if letter.isascii() else 2 for letter in block.text) >= _LONG]
    return workspace.rng("paragraph").sample(long, len(long))


def _boxes(printed: PrintedDocument, places: Sequence[EditPlace]) -> list[Box]:
    visible = [place for place in places if place.number in printed.sheet.marks]
    return tight_boxes(printed.document, printed.sheet, visible)


def _new_boxes(workspace: CorruptionWorkspace) -> list[Box]:
    return _boxes(workspace.reference, workspace.subject.new_places)


def _deleted(workspace: CorruptionWorkspace) -> Iterator[tuple[Image, Box]]:
    """The source and the boxes of deleted text; empty for other edits."""
    subject = workspace.subject
    if subject.edit.action.startswith("delete") or subject.edit.arguments.get("new") == "":
        before = workspace.typeset(subject.before)
        yield from (
            (before.image, box) for box in _boxes(before, subject.edit.places(subject.before, subject.after)[0])
        )


# Faults in the words


def planted(workspace: CorruptionWorkspace, kind: str, count: int) -> Image | None:
    """Plant changes outside the edited block."""
    after = workspace.reference.document
    typesetter = cached_typesetter(round(workspace.reference.sheet.scale * 72))
    page = Page(0, "zh" if after.lang == "zh" else "en", after, typesetter)
    pair = plant_words(page, {kind: count}, workspace.rng(kind), _edited_blocks(workspace))
    return pair.after if len(pair.planted) == count else None


def wrong_character(workspace: CorruptionWorkspace) -> Image | None:
    """One wrong character in the edited text."""
    return wrong_characters(workspace, 1).image if in_edited_text(workspace.subject)[0] else None


def twice(workspace: CorruptionWorkspace) -> Image | None:
    """The new text twice."""
    return done_again(workspace, 1).image if has_copy(workspace.subject) else None


def elsewhere(workspace: CorruptionWorkspace) -> Image | None:
    """The new words in another paragraph of the source, in place of others."""
    new = str(workspace.subject.edit.arguments.get("new", ""))
    for block in _paragraphs(workspace) if new else ():
        if len(block.text) > len(new) + 10:
            start = block.text.find(" ", 5) + 1 or 5
            end = block.text.find(" ", start + len(new))
            changed = block.with_text(start, end if end > 0 else start + len(new), new)
            return _typeset(workspace, workspace.subject.before.with_block(block.id, changed))
    return None


def lost_paragraph(workspace: CorruptionWorkspace) -> Image | None:
    """A paragraph elsewhere is gone."""
    printed = workspace.reference
    for block in _paragraphs(workspace)[:1]:
        lines = lines_of(printed.sheet, block.id * CELLS)
        return erased(printed.image, *(around(line, printed.image) for line in lines))
    return None


def more_paragraphs(workspace: CorruptionWorkspace, hallucinated: bool) -> Image | None:
    """A paragraph repeated below itself, or followed by one that nobody asked for."""
    document = workspace.subject.after
    for block in _paragraphs(workspace):
        language = get_language("zh" if document.lang == "zh" else "en")
        writer = Writer(language, workspace.rng("hallucinated"), document.topic)
        text = writer.sentence(language.code).text if hallucinated else block.text
        more = Text(document.next_id, block.role, (Span(text),), block.align)
        image = _typeset(workspace, document.with_block(block.id, block, more))
        if image is not None:
            return image
    return None


def malformed(workspace: CorruptionWorkspace) -> Image | None:
    """The right half of a character elsewhere exchanged for that of another which looks different."""
    printed, edited, rng = workspace.reference, _edited_blocks(workspace), workspace.rng("malformed")
    blocks = [block for block in printed.document.blocks if isinstance(block, Text) and block.id not in edited]
    letters = [(block, letter.at) for block in blocks for letter in letters_of(block)]
    image, glyphs = printed.image.copy(), list[PixelBox]()
    for block, at in rng.sample(letters, min(len(letters), 10)):
        boxes = printed.sheet.part(block.id * CELLS, block.text, at, at + 1)
        glyphs += [around(box, image) for box in boxes]
    for other in glyphs[1:]:
        one, half = glyphs[0], other.cut(image)[:, (other.x2 - other.x1) // 2 :]
        middle = (one.x1 + one.x2) // 2
        new = cv2.resize(np.ascontiguousarray(half), (one.x2 - middle, one.y2 - one.y1))
        old = image[one.y1 : one.y2, middle : one.x2]
        if np.abs(new.astype(int) - old).mean() >= _VISIBLE:
            image[one.y1 : one.y2, middle : one.x2] = new
            return image
    return None


def garbled(workspace: CorruptionWorkspace, new: bool) -> Image | None:
    """The new words, or a paragraph elsewhere, in shapes that are no letters."""
    printed = workspace.reference
    boxes = _new_boxes(workspace) if new else [box_of(printed.sheet, block) for block in _paragraphs(workspace)[:1]]
    image, lines = printed.image, _paragraphs(workspace)[:1]
    height = boxes[0].y2 - boxes[0].y1 if boxes else 0.0
    if not new and lines:
        first = lines_of(printed.sheet, lines[0].id * CELLS)[0]
        height = first.y2 - first.y1
    for index, box in enumerate(boxes):
        image = distorted(image, around(box, image), 0.14 * height, 0.2 * height, seed=index)
    return image if boxes else None


# Faults of style


def styled(workspace: CorruptionWorkspace, **changes: Any) -> Image | None:
    """The new words in another style."""
    target = workspace.subject.text_target
    if target is None or not workspace.subject.new_places:
        return None
    style = workspace.subject.after.styles[target.role]
    if changes.get("font"):
        changes["font"] = "serif" if style.font in ("sans", "mono") else "sans"
    if changes.get("bold") and style.bold:
        return None
    for place in workspace.subject.new_places:
        target = target.with_style(place.start, len(target.text) if place.end is None else place.end, **changes)
    return _typeset(workspace, workspace.subject.after.with_block(target.id, target))


def off_line(workspace: CorruptionWorkspace) -> Image | None:
    """The new words half a line too low."""
    boxes, target = _new_boxes(workspace), workspace.subject.target
    if not boxes or target is None:
        return None
    style = workspace.subject.after.styles[role_of(target)]
    line = (1 + style.leading) * style.size * workspace.reference.sheet.scale
    return moved_ink(workspace.reference.image, boxes, 0, 0.5 * line)


def off_page(workspace: CorruptionWorkspace) -> Image | None:
    """The new words in the margin, cut off by the edge of the page."""
    boxes = _new_boxes(workspace)[:1]
    if not boxes:
        return None
    return moved_ink(workspace.reference.image, boxes, -boxes[0].x1 - 0.3 * (boxes[0].x2 - boxes[0].x1), 0)


def overlapping(workspace: CorruptionWorkspace) -> Image | None:
    """The new words over the old ones, which are still there."""
    subject, image = workspace.subject, source(workspace)
    old = subject.edit.places(subject.before, subject.after)[0]
    new = _new_boxes(workspace)
    if subject.edit.action not in ("replace_text", "set_cell") or not old or not new:
        return None
    reference = workspace.reference.image
    for box in new:
        place = around(box, reference)
        image = with_ink(image, place.cut(reference), background(reference, place), place.x1, place.y1)
    return image


def ghost(workspace: CorruptionWorkspace, share: float) -> Image | None:
    """A share of the deleted text's ink is still there."""
    image = workspace.reference.image
    deleted = list(_deleted(workspace))
    for before, box in deleted:
        place = around(box, before)
        paper = background(before, place)
        faint = paper + share * (place.cut(before).astype(float) - paper)
        image = with_ink(image, np.asarray(np.round(faint), np.uint8), paper, place.x1, place.y1)
    return image if deleted else None


def smear(workspace: CorruptionWorkspace) -> Image | None:
    """The deleted text is wiped to a grey band."""
    image = workspace.reference.image
    deleted = list(_deleted(workspace))
    for before, box in deleted:
        place = around(box, before)
        image = with_ink(image, smeared(place.cut(before)), background(before, place), place.x1, place.y1)
    return image if deleted else None


def set_anew(workspace: CorruptionWorkspace) -> Image | None:
    """The same words in another font and a little smaller, so that lines break elsewhere."""
    document = workspace.subject.after
    styles = {
        role: replace(style, font="sans" if style.font in ("serif", "modern") else "serif", size=style.size * 0.94)
        for role, style in document.styles.items()
    }
    return _typeset(workspace, replace(document, styles=styles))


def lost_figure(workspace: CorruptionWorkspace) -> Image | None:
    """A chart, or a rule between blocks, is gone."""
    printed = workspace.reference
    figures = [block for block in printed.document.blocks if isinstance(block, Chart | Rule)]
    for block in sorted(figures, key=lambda block: isinstance(block, Rule))[:1]:
        return erased(printed.image, around(printed.sheet.marks[block.id * CELLS].box, printed.image))
    return None
