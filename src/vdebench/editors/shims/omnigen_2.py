"""OmniGen2 for vdebench.

Environment: the repository VectorSpaceLab/OmniGen2 (given with --code) and what its requirements say. About 17 GB on
the GPU. `vde editors setup omnigen2` says how.

NOT RUN HERE with the real model (no GPU, no weights): written after the repository's own inference script.

The output has the input's shape at about one megapixel, in steps of 16: the pipeline alone would make a square.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from shim import parser, run  # type: ignore[import-not-found, unused-ignore]

options = parser("OmniGen2/OmniGen2", "OmniGen2, speaking vdebench's protocol.")
options.add_argument("--code", default="", help="clone of the repository; not needed where it is installed")
options.add_argument("--revision", default="", help="of the weights; by default the commit that the hub's cache has")
options.add_argument("--steps", type=int, default=50, help="%(default)s")
options.add_argument("--text-guidance", type=float, default=5.0, help="%(default)s")
options.add_argument("--image-guidance", type=float, default=2.0, help="%(default)s")
options.add_argument("--negative", default="", help="negative prompt; none by default")
options.add_argument("--pixels", type=int, default=1024 * 1024, help="of input and output, at most (%(default)s)")
options.add_argument("--offload", action="store_true", help="keep on the GPU only what is at work: slower, less memory")


def fitting(width: int, height: int, pixels: int) -> tuple[int, int]:
    """The input's shape within so many pixels, both sides multiples of 16; never enlarged.

    >>> fitting(2480, 3508, 1024 * 1024), fitting(200, 120, 1024 * 1024)
    ((848, 1216), (192, 112))
    """
    scale = min(1.0, math.sqrt(pixels / (width * height)))
    return max(16, int(width * scale) // 16 * 16), max(16, int(height * scale) // 16 * 16)


def load(chosen: Any) -> Any:
    """The pipeline, with its transformer loaded by the repository's class."""
    if chosen.code:
        sys.path.insert(0, chosen.code)
    import torch
    from omnigen2.models.transformers.transformer_omnigen2 import (  # type: ignore[import-not-found, unused-ignore]
        OmniGen2Transformer2DModel,
    )
    from omnigen2.pipelines.omnigen2.pipeline_omnigen2 import OmniGen2Pipeline  # type: ignore[import-not-found, unused-ignore]

    kind = torch.bfloat16
    revision = chosen.revision or None
    pipeline = OmniGen2Pipeline.from_pretrained(
        chosen.model, revision=revision, torch_dtype=kind, trust_remote_code=True
    )
    pipeline.transformer = OmniGen2Transformer2DModel.from_pretrained(
        chosen.model, subfolder="transformer", revision=revision, torch_dtype=kind
    )
    if chosen.offload:
        pipeline.enable_model_cpu_offload()
    else:
        pipeline = pipeline.to(chosen.device)

    def edit(image: Any, instruction: str, seed: int) -> Any:
        width, height = fitting(image.width, image.height, chosen.pixels)
        result = pipeline(
            prompt=instruction,
            input_images=[image],
            width=width,
            height=height,
            num_inference_steps=chosen.steps,
            max_sequence_length=1024,
            text_guidance_scale=chosen.text_guidance,
            image_guidance_scale=chosen.image_guidance,
            cfg_range=(0.0, 1.0),
            negative_prompt=chosen.negative,
            num_images_per_prompt=1,
            generator=torch.Generator(device=chosen.device).manual_seed(seed),
            output_type="pil",
        )
        return result.images[0], {}

    return edit


if __name__ == "__main__":
    run("omnigen2", "1", options, load, ("diffusers", "torch", "transformers"))
