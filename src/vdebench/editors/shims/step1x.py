"""Step1X-Edit for vdebench: v1.1, and v1p2 with thinking and reflection.

Environment: a fork of diffusers (branch `step1xedit_v1p2` of Peyton-Chen/diffusers; it has both pipelines) with
transformers 4.55.0. About 50 GB on the GPU. `vde editors setup step1x-edit` says how.

NOT RUN HERE with the real model (no GPU, no weights): written after the model's published examples.

    python step1x.py                                                    # v1p2, without thinking
    python step1x.py --thinking --reflection                            # as published
    python step1x.py --model stepfun-ai/Step1X-Edit-v1p1-diffusers --steps 28
"""

from __future__ import annotations

import inspect
from typing import Any

from shim import parser, run  # type: ignore[import-not-found, unused-ignore]

options = parser("stepfun-ai/Step1X-Edit-v1p2", "Step1X-Edit, speaking vdebench's protocol.")
options.add_argument("--steps", type=int, default=50, help="%(default)s; v1.1's example takes 28")
options.add_argument("--guidance", type=float, default=6.0, help="true_cfg_scale (%(default)s)")
options.add_argument("--thinking", action="store_true", help="v1p2: the model rewrites the instruction first")
options.add_argument("--reflection", action="store_true", help="v1p2: the model looks at its edit and corrects it")
options.add_argument("--revision", default="", help="of the weights; by default the commit that the hub's cache has")
options.add_argument("--offload", action="store_true", help="keep on the GPU only what is at work: slower, less memory")


def load(chosen: Any) -> Any:
    """The pipeline that the weights ask for."""
    import diffusers  # type: ignore[import-not-found, unused-ignore]
    import torch

    second = "v1p2" in chosen.model.lower()
    if (chosen.thinking or chosen.reflection) and not second:
        raise SystemExit(f"--thinking and --reflection need weights of v1p2, found {chosen.model}")
    kind = getattr(diffusers, "Step1XEditPipelineV1P2" if second else "Step1XEditPipeline", None)
    if kind is None:
        raise SystemExit("this diffusers has no Step1X-Edit: the fork is needed (vde editors setup step1x-edit)")
    pipeline = kind.from_pretrained(chosen.model, torch_dtype=torch.bfloat16, revision=chosen.revision or None)
    if chosen.offload:
        pipeline.enable_model_cpu_offload(device=chosen.device)
    else:
        pipeline.to(chosen.device)
    taken = inspect.signature(pipeline.__call__).parameters
    # Two names for one thing: the branch of v1.1 alone calls it guidance_scale.
    guidance = "true_cfg_scale" if "true_cfg_scale" in taken else "guidance_scale"
    modes = {"enable_thinking_mode": chosen.thinking, "enable_reflection_mode": chosen.reflection} if second else {}

    def edit(image: Any, instruction: str, seed: int) -> Any:
        result = pipeline(
            image=image,
            prompt=instruction,
            num_inference_steps=chosen.steps,
            generator=torch.Generator().manual_seed(seed),
            **{guidance: chosen.guidance},
            **modes,
        )
        metadata: dict[str, Any] = {"images": len(result.images)}
        if chosen.thinking:
            metadata["thought"] = str(getattr(result, "reformat_prompt", ""))
        if chosen.reflection:
            metadata["reflections"] = [str(each) for each in getattr(result, "think_info", None) or []]
        final = getattr(result, "final_images", None) if chosen.reflection else None
        return (final or result.images)[0], metadata

    return edit


if __name__ == "__main__":
    run("step1x-edit", "1", options, load, ("diffusers", "torch", "transformers"))
