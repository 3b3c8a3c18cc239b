"""The filter's check by change detection, with the real reader."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from vdebench.build.automatic_review import REASONS
from vdebench.build.change_check import wrong_changes
from vdebench.instructions.records import Instruction
from vdebench.readers.reader import get_reader

LINES = [
    "The harbour office expects a quiet winter with",
    "412 vessels in 2023 and a further 31 in spring,",
    "as the report of May says on its last page.",
]
REPLACE = Instruction(
    "a", "p", "text_replace", "english", "Replace 'quiet' with 'stormy' in the first line.", "quiet", "stormy"
)


class StubReader:
    """A reader without likelihoods."""

    identity: ClassVar = {"name": "stub"}


def page(*changes, colour=(20, 20, 30), ghost=0.0):
    """The page with changes (old, new); the words of the first change are drawn in a colour, over a ghost of the old."""
    picture = Image.new("RGB", (900, 400), (250, 248, 240))
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(26)
    for number, line in enumerate(LINES):
        top = 80 + 60 * number
        text = line
        for old, new in changes:
            text = text.replace(old, new)
        if number == 0 and changes:
            start, new = text.partition(changes[0][1])[0], changes[0][1]
            left = 60 + font.getlength(start)
            pen.text((60, top), start, (20, 20, 30), font)
            pen.text((left, top), new, colour, font)
            left += font.getlength(new)
            pen.text((left, top), text[len(start) + len(new) :], (20, 20, 30), font)
        else:
            pen.text((60, top), text, (20, 20, 30), font)
    if ghost:
        shade = tuple(round(250 - ghost * 230) for _ in range(3))
        pen.text((60, 80 + 60 * 3), LINES[0], shade, font)
    return np.asarray(picture)


@pytest.fixture(scope="module")
def reader():
    return get_reader("rapidocr")


EDIT = ("quiet", "stormy")


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        (page(EDIT), None),
        (page(EDIT, ("31", "37")), "text_changed"),
        (page(EDIT, colour=(200, 20, 20)), "looks_different"),
        (page(), "not_as_asked"),
        (page(("quiet", "stromy")), "not_as_asked"),
    ],
)
def test_reasons(reader, reference, reason):
    wrong = wrong_changes(REPLACE, page(), reference, reader)
    assert (wrong and wrong.reason) == reason
    assert reason is None or reason in REASONS


def test_traces_of_a_deleted_line(reader):
    deletion = REPLACE._replace(
        operation="text_delete", instruction=f"Delete '{LINES[0]}'.", target=LINES[0], replacement=""
    )
    clean = page().copy()
    clean[70:130] = clean[0, 0]
    smeared, faint = clean.copy(), clean.copy()
    smeared[84:112, 60:400] = (225, 223, 215)
    faint[70:130] = page(ghost=0.06)[250:310]
    assert wrong_changes(deletion, page(), clean, reader) is None
    assert wrong_changes(deletion, page(), smeared, reader).reason == "traces_left"
    assert wrong_changes(deletion, page(), faint, reader).reason == "looks_different"  # it is read, in fainter ink


def test_nothing_is_known_of_other_instructions_and_readers(reader):
    structure = REPLACE._replace(operation="table_structure", instruction="Delete the third column of the table.")
    assert wrong_changes(structure, page(), page(("31", "37")), reader) is None

    assert wrong_changes(REPLACE, page(), page(("31", "37")), StubReader()) is None
