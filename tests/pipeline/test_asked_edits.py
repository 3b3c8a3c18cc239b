"""Who understands an instruction: the rules, a judge on a local server, or nobody."""

from __future__ import annotations

import json

import pytest

from tests.changes.drawn import draw, with_line
from tests.judges.server import Reply, envelope, error, in_turn, judging
from vdebench.changes.engine import PageComparator
from vdebench.core.box import Box
from vdebench.instructions.request import EditRequest as R
from vdebench.judges.edit_requests import prompt_hash
from vdebench.judges.judge import get_judge
from vdebench.pipeline.asked_edits import AskedEdits, asked_edits
from vdebench.pipeline.edit_check import check_images
from vdebench.readers.lines.line import Line
from vdebench.readers.reader import ReadLines, get_reader

pytest.importorskip("httpx2")
TEXTS = (
    "Opening hours: 8:30 to 17:45",
    "The ferry costs 21.88 per car",
    "The ferry sails at 8:30",
    "an expla-",
    "nation",
)
PAGE = ReadLines([Line(Box(0, 40 * row, 10 * len(text), 40 * row + 20), text) for row, text in enumerate(TEXTS)], [])
DEAR = "The car should have to pay 27.88 from now on."


@pytest.fixture(autouse=True)
def _without_keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def edit(action="replace", old="21.88", new="27.88", anchor="", everywhere=False):
    return {"action": action, "old": old, "new": new, "anchor": anchor, "everywhere": everywhere}


def reply(*edits, understood=True, reason=""):
    return Reply(envelope(json.dumps({"understood": understood, "reason": reason, "edits": edits})))


def asked(*edits, instruction=DEAR):
    with judging(in_turn(reply(*edits))) as server:
        return asked_edits(instruction, PAGE, get_judge("gpt-4o", base_url=server.url))


def test_the_rules_come_first():
    with judging(in_turn(reply(edit()))) as server:
        judge = get_judge("gpt-4o", base_url=server.url)
        found = asked_edits("Replace '21.88' with '27.88'.", PAGE, judge)
        assert found == AskedEdits((R("replace", "21.88", "27.88"),), "rules")
        assert asked_edits(" ", PAGE, judge) == AskedEdits()
        assert server.asks == []
    assert asked_edits(DEAR, PAGE) == AskedEdits()  # no judge


def test_the_judge_says_what_is_asked_for():
    with judging(in_turn(reply(edit()))) as server:
        found = asked_edits(DEAR, PAGE, get_judge("gpt-4o", base_url=server.url))
        address = server.url.removeprefix("http://").removesuffix("/v1")
        assert "\n".join(TEXTS) in server.asks[0].prompt
    assert found.requests == (R("replace", "21.88", "27.88"),)
    assert found.to_json() == {
        "source": "judge",
        "edits": [{"action": "replace", "target": "21.88", "new": "27.88"}],
        "problem": "",
        "judge": {
            "name": "openai",
            "model": "gpt-4o",
            "server": address,
            "temperature": "0",
            "returned": "judge-1",
            "prompt": prompt_hash(),
        },
    }


@pytest.mark.parametrize(
    ("edits", "request_"),
    [
        ([edit("delete", "21.88 per car", "")], R("delete", "21.88 per car")),
        ([edit("insert_after", "", "27.88", "21.88")], R("insert_after", "21.88", "27.88")),
        ([edit(old="8:30", anchor="sails at 8:30")], R("replace", "8:30", "27.88", within="sails at 8:30")),
        ([edit(old="8:30", everywhere=True)], R("replace", "8:30", "27.88", everywhere=True)),
        ([edit(old="explanation")], R("replace", "explanation", "27.88")),  # broken at the end of a line
    ],
)
def test_edits_that_rest_on_the_page(edits, request_):
    assert asked(*edits).requests == (request_,)


@pytest.mark.parametrize(
    ("edits", "problem"),
    [
        ([edit(old="21.89")], "'21.89' is not on the page"),
        ([edit(old="The ferny costs")], "'The ferny costs' is not on the page"),  # only similar
        ([edit(old="8:30", anchor="flies at 8:30")], "'flies at 8:30' is not on the page"),
        ([edit(old="21.88", anchor="sails at 8:30")], "'sails at 8:30' does not contain '21.88'"),
        ([edit("insert_after", "", "27.88", "")], "it names no text of the page for insert_after"),
        ([edit(old="")], "it names no text of the page for replace"),
        ([edit(new="28.88")], "the new text '28.88' is not in the instruction"),
        ([edit(new="")], "the new text '' is not in the instruction"),
        ([edit("delete")], "it gives a new text for a deletion"),
        ([edit(old="27.88")], "the new text '27.88' is the old one"),
        ([edit(old="8:30")], "'8:30' stands at 2 places, and it does not tell which is meant"),
        ([edit(), edit(old="zeppelin")], "'zeppelin' is not on the page"),  # one is enough
    ],
)
def test_edits_that_do_not_are_refused(edits, problem):
    found = asked(*edits)
    assert (found.requests, found.source) == ((), "")
    assert found.problem == f"the judge gpt-4o: {problem}"
    assert found.judge["model"] == "gpt-4o"


IMAGE = draw()
DEARER = draw(with_line(2, "The ferry costs 27.88 per car"))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (reply(edit()), ("done", True, [True], "the edit is done and nothing else changed")),
        (
            reply(understood=False, reason="no price is meant"),
            (
                "unknown",
                None,
                [None],
                "it is not known which changes were asked for (the judge gpt-4o: not understood: no price is meant)",
            ),
        ),
    ],
    ids=["understood", "not understood"],
)
def test_a_check_with_a_judge(answer, expected):
    comparator = PageComparator(get_reader("rapidocr"))
    with judging(in_turn(answer)) as server:
        judge = get_judge("gpt-4o", base_url=server.url)
        found = check_images(IMAGE, DEARER, comparator, instruction=DEAR, judge=judge)
    changes = [each.asked for each in found.page.changes]
    assert (found.edit, found.usable, changes, found.why) == expected
    assert found.to_json()["requests"]["judge"]["model"] == "gpt-4o"


def test_a_judge_that_fails():
    with judging(in_turn(error(401, "wrong key"))) as server:
        found = asked_edits(DEAR, PAGE, get_judge("gpt-4o", base_url=server.url))
    assert found.requests == ()
    assert found.problem.startswith("the judge gpt-4o: ")
    assert "401" in found.problem
