"""Corruptions of the pixels, with matching ground truth."""

from __future__ import annotations

import math

import cv2
import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import PixelBox
from vdebench.studies.validity.moved_ink import movable_sheet, move, wipe
from vdebench.studies.validity.page_transformations import blurred, compressed
from vdebench.studies.validity.pixel_edits import around, erased
from vdebench.studies.validity.subject import CorruptedPage, CorruptionWorkspace, Image, LadderSample, PrintedDocument
from vdebench.suites.typeset.document import Text
from vdebench.suites.typeset.ground_truth import box_of

_MIN_TEXTS = 9
"""Smallest number of text blocks on a page that can lose eight neighbours."""


def always(subject: LadderSample) -> bool:
    """Corruptions of whole pages apply to every sample."""
    return True


def has_target(subject: LadderSample) -> bool:
    """Whether the edited block exists after the edit."""
    return subject.target is not None


def not_done(workspace: CorruptionWorkspace, share: float) -> CorruptedPage:
    """The page before the edit, for a share of the samples; higher levels include those of lower ones."""
    undone = workspace.rng("not done").random() < share
    return workspace.page(workspace.typeset(workspace.subject.before) if undone else workspace.reference)


def shifted(workspace: CorruptionWorkspace, pixels: float) -> CorruptedPage:
    """Move the edited block by some pixels in the direction with most room."""
    return _move(workspace, pixels)


def misplaced(workspace: CorruptionWorkspace, share: float) -> CorruptedPage:
    """Move the edited block elsewhere on the page, over other content."""
    return _move(workspace, share * workspace.reference.sheet.size.diagonal)


def _move(workspace: CorruptionWorkspace, distance: float) -> CorruptedPage:
    printed, box = workspace.reference, _rectangle(workspace)
    height, width = printed.image.shape[:2]
    room = {(0, 1): height - box.y2, (0, -1): box.y1, (1, 0): width - box.x2, (-1, 0): box.x1}
    (dx, dy), limit = max(room.items(), key=lambda direction: direction[1])
    distance_moved = round(min(distance, limit))
    return _paste(workspace, box.cut(printed.image), box.x1 + dx * distance_moved, box.y1 + dy * distance_moved)


def resized(workspace: CorruptionWorkspace, factor: float) -> CorruptedPage:
    """Shrink the edited block; its top left corner stays."""
    box = _rectangle(workspace)
    piece = box.cut(workspace.reference.image)
    size = (max(1, round(piece.shape[1] * factor)), max(1, round(piece.shape[0] * factor)))
    return _paste(
        workspace, np.asarray(cv2.resize(piece, size, interpolation=cv2.INTER_AREA), np.uint8), box.x1, box.y1
    )


def _paste(workspace: CorruptionWorkspace, piece: Image, x: int, y: int) -> CorruptedPage:
    """Remove the edited block and paste its image at (x, y), over other content."""
    printed, target, box = workspace.reference, workspace.subject.target, _rectangle(workspace)
    assert target is not None
    image = erased(printed.image, box)
    image[y : y + piece.shape[0], x : x + piece.shape[1]] = piece
    x_scale, y_scale = piece.shape[1] / (box.x2 - box.x1), piece.shape[0] / (box.y2 - box.y1)

    def change(old: Box) -> Box:
        return Box(
            *(
                side
                for left, top in ((old.x1, old.y1), (old.x2, old.y2))
                for side in (x + (left - box.x1) * x_scale, y + (top - box.y1) * y_scale)
            )
        )

    sheet = movable_sheet(printed.document, printed.sheet)
    move(sheet, target.id, change)
    covered = Box(x, y, x + piece.shape[1], y + piece.shape[0])
    document = wipe(printed.document, sheet, covered, lambda block: block != target.id)
    return workspace.page(PrintedDocument(document, sheet, image))


def blanked(workspace: CorruptionWorkspace, share: float) -> CorruptedPage:
    """Paint over the right end of the edited block, a share of its width."""
    printed, target, box = workspace.reference, workspace.subject.target, _rectangle(workspace)
    assert target is not None
    cut = box._replace(x1=box.x2 - math.ceil(share * (box.x2 - box.x1)))
    sheet = movable_sheet(printed.document, printed.sheet)
    document = wipe(printed.document, sheet, Box(*cut), lambda block: block == target.id)
    return workspace.page(PrintedDocument(document, sheet, erased(printed.image, cut, like=box)))


def region_blurred(workspace: CorruptionWorkspace, sigma: float) -> CorruptedPage:
    """Blur the edited block."""
    printed, box = workspace.reference, _rectangle(workspace)
    image = printed.image.copy()
    image[box.y1 : box.y2, box.x1 : box.x2] = blurred(box.cut(image), sigma)
    return workspace.page(printed._replace(image=image))


def page_blurred(workspace: CorruptionWorkspace, sigma: float) -> CorruptedPage:
    """Blur the whole page."""
    printed = workspace.reference
    return workspace.page(printed._replace(image=blurred(printed.image, sigma)))


def page_compressed(workspace: CorruptionWorkspace, quality: float) -> CorruptedPage:
    """Compress the whole page as JPEG."""
    printed = workspace.reference
    return workspace.page(printed._replace(image=compressed(printed.image, int(quality))))


def may_lose_neighbours(subject: LadderSample) -> bool:
    """Whether there are enough text blocks besides the edited one."""
    return sum(isinstance(block, Text) for block in subject.after.blocks) >= _MIN_TEXTS


def neighbours_lost(workspace: CorruptionWorkspace, count: float) -> CorruptedPage:
    """Paint over some text blocks other than the edited one."""
    printed, target = workspace.reference, workspace.subject.target
    texts = [block for block in printed.document.blocks if isinstance(block, Text) and block != target]
    document, image = printed.document, printed.image
    for block in workspace.rng("lost").sample(texts, len(texts))[: int(count)]:
        box = around(box_of(printed.sheet, block), image)
        image, document = erased(image, box), document.with_block(block.id)
    return workspace.page(PrintedDocument(document, printed.sheet, image))


def _rectangle(workspace: CorruptionWorkspace) -> PixelBox:
    return around(workspace.target_box, workspace.reference.image)
