"""Draws follow SPEC 5.2 and are the same on every machine."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.instruct_pages import page
from vdebench.errors import VdeError
from vdebench.instructions import draw, pool
from vdebench.instructions.prompt_pool import OPERATIONS, TEXT_OPERATIONS

MODELS = ["model-a", "model-b"]
pages = st.lists(
    st.builds(page, st.text(min_size=1, max_size=8), st.just("english"), st.booleans()),
    unique_by=lambda each: each.id,
    max_size=6,
)


def test_the_pool_has_three_prompts_for_each_of_seven_operations():
    assert len(pool()) == 21
    assert [sum(p.operation == operation for p in pool().values()) for operation in OPERATIONS] == [3] * 7
    assert len({prompt.hash for prompt in pool().values()}) == 21


@pytest.mark.parametrize("name", sorted(pool()))
def test_every_prompt_states_the_rules_and_the_language(name):
    asked = pool()[name].question("simplified_chinese", "it quoted nothing")
    assert "simplified Chinese" in asked
    assert "{language}" not in asked
    assert "double quotation marks" in asked
    assert "plain text" in asked
    assert asked.rstrip().endswith("it quoted nothing\nWrite another one.")
    assert ("table" in pool()[name].text.split("Rules")[0].lower()) or name.startswith("text")


@settings(max_examples=30)
@given(pages, st.integers(0, 2**32))
def test_v3_draws_two_different_operations_and_no_table_where_there_is_none(some, seed):
    found = draw(some, "v3", seed, MODELS)
    for each in some:
        mine = [drawn for drawn in found if drawn.page == each.id]
        assert len(mine) == 2
        assert len({drawn.operation for drawn in mine}) == 2
        assert each.has_table or all(drawn.operation in TEXT_OPERATIONS for drawn in mine)
        assert [drawn.number for drawn in mine] == [1, 2]
    assert all(drawn.prompt.startswith(drawn.operation + "-") and drawn.prompt in pool() for drawn in found)
    assert all(drawn.generator in MODELS and drawn.seed == seed for drawn in found)


@settings(max_examples=30)
@given(pages, st.integers(0, 99), st.sampled_from(["v1", "v3", "all"]))
def test_a_page_is_drawn_the_same_whatever_other_pages_there_are(some, seed, preset):
    together = draw(some, preset, seed, MODELS)
    assert together == [drawn for each in some for drawn in draw([each], preset, seed, MODELS[::-1])]


def test_presets():
    with_table, without = page("a", has_table=True), page("b")
    assert [drawn.operation for drawn in draw([with_table], "v1", 0, ["template"])] == list(TEXT_OPERATIONS)
    assert [drawn.operation for drawn in draw([with_table], "all", 0, ["template"])] == list(OPERATIONS)
    assert [drawn.operation for drawn in draw([without], "all", 0, ["template"])] == list(TEXT_OPERATIONS)


def test_over_many_pages_operations_prompts_and_generators_are_drawn_evenly():
    found = draw([page(f"p{n}", has_table=True) for n in range(2100)], "v3", 0, [*MODELS, "model-c"])
    for field, kinds in (("operation", 7), ("generator", 3), ("prompt", 21)):
        counts = [sum(getattr(d, field) == kind for d in found) for kind in {getattr(d, field) for d in found}]
        assert len(counts) == kinds
        assert min(counts) > 0.75 * 4200 / kinds
        assert max(counts) < 1.25 * 4200 / kinds


def test_one_more_generator_takes_over_a_share_and_leaves_the_rest():
    some = [page(f"p{n}") for n in range(300)]
    before, after = draw(some, "v3", 0, MODELS), draw(some, "v3", 0, [*MODELS, "model-c"])
    moved = [new for old, new in zip(before, after, strict=True) if old != new]
    assert 140 < len(moved) < 260  # a third of 600
    assert {drawn.generator for drawn in moved} == {"model-c"}


GOLDEN = [
    ("page-1", "text_insert", "text_insert-3", "model-b"),
    ("page-1", "table_replace", "table_replace-3", "model-a"),
    ("页面", "text_insert", "text_insert-3", "model-b"),
    ("页面", "text_delete", "text_delete-3", "model-b"),
]
"""By a few lines of another program: the least SHA-256 of what decides, each part after its length in eight bytes."""
SCRIPT = """
import sys
from vdebench.instructions import draw
from vdebench.instructions.records import SourcePageRecord as Page
pages = [Page("page-1", "", "", 1, 1, "english", "", True), Page("页面", "", "", 1, 1, "english", "", False)]
for d in draw(pages, "v3", 7, ["model-b", "model-a"]):
    sys.stdout.buffer.write(f"{d.page} {d.operation} {d.prompt} {d.generator}\\n".encode())
"""


def test_the_same_on_every_machine():
    """In another process, with another order of sets and dictionaries."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, env={"PYTHONHASHSEED": "4711"}, check=True
    )
    assert [tuple(line.split()) for line in done.stdout.decode().splitlines()] == GOLDEN


@pytest.mark.parametrize(
    ("preset", "generators", "said"),
    [
        ("v2", ["template"], "unknown preset 'v2'; available: v1, v3, all"),
        ("v3", [], "no generator given"),
        ("v3", ["model-a", "model-a"], "at least 2 are required"),
    ],
)
def test_what_cannot_be_drawn(preset, generators, said):
    with pytest.raises(VdeError, match=said):
        draw([page()], preset, 0, generators)


def test_two_pages_of_one_name_are_an_error():
    with pytest.raises(VdeError, match="two pages have the id p"):
        draw([page(), page()], "v3", 0, ["template"])
