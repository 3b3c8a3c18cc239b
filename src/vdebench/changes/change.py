"""The result of comparing two images of a page: its geometry and every change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

from vdebench.core.box import Box, Size

ChangeKind = Literal[
    "replaced",
    "lost",
    "added",
    "moved",
    "duplicated",
    "cropped",
    "illegible",
    "weakened",
    "restyled",
    "ink_lost",
    "ink_added",
    "residue",
    "redrawn",
]
"""Kinds of changes.

Text: `replaced`, `lost`, `added`, `moved`, `duplicated`; `cropped` (outside the frame of the output); `illegible` (the
output cannot be read there); `weakened` (a character that is no longer safe to read); `restyled` (words that look
different). Other ink: `ink_lost`, `ink_added`; `residue` (traces of deleted text); `redrawn` (a picture, or an area of
colour, that looks different).
"""
CHANGE_KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
TEXT_KINDS: tuple[ChangeKind, ...] = ("replaced", "lost", "added", "duplicated")
"""Kinds of changes after which a reader reads other words."""

GeometryKind = Literal["same", "scaled", "aspect_changed", "cropped", "shifted", "reframed"]
WHOLE_PAGE = Box(0.0, 0.0, 1.0, 1.0)
FactKind = Literal["", "number", "date", "price", "code", "name"]


@dataclass(frozen=True, slots=True)
class Geometry:
    """How the page lies in the output: position in the output = scale × position on the page + shift.

    Scale and shift are fractions of the width and height: 1 and 0 for a page that was resized as a whole.
    """

    kind: GeometryKind
    before: Size
    after: Size
    scale_x: float = 1.0
    scale_y: float = 1.0
    shift: tuple[float, float] = (0.0, 0.0)
    rotation: float = 0.0
    """Degrees, clockwise."""
    visible: Box = WHOLE_PAGE
    """Part of the page that the output shows, in fractions of the page's width and height."""
    residual: float = 0.0
    """Median distance in pixels of the page between matched points after the transformation."""
    matches: int = 0
    """Points, or lines, that agree with the transformation; 0 if it is not known (`reframed`)."""
    cropped_words: int = 0
    """Words of the page outside the output's frame, whole or in part."""

    @property
    def enlargement(self) -> float:
        """Pixels of the output per pixel of the page; for a page that was drawn anew, as if it filled the frame."""
        across = self.scale_x * self.after.width / self.before.width
        return math.sqrt(across * self.scale_y * self.after.height / self.before.height)

    @property
    def aspect_change(self) -> float:
        """Ratio of the enlargements across and down, in pixels: 1 if proportions are kept."""
        across = self.scale_x * self.after.width / self.before.width
        return across / (self.scale_y * self.after.height / self.before.height)

    @property
    def cut_off(self) -> float:
        """Share of the page's area outside the output's frame."""
        return 1 - self.visible.area

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON data."""
        return {
            "kind": self.kind,
            "scale_x": round(self.scale_x, 4),
            "scale_y": round(self.scale_y, 4),
            "shift": [round(each, 4) for each in self.shift],
            "rotation": round(self.rotation, 3),
            "aspect_change": round(self.aspect_change, 4),
            "visible": [round(each, 4) for each in self.visible],
            "cut_off": round(self.cut_off, 4),
            "cropped_words": int(self.cropped_words),
            "size_before": [int(each) for each in self.before],
            "size_after": [int(each) for each in self.after],
            "residual": round(self.residual, 2),
            "matches": int(self.matches),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Geometry:
        """Parse what `to_json` returns."""
        return cls(
            data["kind"],
            Size(*data["size_before"]),
            Size(*data["size_after"]),
            data["scale_x"],
            data["scale_y"],
            (data["shift"][0], data["shift"][1]),
            data["rotation"],
            Box(*data["visible"]),
            data["residual"],
            data["matches"],
            data["cropped_words"],
        )


@dataclass(frozen=True, slots=True)
class Change:
    """One change: whole words before and after, their boxes in pixels of each image, and the evidence."""

    kind: ChangeKind
    before: str = ""
    after: str = ""
    box_before: Box | None = None
    box_after: Box | None = None
    fact: FactKind = ""
    """What kind of fact the words state, if any."""
    asked: bool | None = None
    """Whether the edit asked for it; None if that is not known."""
    confidence: float = 1.0
    evidence: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    """What a person should look at, such as `fainter ink` or `stroke width ×1.4`."""

    def __str__(self) -> str:
        """`59.00 → 69.00`, or the words with the kind.

        >>> str(Change("replaced", "59.00", "69.00")), str(Change("lost", "Total"))
        ('59.00 → 69.00', 'lost: Total')
        """
        if self.kind == "replaced":
            return f"{self.before} → {self.after}"
        words = self.before or self.after or self.note
        return f"{self.kind.replace('_', ' ')}: {words}" if words else self.kind.replace("_", " ")

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON data; `asked` is null if it is not known."""
        return {
            "kind": self.kind,
            "before": self.before,
            "after": self.after,
            "box_before": None if self.box_before is None else [round(side, 1) for side in self.box_before],
            "box_after": None if self.box_after is None else [round(side, 1) for side in self.box_after],
            "asked": self.asked,
            "fact": bool(self.fact),
            "fact_kind": self.fact,
            "confidence": round(self.confidence, 3),
            "evidence": {name: round(value, 3) for name, value in self.evidence.items()},
            "note": self.note,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Change:
        """Parse what `to_json` returns."""
        before, after = (None if data[name] is None else Box(*data[name]) for name in ("box_before", "box_after"))
        return cls(
            data["kind"],
            data["before"],
            data["after"],
            before,
            after,
            data["fact_kind"],
            data["asked"],
            data["confidence"],
            data["evidence"],
            data["note"],
        )


class TypeHeight(NamedTuple):
    """Words of the page in type of one size, in whole pixels of the page; each is in at most one of the last three.

    Words outside the output's frame, and words that the edit was to change, are not counted.
    """

    height: int
    words: int
    changed: int
    """Words that were replaced or lost."""
    illegible: int
    weakened: int


@dataclass(frozen=True, slots=True)
class PageChanges:
    """All changes between two images of a page."""

    geometry: Geometry
    changes: tuple[Change, ...] = ()
    words: int = 0
    """Words that were read on the page before."""
    illegible_words: int = 0
    """Words of the page that cannot be read on the output, though they lie in its frame."""
    unknown: str = ""
    """Why text could not be compared, if it could not."""
    heights: tuple[TypeHeight, ...] | None = None
    """Words by type height, in increasing height; None if they were not counted."""

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON data."""
        return {
            "geometry": self.geometry.to_json(),
            "changes": [change.to_json() for change in self.changes],
            "words": self.words,
            "illegible_words": self.illegible_words,
            "unknown": self.unknown,
            "heights": None if self.heights is None else [list(each) for each in self.heights],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PageChanges:
        """Parse what `to_json` returns."""
        changes = tuple(Change.from_json(change) for change in data["changes"])
        geometry = Geometry.from_json(data["geometry"])
        rows = data.get("heights")  # not in rows of older versions
        heights = None if rows is None else tuple(TypeHeight(*row) for row in rows)
        return cls(geometry, changes, data["words"], data["illegible_words"], data["unknown"], heights)


EditOutcome = Literal["done", "partly", "not_done", "wrong_text", "unknown"]


@dataclass(frozen=True, slots=True)
class EditCheck:
    """The verdict on one edit: its changes, the outcome of the request, and whether the result can be used."""

    page: PageChanges
    edit: EditOutcome = "unknown"
    usable: bool | None = None
    why: str = ""
    requests: Mapping[str, Any] = field(default_factory=dict)
    """How the instruction was understood, as JSON data; empty if there was none."""

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON data."""
        verdict = {"edit": self.edit, "usable": self.usable, "why": self.why}
        return {**self.page.to_json(), **verdict, "requests": dict(self.requests)}
