"""Corruptions of the pixels; where ink moves or goes, so does what is read."""

from __future__ import annotations

import io
import math

import cv2
import numpy as np
from PIL import Image as Pictures

from vdebench.core.box import Box
from vdebench.core.images import PixelBox
from vdebench.studies.validity.moved_ink import move, placed, wipe
from vdebench.studies.validity.subject import CorruptedPage, CorruptionWorkspace, Image, LadderSample, PrintedDocument
from vdebench.suites.typeset.document import Text
from vdebench.suites.typeset.ground_truth import box_of

_AROUND = 2
"""Pixels around a block's ink that belong to it: rules, and the soft edge of letters."""
_LEAST_LOST = 9
"""Blocks of text beside the target that a page must have to lose eight of them."""


def anyone(subject: LadderSample) -> bool:
    """Whole pages can always be made worse."""
    return True


def has_target(subject: LadderSample) -> bool:
    """Whether the edit left something where it was done."""
    return subject.target is not None


def not_done(workshop: CorruptionWorkspace, share: float) -> CorruptedPage:
    """For that share of the samples the page as it was; the same samples again at the next level, and others."""
    undone = workshop.rng("not done").random() < share
    return workshop.page(workshop.set(workshop.subject.before) if undone else workshop.reference)


def shifted(workshop: CorruptionWorkspace, pixels: float) -> CorruptedPage:
    """The edited block moved by some pixels, down or up, to where there is more room."""
    return _moved(workshop, pixels)


def misplaced(workshop: CorruptionWorkspace, share: float) -> CorruptedPage:
    """The edited block elsewhere on the page, over whatever stands there."""
    return _moved(workshop, share * workshop.reference.sheet.size.diagonal)


def _moved(workshop: CorruptionWorkspace, distance: float) -> CorruptedPage:
    made, box = workshop.reference, _rectangle(workshop)
    height, width = made.image.shape[:2]
    room = {(0, 1): height - box.y2, (0, -1): box.y1, (1, 0): width - box.x2, (-1, 0): box.x1}
    (right, down), most = max(room.items(), key=lambda way: way[1])
    by = round(min(distance, most))
    return _pasted(workshop, box.cut(made.image), box.x1 + right * by, box.y1 + down * by)


def resized(workshop: CorruptionWorkspace, factor: float) -> CorruptedPage:
    """The edited block smaller, its top left corner where it was."""
    box = _rectangle(workshop)
    piece = box.cut(workshop.reference.image)
    size = (max(1, round(piece.shape[1] * factor)), max(1, round(piece.shape[0] * factor)))
    return _pasted(
        workshop, np.asarray(cv2.resize(piece, size, interpolation=cv2.INTER_AREA), np.uint8), box.x1, box.y1
    )


def _pasted(workshop: CorruptionWorkspace, piece: Image, x: int, y: int) -> CorruptedPage:
    """The edited block taken away, and a piece of its looks put somewhere, over whatever stands there."""
    made, target, box = workshop.reference, workshop.subject.target, _rectangle(workshop)
    assert target is not None
    image = _filled(made.image, box)
    image[y : y + piece.shape[0], x : x + piece.shape[1]] = piece
    wide, high = piece.shape[1] / (box.x2 - box.x1), piece.shape[0] / (box.y2 - box.y1)

    def change(old: Box) -> Box:
        return Box(
            *(
                side
                for left, top in ((old.x1, old.y1), (old.x2, old.y2))
                for side in (x + (left - box.x1) * wide, y + (top - box.y1) * high)
            )
        )

    sheet = placed(made.document, made.sheet)
    move(sheet, target.id, change)
    covered = Box(x, y, x + piece.shape[1], y + piece.shape[0])
    document = wipe(made.document, sheet, covered, lambda block: block != target.id)
    return workshop.page(PrintedDocument(document, sheet, image))


def blanked(workshop: CorruptionWorkspace, share: float) -> CorruptedPage:
    """The right end of the edited block, that share of its width, painted over."""
    made, target, box = workshop.reference, workshop.subject.target, _rectangle(workshop)
    assert target is not None
    cut = box._replace(x1=box.x2 - math.ceil(share * (box.x2 - box.x1)))
    sheet = placed(made.document, made.sheet)
    document = wipe(made.document, sheet, Box(*cut), lambda block: block == target.id)
    return workshop.page(PrintedDocument(document, sheet, _filled(made.image, cut, around=box)))


def blurred(workshop: CorruptionWorkspace, sigma: float) -> CorruptedPage:
    """The edited block out of focus: letters stay where they are, and may become illegible."""
    made, box = workshop.reference, _rectangle(workshop)
    image = made.image.copy()
    image[box.y1 : box.y2, box.x1 : box.x2] = _soft(box.cut(image), sigma)
    return workshop.page(made._replace(image=image))


def page_blurred(workshop: CorruptionWorkspace, sigma: float) -> CorruptedPage:
    """The whole page out of focus."""
    made = workshop.reference
    return workshop.page(made._replace(image=_soft(made.image, sigma)))


def page_compressed(workshop: CorruptionWorkspace, quality: float) -> CorruptedPage:
    """The whole page after JPEG."""
    made, packed = workshop.reference, io.BytesIO()
    Pictures.fromarray(made.image).save(packed, "JPEG", quality=int(quality))
    return workshop.page(made._replace(image=np.array(Pictures.open(packed).convert("RGB"), np.uint8)))


def may_lose_neighbours(subject: LadderSample) -> bool:
    """Whether there are enough blocks of text besides the edited one."""
    return sum(isinstance(block, Text) for block in subject.after.blocks) >= _LEAST_LOST


def neighbours_lost(workshop: CorruptionWorkspace, count: float) -> CorruptedPage:
    """So many blocks of text beside the edited one painted over."""
    made, own = workshop.reference, workshop.subject.target
    texts = [block for block in made.document.blocks if isinstance(block, Text) and block != own]
    document, image = made.document, made.image
    for block in workshop.rng("lost").sample(texts, len(texts))[: int(count)]:
        box = _around(box_of(made.sheet, block), image)
        image, document = _filled(image, box), document.with_block(block.id)
    return workshop.page(PrintedDocument(document, made.sheet, image))


def _rectangle(workshop: CorruptionWorkspace) -> PixelBox:
    return _around(workshop.target_box, workshop.reference.image)


def _around(box: Box, image: Image) -> PixelBox:
    height, width = image.shape[:2]
    return PixelBox(
        max(0, math.floor(box.x1) - _AROUND),
        max(0, math.floor(box.y1) - _AROUND),
        min(width, math.ceil(box.x2) + _AROUND),
        min(height, math.ceil(box.y2) + _AROUND),
    )


def _filled(image: Image, box: PixelBox, around: PixelBox | None = None) -> Image:
    """The image with a rectangle painted over in the colour that is most common along its edge, or another's."""
    edge = around or box
    piece = edge.cut(image)
    ring = np.concatenate([piece[0], piece[-1], piece[:, 0], piece[:, -1]])
    colours, counts = np.unique(ring, axis=0, return_counts=True)
    painted = image.copy()
    painted[box.y1 : box.y2, box.x1 : box.x2] = colours[counts.argmax()]
    return painted


def _soft(image: Image, sigma: float) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE), np.uint8)
