"""`Step`: everything the review knows about one step, and the base classes of its command and its event."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from vdebench.core.box import Box
from vdebench.review.options import Options
from vdebench.review.refusals import Refusal


@dataclass(frozen=True, slots=True)
class VoteCommand:
    """Base of all commands that vote. Subclasses add the fields of the form; `group` where groups vote."""

    sample: str
    round: int


@dataclass(frozen=True, slots=True)
class Vote:
    """Base of all vote events. A step's event has the same fields as its command."""

    sample: str
    round: int


class StepContext(NamedTuple):
    """What a step's check and outcome rule may depend on."""

    options: Options
    width: int
    height: int
    boxes: tuple[Box, ...]
    """Agreed boxes; empty before the groups agree."""
    round: int
    limit: int
    """Disagreement in this round or a later one goes to an adjudicator."""


class Outcome(NamedTuple):
    """How a step ends for a sample."""

    outcome: str
    """on (to the next step), again (a new round), conflict (to an adjudicator) or rejected."""
    reason: str = ""
    """One word; only for rejections."""
    words: str = ""
    boxes: tuple[Box, ...] = ()
    """The ground truth, if this step determines it."""
    agreement: float | None = None


class Form(NamedTuple):
    """The form of a step: which fields of its command a person fills in, in the order shown."""

    fields: tuple[str, ...]
    """Any of ratings, boxes, yes, verdict, texts, note."""
    answers: tuple[str, ...] = ()
    """Values that `verdict` can have."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the review. `Workflow` orders them; rules, database, server, page and Label Studio read them."""

    name: str
    title: str
    order: int
    """Position among the steps, ascending. Steps of the pool follow one another in this order."""
    voters: str
    """Who votes: `group` (one vote per group), `member` (each annotator), `person` (any one annotator) or
    `adjudicator`."""
    hint: str
    """What to do, in a sentence or two."""
    command: type[VoteCommand]
    event: type[Vote]
    check: Callable[[StepContext, Any], Refusal | None]
    """Return a refusal if the fields of the command are invalid for the sample."""
    decide: Callable[[StepContext, Sequence[Any]], Outcome] | None
    """Return the outcome for one vote of every voter, ordered by voter. None: the votes decide nothing (pilot)."""
    form: Form
    widget: str
    """Script of the page (`server/page/`) that exports `widget`."""
    done: str = ""
    """What the funnel calls samples that have passed this step."""
    resolves: str = ""
    """The step whose disagreements this one settles; such a step is not in the pool's sequence."""
    decision: str = ""
    """The step of `review.jsonl` for which the outcome counts; by default `resolves` or `name`."""
    image: str = "after"
    """The image shown next to `before`: `after` or `reference` (agreed regions pasted on the original page)."""
    needs_text: bool = False
    """Whether the regions of the reference image must be read by OCR first."""
    label_studio: bool = True
    """Whether the step can be done in Label Studio."""
    scale: str = ""
    """Name of the scale under which yes/no votes are exported."""

    @property
    def in_pool(self) -> bool:
        """Whether every sample passes through the step: all steps except the pilot and resolving ones."""
        return not self.resolves and self.voters != "member"

    @property
    def review_step(self) -> str:
        """The step of `review.jsonl` for which the outcome counts."""
        return self.decision or self.resolves or self.name

    def voter(self, who: str, group: str) -> str:
        """Return the voter in whose name a member votes.

        `group:NAME`, `member:NAME`, `person` or `adjudicator`.
        """
        return {"group": f"group:{group}", "member": f"member:{who}"}.get(self.voters, self.voters)

    def vote(self, command: VoteCommand) -> Vote:
        """Return the event for a command: the same fields, lists as tuples."""
        values: dict[str, Any] = {}
        for field in fields(command):
            value = getattr(command, field.name)
            values[field.name] = tuple(value) if type(value) is list else value
        return self.event(**values)

    def to_json(self) -> dict[str, Any]:
        """Return what the page needs to know."""
        return {
            "name": self.name,
            "title": self.title,
            "voters": self.voters,
            "hint": self.hint,
            "command": kind_name(self.command),
            "event": kind_name(self.event),
            "widget": self.widget,
            "done": self.done,
            "in_pool": self.in_pool,
            "image": self.image,
            "needs_text": self.needs_text,
        }


def kind_name(kind: type[Any]) -> str:
    """Return the name under which a command or event class is stored.

    >>> class PilotRated: ...
    >>> kind_name(PilotRated)
    'pilot_rated'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
