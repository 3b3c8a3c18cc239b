"""Invariants of every sample, checked for one page; `test_many.py` checks 500 pages of four samples each."""

from __future__ import annotations

from functools import cache

from tests.oracle.instructions import carried_out, contents
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.language_rules import font_folders
from vdebench.suites.typeset.page_samples import make_page
from vdebench.suites.typeset.recipe import SuiteRecipe
from vdebench.suites.typeset.typesetter import Typesetter

RECIPE = SuiteRecipe(seed=2026, ppi=40, per_page=4)


@cache
def typesetter() -> Typesetter:
    return Typesetter(RECIPE.ppi, font_folders())


def faults(number: int) -> list[str]:
    """What does not hold for the samples of a page."""
    found = []
    for pair in make_page(RECIPE, number, typesetter()):
        sample = pair.sample
        language = "en" if sample.language == "english" else "zh"
        try:
            if carried_out(sample.instruction, pair.source_text, language) != contents(pair.reference_text):
                found.append("its words do not lead to the reference")
        except AssertionError as error:
            found.append(f"its words are not clear: {error}")
        if DocumentEdit.from_json(sample.extra["edit"]).apply(pair.documents[0]) != pair.documents[1]:
            found.append("its recorded edit does not lead to the reference")
        differs = (pair.source != pair.reference).any(axis=-1)
        if (differs & (pair.mask == 0)).any():
            found.append("pixels differ outside the mask")
        for region in sample.regions:
            x1, y1, x2, y2 = (round(side) for side in region.box(pair.reference_text.size))
            if not differs[y1:y2, x1:x2].any():
                found.append("a region does not differ")
        found = [fault if fault.startswith("sample") else f"sample {sample.id}: {fault}" for fault in found]
    return found
