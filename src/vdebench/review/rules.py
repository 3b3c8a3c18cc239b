"""`decide`: the rules of the protocol. It turns a command into events or a refusal, with the rules of `steps/`."""

from __future__ import annotations

from datetime import datetime

from vdebench.review import commands
from vdebench.review import event_types as facts
from vdebench.review.assignment import Lease, waiting_for
from vdebench.review.command_check import wrong_mark, wrong_texts
from vdebench.review.commands import Command, SampleCommand
from vdebench.review.event_types import Fact
from vdebench.review.events import PROTOCOL, Event, stamp
from vdebench.review.membership import decide_study
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.state import Item, Member, ReviewState, State, current_step
from vdebench.review.step import Step, VoteCommand
from vdebench.review.workflow import PILOT, WORKFLOW


def decide(
    state: State, command: Command, *, who: str, now: datetime, lease: Lease | None = None
) -> list[Event] | Refusal:
    """Return the events that a command causes, or why it is refused.

    `lease` is the present lease on the sample for the sender's voter, if there is one.
    """
    decided = _decide(state, command, who, stamp(now), lease)
    if isinstance(decided, Refusal):
        return decided
    return [Event(PROTOCOL if isinstance(fact, facts.Closed) else who, stamp(now), fact) for fact in decided]


def _decide(state: State, command: Command, who: str, now: str, lease: Lease | None) -> list[Fact] | Refusal:
    study = state.study
    if not study.opened and not isinstance(command, commands.Open):
        return Refusal(Reason.NOT_OPENED, "the review is not open yet")
    member = study.member(who)
    if study.opened and (member is None or not member.active):
        return Refusal(Reason.UNKNOWN_MEMBER, f"{who!r}"[:200] + " is not a member of this review")
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
            return _mark(study, item, command)
        case commands.Unmark():
            return _unmark(member, item, command)
        case commands.Withdraw():
            if member.role != "admin":
                return Refusal(Reason.WRONG_ROLE, f"{member.name} is {member.role}, expected admin")
            if item.is_final:
                return Refusal(Reason.CLOSED, f"{item.id} is already {item.step}")
            return [facts.Withdrawn(item.id, command.reason)]
    return _vote(study, member, item, command, now, lease)


def _vote(
    study: ReviewState, member: Member, item: Item, command: VoteCommand, now: str, lease: Lease | None
) -> list[Fact] | Refusal:
    step = WORKFLOW.of_command(command)
    voter = _voter(step, member, command)
    if isinstance(voter, Refusal):
        return voter
    refused = _out_of_turn(study, item, step, command.round, voter) or step.check(item.context(study.options), command)
    if refused:
        return refused
    if lease and (lease.sample, lease.voter) == (item.id, voter) and lease.keeps_out(member.name, now):
        return Refusal(Reason.LEASED, f"{item.id}: {lease.who} of your group works on it until {lease.until}")
    vote = step.vote(command)
    if step.decide is None or waiting_for(study, item) != [voter]:
        return [vote]
    votes = [*item.votes(item.step, item.round), Event(member.name, now, vote)]
    by_voter = sorted(votes, key=lambda event: event.voter)  # the outcome must not depend on the order of the votes
    outcome = step.decide(item.context(study.options), [event.what for event in by_voter])
    return [vote, facts.Closed(item.id, step.name, item.round, *outcome)]


def _voter(step: Step, member: Member, command: VoteCommand) -> str | Refusal:
    """Return the voter in whose name a member votes in a step."""
    is_annotator = member.role == "annotator"
    if is_annotator != (step.voters != "adjudicator"):
        expected = "adjudicator or admin" if is_annotator else "annotator"
        return Refusal(Reason.WRONG_ROLE, f"{member.name} is {member.role}, expected {expected}")
    if step.voters == "group" and getattr(command, "group", None) != member.group:
        return Refusal(Reason.WRONG_GROUP, f"{member.name} can vote only for group {member.group!r}")
    return step.voter(member.name, member.group)


def _out_of_turn(study: ReviewState, item: Item, step: Step, round: int, voter: str) -> Refusal | None:
    """Return why the review does not wait for this vote."""
    if type(round) is not int:
        return Refusal(Reason.MALFORMED, f"round is {round!r}"[:200] + ", expected a whole number")
    if any(vote.voter == voter for vote in item.votes(step.name, round)):
        return Refusal(Reason.ALREADY_VOTED, f"{item.id}: {step.name}, round {round}: {voter} has already voted")
    if step.name == PILOT:
        if not study.pilot_open:
            return Refusal(Reason.NO_PILOT, "no pilot is open")
        if item.id not in study.pilot_samples:
            return Refusal(Reason.NOT_IN_PILOT, f"{item.id} is not in the pilot")
        here, now = PILOT if item.step == WORKFLOW.first else item.step, study.pilot
    elif study.pilot_open:
        return Refusal(Reason.PILOT_OPEN, "a pilot is open; the pool opens when it ends")
    else:
        here, now = item.step, item.round
    if item.is_final:
        return Refusal(Reason.CLOSED, f"{item.id} is {item.step}")
    if here != step.name:
        return Refusal(Reason.WRONG_STEP, f"{item.id} is in step {here}, not {step.name}")
    if round != now:
        return Refusal(Reason.WRONG_ROUND, f"{item.id} is in round {now}, not {round}")
    return None


def _mark(study: ReviewState, item: Item, command: commands.Mark) -> list[Fact] | Refusal:
    if item.is_final:
        return Refusal(Reason.CLOSED, f"{item.id} is {item.step}")
    if any(isinstance(event.what, facts.Marked) and event.what.mark == command.mark for event in item.history):
        return Refusal(Reason.KNOWN_MARK, f"{item.id}: mark {command.mark!r} already exists")
    if refused := wrong_mark(item, command):
        return refused
    step, round = current_step(study, item)
    return [facts.Marked(item.id, command.mark, step, round, command.side, tuple(command.boxes), command.note)]


def _unmark(member: Member, item: Item, command: commands.Unmark) -> list[Fact] | Refusal:
    if item.is_final:
        return Refusal(Reason.CLOSED, f"{item.id} is {item.step}")
    own = {e.what.mark for e in item.history if isinstance(e.what, facts.Marked) and e.who == member.name}
    removed = {event.what.mark for event in item.history if isinstance(event.what, facts.Unmarked)}
    if command.mark not in own - removed:
        return Refusal(Reason.UNKNOWN_MARK, f"{item.id}: {member.name} has no mark {command.mark!r}"[:400])
    return [facts.Unmarked(item.id, command.mark)]
