"""What concerns the review as a whole: opening it, who takes part, which samples are in it, the pilot."""

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

LARGEST_SIDE = 100_000


def decide_study(state: State, member: Member | None, command: StudyCommand, who: str) -> list[Fact] | Refusal:
    """What a command that concerns no single sample comes to."""
    study = state.study
    if isinstance(command, commands.Open):
        return _opened(study, command, who)
    if member is None or member.role != "admin":
        return Refusal(Reason.WRONG_ROLE, f"{who} is {member.role if member else 'nobody'}, expected admin")
    match command:
        case commands.Join():
            return _joined(study, command)
        case commands.Leave(name):
            leaving = study.member(name)
            if leaving is None or not leaving.active:
                return Refusal(Reason.UNKNOWN_MEMBER, f"{name!r} does not take part")
            admins = [each for each in study.members if each.active and each.role == "admin"]
            if admins == [leaving]:
                return Refusal(Reason.WRONG_ROLE, f"{name} is the only admin")
            return [facts.Left(name)]
        case commands.Add():
            return _added(state, command)
        case commands.StartPilot():
            return _pilot_started(state, command)
        case commands.EndPilot():
            if not study.pilot_open:
                return Refusal(Reason.NO_PILOT, "no pilot is under way")
            return [facts.PilotEnded(study.pilot)]


def _opened(study: ReviewState, command: commands.Open, who: str) -> list[Fact] | Refusal:
    if study.opened:
        return Refusal(Reason.ALREADY_OPENED, "the review is open; its options cannot be changed")
    if not isinstance(command.options, Options) or (problem := command.options.wrong):
        return Refusal(Reason.BAD_OPTIONS, problem if isinstance(command.options, Options) else "no options")
    if problem := wrong_name(who):
        return Refusal(Reason.BAD_TEXT, f"name {problem}")
    return [facts.Opened(command.options), facts.Joined(who, "admin")]


def _joined(study: ReviewState, command: commands.Join) -> list[Fact] | Refusal:
    known = study.member(command.name)
    if command.name == PROTOCOL:
        return Refusal(Reason.KNOWN_MEMBER, f"{command.name!r} is the name of the rules themselves")
    if known and (known.active or (known.role, known.group) != (command.role, command.group)):
        return Refusal(Reason.KNOWN_MEMBER, f"{command.name!r} is known as {known.role} {known.group}".rstrip())
    if command.role not in ROLES:
        return Refusal(Reason.WRONG_ROLE, f"role {command.role!r}, expected one of {', '.join(ROLES)}")
    groups = study.options.groups if command.role == "annotator" else ("",)
    if command.group not in groups:
        return Refusal(Reason.WRONG_GROUP, f"{command.role} of group {command.group!r}, expected one of {groups}")
    return [facts.Joined(command.name, command.role, command.group)]


def _added(state: State, command: commands.Add) -> list[Fact] | Refusal:
    position = len(state.items)
    found: dict[str, Fact] = {}
    for number, each in enumerate(command.samples):
        if not isinstance(each, commands.Sample):
            return Refusal(Reason.MALFORMED, f"sample {number} is {type(each).__name__}, expected a sample")
        if problem := wrong_name(each.sample) or wrong_name(each.edit):
            return Refusal(Reason.BAD_TEXT, f"sample {number}: its id or its edit {problem}")
        if each.sample in state.items or each.sample in found:
            return Refusal(Reason.KNOWN_SAMPLE, f"{each.sample} is in the review already")
        if any(type(side) is not int or not 1 <= side <= LARGEST_SIDE for side in (each.width, each.height)):
            words = f"{each.sample}: size {each.width!r}×{each.height!r}"[:300]
            return Refusal(Reason.MALFORMED, f"{words}, expected whole pixels from 1 to {LARGEST_SIDE:,}")
        found[each.sample] = facts.Added(each.sample, each.edit, each.width, each.height, position + number)
    return list(found.values())


def _pilot_started(state: State, command: commands.StartPilot) -> list[Fact] | Refusal:
    study, samples = state.study, tuple(command.samples)
    if study.pilot_open:
        return Refusal(Reason.PILOT_OPEN, "a pilot is under way; end it first")
    if not samples or len(set(map(str, samples))) < len(samples):
        return Refusal(Reason.MALFORMED, "a pilot needs at least one sample, and none twice")
    for sample in samples:
        item = state.items.get(sample) if isinstance(sample, str) else None
        if item is None:
            return Refusal(Reason.UNKNOWN_SAMPLE, f"no sample {sample!r}"[:250])
        if item.step != "score" or item.votes("score", item.round):
            return Refusal(Reason.WRONG_STEP, f"{item.id}: has votes already, or ended; choose another for the pilot")
    return [facts.PilotStarted(study.pilot + 1, samples)]
