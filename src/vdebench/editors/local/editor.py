"""Base class of local editors: pipelines, seeds, recorded parameters."""

from __future__ import annotations

import sys
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, NamedTuple

import numpy as np
from PIL import Image as Pictures

from vdebench.core.images import Image
from vdebench.editors.editor import Edit, EditTask
from vdebench.editors.local import loading
from vdebench.editors.local.model import LocalModel, free_memory
from vdebench.editors.local.options import OFFLOADS, one_of
from vdebench.editors.local.sizes import Pixels
from vdebench.editors.local.weights import Weights, find_weights, in_cache
from vdebench.editors.servers.options import whole
from vdebench.errors import EditorError, VdeError
from vdebench.parallel.local import usable_gpus
from vdebench.registry import installed_version

VERSION = "1"
"""Version of pre- and postprocessing: a new version repeats edits."""


class PipelineRequest(NamedTuple):
    """The call of a pipeline for a page."""

    arguments: dict[str, Any]
    """Arguments; all except `image` and `prompt` are equal for pages of one size."""
    output_size: Pixels
    """Requested width and height of the output."""
    parameters: Mapping[str, Any] = {}
    """Further parameters to record."""


@dataclass(kw_only=True, eq=False)
class LocalEditor(LocalModel):
    """An editor run with a pipeline of diffusers. The identity contains what changes the image, but no paths."""

    pipeline: ClassVar[str]
    """Class in diffusers."""
    published: ClassVar[str]
    """Id of the weights on the hub."""
    batches: ClassVar[bool] = False
    """Whether its pipeline supports batches."""

    offload: str = "none"
    steps: int = 50

    def __post_init__(self) -> None:
        """Check the options before anything is loaded."""
        super().__post_init__()
        self.offload = one_of(self.name, "offload", self.offload, OFFLOADS)
        self.steps = whole(self.name, "steps", self.steps, least=1)
        self.batch = whole(self.name, "batch", self.batch, least=1)
        if self.offload != "none" and self.device == "cpu":
            raise VdeError(f"{self.name}: offload={self.offload} is for a GPU, and device is cpu")

    @classmethod
    def caveat(cls) -> str:
        """Return whether weights must be downloaded and whether a GPU is missing."""
        parameters = [] if in_cache(cls.published) else ["weights are downloaded on first use"]
        return ", ".join([*parameters, *([] if usable_gpus() or sys.platform == "darwin" else ["no GPU here"])])

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, weights and their commit, options and libraries that change the image."""
        libraries = [package for package in self.packages if package != "accelerate"]
        return {
            "name": self.name,
            "version": VERSION,
            "weights": self._weights.shown,
            "revision": self._weights.pinned,
            "pipeline": self.pipeline,
            "device": self._kind,
            "dtype": self._dtype,
            "steps": str(self.steps),
            **{option: str(value) for option, value in self._settings().items()},
            **({"batch": str(self.batch)} if self.batch > 1 else {}),
            **{library: installed_version(library).partition("+")[0] for library in libraries},
        }

    def _settings(self) -> Mapping[str, Any]:
        """Return further options and versions that change the image."""
        return {}

    @abstractmethod
    def _request(self, pipe: Any, page: Pictures.Image, instruction: str) -> PipelineRequest:
        """Return the pipeline call for a page."""

    def _parts(self) -> Mapping[str, Callable[[Weights], Any]]:
        """Return components that replace those of the checkpoint."""
        return {}

    def _ready(self, pipe: Any) -> None:
        """Fix the pipeline before it is moved to its device."""

    def _cut(self, image: Image, request: PipelineRequest) -> Image:
        """Return the page part of the pipeline's output."""
        return image

    @cached_property
    def _weights(self) -> Weights:
        return find_weights(self.name, self.weights or self.published, self.revision)

    @cached_property
    def _loaded(self) -> tuple[Any, loading.Finite]:
        """The pipeline, loaded once per process."""
        pipe = loading.load(self.name, self.pipeline, self._weights, self._dtype, self._parts())
        self._ready(pipe)
        watch = loading.Finite(pipe.vae.decoder)
        loading.place(self.name, pipe, self._device, self.offload)
        return pipe, watch

    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """Return the page in the model's own size; a refusal if its safety checker objects."""
        return self._edit([EditTask(image, instruction, seed)])[0]

    def edit_all(self, tasks: Sequence[EditTask]) -> list[Edit]:
        """Edit pages of one size in batches of `batch` if the pipeline supports it; each page has its own seed."""
        same_size = len({task.image.shape for task in tasks}) == 1
        batch_size = self.batch if self.batches and same_size else 1
        waiting, edits = iter(tasks), []
        while some := list(islice(waiting, batch_size)):
            edits += self._edit(some)
        return edits

    def _edit(self, tasks: Sequence[EditTask]) -> list[Edit]:
        import torch

        start = time.perf_counter()
        pipe, watch = self._loaded
        watch.is_finite = True
        with loading.quiet():
            requests = [self._request(pipe, Pictures.fromarray(task.image), task.instruction) for task in tasks]
            arguments = dict(requests[0].arguments)
            generators = [torch.Generator("cpu").manual_seed(task.seed) for task in tasks]
            if len(tasks) > 1:
                arguments |= {each: [request.arguments[each] for request in requests] for each in ("image", "prompt")}
            generator = generators if len(tasks) > 1 else generators[0]
            try:
                result = pipe(**arguments, num_inference_steps=self.steps, generator=generator, output_type="np")
            except Exception as error:
                if not loading.is_out_of_memory(error):
                    raise
                free_memory()
                raise EditorError(self._no_memory(len(tasks), tasks[0].image)) from None
        seconds = (time.perf_counter() - start) / len(tasks)
        flags = getattr(result, "nsfw_content_detected", None) or [False] * len(tasks)
        if not (watch.is_finite and np.isfinite(result.images).all()):
            raise EditorError(
                f"{self.name}: the model returned values that are not finite (dtype {self._dtype})\n"
                "  use dtype=bfloat16 or float32, which have a larger range"
            )
        return [
            self._result(task, request, self._cut(_as_bytes(image), request), bool(flagged), seconds)
            for task, request, image, flagged in zip(tasks, requests, result.images, flags, strict=True)
        ]

    def _result(self, task: EditTask, request: PipelineRequest, image: Image, flagged: bool, seconds: float) -> Edit:
        """Return the edit with its recorded parameters."""
        height, width = task.image.shape[:2]
        about = {
            "model": self._weights.shown,
            "revision": self._weights.pinned,
            "page_size": [width, height],
            "sent_size": [width, height],
            "asked_size": list(request.output_size),
            "device": self._kind,
            "dtype": self._dtype,
            "native_size": None if flagged else [image.shape[1], image.shape[0]],
            "seed": task.seed,
            **request.parameters,
        }
        if flagged:
            reason = "the model's safety checker rejected the output"
            return Edit("refused", reason=reason, parameters=about, seconds=seconds)
        return Edit("edited", image, parameters=about, seconds=seconds)

    def _no_memory(self, pages: int, image: Image) -> str:
        height, width = image.shape[:2]
        ways = ["offload=model"] if self.offload == "none" else ["offload=sequential"]
        ways += ["dtype=bfloat16"] if self._dtype == "float32" else []
        ways += ["a smaller max_pixels"] if hasattr(self, "max_pixels") else []
        ways += ["batch=1"] if pages > 1 else []
        return f"{self.name}: out of memory on {self._device} for a page of {width}×{height}\n  try {', '.join(ways)}"


def _as_bytes(image: np.ndarray[Any, Any]) -> Image:
    return np.asarray(np.rint(image * 255).clip(0, 255), np.uint8)


def prompt_length(tokenizer: Any, prompt: str, limit: int) -> dict[str, Any]:
    """Return the number of tokens of a prompt, and the limit if the model truncates it."""
    length = len(tokenizer(prompt).input_ids)
    return {"prompt_tokens": length, **({"prompt_cut_at": limit} if length > limit else {})}
