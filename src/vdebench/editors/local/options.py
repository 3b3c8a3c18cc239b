"""Options that all local editors have, checked before anything is loaded."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vdebench.errors import VdeError

DTYPES = ("auto", "bfloat16", "float16", "float32")
OFFLOADS = ("none", "model", "sequential", "group")
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")


def one_of(editor: str, option: str, value: str, known: Sequence[str]) -> str:
    """An option that is one of some words.

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
    """The device as torch names it, or `auto`.

    >>> device_option("flux-kontext", "cuda:1")
    'cuda:1'
    """
    word = str(value).strip()
    if not _DEVICE.fullmatch(word):
        raise VdeError(f"{editor}: device is {value!r}, expected auto, cpu, mps, cuda or one of several, as cuda:1")
    return word
