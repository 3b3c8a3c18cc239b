"""ICEdit: FLUX.1-Fill with a LoRA generates the right half of a diptych whose left half is the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from PIL import Image as Pictures

from vdebench.core.images import Image
from vdebench.editors.editor import About
from vdebench.editors.local.editor import LocalEditor, PipelineRequest, prompt_length
from vdebench.editors.local.kontext import T5_TOKENS
from vdebench.editors.local.loading import quiet
from vdebench.editors.local.sizes import of_width
from vdebench.editors.local.weights import Weights, explained, find_weights
from vdebench.editors.servers.options import at_least_0, whole
from vdebench.errors import VdeError

LORA_FILE = "pytorch_lora_weights.safetensors"
PROMPT = (
    "A diptych with two side-by-side images of the same scene. "
    "On the right, the scene is exactly the same as on the left but "
)


@dataclass(kw_only=True, eq=False)
class IcEdit(LocalEditor):
    """ICEdit by its authors' recipe, with heights that avoid black rows."""

    name: ClassVar[str] = "icedit"
    pipeline: ClassVar[str] = "FluxFillPipeline"
    published: ClassVar[str] = "black-forest-labs/FLUX.1-Fill-dev"
    packages: ClassVar[tuple[str, ...]] = (*LocalEditor.packages, "peft")
    about: ClassVar[About] = About(
        "extra diffusers, about 35 GB of VRAM; accept the licence on the hub",
        f"{published} + RiverZ/normal-lora",
        "non-commercial",
        "512 wide (width), the page's shape, down to multiples of 16",
    )

    steps: int = 28
    guidance: float = 50.0
    width: int = 512
    lora: str = "RiverZ/normal-lora"
    lora_revision: str = ""

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.guidance = at_least_0(self.name, "guidance", self.guidance)
        self.width = whole(self.name, "width", self.width, least=16)
        if self.width % 16:
            raise VdeError(f"{self.name}: width is {self.width}, expected a multiple of 16")
        self.lora, self.lora_revision = str(self.lora).strip(), str(self.lora_revision).strip()

    @cached_property
    def _lora(self) -> Weights:
        return find_weights(self.name, self.lora, self.lora_revision, holding=LORA_FILE)

    def _settings(self) -> Mapping[str, Any]:
        return {
            "guidance": self.guidance,
            "lora": self._lora.shown,
            "lora_revision": self._lora.pinned,
            "input": f"RGB, {self.width} wide (bicubic), height down to a multiple of 16",
            "prompt": "diptych-1",
        }

    def _ready(self, pipe: Any) -> None:
        with quiet():
            try:
                pipe.load_lora_weights(self._lora.place, weight_name=LORA_FILE, revision=self._lora.commit)
            except Exception as error:  # from huggingface_hub, diffusers or peft
                raise explained(self.name, self._lora.place, error, self.lora_revision) from error

    def _request(self, pipe: Any, page: Pictures.Image, instruction: str) -> PipelineRequest:
        width, height = of_width(page.width, page.height, self.width)
        page = page.resize((width, height), Pictures.Resampling.BICUBIC)
        diptych, mask = Pictures.new("RGB", (2 * width, height)), Pictures.new("L", (2 * width, height))
        diptych.paste(page, (0, 0))
        diptych.paste(page, (width, 0))
        mask.paste(255, (width, 0, 2 * width, height))
        prompt = PROMPT + instruction
        arguments = {
            "image": diptych,
            "mask_image": mask,
            "prompt": prompt,
            "guidance_scale": self.guidance,
            "width": 2 * width,
            "height": height,
            "max_sequence_length": T5_TOKENS,
        }
        length = prompt_length(pipe.tokenizer_2, prompt, T5_TOKENS)
        return PipelineRequest(arguments, (width, height), {"sent_size": [width, height], **length})

    def _cut(self, image: Image, request: PipelineRequest) -> Image:
        """Return the right half."""
        return np.ascontiguousarray(image[:, request.output_size[0] :])
