"""What all local editors share: options, weights, seeds, and what is kept of an edit."""

from __future__ import annotations

import gc
import sys
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import islice
from typing import Any, ClassVar, NamedTuple

import numpy as np
from PIL import Image as Pictures

from vdebench.core.images import Image
from vdebench.editors.editor import Edit, Editor, EditTask
from vdebench.editors.local import loading
from vdebench.editors.local.options import DTYPES, OFFLOADS, device_option, one_of
from vdebench.editors.local.sizes import Pixels
from vdebench.editors.local.weights import Weights, find_weights, in_cache
from vdebench.editors.servers.options import whole
from vdebench.errors import EditorError, MissingPartError, VdeError
from vdebench.parallel.local import usable_gpus
from vdebench.registry import installed_version

VERSION = "1"
"""Of how pages are given to models and taken from them: a new one makes edits anew."""
INSTALL = "pip install 'vdebench[diffusers]'"


class PipelineRequest(NamedTuple):
    """What a pipeline is asked for a page."""

    arguments: dict[str, Any]
    """With `image` and `prompt`; the others are the same for all pages of a size."""
    asked: Pixels
    """Width and height of what is to come back."""
    told: Mapping[str, Any] = {}
    """What else is worth keeping."""


@dataclass(kw_only=True, eq=False)
class LocalEditor(Editor):
    """An editor by diffusers. Fields are options; what changes the image is in the identity, paths are nowhere."""

    name: ClassVar[str]
    pipeline: ClassVar[str]
    """The class in diffusers."""
    published: ClassVar[str]
    """The weights on the hub."""
    gpu_dtype: ClassVar[str] = "bfloat16"
    """What `dtype=auto` means on a GPU; on a processor it is float32."""
    packages: ClassVar[tuple[str, ...]] = ("torch", "diffusers", "transformers", "accelerate")
    batches: ClassVar[bool] = False
    """Whether its pipeline takes several pages at a time."""
    needs_gpu: ClassVar[bool] = True

    weights: str = ""
    revision: str = ""
    device: str = "auto"
    dtype: str = "auto"
    offload: str = "none"
    steps: int = 50

    def __post_init__(self) -> None:
        """Check the options before anything is loaded."""
        if gap := self.missing():
            raise MissingPartError(gap)
        self.weights, self.revision = str(self.weights).strip(), str(self.revision).strip()
        self.device = device_option(self.name, self.device)
        self.dtype = one_of(self.name, "dtype", self.dtype, DTYPES)
        self.offload = one_of(self.name, "offload", self.offload, OFFLOADS)
        self.steps = whole(self.name, "steps", self.steps, least=1)
        self.batch = whole(self.name, "batch", self.batch, least=1)
        self.at_once = 1 if self.device == "mps" else 0  # one device holds the model once
        if self.offload != "none" and self.device == "cpu":
            raise VdeError(f"{self.name}: offload={self.offload} is for a GPU, and device is cpu")

    @classmethod
    def missing(cls, **options: Any) -> str:
        """The packages that are not installed; weights are fetched when they are first needed."""
        absent = [package for package in cls.packages if find_spec(package) is None]
        return f"the editor {cls.name} needs {', '.join(absent)}, not installed\n  {INSTALL}" if absent else ""

    @classmethod
    def caveat(cls) -> str:
        """Weights that are not in the hub's cache yet, and a machine without a GPU."""
        told = [] if in_cache(cls.published) else ["weights are fetched at first use"]
        return ", ".join([*told, *([] if usable_gpus() or sys.platform == "darwin" else ["no GPU here"])])

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
        """Further options, and versions of what is set right, that change the image."""
        return {}

    @abstractmethod
    def _request(self, pipe: Any, page: Pictures.Image, instruction: str) -> PipelineRequest:
        """What the pipeline is asked for a page."""

    def _parts(self) -> Mapping[str, Callable[[Weights], Any]]:
        """Parts of the pipeline that are made in place of the checkpoint's."""
        return {}

    def _ready(self, pipe: Any) -> None:
        """Set right what the pipeline does wrong, before it goes onto its device."""

    def _cut(self, image: Image, request: PipelineRequest) -> Image:
        """The page, in what the pipeline gives."""
        return image

    @cached_property
    def _weights(self) -> Weights:
        return find_weights(self.name, self.weights or self.published, self.revision)

    @cached_property
    def _device(self) -> str:
        return loading.device_here(self.name, self.device)

    @property
    def _kind(self) -> str:
        """Of the device; one that is named need not be on the machine that only hands out the work."""
        return self._device if self.device == "auto" else self.device

    @property
    def _dtype(self) -> str:
        usual = "float32" if self._kind == "cpu" else self.gpu_dtype
        return usual if self.dtype == "auto" else self.dtype

    @cached_property
    def _loaded(self) -> tuple[Any, loading.Finite]:
        """The pipeline, once per process."""
        pipe = loading.load(self.name, self.pipeline, self._weights, self._dtype, self._parts())
        self._ready(pipe)
        watch = loading.Finite(pipe.vae.decoder)
        loading.place(self.name, pipe, self._device, self.offload)
        return pipe, watch

    def close(self) -> None:
        """Let go of the model and the device's memory."""
        if self.__dict__.pop("_loaded", None) is not None:
            _sweep()

    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """The page as the model paints it, in the model's own size; a refusal where its safety checker objects."""
        return self._edit([EditTask(image, instruction, seed)])[0]

    def edit_all(self, tasks: Sequence[EditTask]) -> list[Edit]:
        """Pages of one size, `batch` at a time where the pipeline can; each has its own seed."""
        alike = len({task.image.shape for task in tasks}) == 1
        at_a_time = self.batch if self.batches and alike else 1
        waiting, edits = iter(tasks), []
        while some := list(islice(waiting, at_a_time)):
            edits += self._edit(some)
        return edits

    def _edit(self, tasks: Sequence[EditTask]) -> list[Edit]:
        import torch

        start = time.perf_counter()
        pipe, watch = self._loaded
        watch.holds = True
        with loading.quiet():
            requests = [self._request(pipe, Pictures.fromarray(task.image), task.instruction) for task in tasks]
            arguments = dict(requests[0].arguments)
            generators = [torch.Generator("cpu").manual_seed(task.seed) for task in tasks]
            if len(tasks) > 1:
                arguments |= {each: [request.arguments[each] for request in requests] for each in ("image", "prompt")}
            one_or_all = generators if len(tasks) > 1 else generators[0]
            try:
                made = pipe(**arguments, num_inference_steps=self.steps, generator=one_or_all, output_type="np")
            except Exception as error:
                if not loading.is_out_of_memory(error):
                    raise
                _sweep()
                raise EditorError(self._no_memory(len(tasks), tasks[0].image)) from None
        seconds = (time.perf_counter() - start) / len(tasks)
        flagged = getattr(made, "nsfw_content_detected", None) or [False] * len(tasks)
        if not (watch.holds and np.isfinite(made.images).all()):
            raise EditorError(
                f"{self.name}: the model gave values that are no numbers (dtype {self._dtype})\n"
                "  dtype=bfloat16 or float32 has room for larger values"
            )
        return [
            self._told(task, request, self._cut(_as_bytes(image), request), bool(objects), seconds)
            for task, request, image, objects in zip(tasks, requests, made.images, flagged, strict=True)
        ]

    def _told(self, task: EditTask, request: PipelineRequest, image: Image, objects: bool, seconds: float) -> Edit:
        """An edit with what is kept of it."""
        height, width = task.image.shape[:2]
        about = {
            "model": self._weights.shown,
            "revision": self._weights.pinned,
            "page_size": [width, height],
            "sent_size": [width, height],
            "asked_size": list(request.asked),
            "device": self._kind,
            "dtype": self._dtype,
            "native_size": None if objects else [image.shape[1], image.shape[0]],
            "seed": task.seed,
            **request.told,
        }
        if objects:
            reason = "the model's safety checker objects to what it painted, and blanks it"
            return Edit("refused", reason=reason, parameters=about, seconds=seconds)
        return Edit("edited", image, parameters=about, seconds=seconds)

    def _no_memory(self, pages: int, image: Image) -> str:
        height, width = image.shape[:2]
        ways = ["offload=model"] if self.offload == "none" else ["offload=sequential"]
        ways += ["dtype=bfloat16"] if self._dtype == "float32" else []
        ways += ["a smaller max_pixels"] if hasattr(self, "max_pixels") else []
        ways += ["batch=1"] if pages > 1 else []
        return f"{self.name}: no memory left on {self._device} for a page of {width}×{height}\n  try {', '.join(ways)}"


def _as_bytes(image: np.ndarray[Any, Any]) -> Image:
    return np.asarray(np.rint(image * 255).clip(0, 255), np.uint8)


def _sweep() -> None:
    """Give a device's memory back."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def prompt_length(tokenizer: Any, prompt: str, limit: int) -> dict[str, Any]:
    """Tokens of a prompt, and whether the model reads them all: it passes over what is beyond its limit."""
    length = len(tokenizer(prompt).input_ids)
    return {"prompt_tokens": length, **({"prompt_cut_at": limit} if length > limit else {})}
