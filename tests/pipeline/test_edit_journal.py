"""A line of `edits.jsonl` that is not a valid record is reported, never used, and its sample is edited again."""

from __future__ import annotations

import json

import pytest

from vdebench.pipeline.editing.journal import EditRecord, edit_journal, read_edits, total_cost


@pytest.mark.parametrize(
    "change",
    [
        {"state": "perfect"},
        {"seconds": -1},
        {"seconds": "long"},
        {"parameters": {"dollars": float("nan")}},
        {"parameters": {"cost": -5.0}},
        {"earlier": {"dollars": "free"}},
        {"size": [10.5, "x"]},
        {"reason": None},
        {"unknown": 1},
    ],
)
def test_an_invalid_line_is_no_edit(tmp_path, change, caplog):
    edit_journal(tmp_path).append(EditRecord("text/0", "edited", parameters={"dollars": 0.5}))
    edit_journal(tmp_path).append(EditRecord("text/1", "edited", parameters={"dollars": 0.25}))
    with (tmp_path / "edits.jsonl").open("a") as file:
        file.write(json.dumps({"sample": "text/0", "state": "edited", **change}) + "\n")
    made = read_edits(tmp_path)
    assert [each.sample for each in made] == ["text/1"]
    assert total_cost(made)["dollars"] == 0.25
    assert "edits.jsonl: line 3: " in caplog.text
