"""Load a pipeline onto a device, with workarounds for library faults."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from vdebench.editors.local.weights import Weights, explained, is_cached
from vdebench.errors import EditorUnusableError, MissingPartError, VdeError

_declared: list[Any] = []
"""Keeps the libraries alive: operators are removed with the object that declared them."""


def device_here(editor: str, device: str) -> str:
    """Return the device of an option on this machine; `auto` prefers a GPU."""
    import torch

    before = os.environ.get("PYTORCH_NVML_BASED_CUDA_CHECK")
    os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"  # queries the driver without initialising CUDA
    try:
        available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    finally:
        if before is None:
            del os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"]
        else:
            os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = before
    if device == "auto":
        return next(kind for kind, usable in available.items() if usable)
    if not available[device]:
        found = f"torch {torch.__version__} sees none"
        raise EditorUnusableError(f"{editor}: no device {device} ({found})\n  device=auto uses what is available")
    return device


def load(editor: str, pipeline: str, weights: Weights, dtype: str, parts: Mapping[str, Any]) -> Any:
    """Load a pipeline into main memory; missing weights are downloaded, with the hub's progress bars."""
    import_or_hide_torchvision()
    import diffusers
    import torch

    kind = getattr(diffusers, pipeline, None)
    if kind is None:
        raise MissingPartError(
            f"{editor}: diffusers {diffusers.__version__} has no {pipeline}\n"
            "  pip install --upgrade 'vdebench[diffusers]'"
        )
    with quiet(bars=not is_cached(weights)):
        try:
            made = {slot: make(weights) for slot, make in parts.items()}
            pipe = kind.from_pretrained(
                weights.place, revision=weights.commit, torch_dtype=getattr(torch, dtype), **made
            )
        except VdeError:
            raise
        except Exception as error:  # from huggingface_hub, diffusers, or corrupt files
            raise _no_memory(editor, error) or explained(editor, weights.place, error) from error
    pipe.set_progress_bar_config(disable=True)
    return pipe


def place(editor: str, pipe: Any, device: str, offload: str) -> None:
    """Move the pipeline to the device, completely or with offloading."""
    import torch

    if offload != "none" and device == "cpu":
        raise VdeError(f"{editor}: offload={offload} keeps weights in main memory for a GPU, and there is no GPU")
    try:
        if offload == "model":
            pipe.enable_model_cpu_offload(device=device)
        elif offload == "sequential":
            pipe.enable_sequential_cpu_offload(device=device)
        elif offload == "group":
            pipe.enable_group_offload(torch.device(device), offload_type="leaf_level", use_stream=device != "mps")
        else:
            pipe.to(device)
    except Exception as error:
        raise _no_memory(editor, error) or error from error


def is_out_of_memory(error: BaseException) -> bool:
    """Whether the error of any torch backend means that memory is exhausted."""
    names = {kind.__name__ for kind in type(error).__mro__}
    message = str(error).lower()
    return (
        bool(names & {"OutOfMemoryError", "MemoryError"}) or "out of memory" in message or "allocate memory" in message
    )


def _no_memory(editor: str, error: BaseException) -> VdeError | None:
    if not is_out_of_memory(error):
        return None
    return EditorUnusableError(
        f"{editor}: the weights do not fit into memory\n"
        "  offload=model keeps only the part at work on the GPU; offload=sequential, one layer; or dtype=bfloat16"
    )


def import_or_hide_torchvision() -> None:
    """Make a torchvision built for another torch importable, or hide it.

    Its import fails at operators that no image processor uses, and breaks everything in transformers that handles
    images. Declaring the operators suffices; otherwise transformers behaves as if torchvision were absent.
    """
    if find_spec("torchvision") is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for attempt in ("as it is", "with the names declared"):
            try:
                import_module("torchvision")
            except Exception:  # an extension for another build may raise anything
                if attempt == "as it is":
                    _declare_operators()
            else:
                return
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
    sys.modules["torchvision"] = None  # type: ignore[assignment]  # marks the module as not importable


def _declare_operators() -> None:
    import torch

    library = torch.library.Library("torchvision", "FRAGMENT")
    _declared.append(library)
    for name in ("nms", "qnms"):
        try:
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        except RuntimeError:  # it exists already
            continue


@contextmanager
def quiet(*, bars: bool = True) -> Iterator[None]:
    """Suppress the libraries' messages, which would be repeated for every page, and optionally progress bars."""
    from diffusers.utils import logging as of_diffusers
    from transformers.utils import logging as of_transformers

    before = []
    for logging in (of_diffusers, of_transformers):
        before.append((logging, logging.get_verbosity(), logging.is_progress_bar_enabled()))
        logging.set_verbosity_error()
        if not bars:
            logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logging, level, shown in before:
            logging.set_verbosity(level)
            if shown:
                logging.enable_progress_bar()


class Finite:
    """Checks that a decoder's output is finite: clipping and conversion to bytes would hide it."""

    def __init__(self, decoder: Any) -> None:
        self.is_finite = True
        decoder.register_forward_hook(self._check)

    def _check(self, module: Any, inputs: Any, output: Any) -> None:
        import torch

        self.is_finite = self.is_finite and bool(torch.isfinite(output).all())
