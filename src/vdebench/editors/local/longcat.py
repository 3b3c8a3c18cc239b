"""LongCat-Image-Edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from PIL import Image as Pictures

from vdebench.editors.editor import About
from vdebench.editors.local.editor import LocalEditor, PipelineRequest
from vdebench.editors.local.quotes import QUOTES, known_quotes, split_at_quotes
from vdebench.editors.local.qwen_vl import PROCESSOR, ROPE, page_processor, with_positions
from vdebench.editors.local.sizes import of_area_ceiled
from vdebench.editors.local.weights import Weights
from vdebench.editors.servers.options import at_least_0
from vdebench.errors import TooLargeError


@dataclass(kw_only=True, eq=False)
class LongCatImageEdit(LocalEditor):
    """LongCat-Image-Edit. It renders quoted text letter by letter; its pipeline has a fixed size of about 1 MP."""

    name: ClassVar[str] = "longcat-image-edit"
    pipeline: ClassVar[str] = "LongCatImageEditPipeline"
    published: ClassVar[str] = "meituan-longcat/LongCat-Image-Edit"
    about: ClassVar[About] = About(
        "extra diffusers, 18 GB of VRAM with offload=model",
        published,
        "Apache-2.0",
        "the page's shape, about 1 MP, up to multiples of 16",
    )

    guidance: float = 4.5

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.guidance = at_least_0(self.name, "guidance", self.guidance)

    def _settings(self) -> Mapping[str, Any]:
        return {
            "guidance": self.guidance,
            "input": "RGB, by the pipeline to about 1 MP",
            "quotes": QUOTES,
            "rope": ROPE,
            "processor": PROCESSOR,
        }

    def _parts(self) -> Mapping[str, Callable[[Weights], Any]]:
        return {"text_processor": lambda weights: page_processor(weights, "text_processor")}

    def _ready(self, pipe: Any) -> None:
        from diffusers.pipelines.longcat_image import pipeline_longcat_image_edit

        pipeline_longcat_image_edit.split_quotation = split_at_quotes
        with_positions(pipe.text_encoder)

    def _request(self, pipe: Any, page: Pictures.Image, instruction: str) -> PipelineRequest:
        prompt = known_quotes(instruction)
        length, limit = _tokens(pipe.tokenizer, prompt), pipe.tokenizer_max_length
        if length > limit:
            raise TooLargeError(
                f"{self.name}: the instruction has {length} tokens, more than the limit of {limit}\n"
                "  quoted text needs at least one token per character; instructions are not truncated"
            )
        parameters = {"prompt_tokens": length, **({"prompt": prompt} if prompt != instruction else {})}
        arguments = {"image": page, "prompt": prompt, "guidance_scale": self.guidance}
        return PipelineRequest(arguments, of_area_ceiled(page.width, page.height), parameters)


def _tokens(tokenizer: Any, prompt: str) -> int:
    """Count tokens as the pipeline does: quoted parts character by character."""
    parts = [letter for part, quoted in split_at_quotes(prompt) for letter in (part if quoted else [part])]
    return sum(len(tokenizer(part, add_special_tokens=False)["input_ids"]) for part in parts)
