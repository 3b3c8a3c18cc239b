"""TAEF2, a real autoencoder of FLUX.2's latent space, loaded from NumPy archives (`shared/data/autoencoder`).

`round_trip` damages the small type of a page like an editor that works on latents and changes nothing. Torch is
imported only when it is needed: importing this file needs no heavy package.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image as Pictures

if TYPE_CHECKING:
    import torch

MEGAPIXEL = 1024 * 1024
STEP = 16
"""Sides of encoded images are multiples of this."""


class Taef2:
    """RGB in [0, 1] to 32 latent channels at an eighth of the size, and back."""

    def __init__(self, folder: str | Path) -> None:
        self.encoder = _Layers(Path(folder) / "taef2_encoder.npz")
        self.decoder = _Layers(Path(folder) / "taef2_decoder.npz")

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        layers = self.encoder
        x = layers.block(1, layers.conv("0", x))
        for first in (2, 6, 10):
            x = layers.conv(f"{first}", x, stride=2)
            for index in range(first + 1, first + 4):
                x = layers.block(index, x)
        return layers.conv("14", x)

    def decode(self, z: torch.Tensor) -> torch.Tensor:
        from torch.nn.functional import interpolate

        layers = self.decoder
        x = layers.conv("1", (z / 3).tanh() * 3).relu()
        for first in (3, 8, 13):
            for index in range(first, first + 3):
                x = layers.block(index, x)
            x = layers.conv(f"{first + 4}", interpolate(x, scale_factor=2, mode="nearest"))
        return layers.conv("19", layers.block(18, x)).clamp(0, 1)


class _Layers:
    """The weights of one half, by the index of the layer, and the kinds of layers."""

    def __init__(self, file: Path) -> None:
        import torch

        with np.load(file) as arrays:
            self.weights = {key: torch.from_numpy(arrays[key].astype(np.float32)) for key in arrays.files}

    def conv(self, name: str, x: torch.Tensor, *, stride: int = 1) -> torch.Tensor:
        from torch.nn.functional import conv2d

        weight = self.weights[f"{name}.weight"]
        return conv2d(x, weight, self.weights.get(f"{name}.bias"), stride=stride, padding=weight.shape[-1] // 2)

    def block(self, index: int, x: torch.Tensor) -> torch.Tensor:
        from torch.nn.functional import group_norm

        pool, conv = f"{index}.pool", f"{index}.conv"
        if f"{pool}.0.weight" in self.weights:
            scale, shift = self.weights[f"{pool}.1.weight"], self.weights[f"{pool}.1.bias"]
            x = x + self.conv(f"{pool}.3", group_norm(self.conv(f"{pool}.0", x), 4, scale, shift).relu())
        inner = self.conv(f"{conv}.2", self.conv(f"{conv}.0", x).relu()).relu()
        return (self.conv(f"{conv}.4", inner) + x).relu()


def round_trip(image: np.ndarray, module: Taef2, megapixels: float | None = None) -> np.ndarray:
    """Return an RGB image encoded and decoded, in the same size; with `megapixels` it is resized to about so many of
    1024 × 1024 pixels for the round trip, and back.
    """
    height, width = image.shape[:2]
    if megapixels is None:
        padded = np.pad(image, ((0, -height % STEP), (0, -width % STEP), (0, 0)), mode="edge")
        return _decoded(padded, module)[:height, :width].copy()
    scale = math.sqrt(megapixels * MEGAPIXEL / (width * height))
    inner_width, inner_height = (max(STEP, round(side * scale / STEP) * STEP) for side in (width, height))
    resized = Pictures.fromarray(image).resize((inner_width, inner_height), Pictures.Resampling.LANCZOS)
    decoded = Pictures.fromarray(_decoded(np.asarray(resized), module))
    return np.array(decoded.resize((width, height), Pictures.Resampling.LANCZOS))


def _decoded(image: np.ndarray, module: Taef2) -> np.ndarray:
    import torch

    torch.set_num_threads(1)  # sums do not depend on the number of processors
    with torch.inference_mode():
        x = torch.tensor(image).permute(2, 0, 1)[None].float() / 255
        y = module.decode(module.encode(x))[0].permute(1, 2, 0)
        return (y * 255).round().to(torch.uint8).numpy()
