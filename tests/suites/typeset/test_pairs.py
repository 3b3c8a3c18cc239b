"""Samples: the expected change at the expected place, and no other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.oracle.instructions import carried_out, contents
from vdebench.core.box import Box, Size
from vdebench.instructions.phrasing import AMBIGUITIES
from vdebench.suites.typeset.ambiguity_check import ambiguities, cells_of
from vdebench.suites.typeset.degradation import Degradation
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.ground_truth import page_text_of
from vdebench.suites.typeset.page_samples import make_page
from vdebench.suites.typeset.propose import Reference
from vdebench.suites.typeset.recipe import OPERATIONS, SuiteRecipe


def language(pair) -> str:
    return "en" if pair.sample.language == "english" else "zh"


def differs(pair) -> np.ndarray:
    return (pair.source != pair.reference).any(axis=-1)


def boxes_of(labels, size: Size) -> list[Box]:
    return [Box.from_percent(each["x"], each["y"], each["width"], each["height"], size) for each in labels]


def inside(image: np.ndarray, box: Box) -> np.ndarray:
    return image[round(box.y1) : round(box.y2), round(box.x1) : round(box.x2)]


def test_all_operations_languages_and_kinds_are_there(pairs):
    assert {pair.sample.operation for pair in pairs} == set(OPERATIONS)
    assert Counter(pair.sample.language for pair in pairs) == {
        "english": 36,
        "simplified_chinese": 36,
        "en_ch_mixed": 36,
    }
    assert set(Counter(pair.sample.source for pair in pairs).values()) == {12}


def test_the_pixels_of_every_region_differ(pairs):
    for pair in pairs:
        size = pair.reference_text.size
        regions = [region.box(size) for region in pair.sample.regions]
        tight = boxes_of(pair.sample.extra["tight_input"] + pair.sample.extra["tight_output"], size)
        assert regions
        assert tight
        for box in regions + tight:
            assert inside(differs(pair), box).any(), (pair.sample.instruction, box)


def test_tight_boxes_lie_in_the_blocks(pairs):
    for pair in pairs:
        size = pair.reference_text.size
        regions = [region.box(size) for region in pair.sample.regions]
        regions = [Box(x1 - 1, y1 - 1, x2 + 1, y2 + 1) for x1, y1, x2, y2 in regions]  # both are whole pixels
        for box in boxes_of(pair.sample.extra["tight_input"] + pair.sample.extra["tight_output"], size):
            covered = max(box.shared_area(region) for region in regions)
            assert covered >= 0.9 * box.area, pair.sample.instruction


def test_outside_the_mask_pixels_are_identical(pairs):
    for pair in pairs:
        assert not (differs(pair) & (pair.mask == 0)).any(), pair.sample.instruction


def test_where_nothing_moved_only_the_edited_block_differs(pairs):
    """No reflow: outside the regions (grown by the height of a letter's serif) nothing differs."""
    checked = 0
    for pair in pairs:
        if pair.sample.extra["moved_blocks"]:
            continue
        outside = np.ones(pair.mask.shape, bool)
        for region in pair.sample.regions:
            x1, y1, x2, y2 = region.box(pair.reference_text.size)
            outside[max(0, round(y1) - 2) : round(y2) + 2, max(0, round(x1) - 2) : round(x2) + 2] = False
        assert not (differs(pair) & outside).any(), pair.sample.instruction
        checked += 1
    assert checked >= 40


def test_the_recorded_edit_gives_the_reference(pairs, typesetter):
    """From JSON, applied to the source's document and set again: the same document, reading and pixels."""
    for pair in pairs:
        edit = DocumentEdit.from_json(pair.sample.extra["edit"])
        edited = edit.apply(pair.documents[0])
        assert edited == pair.documents[1]
        sheet = typesetter.print(edited)
        assert page_text_of(edited, sheet) == pair.reference_text
        assert np.array_equal(sheet.image(), pair.reference)
        sheet.close()


def test_every_instruction_carried_out_by_its_words_alone_gives_the_reference(pairs):
    for pair in pairs:
        expected = contents(pair.reference_text)
        assert carried_out(pair.sample.instruction, pair.source_text, language(pair)) == expected


def test_the_ambiguous_form_says_less(pairs):
    """It says what kind of thing it leaves open, and does not quote its target where that is the target."""
    for pair in pairs:
        ambiguous = pair.sample.extra["ambiguous"]
        assert ambiguous["kind"] in AMBIGUITIES
        assert ambiguous["instruction"] != pair.sample.instruction
        fields = [*pair.proposal.quoted.values()]
        said = [text for value in fields for text in ([value] if isinstance(value, str) else value)]
        left_out = [text for text in said if text not in ambiguous["instruction"]]
        if ambiguous["kind"] in ("target", "linguistic"):
            assert left_out, (pair.sample.instruction, ambiguous)


def test_the_checker_finds_what_is_ambiguous(pairs):
    pair = next(pair for pair in pairs if pair.sample.language == "english" and pair.sample.group == "text")
    reading = pair.source_text
    twice = replace(reading, blocks=(*reading.blocks, *reading.blocks))
    references = pair.proposal.references
    assert not list(ambiguities(pair.sample.instruction, references, reading, "en"))
    assert "2 times" in next(ambiguities(pair.sample.instruction, references, twice, "en"))
    assert "0 times" in next(ambiguities('Delete "no such words".', [Reference("no such words")], reading, "en"))
    assert "does not quote" in next(ambiguities("Delete it.", references, reading, "en"))
    assert "names nothing" in next(ambiguities("Delete it.", [], reading, "en"))


def test_region_readings_are_what_the_regions_say(pairs):
    """Every block of a crop is a block of the page, or a stretch of one, or cells of its table; and lies in the crop."""
    partial = 0
    for pair in pairs:
        assert len(pair.region_texts) == len(pair.sample.regions)
        page = contents(pair.reference_text)
        cells = {cell for text in page if text.startswith("<table") for cell in cells_of(text)}
        for reading in pair.region_texts:
            for block in reading.blocks:
                assert 0 <= block.box.x1 <= block.box.x2 <= reading.size.width
                assert 0 <= block.box.y1 <= block.box.y2 <= reading.size.height
                if block.content not in page:
                    partial += 1
                    words = block.content.split(" ")
                    assert any(block.content in text for text in page) or all(
                        any(word in cell for cell in cells) for word in words
                    ), block.content
    assert partial


def test_the_crop_of_an_edited_block_reads_as_that_block(pairs):
    for pair in pairs:
        edit = pair.sample.extra["edit"]
        if edit["action"] in ("replace_text", "insert_text", "style_text", "set_cell", "scale_block"):
            block = pair.documents[1].block(edit["block"])
            expected = block.html if hasattr(block, "html") else block.text
            assert expected in contents(pair.region_texts[0])


def test_masks_hold_at_high_resolution():
    """Bars beside a panel reach out of it by a little over a point."""
    from vdebench.suites.typeset.language_rules import font_folders
    from vdebench.suites.typeset.typesetter import Typesetter

    typesetter = Typesetter(300, font_folders())
    recipe = SuiteRecipe(
        seed=2, ppi=300, kinds=("research_report", "magazine"), operations=("text_insert", "text_delete")
    )
    for number in range(4):
        for pair in make_page(recipe, number, typesetter):
            assert not (differs(pair) & (pair.mask == 0)).any()


def test_difficulty_has_ten_attributes_from_0_to_2(pairs):
    for pair in pairs:
        found = pair.sample.extra["difficulty"]
        assert len(found) == 10
        assert set(found.values()) <= {0, 1, 2}
        assert found["language"] == {"english": 0, "simplified_chinese": 1, "en_ch_mixed": 2}[pair.sample.language]


def test_the_same_recipe_gives_the_same_page_whatever_was_made_before(typesetter):
    recipe = SuiteRecipe(seed=3, ppi=75)
    one = make_page(recipe, 7, typesetter)
    make_page(SuiteRecipe(seed=4, ppi=75), 1, typesetter)
    other = make_page(recipe, 7, typesetter)
    for first, second in zip(one, other, strict=True):
        assert first.sample == second.sample
        assert np.array_equal(first.reference, second.reference)
    assert make_page(SuiteRecipe(seed=5, ppi=75), 7, typesetter)[0].sample != one[0].sample


@pytest.mark.parametrize("kind", ["light", "heavy"])
def test_wear_is_alike_on_both_pages_and_boxes_stay_true(typesetter, kind):
    for number in range(6):
        for pair in make_page(SuiteRecipe(seed=2, ppi=75, degradation=kind), number, typesetter):
            assert not (differs(pair) & (pair.mask == 0)).any()
            assert pair.mask.mean() < 255
            size = pair.reference_text.size
            for region in pair.sample.regions:
                assert inside(differs(pair), region.box(size)).any()
            dark = pair.source.mean(axis=-1) < 0.75 * np.median(pair.source)
            for block in pair.source_text.blocks:
                assert inside(dark, block.box).any() or block.label in (
                    "chart",
                    "formula",
                    "doc_title",
                    "header",
                    "number",
                )


def test_a_turned_box_holds_the_turned_ink():
    """By hand: a page of 200×100 turned by 90° counterclockwise about (100, 50): (x, y) → (50 + y, 150 − x)."""
    degradation = Degradation(Size(200, 100), angle=90)
    assert degradation.box(Box(90, 40, 110, 60)) == Box(90, 40, 110, 60)
    assert degradation.box(Box(100, 50, 120, 55)) == Box(100, 30, 105, 50)


def test_worn_ink_lies_in_its_box():
    page = np.full((200, 300, 3), 255, np.uint8)
    page[60:70, 40:120] = 0
    degradation = Degradation(Size(300, 200), angle=1.5)
    degraded = degradation.page(page)
    ys, xs = np.nonzero(degraded[..., 0] < 128)
    box = degradation.box(Box(40, 60, 120, 70))
    assert box.x1 <= xs.min()
    assert xs.max() < box.x2
    assert box.y1 <= ys.min()
    assert ys.max() < box.y2
    assert box.x2 - box.x1 < 90
    assert box.y2 - box.y1 < 18
