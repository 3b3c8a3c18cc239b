"""Common options of local editors, checked before anything is loaded."""

from __future__ import annotations

from collections.abc import Sequence

from vdebench.errors import VdeError

DTYPES = ("auto", "bfloat16", "float16", "float32")
OFFLOADS = ("none", "model", "sequential", "group")
DEVICES = ("auto", "cuda", "mps", "cpu")


def one_of(editor: str, option: str, value: str, known: Sequence[str]) -> str:
    """Return an option that must be one of some words.

    >>> one_of("flux-kontext", "dtype", "fp8", DTYPES)
    Traceback (most recent call last):
    vdebench.errors.VdeError: flux-kontext: dtype is 'fp8', expected auto, bfloat16, float16 or float32
    """
    word = str(value).strip()
    if word not in known:
        expected = " or ".join([", ".join(known[:-1]), known[-1]])
        raise VdeError(f"{editor}: {option} is {value!r}, expected {expected}")
    return word


def device_option(editor: str, value: str) -> str:
    """Return the kind of device, or `auto`. GPUs are selected by the environment: a run gives one to each process.

    >>> device_option("flux-kontext", "cuda:1")
    Traceback (most recent call last):
    vdebench.errors.VdeError: flux-kontext: device is 'cuda:1', expected auto, cuda, mps or cpu
      to choose among GPUs, set CUDA_VISIBLE_DEVICES=1 in the environment
    """
    kind, sign, number = str(value).strip().partition(":")
    try:
        return one_of(editor, "device", value if sign else kind, DEVICES)
    except VdeError as error:
        if kind != "cuda" or not number.isdecimal():
            raise
        advice = f"to choose among GPUs, set CUDA_VISIBLE_DEVICES={number} in the environment"
        raise VdeError(f"{error}\n  {advice}") from None
