"""What a review has come to: the replay of its events, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from vdebench.core.box import Box
from vdebench.review import event_types as facts
from vdebench.review.events import Event
from vdebench.review.options import Options

STEPS = ("score", "boxes", "screen", "ocr")
"""In their order; each is what a sample waits for."""
CONFLICT = "conflict"
FINAL = ("passed", "rejected", "withdrawn")
ROLES = ("annotator", "adjudicator", "admin")


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who takes part, or did."""

    name: str
    role: str
    group: str = ""
    active: bool = True

    @property
    def voters(self) -> tuple[str, ...]:
        """As whom they can vote."""
        if self.role != "annotator":
            return ("adjudicator",)
        return (f"group:{self.group}", "person", f"member:{self.name}")


@dataclass(frozen=True, slots=True)
class ReviewState:
    """The review as a whole, without its samples."""

    opened: bool = False
    options: Options = Options()  # noqa: RUF009 - frozen
    members: tuple[Member, ...] = ()
    pilot: int = 0
    """Number of the last pilot."""
    pilot_open: bool = False
    pilot_samples: tuple[str, ...] = ()

    def member(self, name: str) -> Member | None:
        """Somebody by name."""
        return next((member for member in self.members if member.name == name), None)

    def annotators(self) -> list[Member]:
        """Those who take part now."""
        return [member for member in self.members if member.active and member.role == "annotator"]


@dataclass(frozen=True, slots=True)
class Item:
    """A sample, and what has become of it."""

    id: str
    edit: str
    width: int
    height: int
    position: int
    since: str
    """When it came to the step in which it is."""
    step: str = "score"
    """What it waits for (`STEPS`), `conflict`, or how it ended (`FINAL`)."""
    round: int = 1
    limit: int = 1
    """The round in which disagreement on boxes becomes a conflict."""
    boxes: tuple[Box, ...] = ()
    """The ground truth, once there is one."""
    reason: str = ""
    """Of a rejection or withdrawal."""
    history: tuple[Event, ...] = ()
    """All that happened to it, votes and outcomes, of all rounds."""

    def votes(self, step: str, round: int) -> list[Event]:
        """The votes of a step in a round, in the order in which they came."""
        return [event for event in self.history if event.step == step and event.what.round == round]  # type: ignore[union-attr]

    def closings(self) -> list[facts.Closed]:
        """How its steps ended, oldest first."""
        return [event.what for event in self.history if isinstance(event.what, facts.Closed)]

    def is_closed(self, step: str, round: int) -> bool:
        """Whether a step of a round has come to its end, and its votes to their effect."""
        return any((closed.step, closed.round) == (step, round) for closed in self.closings())


@dataclass(frozen=True, slots=True)
class State:
    """A review with all its samples."""

    study: ReviewState
    items: Mapping[str, Item]


EMPTY = State(ReviewState(), {})


def apply(state: State, event: Event) -> State:
    """The state after one more event. What was before is left as it is."""
    sample = event.sample
    if not sample:
        return State(study_after(state.study, event), state.items)
    return State(state.study, {**state.items, sample: item_after(state.study, state.items.get(sample), event)})


def replay(log: Iterable[Event], state: State = EMPTY) -> State:
    """The state after many events, as `apply` gives it one by one."""
    study, items = state.study, dict(state.items)
    for event in log:
        if event.sample:
            items[event.sample] = item_after(study, items.get(event.sample), event)
        else:
            study = study_after(study, event)
    return State(study, items)


def study_after(study: ReviewState, event: Event) -> ReviewState:
    """The review after an event that concerns no sample."""
    match event.what:
        case facts.Opened(options):
            return replace(study, opened=True, options=options)
        case facts.Joined(name, role, group):
            others = tuple(member for member in study.members if member.name != name)
            return replace(study, members=(*others, Member(name, role, group)))
        case facts.Left(name):
            members = (replace(each, active=False) if each.name == name else each for each in study.members)
            return replace(study, members=tuple(members))
        case facts.PilotStarted(pilot, samples):
            return replace(study, pilot=pilot, pilot_open=True, pilot_samples=samples)
        case facts.PilotEnded():
            return replace(study, pilot_open=False)
    raise ValueError(f"{event.kind}: concerns a sample")


def item_after(study: ReviewState, item: Item | None, event: Event) -> Item:
    """A sample after an event that concerns it."""
    what = event.what
    if isinstance(what, facts.Added):
        limit = study.options.rounds
        return Item(
            what.sample, what.edit, what.width, what.height, what.position, event.when, limit=limit, history=(event,)
        )
    if item is None:
        raise ValueError(f"{event.kind}: {event.sample} was never added")
    item = replace(item, history=(*item.history, event))
    if isinstance(what, facts.Withdrawn):
        return replace(item, step="withdrawn", reason=what.reason, since=event.when)
    if isinstance(what, facts.Closed):
        return _closed(study, replace(item, since=event.when), what)
    return item


def _closed(study: ReviewState, item: Item, closed: facts.Closed) -> Item:
    if closed.outcome == "on":
        return replace(item, step=_next(closed.step), boxes=closed.boxes or item.boxes)
    if closed.outcome == "again":
        limit = closed.round + study.options.rounds if closed.step == CONFLICT else item.limit
        return replace(item, step="score" if study.options.rescore else "boxes", round=item.round + 1, limit=limit)
    if closed.outcome == "conflict":
        return replace(item, step=CONFLICT)
    return replace(item, step="rejected", reason=closed.reason)


def _next(step: str) -> str:
    if step == CONFLICT:  # what was in conflict are the boxes
        return "screen"
    return dict(pairwise((*STEPS, "passed")))[step]
