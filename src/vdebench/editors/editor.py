"""The interface of editors: an image and an instruction in, an edited image or a refusal out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from vdebench.core.images import Image
from vdebench.core.sample import Sample
from vdebench.net.answer import COSTS
from vdebench.suites.suite import ImageFiles


@dataclass(frozen=True, eq=False)
class EditTask:
    """What a run asks of an editor: a page, what is to be changed, and where the answer stands.

    `sample` and `files` are for baselines that know the answer; an editor that is to be judged is shown neither.
    """

    image: Image
    instruction: str
    seed: int = 0
    sample: Sample | None = None
    files: ImageFiles = field(default_factory=ImageFiles)


@dataclass(frozen=True, eq=False)
class Edit:
    """What became of a page: an image in the editor's own size, or why there is none.

    A refusal is a value, not an exception; what goes wrong otherwise is raised, an `EditorError` where it is foreseen.
    """

    state: Literal["edited", "refused"]
    image: Image | None = None
    reason: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What the edit was made with and has cost, where that is worth keeping: the model as the server names it, a font,
    `input_tokens`, `output_tokens`, `dollars`."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What the model or its server said beside the image, as it came, without images."""
    seconds: float | None = None
    """How long the model took, where it says so; the run has its own clock."""

    @classmethod
    def of(cls, image: Image, **parameters: Any) -> Edit:
        """A page that was edited."""
        return cls("edited", image, parameters=parameters)

    @classmethod
    def refused(cls, reason: str, **parameters: Any) -> Edit:
        """Nothing was made, and why."""
        return cls("refused", reason=reason, parameters=parameters)

    @property
    def native_size(self) -> tuple[int, int] | None:
        """Width and height as the model gave them; scoring brings a copy to the reference's size."""
        return None if self.image is None else (self.image.shape[1], self.image.shape[0])

    @property
    def cost(self) -> dict[str, float]:
        """Tokens and dollars, as far as they are known."""
        told = {name: self.parameters.get(name) for name in COSTS}
        return {name: value for name, value in told.items() if value is not None}


class About(NamedTuple):
    """What `vde editors` says of an editor."""

    needs: str = ""
    """Packages, keys, servers; nothing where the base install is enough."""
    model: str = ""
    """Its weights, or the model's id on a server."""
    licence: str = ""
    """Of the weights, or whose terms hold."""
    size: str = "the page's"
    """Of what comes back."""


class Editor(ABC):
    """Edits pages. Whatever changes what it makes is in its identity: a run goes on only with the same."""

    about: ClassVar[About] = About()
    waits: ClassVar[bool] = False
    """Whether its time is spent waiting for others: then threads of one process ask, and no processor is taken up."""
    charges: bool = False
    """Whether edits cost money: within a budget, what each costs must then be known."""
    needs_gpu: ClassVar[bool] = False
    """Whether each process that edits should have a GPU to itself."""
    at_once: int = 0
    """How many edits may be under way; 0 for one per processor (or GPU)."""
    per_minute: float = 0
    """How many edits may be begun in a minute; 0 for any."""
    batch: int = 1
    """How many pages `edit_all` likes to be given."""

    @classmethod
    def missing(cls, **options: Any) -> str:
        """What is missing for it to edit, and how to get it; nothing where it is ready. Quick, and raises nothing."""
        return ""

    @classmethod
    def caveat(cls) -> str:
        """What one should know of it here though it is ready: weights that are fetched first, no GPU. Quick."""
        return ""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """Name, versions of code and models, options: `{"name": "overlay", "version": "1", …}`."""

    @abstractmethod
    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """The page as the instruction asks, or a refusal."""

    def carry_out(self, task: EditTask) -> Edit:
        """The task of a run; only those who know the answer look at more than page, instruction and seed."""
        return self.edit(task.image, task.instruction, seed=task.seed)

    def edit_all(self, tasks: Sequence[EditTask]) -> list[Edit]:
        """Several pages of one size, as one batch where the model can."""
        return [self.carry_out(task) for task in tasks]

    def close(self) -> None:  # noqa: B027 (most hold nothing)
        """Let go of what it holds: connections, programs, memory of a GPU. It may be asked again."""
