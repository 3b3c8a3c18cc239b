"""`decide`: what a command comes to, events or a refusal. All rules of the protocol are here and in `closing.py`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from vdebench.review import commands
from vdebench.review import event_types as facts
from vdebench.review.assignment import Lease, waiting_for
from vdebench.review.command_check import wrong_contents, wrong_texts
from vdebench.review.commands import Command, SampleCommand, VoteCommand
from vdebench.review.event_types import Fact
from vdebench.review.events import PROTOCOL, Event, stamp
from vdebench.review.membership import decide_study
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.state import FINAL, Item, Member, ReviewState, State
from vdebench.review.step_outcome import outcome

STEP_OF: Mapping[type[Any], str] = {
    commands.RatePilot: "pilot",
    commands.Rate: "score",
    commands.Draw: "boxes",
    commands.Screen: "screen",
    commands.Check: "ocr",
    commands.Adjudicate: "conflict",
}
_DECIDED = list[Event] | Refusal


def decide(state: State, command: Command, *, who: str, now: datetime, lease: Lease | None = None) -> _DECIDED:
    """The events that a command brings about, or why it is refused and changes nothing.

    `lease` is the hold that somebody has on the sample in the place of this voter, where there is one.
    """
    decided = _decide(state, command, who, stamp(now), lease)
    if isinstance(decided, Refusal):
        return decided
    return [Event(PROTOCOL if isinstance(fact, facts.Closed) else who, stamp(now), fact) for fact in decided]


def _decide(state: State, command: Command, who: str, now: str, lease: Lease | None) -> list[Fact] | Refusal:
    study = state.study
    if not study.opened and not isinstance(command, commands.Open):
        return Refusal(Reason.NOT_OPENED, "the review is not opened yet")
    member = study.member(who)
    if study.opened and (member is None or not member.active):
        return Refusal(Reason.UNKNOWN_MEMBER, f"{who!r}"[:200] + " does not take part in this review")
    if problem := wrong_texts(command):
        return problem
    if isinstance(command, SampleCommand):
        item = state.items.get(command.sample)
        if item is None:
            return Refusal(Reason.UNKNOWN_SAMPLE, f"no sample {command.sample!r}"[:250])
        assert member is not None
        return _decide_sample(study, member, item, command, now, lease)
    return decide_study(state, member, command, who)


def _decide_sample(
    study: ReviewState, member: Member, item: Item, command: SampleCommand, now: str, lease: Lease | None
) -> list[Fact] | Refusal:
    match command:
        case commands.Mark():
            return _marked(study, item, command)
        case commands.Unmark():
            return _unmarked(member, item, command)
        case commands.Withdraw():
            if member.role != "admin":
                return Refusal(Reason.WRONG_ROLE, f"{member.name} is {member.role}, expected admin")
            if item.step in FINAL:
                return Refusal(Reason.CLOSED, f"{item.id} is {item.step} already")
            return [facts.Withdrawn(item.id, command.reason)]
    return _voted(study, member, item, command, now, lease)


def _voted(
    study: ReviewState, member: Member, item: Item, command: VoteCommand, now: str, lease: Lease | None
) -> list[Fact] | Refusal:
    voter = _voter(study, member, command)
    if isinstance(voter, Refusal):
        return voter
    refused = _out_of_turn(study, item, command, voter) or wrong_contents(item, command)
    if refused:
        return refused
    if lease and (lease.sample, lease.voter) == (item.id, voter) and lease.keeps_out(member.name, now):
        return Refusal(Reason.LEASED, f"{item.id}: {lease.who} of your group works on it until {lease.until}")
    fact = _fact(command)
    vote = Event(member.name, now, fact)
    if study.pilot_open or waiting_for(study, item) != [voter]:
        return [fact]
    votes = [*item.votes(item.step, item.round), vote]
    in_order = sorted(votes, key=lambda each: each.voter)  # the outcome must not hang on who came first
    return [fact, outcome(study.options, item, in_order)]


def _voter(study: ReviewState, member: Member, command: VoteCommand) -> str | Refusal:
    """As whom a member votes."""
    if isinstance(command, commands.Adjudicate):
        if member.role == "annotator":
            return Refusal(Reason.WRONG_ROLE, f"{member.name} is annotator, expected adjudicator or admin")
        return "adjudicator"
    if member.role != "annotator":
        return Refusal(Reason.WRONG_ROLE, f"{member.name} is {member.role}, expected annotator")
    if isinstance(command, commands.RatePilot):
        return f"member:{member.name}"
    if isinstance(command, commands.Check):
        return "person"
    if command.group != member.group:
        return Refusal(Reason.WRONG_GROUP, f"{member.name} votes for group {member.group!r} and no other")
    return f"group:{member.group}"


def _out_of_turn(study: ReviewState, item: Item, command: VoteCommand, voter: str) -> Refusal | None:
    """Why a vote is not waited for."""
    step = STEP_OF[type(command)]
    round = command.round
    if type(round) is not int:
        return Refusal(Reason.MALFORMED, f"round is {round!r}"[:200] + ", expected a whole number")
    if any(vote.voter == voter for vote in item.votes(step, round)):
        return Refusal(Reason.ALREADY_VOTED, f"{item.id}: {step}, round {round}: the vote of {voter} is in")
    if step == "pilot":
        if not study.pilot_open:
            return Refusal(Reason.NO_PILOT, "no pilot is under way")
        if item.id not in study.pilot_samples:
            return Refusal(Reason.NOT_IN_PILOT, f"{item.id} is not in the pilot")
        here, now = "pilot" if item.step == "score" else item.step, study.pilot
    elif study.pilot_open:
        return Refusal(Reason.PILOT_OPEN, "the pilot is under way; the pool opens when it has ended")
    else:
        here, now = item.step, item.round
    if here in FINAL:
        return Refusal(Reason.CLOSED, f"{item.id} is {here}")
    if here != step:
        return Refusal(Reason.WRONG_STEP, f"{item.id} is at step {here}, not {step}")
    if round != now:
        return Refusal(Reason.WRONG_ROUND, f"{item.id} is in round {now}, not {round}")
    return None


def _fact(command: VoteCommand) -> facts.Vote:
    match command:
        case commands.RatePilot(sample, round, ratings):
            return facts.PilotRated(sample, round, ratings)
        case commands.Rate(sample, round, group, ratings):
            return facts.Rated(sample, round, group, ratings)
        case commands.Draw(sample, round, group, boxes):
            return facts.Drawn(sample, round, group, tuple(boxes))
        case commands.Screen(sample, round, group, yes, note):
            return facts.Screened(sample, round, group, yes, note)
        case commands.Check(sample, round, verdict, texts, note):
            return facts.Checked(sample, round, verdict, tuple(texts), note)
        case commands.Adjudicate(sample, round, verdict, boxes, note):
            return facts.Adjudicated(sample, round, verdict, tuple(boxes), note)


def _marked(study: ReviewState, item: Item, command: commands.Mark) -> list[Fact] | Refusal:
    if item.step in FINAL:
        return Refusal(Reason.CLOSED, f"{item.id} is {item.step}")
    if any(isinstance(event.what, facts.Marked) and event.what.mark == command.mark for event in item.history):
        return Refusal(Reason.KNOWN_MARK, f"{item.id}: mark {command.mark!r} is there already")
    refused = wrong_contents(item, command)
    if refused:
        return refused
    step, round = ("pilot", study.pilot) if study.pilot_open else (item.step, item.round)
    boxes = tuple(command.boxes)
    return [facts.Marked(item.id, command.mark, step, round, command.side, boxes, command.note)]


def _unmarked(member: Member, item: Item, command: commands.Unmark) -> list[Fact] | Refusal:
    if item.step in FINAL:
        return Refusal(Reason.CLOSED, f"{item.id} is {item.step}")
    own = {e.what.mark for e in item.history if isinstance(e.what, facts.Marked) and e.who == member.name}
    gone = {event.what.mark for event in item.history if isinstance(event.what, facts.Unmarked)}
    if command.mark not in own - gone:
        return Refusal(Reason.UNKNOWN_MARK, f"{item.id}: {member.name} has no mark {command.mark!r}"[:400])
    return [facts.Unmarked(item.id, command.mark)]
