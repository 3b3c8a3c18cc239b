"""Proposals that keep the words and change their position, size, colour, weight or font."""

from __future__ import annotations

from collections.abc import Iterator

from vdebench.instructions.phrasing import phrasings
from vdebench.suites.typeset.document import Text
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.propose import LONGEST_QUOTE, DocumentView, Proposal, Reference

_MOVABLE = ("paragraph", "bullet", "jotting", "panel", "reference", "quote")
_ALIGNABLE = ("title", "heading", "headline", "author", "small", "caption", "table_title")
_SCALABLE = (*_ALIGNABLE, "header", "footer", "number", "bullet", "jotting", "question", "problem", "quote")
_MIN_CONTRAST = 150
"""Minimum distance of a new colour from the old one."""
_FACTORS = (0.75, 0.8, 1.25, 1.3, 1.5)
_OTHER_FONT = {"serif": "sans", "modern": "sans", "sans": "serif", "mono": "serif"}


def relocate(page: DocumentView) -> Proposal | None:
    """Move a block to another place, or change its alignment."""
    kind = page.rng.choice([_move_block, _move_block, _align_block])
    return kind(page) or _align_block(page)


def _move_block(page: DocumentView) -> Proposal | None:
    areas = page.document.areas
    for area in page.rng.sample(areas, len(areas)):
        movable = [block for block in area.body if isinstance(block, Text) and block.role in _MOVABLE]
        for block in page.rng.sample(movable, len(movable)):
            anchors = [
                other
                for other in movable
                if other.role == block.role
                and area.body.index(other) not in (area.body.index(block), area.body.index(block) - 1)
            ]
            if not anchors:
                continue
            anchor = page.rng.choice(anchors)
            target, place = page.opening(block), page.opening(anchor)
            if target and place:
                return Proposal(
                    DocumentEdit("move_block", block.id, {"after": anchor.id}),
                    "move_block",
                    {"target": target, "anchor": place},
                    {"role": block.role, "anchor_role": anchor.role},
                    (Reference(target), Reference(place)),
                )
    return None


def _align_block(page: DocumentView) -> Proposal | None:
    for block in _whole(page, _ALIGNABLE):
        align = page.rng.choice([align for align in ("left", "center", "right") if align != block.align])
        edit = DocumentEdit("align_block", block.id, {"align": align})
        return Proposal(edit, "align_block", *_fields(block, align=align))
    return None


def scale(page: DocumentView) -> Proposal | None:
    """Enlarge or shrink a block."""
    for block in _whole(page, _SCALABLE):
        factor = page.rng.choice(_FACTORS)
        edit = DocumentEdit("scale_block", block.id, {"factor": factor})
        return Proposal(edit, "scale_block", *_fields(block, percent=f"{factor * 100:g}"))
    return None


def restyle(page: DocumentView) -> Proposal | None:
    """Change the colour, weight or font of some words."""
    for block, start, end in _ranges(page):
        style = page.document.styles[block.role]
        target = block.text[start:end]
        kind = page.rng.choice(["ink", "bold", "font"])
        if kind == "bold" and style.bold:
            kind = "ink"
        arguments: dict[str, object] = {"start": start, "end": end}
        plain = {}
        if kind == "ink":
            inks = [ink for ink in sorted(phrasings("en")["colours"]) if _contrast(ink, style.ink) > _MIN_CONTRAST]
            if style.ink == "#ffffff" or not inks:  # on a dark band
                continue
            arguments["ink"] = plain["colour"] = page.rng.choice(inks)
        elif kind == "font":
            arguments["font"] = plain["font"] = _OTHER_FONT[style.font]
        else:
            arguments["bold"] = True
        edit = DocumentEdit("style_text", block.id, arguments)
        return Proposal(edit, f"style_{kind}", {"target": target}, plain, (Reference(target),))
    return None


def _contrast(one: str, other: str) -> int:
    """Return the distance of two colours: the sum over red, green and blue."""
    return sum(abs(int(one[at : at + 2], 16) - int(other[at : at + 2], 16)) for at in (1, 3, 5))


def _ranges(page: DocumentView) -> Iterator[tuple[Text, int, int]]:
    for block in page.texts:
        for slot in page.rng.sample(block.slots, len(block.slots)):
            span = page.quote(block.text, slot.start, slot.end)
            if span:
                yield block, *span
    for block in _whole(page, _ALIGNABLE):
        yield block, 0, len(block.text)


def _whole(page: DocumentView, roles: tuple[str, ...]) -> Iterator[Text]:
    """Yield blocks that can be quoted completely, in random order."""
    for block in page.texts:
        if block.role in roles and len(block.text) <= LONGEST_QUOTE and page.is_unique(block.text):
            yield block


def _fields(block: Text, **plain: str) -> tuple[dict[str, str], dict[str, str], tuple[Reference]]:
    return {"target": block.text}, {"role": block.role, **plain}, (Reference(block.text),)
