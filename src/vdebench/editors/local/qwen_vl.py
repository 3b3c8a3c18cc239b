"""Qwen2.5-VL, the eyes of several editors: its positions set right, and pages prepared without torchvision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from vdebench.editors.local.weights import Weights

ROPE = "mm-token-type-ids-1"
"""Version of `with_positions`."""
PROCESSOR = "pil-1"
"""Version of `page_processor`: the same pixels with every torchvision, and with none."""
IMAGE = "<|image_pad|>"


def with_positions(encoder: Any) -> None:
    """Have the encoder told which tokens are an image's.

    From transformers 5 on it lays an image's tokens out in rows and columns only if told (`mm_token_type_ids`), and
    diffusers (0.42.1) does not tell: all tokens stand in one line then, and the edit is made from other embeddings,
    with no error.
    """

    def tell(module: Any, args: Any, given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        if given.get("pixel_values") is not None and given.get("mm_token_type_ids") is None:
            given["mm_token_type_ids"] = (given["input_ids"] == module.config.image_token_id).int()
        return args, given

    encoder.register_forward_pre_hook(tell, with_kwargs=True)


def page_processor(weights: Weights, folder: str) -> Any:
    """In place of the checkpoint's Qwen2VLProcessor, whose video part needs torchvision: text with images, no videos.

    Limits and means are those of the checkpoint's own `preprocessor_config.json`; the tokenizer is the pipeline's, to
    be set once that is loaded.
    """
    from transformers import BatchFeature, ProcessorMixin
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    class PageProcessor(ProcessorMixin):  # type: ignore[misc]  # diffusers takes no other kind
        def __init__(self, image_processor: Any) -> None:
            self.image_processor, self.tokenizer = image_processor, cast(Any, None)

        def __call__(self, text: Any, images: Any = None, padding: Any = True, return_tensors: str = "pt") -> Any:
            """Tokens of the text, with as many places for each image as it has patches, and the patches."""
            seen = {} if images is None else self.image_processor(images=images, return_tensors=return_tensors)
            area = self.image_processor.merge_size**2
            places = iter([int(grid.prod()) // area for grid in seen.get("image_grid_thw", [])])
            texts = ["".join(_widened(part, places)) for part in ([text] if isinstance(text, str) else text)]
            tokens = self.tokenizer(texts, padding=padding, return_tensors=return_tensors)
            return BatchFeature({**tokens, **seen})

    return PageProcessor(
        Qwen2VLImageProcessorPil.from_pretrained(weights.place, subfolder=folder, revision=weights.commit)
    )


def _widened(text: str, places: Iterator[int]) -> list[str]:
    first, *others = text.split(IMAGE)
    return [first, *(IMAGE * next(places) + other for other in others)]
