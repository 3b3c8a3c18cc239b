"""Qwen-Image-Edit and models with the same pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from PIL import Image as Pictures

from vdebench.editors.editor import About
from vdebench.editors.local.editor import LocalEditor, PipelineRequest
from vdebench.editors.local.options import one_of
from vdebench.editors.local.qwen_vl import PROCESSOR, ROPE, page_processor, with_positions
from vdebench.editors.local.sizes import MEGAPIXEL, of_area_rounded
from vdebench.editors.local.weights import Weights
from vdebench.editors.servers.options import at_least_0, whole

SIZE = "the page's shape, about 1 MP (max_pixels), to the nearest multiples of 32"
NEGATIVE = " "
"""Without a negative prompt the pipelines ignore `true_cfg_scale`; the authors use a space."""


def _about(weights: str, needs: str) -> About:
    return About(f"extra diffusers, {needs}", weights, "Apache-2.0", SIZE)


@dataclass(kw_only=True, eq=False)
class QwenImageEdit(LocalEditor):
    """The first Qwen-Image-Edit."""

    name: ClassVar[str] = "qwen-image-edit"
    pipeline: ClassVar[str] = "QwenImageEditPipeline"
    published: ClassVar[str] = "Qwen/Qwen-Image-Edit"
    about: ClassVar[About] = _about(published, "more than 48 GB of VRAM")

    true_cfg: float = 4.0
    max_pixels: int = MEGAPIXEL

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.true_cfg = at_least_0(self.name, "true_cfg", self.true_cfg)
        self.max_pixels = whole(self.name, "max_pixels", self.max_pixels, least=1024)

    def _settings(self) -> Mapping[str, Any]:
        return {
            "true_cfg": self.true_cfg,
            "negative_prompt": repr(NEGATIVE),
            "max_pixels": self.max_pixels,
            "input": "RGB, by the pipeline to about 1 MP",
            "rope": ROPE,
            "processor": PROCESSOR,
        }

    def _parts(self) -> Mapping[str, Callable[[Weights], Any]]:
        return {"processor": lambda weights: page_processor(weights, "processor")}

    def _ready(self, pipe: Any) -> None:
        pipe.processor.tokenizer = pipe.tokenizer
        with_positions(pipe.text_encoder)

    def _request(self, pipe: Any, page: Pictures.Image, instruction: str) -> PipelineRequest:
        width, height = of_area_rounded(page.width, page.height, self.max_pixels)
        arguments = {
            "image": page,
            "prompt": instruction,
            "negative_prompt": NEGATIVE,
            "true_cfg_scale": self.true_cfg,
            "width": width,
            "height": height,
        }
        return PipelineRequest(
            arguments, (width, height), {"prompt_tokens": len(pipe.tokenizer(instruction).input_ids)}
        )


@dataclass(kw_only=True, eq=False)
class QwenImageEdit2509(QwenImageEdit):
    """Qwen-Image-Edit of September 2025."""

    name: ClassVar[str] = "qwen-image-edit-2509"
    pipeline: ClassVar[str] = "QwenImageEditPlusPipeline"
    published: ClassVar[str] = "Qwen/Qwen-Image-Edit-2509"
    about: ClassVar[About] = _about(published, "more than 48 GB of VRAM")

    steps: int = 40


@dataclass(kw_only=True, eq=False)
class QwenImageEdit2511(QwenImageEdit2509):
    """Qwen-Image-Edit of November 2025."""

    name: ClassVar[str] = "qwen-image-edit-2511"
    published: ClassVar[str] = "Qwen/Qwen-Image-Edit-2511"
    about: ClassVar[About] = _about(published, "more than 48 GB of VRAM")


@dataclass(kw_only=True, eq=False)
class FireRedImageEdit(QwenImageEdit2509):
    """FireRed-Image-Edit 1.0 or 1.1, with the same pipeline."""

    name: ClassVar[str] = "firered-image-edit"
    published: ClassVar[str] = "FireRedTeam/FireRed-Image-Edit-1.0"
    about: ClassVar[About] = _about(f"{published} (release=1.1: -1.1)", "about 30 GB of VRAM")

    release: str = "1.0"

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.release = one_of(self.name, "release", self.release, ("1.0", "1.1"))
        self.weights = self.weights or f"FireRedTeam/FireRed-Image-Edit-{self.release}"
