"""The steps of the review in their order, and lookup by name, command and event.

Every module of `steps/` defines one `STEP`. Other packages register steps in the entry point group
`vdebench.review_steps`. Nothing else in the package lists steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pkgutil import iter_modules

from vdebench.errors import VdeError
from vdebench.registry import added
from vdebench.review import steps as step_modules
from vdebench.review.step import Step, Vote, VoteCommand, kind_name

PILOT, CONFLICT = "pilot", "conflict"
FINAL = ("passed", "rejected", "withdrawn")
"""The states in which a sample waits for nothing any more."""


class Workflow:
    """The steps of the review.

    >>> [step.name for step in WORKFLOW.pool]
    ['score', 'boxes', 'screen', 'ocr']
    >>> WORKFLOW.after("boxes"), WORKFLOW.after("conflict"), WORKFLOW.after("ocr")
    ('screen', 'screen', 'passed')
    """

    def __init__(self, steps: Iterable[Step]) -> None:
        self._set(steps)

    def _set(self, steps: Iterable[Step]) -> None:
        self.steps = tuple(sorted(steps, key=lambda step: step.order))
        self.pool = tuple(step for step in self.steps if step.in_pool)
        self._by_name = {step.name: step for step in self.steps}
        if len(self._by_name) < len(self.steps):
            names = [step.name for step in self.steps]
            raise VdeError(f"two review steps have one name: {', '.join(names)}; rename the one of the other package")
        self._by_command = {step.command: step for step in self.steps}
        self._by_event = {step.event: step for step in self.steps}
        self.commands: dict[str, type[VoteCommand]] = {kind_name(step.command): step.command for step in self.steps}
        self.events: dict[str, type[Vote]] = {kind_name(step.event): step.event for step in self.steps}

    @contextmanager
    def extended(self, step: Step) -> Iterator[None]:
        """Add a step for the duration of a block."""
        before = self.steps
        self._set([*before, step])
        try:
            yield
        finally:
            self._set(before)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all steps, in order."""
        return tuple(self._by_name)

    @property
    def first(self) -> str:
        """The step in which a new sample waits."""
        return self.pool[0].name

    def get(self, name: str) -> Step | None:
        """Return a step by name; None for `passed`, `rejected` and `withdrawn`."""
        return self._by_name.get(name)

    def __getitem__(self, name: str) -> Step:
        """Return a step by name; raise `KeyError` if there is none."""
        return self._by_name[name]

    def of_command(self, command: VoteCommand) -> Step:
        """Return the step in which a command votes."""
        return self._by_command[type(command)]

    def of_vote(self, event: object) -> Step | None:
        """Return the step of a vote event; None for other events."""
        return self._by_event.get(type(event)) if isinstance(event, Vote) else None

    def voted_by(self, voters: str) -> tuple[Step, ...]:
        """Return the steps with these voters: group, member, person or adjudicator."""
        return tuple(step for step in self.steps if step.voters == voters)

    def after(self, name: str) -> str:
        """Return the state of a sample that has passed a step. A resolving step passes the step it resolves."""
        names = [step.name for step in self.pool]
        place = names.index(self._by_name[name].resolves or name)
        return (*names, "passed")[place + 1]

    def resolver(self, name: str) -> str:
        """Return the step that settles disagreement in a step."""
        return next(step.name for step in self.steps if step.resolves == name)

    def places(self) -> dict[str, str]:
        """Return the funnel's name for every state of a sample: what the sample has passed so far.

        >>> WORKFLOW.places()["boxes"], WORKFLOW.places()["passed"]
        ('scored 9', 'OCR checked')
        """
        names = ("pool", *(step.done for step in self.pool))
        states = (*(step.name for step in self.pool), "passed")
        resolving = {step.name: "in adjudication" for step in self.steps if step.resolves}
        return {**dict(zip(states, names, strict=True)), **resolving, "rejected": "rejected", "withdrawn": "withdrawn"}


def _load() -> list[Step]:
    modules = iter_modules(step_modules.__path__, f"{step_modules.__name__}.")
    return [*(import_module(module.name).STEP for module in modules), *added("review_steps").values()]


WORKFLOW = Workflow(_load())
