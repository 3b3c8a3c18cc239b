"""A contact sheet: one page of every kind in some languages, for inspection."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from PIL import Image as Pictures

from vdebench.suites.typeset.kinds import KINDS
from vdebench.suites.typeset.language_rules import font_folders, get_language
from vdebench.suites.typeset.typesetter import Typesetter

_WIDTH, _HEIGHT, _GAP = 420, 580, 12


def contact_sheet(languages: Sequence[str], seed: int) -> Pictures.Image:
    """Return the sheet: kinds from left to right, languages from top to bottom."""
    typesetter = Typesetter(150, font_folders())
    size = (_GAP + len(KINDS) * (_WIDTH + _GAP), _GAP + len(languages) * (_HEIGHT + _GAP))
    sheet = Pictures.new("RGB", size, "#9a9a9a")
    for row, code in enumerate(languages):
        for column, (kind, build) in enumerate(KINDS.items()):
            page = typesetter.print(build(get_language(code), Random(f"{seed}/{kind}/{code}")))
            picture = Pictures.fromarray(page.image())
            page.close()
            picture.thumbnail((_WIDTH, _HEIGHT), Pictures.Resampling.LANCZOS)
            sheet.paste(picture, (_GAP + column * (_WIDTH + _GAP), _GAP + row * (_HEIGHT + _GAP)))
    return sheet
