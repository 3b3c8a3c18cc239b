"""CLIP: cosine similarity of two images, or an image and a text, by CLIP ViT-B/32. Needs torch and transformers.

Weights are read from a folder, `$VDE_WEIGHTS` or the local cache of the Hugging Face hub, never downloaded. As
published, the model gets the central square of a page at 224 pixels: seven tenths of a portrait A4 page.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

from vdebench.errors import InputError, MissingPartError
from vdebench.metrics import weights as weight_files
from vdebench.metrics.image import Image, require_rgb_pair
from vdebench.metrics.registry import metric

DEFAULT = "openai/clip-vit-base-patch32"
_PACKAGES = ("torch", "transformers")
_MEAN = np.array([0.48145466, 0.4578275, 0.40821073], np.float32)
_SPREAD = np.array([0.26862954, 0.26130258, 0.27577711], np.float32)
_TENSORS = ("model.safetensors", "pytorch_model.bin")


class Clip:
    """Cosine similarity of CLIP embeddings; `crop=False` squeezes the whole page into the square."""

    def __init__(self, weights: str | Path = DEFAULT, *, crop: bool = True, threads: int = 0) -> None:
        if missing := self.missing(weights):
            raise MissingPartError(missing)
        self.crop, self.threads = crop, threads
        self._folder = _folder(weights)
        digest = weight_files.digest_of(_tensors(self._folder))[:12]
        self.identity = f"clip@sha256:{digest},{'centre' if crop else 'whole'}"

    @staticmethod
    def missing(weights: str | Path = DEFAULT) -> str:
        """Return missing packages or weights with the command that installs them; loads nothing."""
        install = "pip install 'vdebench[clip]'"
        lines = [weight_files.what_is_missing("clip", weight_files.absent_packages(*_PACKAGES), install)]
        try:
            _tensors(_folder(weights))
        except (OSError, ValueError, RuntimeError, InputError):  # no cache, no home directory, unknown name
            name = DEFAULT if Path(weights).is_absolute() else weights
            get = f"hf download {name}   (or a folder with it in $VDE_WEIGHTS)"
            lines.append(weight_files.what_is_missing("clip", [], "", file=f"the weights {weights}", get=get))
        return "\n".join(filter(None, lines))

    @metric("clip", kind="image", title="CLIP", bounds=(-1, 1))
    def image(self, candidate: Image, reference: Image) -> float:
        """Cosine of two images' CLIP embeddings."""
        require_rgb_pair(candidate, reference)
        one, other = self._embed_images(np.stack([self._prepared(candidate), self._prepared(reference)]))
        return float(one @ other)

    @metric("clip_text", kind="image", title="CLIP-text", bounds=(-1, 1), main=False)
    def text(self, candidate: Image, text: str) -> float:
        """Cosine of an image's and a text's CLIP embeddings; long texts are truncated (see `is_cut`)."""
        require_rgb_pair(candidate, candidate)
        return float(self._embed_images(self._prepared(candidate)[None])[0] @ self._embed_text(text))

    def tokens(self, text: str) -> int:
        """Return the number of tokens of a text, including start and end tokens."""
        return len(self._tokenizer(text, verbose=False)["input_ids"])

    @property
    def most_tokens(self) -> int:
        """Maximum number of tokens: 77."""
        return int(self._model.config.text_config.max_position_embeddings)

    def is_cut(self, text: str) -> bool:
        """Whether a text exceeds the maximum length and is truncated."""
        return self.tokens(text) > self.most_tokens

    def _prepared(self, image: Image) -> NDArray[np.float32]:
        """Preprocess as CLIP does: bicubic resize, central square, normalisation."""
        side = int(self._model.config.vision_config.image_size)
        height, width = image.shape[:2]
        if self.crop:
            long = max(side, side * max(height, width) // min(height, width))
            size = (side, long) if height >= width else (long, side)
        else:
            size = (side, side)
        picture = np.asarray(Pictures.fromarray(image).resize(size, Pictures.Resampling.BICUBIC), np.float32)
        top, left = (picture.shape[0] - side) // 2, (picture.shape[1] - side) // 2
        square = picture[top : top + side, left : left + side]
        return np.ascontiguousarray(((square / 255 - _MEAN) / _SPREAD).transpose(2, 0, 1))

    def _embed_images(self, images: NDArray[np.float32]) -> NDArray[np.float64]:
        import torch

        with torch.inference_mode():
            model = self._model
            return _unit(
                model.visual_projection(model.vision_model(pixel_values=torch.from_numpy(images)).pooler_output)
            )

    def _embed_text(self, text: str) -> NDArray[np.float64]:
        import torch

        inputs = self._tokenizer(text, truncation=True, max_length=self.most_tokens, return_tensors="pt")
        with torch.inference_mode():
            model = self._model
            unit: NDArray[np.float64] = _unit(model.text_projection(model.text_model(**inputs).pooler_output))[0]
            return unit

    @cached_property
    def _model(self) -> Any:
        import torch
        from safetensors import SafetensorError
        from transformers import CLIPModel
        from transformers.utils import logging

        if self.threads:
            torch.set_num_threads(self.threads)
        logging.disable_progress_bar()
        try:
            model, loading_info = CLIPModel.from_pretrained(
                self._folder, local_files_only=True, dtype=torch.float32, output_loading_info=True
            )
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            raise InputError(f"{self._folder}: not a CLIP model: {str(error).splitlines()[0]}") from None
        if absent := sorted(loading_info["missing_keys"]):  # transformers would initialise them randomly
            raise InputError(
                f"{self._folder}: incomplete CLIP model: {len(absent)} tensors are missing ({absent[0]}, …)"
            )
        return model.eval()

    @cached_property
    def _tokenizer(self) -> Any:
        from transformers import CLIPTokenizer

        try:
            return CLIPTokenizer.from_pretrained(self._folder, local_files_only=True)
        except (OSError, ValueError, TypeError) as error:
            raise InputError(f"{self._folder}: contains no CLIP tokeniser: {str(error).splitlines()[0]}") from None


def _unit(embeddings: Any) -> NDArray[np.float64]:
    vectors = embeddings.numpy().astype(np.float64)
    lengths: NDArray[np.float64] = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float64] = vectors / lengths
    return unit


def _folder(weights: str | Path) -> Path:
    """Return the folder of a path, of a name in `$VDE_WEIGHTS`, or of a model in the hub's cache."""
    if Path(weights).is_dir():
        return Path(weights)
    name = str(weights)
    if found := weight_files.in_weights_folder(name.rpartition("/")[2]):
        return found
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache/huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE") or home / "hub") / f"models--{name.replace('/', '--')}"
    revision = (cache / "refs/main").read_text("ascii").strip()
    return cache / "snapshots" / revision


def _tensors(folder: Path) -> Path:
    for name in _TENSORS:
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"{folder}: contains none of {', '.join(_TENSORS)}")
