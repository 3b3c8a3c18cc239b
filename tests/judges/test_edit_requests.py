"""A judge that expresses instructions as explicit edits: what it is sent, its answers, and its failures."""

from __future__ import annotations

import json

import pytest

from tests.judges.server import Reply, envelope, error, in_turn, judging
from tests.judges.suites import asker
from vdebench.errors import InputError
from vdebench.judges.edit_requests import SCHEMA, StatedEdit, StatedEdits, parse_edits, prompt, prompt_hash, state_edits

pytest.importorskip("httpx2")
PAGE = "Opening hours\nMonday 8:30"
EDIT = {"action": "replace", "old": "8:30", "new": "9:30", "anchor": "", "everywhere": False}
KEY = "sk-planted-0123456789"


def answer(**changes):
    return json.dumps({"understood": True, "reason": "", "edits": [EDIT], **changes})


def stated(*replies, instruction="Open at 9:30."):
    with judging(in_turn(*replies)) as server:
        return state_edits(asker(server), instruction, PAGE, pause=0.01), server.asks


def test_the_edits_of_an_instruction():
    found, (ask,) = stated(Reply(envelope(answer())))
    assert found == StatedEdits((StatedEdit("replace", "8:30", "9:30"),), model="judge-1")
    assert "<instruction>\nOpen at 9:30.\n</instruction>" in ask.prompt
    assert f"<page>\n{PAGE}\n</page>" in ask.prompt
    assert ask.images == []
    assert ask.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert ask.body["temperature"] == 0


def test_placeholders_inside_the_values_stay():
    assert "<page>\n{instruction}\n</page>" in prompt("{page}", "{instruction}")


def test_the_hash_of_the_prompt():
    assert len(prompt_hash()) == 12


def test_a_server_that_takes_no_schema():
    found, asks = stated(error(400, "unknown field response_format"), Reply(envelope(f"Here: {answer()}")))
    assert found.edits
    assert [ask.has_schema for ask in asks] == [True, False]


def test_a_server_that_is_busy_is_asked_again():
    found, asks = stated(error(503), Reply(envelope(answer())))
    assert found.edits
    assert len(asks) == 2


def test_failures_are_reasons(monkeypatch):
    monkeypatch.setenv("TEST_JUDGE_KEY", KEY)
    found, _ = stated(error(401, f"the key {KEY} is wrong"))
    assert found.edits == ()
    assert "401" in found.problem
    assert KEY not in found.problem
    refusal, _ = stated(Reply(envelope(None, refusal="I cannot")))
    assert refusal.problem == "the model refused: I cannot"
    with judging(in_turn(error(500))) as server:
        judge = asker(server)
    gone = state_edits(judge, "x", PAGE, pause=0.01)  # nobody listens any more
    assert gone.edits == ()
    assert gone.problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the answer has 0 JSON objects, expected one: it is empty"),
        (answer() * 2, "the answer has 2 JSON objects"),
        ('{"understood": tru', "the answer's JSON is broken"),
        ("{}", "the answer's keys are none"),
        ('{"edits": []}', "the answer's keys are 'edits'"),
        (answer(more=1), "the answer's keys are 'understood', 'reason', 'edits', 'more'"),
        (answer(understood="yes"), "the answer does not match its schema"),
        (answer(edits={}), "the answer does not match its schema"),
        (answer(edits=[]), "the answer has no edits"),
        (answer(edits=["x"]), 'an edit is "x", expected an object'),
        (answer(edits=[{"action": "replace"}]), "the edit's keys are 'action'"),
        (answer(edits=[{**EDIT, "action": "move"}]), "the action is 'move', expected one of replace, delete"),
        (answer(edits=[{**EDIT, "action": []}]), "the action is []"),
        (answer(edits=[{**EDIT, "new": 5}]), "an edit does not match its schema"),
        (answer(edits=[{**EDIT, "everywhere": 1}]), "an edit does not match its schema"),
    ],
)
def test_answers_that_do_not_match_the_schema(text, problem):
    with pytest.raises(InputError) as caught:
        parse_edits(text)
    assert str(caught.value).startswith(problem)
    if text:  # an empty answer is a failure of the server
        assert stated(Reply(envelope(text)))[0].problem.startswith(problem)


def test_an_instruction_that_the_judge_does_not_understand():
    found = parse_edits(answer(understood=False, reason="two texts may be meant"))
    assert found == StatedEdits(problem="not understood: two texts may be meant")
