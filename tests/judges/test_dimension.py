"""Prompts, schemas and parsing of answers."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from vdebench.errors import InputError, VdeError
from vdebench.judges.dimension import DIMENSIONS, chosen_dimensions, load_prompts, prompts_hash

IF, TARGET = DIMENSIONS["IF"], DIMENSIONS["target"]
GOOD = '{"rationale": "right", "grade": 4}'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"I looked at both pages {{closely}}.\n\n{GOOD}\nThat is my grade.",
        '{"grade": 4, "rationale": "right"}',
    ],
)
def test_an_answer_may_have_words_around_it(text):
    assert IF.parse(text) == (4, "right")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no JSON object, expected one: it is empty"),
        ("I would say 4 of 5.", "no JSON object"),
        (GOOD + GOOD, "2 JSON objects"),
        ('{"rationale": "cut off', "JSON is broken"),
        ('{"answer": {"rationale": "inside a broken one", "grade": 4}', "JSON is broken"),
        ('{"rationale": "twice", "grade": 1, "grade": 5}', "duplicate key"),
        ('{"rationale": "x", "score": 4}', "keys are 'rationale', 'score'"),
        ('{"rationale": "x", "grade": 4, "confidence": 1}', "'confidence'"),
        ('{"grade": 4}', "keys are 'grade'"),
        ('{"answer": {"rationale": "x", "grade": 4}}', "keys are 'answer'"),
        ('{"rationale": "x", "grade": 6}', "grade is 6"),
        ('{"rationale": "x", "grade": -1}', "grade is -1"),
        ('{"rationale": "x", "grade": 4.5}', "grade is 4.5"),
        ('{"rationale": "x", "grade": 4.0}', "grade is 4.0"),
        ('{"rationale": "x", "grade": "4"}', 'grade is "4"'),
        ('{"rationale": "x", "grade": true}', "grade is true"),
        ('{"rationale": "x", "grade": null}', "grade is null"),
        ('{"rationale": "x", "grade": NaN}', "grade is NaN"),
        ('{"rationale": 5, "grade": 4}', "rationale is 5"),
        ("[4]", "no JSON object"),
    ],
)
def test_whatever_else_is_no_grade(text, told):
    with pytest.raises(InputError) as caught:
        IF.parse(text)
    assert told in str(caught.value)


def test_ambiguity_begins_at_one():
    assert TARGET.parse('{"rationale": "x", "grade": 1}') == (1, "x")
    with pytest.raises(InputError, match="from 1 to 5"):
        TARGET.parse('{"rationale": "x", "grade": 0}')


def test_the_schema_asks_for_the_rationale_first_and_for_whole_grades():
    assert list(IF.schema["properties"]) == ["rationale", "grade"]
    assert IF.schema["properties"]["grade"]["enum"] == [0, 1, 2, 3, 4, 5]
    assert TARGET.schema["properties"]["grade"]["enum"] == [1, 2, 3, 4, 5]
    assert IF.schema["required"] == ["rationale", "grade"]
    assert IF.schema["additionalProperties"] is False
    json.dumps(IF.schema)


def test_values_are_put_in_once(tmp_path):
    (tmp_path / "SE.with_reference.md").write_text("{operation}: {instruction} / {knowledge} {other}")
    asked = SimpleNamespace(instruction="say {knowledge}", operation="text insert", knowledge="{instruction}")
    found = load_prompts(tmp_path)["SE"].prompt(asked, reference=True)
    assert found == "text insert: say {knowledge} / {instruction} {other}"


def test_ones_own_prompts_take_the_place_of_ours_of_the_same_name(tmp_path):
    (tmp_path / "IF.with_reference.md").write_text("my words")
    own = load_prompts(tmp_path)
    asked = SimpleNamespace(instruction="", operation="", knowledge="")
    assert own["IF"].prompt(asked, reference=True) == "my words"
    assert own["IF"].prompt(asked, reference=False) == IF.prompt(asked, reference=False)
    assert prompts_hash([own["IF"]]) != prompts_hash([IF])
    assert prompts_hash([own["TA"]]) == prompts_hash([DIMENSIONS["TA"]])


@pytest.mark.parametrize("name", ["IF.with_references.md", ""])
def test_a_folder_without_prompts_is_refused(tmp_path, name):
    if name:
        (tmp_path / name).write_text("misspelt")
    with pytest.raises(VdeError, match=r"expected some of .*IF\.with_reference\.md"):
        load_prompts(tmp_path)


def test_dimensions_are_found_by_name_in_the_papers_order():
    assert [each.key for each in chosen_dimensions(["SE", " if", "SE"], DIMENSIONS, "edit")] == ["IF", "SE"]
    for names in (["target"], ["XX"], [""]):
        with pytest.raises(VdeError, match="available: IF, TA, VC, LP, SE"):
            chosen_dimensions(names, DIMENSIONS, "edit")
