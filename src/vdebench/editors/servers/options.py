"""Parsing of options of editors behind servers."""

from __future__ import annotations

import math

from vdebench.editors.editor import About
from vdebench.errors import VdeError


def whole(editor: str, option: str, value: int | str, least: int = 0) -> int:
    """Parse an option that is an integer.

    >>> whole("gpt-image-1", "max_pixels", "1000000")
    1000000
    """
    try:
        number = int(str(value))
    except ValueError:
        number = least - 1
    if number < least:
        raise VdeError(f"{editor}: {option} is {value!r}, expected a whole number, {least} or more")
    return number


def number_or_nothing(editor: str, option: str, value: float | str) -> float | str:
    """Parse an option that is a number or empty.

    >>> number_or_nothing("chat-image", "true_cfg_scale", "4"), number_or_nothing("chat-image", "true_cfg_scale", "")
    (4.0, '')
    """
    if value == "":
        return ""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise VdeError(f"{editor}: {option} is {value!r}, expected a number")
    return number


def at_least_0(editor: str, option: str, value: float | str) -> float:
    """Parse an option that is a non-negative number.

    >>> at_least_0("gpt-image-1", "per_minute", "7.5")
    7.5
    """
    number = number_or_nothing(editor, option, value)
    if not isinstance(number, float) or number < 0:
        raise VdeError(f"{editor}: {option} is {value!r}, expected a number, 0 or more")
    return number


def hosted(key: str, model: str, size: str, licence: str = "maker's terms") -> About:
    """Return the `about` of an editor of a provider."""
    return About(f"httpx2, {key}", model, licence, size)
