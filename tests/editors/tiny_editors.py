"""The nine local editors with tiny checkpoints, loaded once for all tests; and pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tests.editors import tiny
from vdebench.editors.factory import get_editor

_ROOT = TemporaryDirectory(prefix="vde-tiny-")
INSTRUCTION = 'Change "Total 42" to "Total 57"'
OPTIONS = {
    "instruct-pix2pix": ("pix2pix", {"steps": 2}),
    "magicbrush": ("pix2pix", {"steps": 2}),
    "flux-kontext": ("kontext", {"steps": 2, "max_pixels": 20_000}),
    "qwen-image-edit": ("qwen", {"steps": 1, "max_pixels": 20_000}),
    "qwen-image-edit-2509": ("qwen_plus", {"steps": 1, "max_pixels": 20_000}),
    "qwen-image-edit-2511": ("qwen_plus", {"steps": 1, "max_pixels": 20_000}),
    "firered-image-edit": ("qwen_plus", {"steps": 1, "max_pixels": 20_000}),
    "longcat-image-edit": ("longcat", {"steps": 1}),
    "icedit": ("fill", {"steps": 1, "width": 128}),
}
"""The checkpoint of each, and options that make it quick."""


@cache
def checkpoint(name: str, seed: int = 0) -> Path:
    return tiny.save(getattr(tiny, name), Path(_ROOT.name, f"{name}-{seed}"), seed)


@cache
def lora(scale: float = 1.0) -> Path:
    return tiny.save_lora(Path(_ROOT.name, f"lora-{scale}"), scale=scale)


def options_of(name: str) -> dict:
    of, options = OPTIONS[name]
    return {"weights": str(checkpoint(of)), **options, **({"lora": str(lora())} if name == "icedit" else {})}


@cache
def tiny_editor(name: str, **others):
    """An editor that stays loaded; the same one for the same options."""
    return get_editor(name, **{**options_of(name), **others})


def page(width: int = 203, height: int = 121) -> np.ndarray:
    """A small page of an invoice, of a size that no model likes."""
    picture = Image.new("RGB", (width, height), "white")
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(size=14)
    draw.rectangle([0, 0, width, 24], fill="navy")
    for line, text in enumerate(["Invoice 2024", "Harbour office", "Total 42"]):
        draw.text((10, 4 + 30 * line), text, fill="white" if line == 0 else "black", font=font)
    return np.asarray(picture)
