"""`Step`: the definition of one review step, and the base classes of its command and its event.

The steps are in `review/steps/`, one module each; `workflow.py` puts them in order.
"""

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
    """Base of all commands that submit a vote. Subclasses add the fields of the form, and `group` if groups vote."""

    sample: str
    round: int


@dataclass(frozen=True, slots=True)
class Vote:
    """Base of all vote events: the stored form of an accepted command, with the same fields."""

    sample: str
    round: int


class StepContext(NamedTuple):
    """The state of a sample that a step's `check` and `decide` receive."""

    options: Options
    width: int
    height: int
    boxes: tuple[Box, ...]
    """Agreed boxes; empty before the groups agree."""
    round: int
    last_round: int
    """From this round on, disagreement goes to an adjudicator instead of a new round."""


class Outcome(NamedTuple):
    """How a step ends for a sample."""

    outcome: str
    """on (to the next step), again (a new round), conflict (to an adjudicator) or rejected."""
    reason: str = ""
    """One word; only for rejections."""
    words: str = ""
    """Details for people, such as the measured agreement."""
    boxes: tuple[Box, ...] = ()
    """The ground truth, if this step determines it."""
    agreement: float | None = None
    """Agreement of the groups in this round, if the step measures it."""


class Form(NamedTuple):
    """The form of a step: which fields of its command a person fills in, in the order shown."""

    fields: tuple[str, ...]
    """Any of ratings, boxes, yes, verdict, texts, note."""
    answers: tuple[str, ...] = ()
    """Values that `verdict` can have."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the review. Rules, database, server, review page and Label Studio take everything from here."""

    name: str
    title: str
    order: int
    """Sort key: a sample passes through the steps in ascending order."""
    voters: str
    """Who votes: `group` (one vote per group), `member` (each annotator), `person` (any one annotator) or
    `adjudicator`."""
    hint: str
    """Task of the voter in one or two sentences; shown on the review page."""
    command: type[VoteCommand]
    event: type[Vote]
    check: Callable[[StepContext, Any], Refusal | None]
    """Return a refusal if the fields of the command are invalid for the sample."""
    decide: Callable[[StepContext, Sequence[Any]], Outcome] | None
    """Return the outcome for one vote of every voter, ordered by voter. None: the votes decide nothing (pilot)."""
    form: Form
    widget: str
    """Script in `review/server/page/` that exports `widget`, the form of the step."""
    done: str = ""
    """Label of the funnel for samples that have passed this step, such as `boxes agreed`."""
    resolves: str = ""
    """Name of the step whose disagreements this one settles; other samples skip a step with this field."""
    decision: str = ""
    """Step of `review.jsonl` (score, boxes, screen, ocr) under which the outcome is written; see `review_step`."""
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
        """Step of `review.jsonl` under which the outcome is written: `decision`, else `resolves`, else `name`."""
        return self.decision or self.resolves or self.name

    def voter(self, who: str, group: str) -> str:
        """Return the key under which a member's vote counts: `group:NAME`, `member:NAME`, `person` or `adjudicator`."""
        return {"group": f"group:{group}", "member": f"member:{who}"}.get(self.voters, self.voters)

    def vote(self, command: VoteCommand) -> Vote:
        """Return the event for a command: the same fields, lists as tuples."""
        values: dict[str, Any] = {}
        for field in fields(command):
            value = getattr(command, field.name)
            values[field.name] = tuple(value) if type(value) is list else value
        return self.event(**values)

    def to_json(self) -> dict[str, Any]:
        """Return the fields that the review page uses."""
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
