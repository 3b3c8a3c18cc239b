"""A page encoded and decoded by an autoencoder, in its own size or at a number of megapixels."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np

from vdebench.core.box import Size
from vdebench.core.images import Image, resized
from vdebench.editors.ceilings import STEP, working_size
from vdebench.editors.local.sizes import Pixels
from vdebench.errors import EditorError, EditorUnusableError


class Autoencoder(Protocol):
    """A model as in diffusers: RGB in [-1, 1] to latents and back, tensors of one image.

    The results may be tensors, or objects with them: `latent_dist`, `latents` or `latent`, and `sample`.
    """

    def encode(self, x: Any, /) -> Any:
        """Return the latents of an image."""

    def decode(self, z: Any, /) -> Any:
        """Return the image of latents."""


class RoundTrip(NamedTuple):
    """An image encoded and decoded."""

    image: Image
    """In the size of the page."""
    sent_size: Pixels
    """Width and height of what was encoded."""


def round_trip(
    page: Image, model: Autoencoder, megapixels: float = 0, *, device: str = "cpu", dtype: str = "float32"
) -> RoundTrip:
    """Encode and decode a page, resized to `megapixels` and back (Lanczos); 0 for its own size, where edges are
    repeated up to a multiple of 16 and cut off again. Sides are also multiples of the model's factor.

    Latents are the mode of their distribution, so the result does not depend on a seed.
    """
    height, width = page.shape[:2]
    step = math.lcm(STEP, int(getattr(model, "spatial_compression_ratio", None) or 1))
    if megapixels:
        sent = resized(page, working_size(page, megapixels, step))
        image = resized(_decoded(sent, model, device, dtype), Size(width, height))
    else:
        sent = np.pad(page, ((0, -height % step), (0, -width % step), (0, 0)), mode="edge")
        image = np.ascontiguousarray(_decoded(sent, model, device, dtype)[:height, :width])
    return RoundTrip(image, (sent.shape[1], sent.shape[0]))


def _decoded(page: Image, model: Autoencoder, device: str, dtype: str) -> Image:
    import torch

    with torch.inference_mode():
        x = (torch.tensor(page, device=device).permute(2, 0, 1)[None].float() / 127.5 - 1).to(getattr(torch, dtype))
        x = x[:, :, None] if _is_of_videos(model) else x
        decoded = model.decode(_latents(model.encode(x)))
        y = getattr(decoded, "sample", decoded)
        if tuple(y.shape) != tuple(x.shape):
            raise EditorUnusableError(f"autoencoder: it returned {list(y.shape)} for an image of {list(x.shape)}")
        if not torch.isfinite(y).all():
            raise EditorError(
                f"autoencoder: the model returned values that are not finite (dtype {dtype})\n"
                "  use dtype=bfloat16 or float32, which have a larger range"
            )
        y = y.float().reshape(3, *page.shape[:2]).permute(1, 2, 0)
        image: Image = ((y.clamp(-1, 1) + 1) * 127.5).round().to(torch.uint8).cpu().numpy()
    return image


def _latents(encoded: Any) -> Any:
    if hasattr(encoded, "latent_dist"):
        return encoded.latent_dist.mode()
    return next((getattr(encoded, name) for name in ("latents", "latent") if hasattr(encoded, name)), encoded)


def _is_of_videos(model: Any) -> bool:
    """Whether the model expects frames, as that of Qwen-Image does: an image is then a video of one frame."""
    import torch

    layers = model.modules() if isinstance(model, torch.nn.Module) else ()
    return "temperal_downsample" in getattr(model, "config", ()) or any(
        isinstance(layer, torch.nn.Conv3d) for layer in layers
    )
