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
    """The task of an editor: a page, an instruction, a seed.

    `sample` and `files` are for baselines that use the ground truth; editors under evaluation must not use them.
    """

    image: Image
    instruction: str
    seed: int = 0
    sample: Sample | None = None
    files: ImageFiles = field(default_factory=ImageFiles)


@dataclass(frozen=True, eq=False)
class Edit:
    """The result of an edit: an image in the editor's own size, or the reason why there is none.

    A refusal is a value, not an exception. Failures are raised, foreseen ones as `EditorError`.
    """

    state: Literal["edited", "refused"]
    image: Image | None = None
    reason: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Settings and costs of the edit: the model as reported by the server, a font, `input_tokens`, `output_tokens`,
    `dollars`."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Other output of the model or its server, without images."""
    seconds: float | None = None
    """Duration as reported by the model; the run measures its own."""

    @classmethod
    def of(cls, image: Image, **parameters: Any) -> Edit:
        """Return a successful edit."""
        return cls("edited", image, parameters=parameters)

    @classmethod
    def refused(cls, reason: str, **parameters: Any) -> Edit:
        """Return a refusal with its reason."""
        return cls("refused", reason=reason, parameters=parameters)

    @property
    def native_size(self) -> tuple[int, int] | None:
        """Width and height of the model's output; scoring resizes a copy to the size of the reference."""
        return None if self.image is None else (self.image.shape[1], self.image.shape[0])

    @property
    def cost(self) -> dict[str, float]:
        """Tokens and dollars, as far as known."""
        values = {name: self.parameters.get(name) for name in COSTS}
        return {name: value for name, value in values.items() if value is not None}


class About(NamedTuple):
    """Description of an editor for `vde editors`."""

    needs: str = ""
    """Required packages, keys, servers; empty if the base install suffices."""
    model: str = ""
    """Weights, or the model's id on a server."""
    licence: str = ""
    """Licence of the weights, or the provider whose terms apply."""
    size: str = "the page's"
    """Size of the output."""


class Editor(ABC):
    """Edits pages. Everything that changes its output is part of its identity; a run can only be resumed with the same
    identity.
    """

    about: ClassVar[About] = About()
    waits: ClassVar[bool] = False
    """Whether it mostly waits for a server or program: then threads of one process are used."""
    charges: bool = False
    """Whether edits cost money: then a budget requires known prices."""
    needs_gpu: ClassVar[bool] = False
    """Whether each editing process needs its own GPU."""
    concurrency: int = 0
    """Maximum number of parallel edits; 0 for one per processor (or GPU)."""
    per_minute: float = 0
    """Maximum number of edits started per minute; 0 for no limit."""
    batch: int = 1
    """Preferred number of pages per call of `edit_all`."""

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return what is missing and how to get it; empty if the editor is ready. Fast, raises nothing."""
        return ""

    @classmethod
    def caveat(cls) -> str:
        """Return what users should know although the editor is ready: a pending download, no GPU. Fast."""
        return ""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """Name, versions of code and models, options: `{"name": "overlay", "version": "1", …}`."""

    @abstractmethod
    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """Return the edited page, or a refusal."""

    def run_task(self, task: EditTask) -> Edit:
        """Run a task; only baselines use more than page, instruction and seed."""
        return self.edit(task.image, task.instruction, seed=task.seed)

    def edit_all(self, tasks: Sequence[EditTask]) -> list[Edit]:
        """Edit several pages of one size, as one batch if the model supports it."""
        return [self.run_task(task) for task in tasks]

    def close(self) -> None:  # noqa: B027 (optional)
        """Release connections, programs and GPU memory. The editor can be used again afterwards."""
