"""Suites without references: entries in JSON Lines, names of outputs, and faults."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.unreferenced import write_suite
from vdebench.cli.main import app
from vdebench.errors import InputError
from vdebench.suites.suite import load_suite

PAGE = np.full((40, 60, 3), 255, np.uint8)
ENTRY = {"id": 1, "image_input": "a.png", "instruction": 'Replace "x" with "y".'}


def faults(suite):
    return [(fault.severity, fault.sample, fault.what) for fault in suite.faults()]


def test_an_entry_needs_a_page_and_an_instruction_only(tmp_path):
    suite = load_suite(write_suite(tmp_path, [ENTRY], {"a": PAGE}))
    (sample,) = suite
    assert faults(suite) == []
    assert not suite.has_reference(sample)
    assert suite.output_name(sample) == "text/a"
    assert (sample.operation.value, sample.language, sample.target_text, sample.regions) == ("other", "unknown", "", ())


def test_optional_fields(tmp_path):
    more = {
        "instruction type": "text_replace",
        "language": "english",
        "target_text": ["y", "z"],
        "label_output": [{"x": 10, "y": 10, "width": 20, "height": 20}],
    }
    suite = load_suite(write_suite(tmp_path, [ENTRY | more], {"a": PAGE}))
    (sample,) = suite
    assert faults(suite) == []
    assert (sample.operation.value, sample.language, sample.target_text) == ("text_replace", "english", "y\nz")
    assert sample.regions[0].width == 20


def test_entries_with_the_same_page_are_named_by_their_ids(tmp_path):
    other = {"id": "b", "image_input": "a.png", "instruction": 'Delete "x".'}
    named = {"id": 3, "image_input": "a.png", "instruction": 'Delete "z".', "image_output": "third.png"}
    suite = load_suite(write_suite(tmp_path, [ENTRY, other, named], {"a": PAGE}))
    assert [suite.output_name(sample) for sample in suite] == ["text/1_a", "text/b_a", "text/third"]
    assert faults(suite) == []


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"instruction": ""}, "no 'instruction': a sample without a reference is judged by it"),
        ({"image_input": None}, "no 'image_input': a sample without a reference is compared with its page"),
        ({"target_text": 7}, "'target_text' is 7, expected text or a list of texts"),
        ({"image_input": "lost.png"}, "no image lost in "),
    ],
)
def test_faults(tmp_path, changed, what):
    (found,) = faults(load_suite(write_suite(tmp_path, [ENTRY | changed], {"a": PAGE})))
    assert found[:2] == ("error", "text/1")
    assert found[2].startswith(what)


def test_two_outputs_of_one_name(tmp_path):
    entries = [ENTRY | {"image_output": "same"}, ENTRY | {"id": 2, "image_output": "same"}]
    found = faults(load_suite(write_suite(tmp_path, entries, {"a": PAGE})))
    assert found == [
        ("error", "text/2", "its outputs are named text/same like those of text/1: give each entry an 'image_output'")
    ]


def test_a_group_without_any_images(tmp_path):
    folder = write_suite(tmp_path, [ENTRY], {"a": PAGE})
    (folder / "suite.toml").write_text('format = "vde-release"\n[groups.text]\ninfo = "text.jsonl"\n')
    ((_, _, what),) = faults(load_suite(folder))
    assert what == "[groups.text] has no 'source_images' in suite.toml, and no 'readings' or 'images'"


def test_a_line_that_is_not_json(tmp_path):
    folder = write_suite(tmp_path, [ENTRY], {"a": PAGE})
    (folder / "text.jsonl").write_text('{"id": 1}\n{oops\n')
    with pytest.raises(InputError, match=r"text.jsonl, line 2: not JSON"):
        _ = load_suite(folder).samples


def test_the_command_line_counts_them(tmp_path):
    folder = str(write_suite(tmp_path, [ENTRY], {"a": PAGE}))
    assert "plain: 1 samples, 0 errors, 0 warnings" in CliRunner().invoke(app, ["suite", "check", folder]).output
    shown = CliRunner().invoke(app, ["suite", "show", folder]).output
    assert [line.split() for line in shown.splitlines() if "without" in line] == [["without", "reference", "1", "1"]]
