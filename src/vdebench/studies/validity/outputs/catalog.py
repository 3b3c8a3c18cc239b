"""All output corruptions, with what a careful person says of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from vdebench.core.images import Image
from vdebench.errors import InputError
from vdebench.registry import unknown_name
from vdebench.studies.validity.outputs import faults
from vdebench.studies.validity.page_transformations import TRANSFORMATIONS, scaled, tinted
from vdebench.studies.validity.subject import CorruptionWorkspace

Opinion = Literal["ok", "arguable", "minor", "bad"]
OPINIONS: dict[Opinion, str] = {
    "ok": "usable as it is",
    "arguable": "some would use it, some would not",
    "minor": "a blemish that many would accept",
    "bad": "not usable",
}
RED, DARK_BLUE, STRONG_TINT = "#d01818", "#1a2a6c", (0.97, 0.93, 0.82)
RIGHT = "right-edit"
"""Name of the output that is the reference."""
Make = Callable[[CorruptionWorkspace], Image | None]


@dataclass(frozen=True)
class OutputCorruption:
    """One kind of output, and what a careful person says of it."""

    title: str
    opinion: Opinion
    make: Make
    """Returns the image, or None where the corruption does not apply."""

    @property
    def name(self) -> str:
        """The title without spaces.

        >>> OutputCorruption("70 % size", "ok", faults.source).name
        '70-size'
        """
        return self.title.replace(" %", "").replace(" ", "-")


def _page(title: str, opinion: Opinion, change: Callable[[Image], Image]) -> OutputCorruption:
    return OutputCorruption(title, opinion, partial(_transformed, change=change))


def _transformed(workspace: CorruptionWorkspace, change: Callable[[Image], Image]) -> Image:
    return change(workspace.reference.image)


_ALL = (
    _page("right edit", "ok", TRANSFORMATIONS["none"]),
    _page("JPEG 85", "ok", TRANSFORMATIONS["jpeg85"]),
    _page("JPEG 60", "ok", TRANSFORMATIONS["jpeg60"]),
    _page("zoom 0.5 %", "ok", TRANSFORMATIONS["zoom0.5"]),
    _page("zoom 1.5 %", "arguable", TRANSFORMATIONS["zoom1.5"]),
    _page("shift 3 px", "ok", TRANSFORMATIONS["shift3"]),
    _page("1 MP", "ok", TRANSFORMATIONS["1mp-native"]),
    _page("1 MP and back", "ok", TRANSFORMATIONS["1mp"]),
    _page("70 % size", "ok", TRANSFORMATIONS["70%"]),
    _page("50 % size", "arguable", partial(scaled, factor=0.5)),
    _page("sides multiples of 32", "ok", TRANSFORMATIONS["aspect"]),
    _page("slight blur", "ok", TRANSFORMATIONS["blur"]),
    _page("slight tint", "ok", TRANSFORMATIONS["tint"]),
    _page("stronger tint", "arguable", partial(tinted, tint=STRONG_TINT)),
    OutputCorruption("strokes wobble slightly", "ok", faults.wobbling),
    OutputCorruption("page set anew", "arguable", faults.set_anew),
    OutputCorruption("new words dark blue", "minor", partial(faults.styled, ink=DARK_BLUE)),
    OutputCorruption("new words in other font", "minor", partial(faults.styled, font="other")),
    OutputCorruption("new words bold", "minor", partial(faults.styled, bold=True)),
    OutputCorruption("new words red", "bad", partial(faults.styled, ink=RED)),
    OutputCorruption("new words tiny", "bad", partial(faults.styled, scale=0.5)),
    OutputCorruption("new words half a line off", "bad", faults.off_line),
    OutputCorruption("new words off the page", "bad", faults.off_page),
    OutputCorruption("punctuation elsewhere", "minor", partial(faults.planted, kind="punctuation", count=1)),
    OutputCorruption("wrong character in edit", "bad", faults.wrong_character),
    OutputCorruption("digit elsewhere", "bad", partial(faults.planted, kind="digit", count=1)),
    OutputCorruption("look-alike elsewhere", "bad", partial(faults.planted, kind="letter", count=1)),
    *(
        OutputCorruption(f"{count} words elsewhere", "bad", partial(faults.planted, kind="word", count=count))
        for count in (1, 3, 10)
    ),
    OutputCorruption("malformed elsewhere", "bad", faults.malformed),
    OutputCorruption("edit garbled", "bad", partial(faults.garbled, new=True)),
    OutputCorruption("paragraph garbled", "bad", partial(faults.garbled, new=False)),
    OutputCorruption("paragraph lost", "bad", faults.lost_paragraph),
    OutputCorruption("paragraph duplicated", "bad", partial(faults.more_paragraphs, hallucinated=False)),
    OutputCorruption("paragraph hallucinated", "bad", partial(faults.more_paragraphs, hallucinated=True)),
    OutputCorruption("figure or rule lost", "bad", faults.lost_figure),
    OutputCorruption("edit in wrong place", "bad", faults.elsewhere),
    OutputCorruption("edit done twice", "bad", faults.twice),
    OutputCorruption("new words over old", "bad", faults.overlapping),
    OutputCorruption("ghost of deletion 12 %", "bad", partial(faults.ghost, share=0.12)),
    OutputCorruption("ghost of deletion 30 %", "bad", partial(faults.ghost, share=0.3)),
    OutputCorruption("smear over deletion", "bad", faults.smear),
    OutputCorruption("cropped and enlarged", "bad", faults.cropped),
    OutputCorruption("source returned", "bad", faults.source),
)
OUTPUT_CORRUPTIONS = {corruption.name: corruption for corruption in _ALL}


def get_output_corruption(name: str) -> OutputCorruption:
    """The output corruption with a name or title.

    >>> get_output_corruption("digit-elsewhere").opinion
    'bad'
    """
    for corruption in _ALL:
        if name in (corruption.name, corruption.title):
            return corruption
    raise InputError(unknown_name("output corruption", name, OUTPUT_CORRUPTIONS))


def get_output_corruptions(names: Sequence[str]) -> list[OutputCorruption]:
    """The output corruptions with some names, or all."""
    chosen = [get_output_corruption(name) for name in names] or list(_ALL)
    return list({corruption.name: corruption for corruption in chosen}.values())
