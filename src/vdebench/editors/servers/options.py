"""Options of editors behind servers, from Python or from the command line, and what is said about such editors."""

from __future__ import annotations

import math

from vdebench.editors.editor import About
from vdebench.errors import VdeError


def whole(editor: str, option: str, value: int | str, least: int = 0) -> int:
    """An option that is a whole number.

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
    """An option that is a number, or not given.

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


def hosted(key: str, model: str, size: str, licence: str = "its maker's terms") -> About:
    """The `about` of an editor at its maker's."""
    return About(f"httpx2, {key}", model, licence, size)
