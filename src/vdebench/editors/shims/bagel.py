"""Bagel (BAGEL-7B-MoT) for vdebench, with thinking where asked.

Environment: the repository ByteDance-Seed/Bagel (given with --code), what its requirements say, flash-attn, and the
weights in a folder (--model). 32 GB or more on the GPU. `vde editors setup bagel` says how.

NOT RUN HERE with the real model (no GPU, no weights): written after the repository's own application. That one takes
a guidance of 2 by the image and no CFG before the interval's start; `--image-guidance 2` does the same.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from shim import parser, run, seed_all  # type: ignore[import-not-found, unused-ignore]

options = parser("BAGEL-7B-MoT", "Bagel, speaking vdebench's protocol.")
options.add_argument("--code", default="", help="clone of the repository")
options.add_argument("--steps", type=int, default=50, help="%(default)s")
options.add_argument("--text-guidance", type=float, default=4.0, help="%(default)s")
options.add_argument("--image-guidance", type=float, default=1.5, help="%(default)s")
options.add_argument("--interval", type=float, default=0.0, help="guidance begins here, and ends at 1 (%(default)s)")
options.add_argument("--renorm", default="text_channel", choices=["global", "channel", "text_channel"])
options.add_argument("--think", action="store_true", help="the model plans in words before it paints")
options.add_argument("--think-tokens", type=int, default=1024, help="at most (%(default)s)")
TOGETHER = (
    "language_model.model.embed_tokens", "time_embedder", "latent_pos_embed", "vae2llm", "llm2vae", "connector",
    "vit_pos_embed",
)  # fmt: skip
"""Modules that must be on the same device."""


def build(folder: Path) -> Any:
    """The network without weights, the image coder, and the tokenizer with its special tokens."""
    from accelerate import init_empty_weights  # type: ignore[import-not-found, import-untyped, unused-ignore]
    from data.data_utils import add_special_tokens  # type: ignore[import-not-found, unused-ignore]
    from modeling.autoencoder import load_ae  # type: ignore[import-not-found, unused-ignore]
    from modeling.bagel import (  # type: ignore[import-not-found, unused-ignore]
        Bagel,
        BagelConfig,
        Qwen2Config,
        Qwen2ForCausalLM,
        SiglipVisionConfig,
        SiglipVisionModel,
    )
    from modeling.qwen2 import Qwen2Tokenizer  # type: ignore[import-not-found, unused-ignore]

    words = Qwen2Config.from_json_file(str(folder / "llm_config.json"))
    words.qk_norm, words.tie_word_embeddings, words.layer_module = True, False, "Qwen2MoTDecoderLayer"
    sight = SiglipVisionConfig.from_json_file(str(folder / "vit_config.json"))
    sight.rope, sight.num_hidden_layers = False, sight.num_hidden_layers - 1
    coder, coder_config = load_ae(local_path=str(folder / "ae.safetensors"))
    config = BagelConfig(
        visual_gen=True,
        visual_und=True,
        llm_config=words,
        vit_config=sight,
        vae_config=coder_config,
        vit_max_num_patch_per_side=70,
        connector_act="gelu_pytorch_tanh",
        latent_patch_size=2,
        max_latent_size=64,
    )
    with init_empty_weights():
        model = Bagel(Qwen2ForCausalLM(words), SiglipVisionModel(sight), config)
        model.vit_model.vision_model.embeddings.convert_conv2d_to_linear(sight, meta=True)
    tokenizer, tokens, _ = add_special_tokens(Qwen2Tokenizer.from_pretrained(str(folder)))
    return model, coder, tokenizer, tokens


def load(chosen: Any) -> Any:
    """The model with its weights, on one device or spread over several (`--device auto`)."""
    if chosen.code:
        sys.path.insert(0, chosen.code)
    folder = Path(chosen.model)
    if not (folder / "ema.safetensors").is_file():
        raise SystemExit(f"{folder}: no ema.safetensors here; --model is the folder of the downloaded weights")
    import torch
    from accelerate import infer_auto_device_map, load_checkpoint_and_dispatch
    from data.transforms import ImageTransform  # type: ignore[import-not-found, unused-ignore]
    from inferencer import InterleaveInferencer  # type: ignore[import-not-found, unused-ignore]

    model, coder, tokenizer, tokens = build(folder)
    if chosen.device == "auto":
        places = infer_auto_device_map(model, no_split_module_classes=["Bagel", "Qwen2MoTDecoderLayer"])
        first = places.get(TOGETHER[0], 0)
        places.update(dict.fromkeys(TOGETHER, first))
    else:
        places = {"": chosen.device}
    model = load_checkpoint_and_dispatch(
        model, checkpoint=str(folder / "ema.safetensors"), device_map=places, dtype=torch.bfloat16, force_hooks=True
    ).eval()
    coder = coder.to("cuda" if chosen.device == "auto" else chosen.device).eval()
    painter = InterleaveInferencer(
        model=model,
        vae_model=coder,
        tokenizer=tokenizer,
        vae_transform=ImageTransform(1024, 512, 16),
        vit_transform=ImageTransform(980, 224, 14),
        new_token_ids=tokens,
    )

    def edit(image: Any, instruction: str, seed: int) -> Any:
        seed_all(seed)  # the application takes 0 for "any"; here it is a seed like others
        result = painter(
            image=image,
            text=instruction,
            think=chosen.think,
            max_think_token_n=chosen.think_tokens,
            do_sample=False,
            cfg_text_scale=chosen.text_guidance,
            cfg_img_scale=chosen.image_guidance,
            cfg_interval=[chosen.interval, 1.0],
            timestep_shift=3.0,
            num_timesteps=chosen.steps,
            cfg_renorm_min=0.0,
            cfg_renorm_type=chosen.renorm,
        )
        if result["image"] is None:
            raise RuntimeError("Bagel made no image")
        return result["image"], {"thought": result["text"] or ""} if chosen.think else {}

    return edit


if __name__ == "__main__":
    run("bagel", "1", options, load, ("accelerate", "flash_attn", "torch", "transformers"))
