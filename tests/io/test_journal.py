"""Journals: what is read back, what is refused, and several processes that append at once."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import pytest

from vdebench.core.box import Box
from vdebench.errors import InputError
from vdebench.io import journal as lines
from vdebench.io.journal import Journal
from vdebench.io.records import parse_record


class Step(NamedTuple):
    sample: str
    count: int
    state: Literal["done", "failed"] = "done"
    cost: float | None = None
    boxes: Sequence[Box] = ()
    more: Mapping[str, Any] = {}

    def validate(self) -> None:
        if self.count > 5:
            raise ValueError(f"'count' is {self.count}, expected at most 5")


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path / "steps.jsonl", Step)


def test_records_are_read_back_as_they_were_written(journal):
    steps = [Step("a", 1), Step("é\u2028", 2, "failed", 0.5, [Box(1, 2, 3.5, 4)], {"any": [None]})]
    offsets = [journal.append(step) for step in steps]
    assert list(journal) == [steps[0]._replace(boxes=[]), steps[1]]
    assert [line.offset for line in journal.lines()] == offsets
    with journal.file.open("rb") as file:
        assert journal.read_at(file, offsets[1]) == steps[1]
    assert journal.latest("sample") == {"a": steps[0]._replace(boxes=[]), "é\u2028": steps[1]}
    journal.replace(steps[1:])
    assert list(journal) == steps[1:]


def test_a_journal_that_is_not_there_is_empty(journal):
    assert list(journal) == []


def test_a_number_that_is_not_finite_is_written_as_unknown(journal):
    journal.append(Step("a", 1, cost=float("nan"), more={"x": [float("inf"), 1]}))
    assert json.loads(journal.file.read_text())["cost"] is None
    assert list(journal) == [Step("a", 1, boxes=[], more={"x": [None, 1]})]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"count": 99}, "'count' is 99, expected at most 5"),
        ({"count": 2.0}, "'count' is 2.0, expected an integer"),
        ({"count": True}, "'count' is True, expected an integer"),
        ({"count": "2"}, "'count' is '2', expected an integer"),
        ({"count": None}, "'count' is None, expected an integer"),
        ({"sample": 7}, "'sample' is 7, expected text"),
        ({"state": "maybe"}, "'state' is 'maybe', expected 'done' or 'failed'"),
        ({"cost": float("nan")}, "'cost' is nan, expected a number or null"),
        ({"cost": float("inf")}, "'cost' is inf, expected a number or null"),
        ({"cost": 10**400}, "'cost' is 1000"),
        ({"cost": "free"}, "'cost' is 'free', expected a number or null"),
        ({"boxes": [[1, 2, 3]]}, "'boxes'[0] is [1, 2, 3], expected a list of x1, y1, x2, y2"),
        ({"boxes": 7}, "'boxes' is 7, expected a list"),
        ({"more": []}, "'more' is [], expected an object"),
        ({"extra": 1, "other": 2}, "unknown fields: extra, other"),
    ],
)
def test_values_that_do_not_fit_are_refused(change, problem):
    with pytest.raises(ValueError, match=re.escape(problem)):
        parse_record(Step, {"sample": "a", "count": 1, **change})


BAD = [b'{"sample": "a", "count": 99}', b'{"sample": "a", "count"', b'{"sample": "a"}', b"[1]", b"\xff", b"[" * 9999]


@pytest.mark.parametrize("bad", BAD)
def test_an_invalid_line_is_named_and_never_used(journal, bad, caplog):
    journal.append(Step("b", 2))
    with journal.file.open("ab") as file:
        file.write(b"\n" + bad + b"\n")
    journal.append(Step("c", 3))
    with pytest.raises(InputError, match=r"steps\.jsonl: line 3: .*\n  correct that line or delete it"):
        list(journal)
    with caplog.at_level(logging.WARNING):
        assert list(journal.latest("sample")) == ["b", "c"]
    assert "steps.jsonl: line 3: " in caplog.text


def test_a_sample_whose_last_line_is_invalid_is_not_done(journal):
    journal.append(Step("a", 1))
    journal.append(Step("b", 1))
    with journal.file.open("ab") as file:
        file.write(b'{"sample": "a", "count": 99}\n')
    assert list(journal.latest("sample")) == ["b"]
    journal.append(Step("a", 2))
    assert journal.latest("sample")["a"].count == 2


def test_an_incomplete_last_line_is_skipped_and_removed(journal, caplog):
    journal.append(Step("a", 1))
    whole = journal.file.read_bytes()
    for cut in range(1, len(whole) - 1):
        journal.file.write_bytes(whole + whole[:cut])
        assert len(list(journal)) == len(journal.latest("sample")) == 1
    journal.append(Step("b", 1))
    assert [step.sample for step in journal] == ["a", "b"]
    journal.file.write_bytes(journal.file.read_bytes()[:-1])  # complete but for its line break
    journal.append(Step("c", 1))
    assert [step.sample for step in journal] == ["a", "b", "c"]
    assert not caplog.text


def test_others_wait_until_a_line_is_whole(journal, monkeypatch):
    """Else a line that another process is writing looks incomplete and is removed: 11 to 77 of 400 in an experiment."""
    fcntl = pytest.importorskip("fcntl")
    complete, asked = lines._complete, []

    def looking(handle):
        with journal.file.open("rb") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        asked.append(handle)
        complete(handle)

    monkeypatch.setattr(lines, "_complete", looking)
    for number in range(2):  # the second does not wait for the first
        journal.append(Step("a", number))
    assert [step.count for step in journal] == [0, 1]
    assert len(asked) == 2
