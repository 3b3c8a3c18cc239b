"""Rules for commands on the review as a whole: opening it, members, samples, the pilot."""

from __future__ import annotations

from vdebench.review import commands
from vdebench.review import event_types as facts
from vdebench.review.commands import StudyCommand
from vdebench.review.event_types import Fact
from vdebench.review.events import PROTOCOL
from vdebench.review.options import Options
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.state import ROLES, Member, ReviewState, State
from vdebench.review.text_check import wrong_name
from vdebench.review.workflow import WORKFLOW

LARGEST_SIDE = 100_000


def decide_study(state: State, member: Member | None, command: StudyCommand, who: str) -> list[Fact] | Refusal:
    """Return the events of a command that concerns no single sample, or why it is refused."""
    study = state.study
    if isinstance(command, commands.Open):
        return _open(study, command, who)
    if member is None or member.role != "admin":
        return Refusal(Reason.WRONG_ROLE, f"{who} is {member.role if member else 'nobody'}, expected admin")
    match command:
        case commands.Join():
            return _join(study, command)
        case commands.Leave(name):
            leaving = study.member(name)
            if leaving is None or not leaving.active:
                return Refusal(Reason.UNKNOWN_MEMBER, f"{name!r} is not an active member")
            admins = [each for each in study.members if each.active and each.role == "admin"]
            if admins == [leaving]:
                return Refusal(Reason.WRONG_ROLE, f"{name} is the only admin")
            return [facts.Left(name)]
        case commands.Add():
            return _add(state, command)
        case commands.StartPilot():
            return _start_pilot(state, command)
        case commands.EndPilot():
            if not study.pilot_open:
                return Refusal(Reason.NO_PILOT, "no pilot is open")
            return [facts.PilotEnded(study.pilot)]


def _open(study: ReviewState, command: commands.Open, who: str) -> list[Fact] | Refusal:
    if study.opened:
        return Refusal(Reason.ALREADY_OPENED, "the review is already open; its options cannot be changed")
    if not isinstance(command.options, Options) or (problem := command.options.wrong):
        return Refusal(Reason.BAD_OPTIONS, problem if isinstance(command.options, Options) else "no options")
    if problem := wrong_name(who):
        return Refusal(Reason.BAD_TEXT, f"name {problem}")
    return [facts.Opened(command.options), facts.Joined(who, "admin")]


def _join(study: ReviewState, command: commands.Join) -> list[Fact] | Refusal:
    known = study.member(command.name)
    if command.name == PROTOCOL:
        return Refusal(Reason.KNOWN_MEMBER, f"{command.name!r} is reserved for the rules of the review")
    if known and (known.active or (known.role, known.group) != (command.role, command.group)):
        return Refusal(Reason.KNOWN_MEMBER, f"{command.name!r} is already {known.role} {known.group}".rstrip())
    if command.role not in ROLES:
        return Refusal(Reason.WRONG_ROLE, f"role {command.role!r}, expected one of {', '.join(ROLES)}")
    groups = study.options.groups if command.role == "annotator" else ("",)
    if command.group not in groups:
        return Refusal(Reason.WRONG_GROUP, f"{command.role} of group {command.group!r}, expected one of {groups}")
    return [facts.Joined(command.name, command.role, command.group)]


def _add(state: State, command: commands.Add) -> list[Fact] | Refusal:
    position = len(state.items)
    added: dict[str, Fact] = {}
    for number, each in enumerate(command.samples):
        if not isinstance(each, commands.PoolSample):
            return Refusal(Reason.MALFORMED, f"sample {number} is {type(each).__name__}, expected a sample")
        if problem := wrong_name(each.sample) or wrong_name(each.edit):
            return Refusal(Reason.BAD_TEXT, f"sample {number}: its id or its edit {problem}")
        if each.sample in state.items or each.sample in added:
            return Refusal(Reason.KNOWN_SAMPLE, f"{each.sample} is already in the review")
        if any(type(side) is not int or not 1 <= side <= LARGEST_SIDE for side in (each.width, each.height)):
            words = f"{each.sample}: size {each.width!r}×{each.height!r}"[:300]
            return Refusal(Reason.MALFORMED, f"{words}, expected whole pixels from 1 to {LARGEST_SIDE:,}")
        added[each.sample] = facts.Added(each.sample, each.edit, each.width, each.height, position + number)
    return list(added.values())


def _start_pilot(state: State, command: commands.StartPilot) -> list[Fact] | Refusal:
    study, samples = state.study, tuple(command.samples)
    if study.pilot_open:
        return Refusal(Reason.PILOT_OPEN, "a pilot is already open; end it first")
    if not samples or len(set(map(str, samples))) < len(samples):
        return Refusal(Reason.MALFORMED, "expected at least one sample, each only once")
    for sample in samples:
        item = state.items.get(sample) if isinstance(sample, str) else None
        if item is None:
            return Refusal(Reason.UNKNOWN_SAMPLE, f"no sample {sample!r}"[:250])
        if item.step != WORKFLOW.first or item.votes(WORKFLOW.first, item.round):
            return Refusal(
                Reason.WRONG_STEP, f"{item.id} already has votes or is closed; choose another sample for the pilot"
            )
    return [facts.PilotStarted(study.pilot + 1, samples)]
