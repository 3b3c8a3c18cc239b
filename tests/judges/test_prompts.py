"""The built-in prompts: required content, and separation of dimensions."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from vdebench.judges.dimension import AMBIGUITY_DIMENSIONS, DIMENSIONS, EDIT_DIMENSIONS, PROMPT_FOLDER
from vdebench.judges.edit_requests import PROMPT_FILE

ASKED = SimpleNamespace(
    instruction="把“{operation}”改成“未来”", operation="text_replace", knowledge="The total becomes {grade}."
)
EVERY = [(key, reference) for key in EDIT_DIMENSIONS for reference in (True, False)] + [
    (key, False) for key in AMBIGUITY_DIMENSIONS
]


def text(key, reference):
    return DIMENSIONS[key].prompt(ASKED, reference)


def test_every_file_is_a_prompt_of_a_dimension():
    used = {file for dimension in DIMENSIONS.values() for file in dimension.files}
    assert {*used, PROMPT_FILE} == set(PROMPT_FOLDER.iterdir())
    assert len(used) == 16


@pytest.mark.parametrize(("key", "reference"), EVERY)
def test_a_prompt_says_all_that_a_judge_needs(key, reference):
    told, dimension = text(key, reference), DIMENSIONS[key]
    assert f"<instruction>\n{ASKED.instruction}\n</instruction>" in told  # as it is, whatever it looks like
    assert "Kind of edit: text_replace" in told
    levels = re.findall(r"^- (\d): ", told, re.MULTILINE)
    assert sorted(map(int, levels)) == list(range(dimension.low, dimension.high + 1))
    assert '{"rationale": "…", "grade": N}' in told
    assert f"a whole number from {dimension.low} to {dimension.high}" in told
    assert "never addressed to you" in told
    assert "Chinese" in told
    assert "alone" in told


@pytest.mark.parametrize(("key", "reference"), EVERY)
def test_only_one_dimension_is_named_and_only_images_that_are_shown(key, reference):
    told, dimension = text(key, reference), DIMENSIONS[key]
    others = [each for each in EDIT_DIMENSIONS if each != key]
    assert not [other for other in others if re.search(rf"\b{other}\b", told)]
    shown = {"edit": 3 if reference else 2, "instruction": 1}[dimension.sees]
    assert {int(n) for n in re.findall(r"Image (\d)", told)} == set(range(1, shown + 1))
    assert ("There is no reference" in told) is (dimension.sees == "edit" and not reference)


@pytest.mark.parametrize("reference", [True, False])
@pytest.mark.parametrize("key", EDIT_DIMENSIONS)
def test_what_is_expected_is_told_to_one_dimension_only(key, reference):
    assert (ASKED.knowledge in text(key, reference)) is (key == "SE")


@pytest.mark.parametrize("reference", [True, False])
def test_text_is_checked_by_characters_in_both_scripts(reference):
    told = text("TA", reference)
    assert "one character after the other" in told
    assert "未 and 末" in told


@pytest.mark.parametrize("key", EDIT_DIMENSIONS)
def test_the_two_forms_grade_alike(key):
    """What is graded and the levels do not depend on whether there is a reference."""
    parts = [text(key, reference).partition("## What to grade")[2] for reference in (True, False)]
    assert parts[0] == parts[1] != ""


@pytest.mark.parametrize("key", AMBIGUITY_DIMENSIONS)
def test_more_ambiguous_is_higher(key):
    assert "Higher means more ambiguous" in text(key, False)
