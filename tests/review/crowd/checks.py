"""What must hold when a crowd is done: nothing lost, nothing twice, nothing from nobody, and the outcome that was planned."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tests.review.crowd.people import Record
from tests.review.crowd.plan import STEPS, VOTES, Plan
from vdebench.review.funnel import funnel
from vdebench.review.store import Store

_NAMED = {"passed": "OCR checked", "rejected": "rejected", "withdrawn": "withdrawn"}
"""What the funnel calls the ends of a sample."""
_COMMANDS = {event: command for command, event in VOTES.items()}


def check_all(plan: Plan, record: Record, store: Store, log: list[dict[str, Any]], overview: Mapping[str, Any]) -> None:
    """All of it; `log` are the events and `overview` the numbers as the server gave them to an admin."""
    check_votes(record, log)
    check_outcome(plan, log)
    check_funnels(plan, store, overview)
    assert [event.to_json() for event in store.events()] == log
    assert store.check() == []


def check_votes(record: Record, log: Iterable[dict[str, Any]]) -> None:
    """What was answered as accepted is in the events exactly once; nothing else is."""
    unanswered = record.sent.keys() - record.accepted - record.refused.keys()
    assert not unanswered, f"{len(unanswered)} commands were never answered: {sorted(unanswered)[:3]}"
    both = record.accepted & record.refused.keys()
    assert not both, f"accepted and refused: {sorted(both)[:3]}"
    wanted = Counter(_written(*record.sent[key]) for key in record.accepted)
    found = Counter(
        _written(event["who"], _said(event)) for event in log if event["kind"] in (*VOTES.values(), "marked")
    )
    assert not wanted - found, f"answered and lost: {_few(wanted - found)}"
    assert not found - wanted, f"counted twice, or sent by nobody: {_few(found - wanted)}"
    assert all(number == 1 for number in found.values())


def check_outcome(plan: Plan, log: Iterable[dict[str, Any]]) -> None:
    """Every group has said what it was planned to say, once, in every step that a sample came to and in no other."""
    votes: dict[str, dict[tuple[str, int, str], Any]] = {sample: {} for sample in plan.samples}
    for event in log:
        if event["kind"] in _COMMANDS:
            said = _said(event)
            place = STEPS[said["kind"]], said["round"], _voter(event)
            assert place not in votes[said["sample"]], f"{said['sample']}: two votes in {place}"
            votes[said["sample"]][place] = said
    for sample, fate in plan.fates.items():
        assert votes[sample] == fate.votes, f"{sample}: {votes[sample]}, expected {fate.votes}"


def check_funnels(plan: Plan, store: Store, overview: Mapping[str, Any]) -> None:
    """Of the tables, of the replay, of the server and of the plan."""
    state = store.state()
    assert store.funnel() == funnel(state)
    assert json.loads(json.dumps(store.funnel().to_json())) == overview["funnel"]
    ends, reasons = plan.funnel()
    assert {name: number for name, number in store.funnel().places.items() if number} == {
        _NAMED[end]: number for end, number in ends.items()
    }
    assert dict(store.funnel().rejected) == reasons
    for sample, fate in plan.fates.items():
        item = state.items[sample]
        assert (item.step, item.round) == (fate.step, fate.round), sample
        assert fate.step == "withdrawn" or item.reason == fate.reason, sample
        assert [list(box) for box in item.boxes] == fate.boxes, sample


def _said(event: Mapping[str, Any]) -> dict[str, Any]:
    """What somebody sent, from the event it became."""
    if event["kind"] == "marked":
        left_out = ("version", "kind", "who", "when", "step", "round")
        return {"kind": "mark", **{name: value for name, value in event.items() if name not in left_out}}
    told = {name: value for name, value in event.items() if name not in ("version", "kind", "who", "when")}
    return {"kind": _COMMANDS[event["kind"]], **told}


def _voter(event: Mapping[str, Any]) -> str:
    if "group" in event:
        return f"group:{event['group']}"
    return {"pilot_rated": f"member:{event['who']}", "checked": "person"}.get(event["kind"], "adjudicator")


def _written(who: str, command: Mapping[str, Any]) -> str:
    return json.dumps([who, command], sort_keys=True)


def _few(counted: Counter[str]) -> str:
    return f"{sum(counted.values())}, such as {list(counted)[:3]}"
