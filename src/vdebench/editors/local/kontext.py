"""FLUX.1-Kontext-dev."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from PIL import Image as Pictures

from vdebench.editors.editor import About
from vdebench.editors.local.editor import LocalEditor, PipelineRequest, prompt_length
from vdebench.editors.local.sizes import MEGAPIXEL, of_area_floored
from vdebench.editors.servers.options import at_least_0, whole

T5_TOKENS = 512
"""Maximum number of prompt tokens of FLUX."""


@dataclass(kw_only=True, eq=False)
class FluxKontext(LocalEditor):
    """FLUX.1-Kontext-dev with the page's aspect ratio; the pipeline's default is a square."""

    name: ClassVar[str] = "flux-kontext"
    pipeline: ClassVar[str] = "FluxKontextPipeline"
    published: ClassVar[str] = "black-forest-labs/FLUX.1-Kontext-dev"
    batches: ClassVar[bool] = True
    about: ClassVar[About] = About(
        "extra diffusers, about 34 GB of VRAM; accept the licence on the hub",
        published,
        "non-commercial",
        "the page's shape, about 1 MP (max_pixels), down to multiples of 16",
    )

    steps: int = 28
    guidance: float = 2.5
    max_pixels: int = MEGAPIXEL
    batch: int = 1

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.guidance = at_least_0(self.name, "guidance", self.guidance)
        self.max_pixels = whole(self.name, "max_pixels", self.max_pixels, least=256)

    def _settings(self) -> Mapping[str, Any]:
        shape = "its nearest shape" if self.max_pixels == MEGAPIXEL else "the output's size"
        return {
            "guidance": self.guidance,
            "max_pixels": self.max_pixels,
            "input": f"RGB, by the pipeline to {shape}",
        }

    def _request(self, pipe: Any, page: Pictures.Image, instruction: str) -> PipelineRequest:
        width, height = of_area_floored(page.width, page.height, self.max_pixels)
        arguments: dict[str, Any] = {
            "image": page,
            "prompt": instruction,
            "guidance_scale": self.guidance,
            "width": width,
            "height": height,
            "max_area": width * height,  # makes the pipeline keep width and height
            "max_sequence_length": T5_TOKENS,
        }
        if self.max_pixels != MEGAPIXEL:  # else the pipeline uses its nearest trained shape
            small = page.resize((width, height), Pictures.Resampling.LANCZOS)
            arguments |= {"image": small, "_auto_resize": False}
        sent = arguments["image"].size
        return PipelineRequest(
            arguments,
            (width, height),
            {"sent_size": list(sent), **prompt_length(pipe.tokenizer_2, instruction, T5_TOKENS)},
        )
