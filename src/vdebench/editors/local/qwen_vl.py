"""Qwen2.5-VL, the vision encoder of several editors: correct positions, and image preprocessing without torchvision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from vdebench.editors.local.weights import Weights

ROPE = "mm-token-type-ids-1"
"""Version of `with_positions`."""
PROCESSOR = "pil-1"
"""Version of `page_processor`: the same pixels with any or no torchvision."""
IMAGE = "<|image_pad|>"


def with_positions(encoder: Any) -> None:
    """Pass the encoder the mask of image tokens.

    From version 5 on, transformers arranges image tokens in rows and columns only if `mm_token_type_ids` is passed;
    diffusers (0.42.1) does not pass it, so the edit silently uses wrong embeddings.
    """

    def add_token_types(module: Any, args: Any, arguments: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        if arguments.get("pixel_values") is not None and arguments.get("mm_token_type_ids") is None:
            arguments["mm_token_type_ids"] = (arguments["input_ids"] == module.config.image_token_id).int()
        return args, arguments

    encoder.register_forward_pre_hook(add_token_types, with_kwargs=True)


def page_processor(weights: Weights, folder: str) -> Any:
    """Replace the checkpoint's Qwen2VLProcessor, whose video part needs torchvision, by one for text and images.

    Limits and means come from the checkpoint's `preprocessor_config.json`; the tokenizer is set when the pipeline is
    loaded.
    """
    from transformers import BatchFeature, ProcessorMixin
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    class PageProcessor(ProcessorMixin):  # type: ignore[misc]  # diffusers takes no other kind
        def __init__(self, image_processor: Any) -> None:
            self.image_processor, self.tokenizer = image_processor, cast(Any, None)

        def __call__(self, text: Any, images: Any = None, padding: Any = True, return_tensors: str = "pt") -> Any:
            """Tokens of the text, with as many places for each image as it has patches, and the patches."""
            features = {} if images is None else self.image_processor(images=images, return_tensors=return_tensors)
            area = self.image_processor.merge_size**2
            places = iter([int(grid.prod()) // area for grid in features.get("image_grid_thw", [])])
            texts = ["".join(_expanded(part, places)) for part in ([text] if isinstance(text, str) else text)]
            tokens = self.tokenizer(texts, padding=padding, return_tensors=return_tensors)
            return BatchFeature({**tokens, **features})

    return PageProcessor(
        Qwen2VLImageProcessorPil.from_pretrained(weights.place, subfolder=folder, revision=weights.commit)
    )


def _expanded(text: str, places: Iterator[int]) -> list[str]:
    first, *others = text.split(IMAGE)
    return [first, *(IMAGE * next(places) + other for other in others)]
