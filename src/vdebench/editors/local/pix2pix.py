"""InstructPix2Pix, and MagicBrush, a fine-tuned version of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from PIL import Image as Pictures

from vdebench.core.images import RESIZING
from vdebench.editors.editor import About
from vdebench.editors.local.editor import LocalEditor, PipelineRequest, prompt_length
from vdebench.editors.local.options import one_of
from vdebench.editors.local.sizes import MEGAPIXEL, floored
from vdebench.editors.local.weights import Weights
from vdebench.editors.servers.images import fitting
from vdebench.editors.servers.options import at_least_0, whole

SCHEDULER = "euler-ancestral"
"""Scheduler of the authors; overrides the checkpoint's."""
SIZE = "the page's, at most 1 MP (max_pixels), down to multiples of 8"


@dataclass(kw_only=True, eq=False)
class InstructPix2Pix(LocalEditor):
    """Stable Diffusion 1.5 trained to follow instructions."""

    name: ClassVar[str] = "instruct-pix2pix"
    pipeline: ClassVar[str] = "StableDiffusionInstructPix2PixPipeline"
    published: ClassVar[str] = "timbrooks/instruct-pix2pix"
    gpu_dtype: ClassVar[str] = "float16"
    batches: ClassVar[bool] = True
    about: ClassVar[About] = About("extra diffusers, a GPU", published, "MIT, as far as known", SIZE)

    steps: int = 100
    guidance: float = 7.5
    image_guidance: float = 1.5
    max_pixels: int = MEGAPIXEL
    safety_checker: str = "on"
    batch: int = 1

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.guidance = at_least_0(self.name, "guidance", self.guidance)
        self.image_guidance = at_least_0(self.name, "image_guidance", self.image_guidance)
        self.max_pixels = whole(self.name, "max_pixels", self.max_pixels)
        self.safety_checker = one_of(self.name, "safety_checker", self.safety_checker, ("on", "off"))

    def _settings(self) -> Mapping[str, Any]:
        limit = f", at most {self.max_pixels} pixels ({RESIZING})" if self.max_pixels else ""
        return {
            "guidance": self.guidance,
            "image_guidance": self.image_guidance,
            "input": f"RGB{limit}, down to multiples of 8",
            "scheduler": SCHEDULER,
            "safety_checker": self.safety_checker,
        }

    def _parts(self) -> Mapping[str, Callable[[Weights], Any]]:
        off = {"safety_checker": lambda _: None, "requires_safety_checker": lambda _: False}
        return off if self.safety_checker == "off" else {}

    def _ready(self, pipe: Any) -> None:
        from diffusers import EulerAncestralDiscreteScheduler

        pipe.scheduler = EulerAncestralDiscreteScheduler.from_config(pipe.scheduler.config)

    def _request(self, pipe: Any, page: Pictures.Image, instruction: str) -> PipelineRequest:
        scale = fitting(page.width, page.height, self.max_pixels, 0)
        width, height = floored(int(page.width * scale + 1e-9), int(page.height * scale + 1e-9), 8)
        if (width, height) != page.size:
            page = page.resize((width, height), Pictures.Resampling.LANCZOS)
        arguments = {
            "image": page,
            "prompt": instruction,
            "guidance_scale": self.guidance,
            "image_guidance_scale": self.image_guidance,
        }
        length = prompt_length(pipe.tokenizer, instruction, pipe.tokenizer.model_max_length)
        return PipelineRequest(arguments, (width, height), {"sent_size": [width, height], **length})


@dataclass(kw_only=True, eq=False)
class MagicBrush(InstructPix2Pix):
    """InstructPix2Pix fine-tuned on MagicBrush: as in the paper, or the authors' later `jul7`."""

    name: ClassVar[str] = "magicbrush"
    published: ClassVar[str] = "vinesmsuic/magicbrush-paper"
    about: ClassVar[About] = About("extra diffusers, a GPU", f"{published} (release=jul7: -jul7)", "not known", SIZE)

    release: str = "paper"

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.release = one_of(self.name, "release", self.release, ("paper", "jul7"))
        self.weights = self.weights or f"vinesmsuic/magicbrush-{self.release}"
