"""Emu3.5 (Emu3.5-Image) for vdebench.

Environment: the repository baaivision/Emu3.5 (given with --code), what its requirements say, flash-attn, the weights
(--model) and those of the vision tokenizer (--tokenizer). 80 GB or more on the GPUs. `vde editors setup emu3.5` says
how.

NOT RUN HERE with the real model (no GPU, no weights): written after the repository's own inference script and its
configuration for editing (x2i). Prompts and sampling are taken from that configuration file in the clone.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from shim import Refused, parser, run, seed_all  # type: ignore[import-not-found, unused-ignore]

options = parser("BAAI/Emu3.5-Image", "Emu3.5, speaking vdebench's protocol.")
options.set_defaults(device="auto")
options.add_argument("--tokenizer", default="BAAI/Emu3.5-VisionTokenizer", help="vision tokenizer (%(default)s)")
options.add_argument("--revision", default="", help="of the weights; by default the commit that the hub's cache has")
options.add_argument("--tokenizer-revision", default="", help="the same of the vision tokenizer")
options.add_argument("--code", default="", help="clone of the repository")
options.add_argument("--guidance", type=float, default=3.0, help="classifier-free guidance (%(default)s)")
options.add_argument("--pixels", type=int, default=1024 * 1024, help="of the page as the model sees it (%(default)s)")
options.add_argument("--tokens", type=int, default=5120, help="at most (%(default)s)")


def folder_of(weights: str, revision: str) -> str:
    """The folder of weights; of the hub's in its cache, at their commit: the repository's loader knows no revisions."""
    if Path(weights).is_dir():
        return weights
    from huggingface_hub import snapshot_download  # type: ignore[import-not-found, unused-ignore]

    return str(snapshot_download(weights, revision=revision or None))


def configuration(chosen: Any) -> Any:
    """The repository's configuration for editing, with our options in it."""
    import importlib

    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # the configuration makes a folder for its logs where it is imported
        try:
            settings: Any = importlib.import_module("configs.example_config_x2i")
        finally:
            os.chdir(here)
    settings.classifier_free_guidance = chosen.guidance
    settings.image_area = chosen.pixels
    settings.streaming = False
    settings.sampling_params["max_new_tokens"] = chosen.tokens
    settings.unc_prompt, settings.template = settings.build_unc_and_template("x2i", True)
    return settings


def load(chosen: Any) -> Any:
    """Model, text tokenizer and vision tokenizer."""
    code = Path(chosen.code or ".").resolve()
    sys.path.insert(0, str(code))
    import torch
    from src.utils.generation_utils import generate, multimodal_decode  # type: ignore[import-not-found, unused-ignore]
    from src.utils.input_utils import build_image  # type: ignore[import-not-found, unused-ignore]
    from src.utils.model_utils import build_emu3p5  # type: ignore[import-not-found, unused-ignore]

    settings = configuration(chosen)
    model, tokenizer, sight = build_emu3p5(
        folder_of(chosen.model, chosen.revision),
        str(code / "src" / "tokenizer_emu3_ibq"),
        folder_of(chosen.tokenizer, chosen.tokenizer_revision),
        vq_type="ibq",
        model_device=chosen.device,
        vq_device="cuda:0" if chosen.device == "auto" else chosen.device,
    )
    settings.special_token_ids = {name: tokenizer.encode(text)[0] for name, text in settings.special_tokens.items()}

    def encode(text: str) -> Any:
        return tokenizer.encode(text, return_tensors="pt", add_special_tokens=False).to(model.device)

    def edit(image: Any, instruction: str, seed: int) -> Any:
        seed_all(seed)
        page = build_image(image, settings, tokenizer, sight)
        # Not str.format: an instruction may hold braces.
        asked = encode(settings.template.replace("{question}", instruction).replace("<|IMAGE|>", page, 1))
        begin = settings.special_token_ids["BOS"]
        if int(asked[0, 0]) != begin:
            asked = torch.cat([torch.full_like(asked[:, :1], begin), asked], dim=1)
        plain = encode(settings.unc_prompt.replace("<|IMAGE|>", page))
        parts = [
            part
            for result in generate(settings, model, tokenizer, asked, plain, None)
            for part in multimodal_decode(tokenizer.decode(result, skip_special_tokens=False), tokenizer, sight)
        ]
        words = " ".join(str(content) for kind, content in parts if kind != "image")
        pictures = [content for kind, content in parts if kind == "image"]
        if pictures:
            return pictures[-1], {"words": words} if words else {}
        if words:
            raise Refused(f"words and no image: {words[:500]}")
        raise RuntimeError(f"no whole image within {chosen.tokens} tokens")

    return edit


if __name__ == "__main__":
    run("emu3.5", "1", options, load, ("flash_attn", "torch", "transformers"))
