"""The state of a review: the replay of its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from vdebench.core.box import Box
from vdebench.review import event_types as facts
from vdebench.review.events import Event
from vdebench.review.options import Options
from vdebench.review.step import StepContext, Vote
from vdebench.review.workflow import FINAL, PILOT, WORKFLOW

ROLES = ("annotator", "adjudicator", "admin")


@dataclass(frozen=True, slots=True)
class Member:
    """A present or former member of the review."""

    name: str
    role: str
    group: str = ""
    active: bool = True

    @property
    def voters(self) -> tuple[str, ...]:
        """The voters in whose name the member can vote."""
        if self.role != "annotator":
            return ("adjudicator",)
        return (f"group:{self.group}", "person", f"member:{self.name}")


@dataclass(frozen=True, slots=True)
class ReviewState:
    """The state of the review without its samples."""

    opened: bool = False
    options: Options = Options()  # noqa: RUF009 - frozen
    members: tuple[Member, ...] = ()
    pilot: int = 0
    """Number of the last pilot; 0 before the first."""
    pilot_open: bool = False
    pilot_samples: tuple[str, ...] = ()

    def member(self, name: str) -> Member | None:
        """Return a member by name."""
        return next((member for member in self.members if member.name == name), None)

    def annotators(self) -> list[Member]:
        """Return the active annotators."""
        return [member for member in self.members if member.active and member.role == "annotator"]

    def in_pilot(self, sample: str, step: str) -> bool:
        """Whether a sample in this step is being scored in the pilot."""
        return self.pilot_open and sample in self.pilot_samples and step == WORKFLOW.first


@dataclass(frozen=True, slots=True)
class Item:
    """The state of one sample."""

    id: str
    edit: str
    width: int
    height: int
    position: int
    since: str
    """When it entered its present step."""
    step: str = WORKFLOW.first
    """The step whose votes it waits for, or its final state (`FINAL`)."""
    round: int = 1
    limit: int = 1
    """Disagreement in this round goes to an adjudicator."""
    boxes: tuple[Box, ...] = ()
    """The ground truth; empty until it is determined."""
    reason: str = ""
    """Reason of a rejection or withdrawal."""
    history: tuple[Event, ...] = ()
    """All its events, of all rounds."""

    def votes(self, step: str, round: int) -> list[Event]:
        """Return the votes of a step in a round, oldest first."""
        return [
            event
            for event in self.history
            if isinstance(event.what, Vote) and event.step == step and event.what.round == round
        ]

    def closings(self) -> list[facts.Closed]:
        """Return the outcomes of its steps, oldest first."""
        return [event.what for event in self.history if isinstance(event.what, facts.Closed)]

    def is_closed(self, step: str, round: int) -> bool:
        """Whether a step of a round has ended."""
        return any((closed.step, closed.round) == (step, round) for closed in self.closings())

    @property
    def is_final(self) -> bool:
        """Whether the sample waits for nothing any more."""
        return self.step in FINAL

    def context(self, options: Options) -> StepContext:
        """Return what the rules of a step may depend on."""
        return StepContext(options, self.width, self.height, self.boxes, self.round, self.limit)


@dataclass(frozen=True, slots=True)
class State:
    """The state of a review with all its samples."""

    study: ReviewState
    items: Mapping[str, Item]


EMPTY = State(ReviewState(), {})


def apply(state: State, event: Event) -> State:
    """Return the state after one more event; the given state is not changed."""
    sample = event.sample
    if not sample:
        return State(study_after(state.study, event), state.items)
    return State(state.study, {**state.items, sample: item_after(state.study, state.items.get(sample), event)})


def replay(log: Iterable[Event], state: State = EMPTY) -> State:
    """Return the state after many events; the same as `apply` for each of them."""
    study, items = state.study, dict(state.items)
    for event in log:
        if event.sample:
            items[event.sample] = item_after(study, items.get(event.sample), event)
        else:
            study = study_after(study, event)
    return State(study, items)


def current_step(study: ReviewState, item: Item) -> tuple[str, int]:
    """Return the step and round in which a sample is voted on now; while a pilot is open, those of the pilot."""
    return (PILOT, study.pilot) if study.pilot_open else (item.step, item.round)


def study_after(study: ReviewState, event: Event) -> ReviewState:
    """Return the state of the review after an event that concerns no sample."""
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
    """Return the state of a sample after one of its events."""
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
    step = WORKFLOW[closed.step]
    match closed.outcome:
        case "on":
            return replace(item, step=WORKFLOW.after(step.name), boxes=closed.boxes or item.boxes)
        case "again":
            limit = closed.round + study.options.rounds if step.resolves else item.limit
            back_to = WORKFLOW.first if study.options.rescore else step.resolves or step.name
            return replace(item, step=back_to, round=item.round + 1, limit=limit)
        case "conflict":
            return replace(item, step=WORKFLOW.resolver(step.name))
    return replace(item, step="rejected", reason=closed.reason)
