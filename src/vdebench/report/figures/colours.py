"""Colours that are distinguishable with colour blindness: ramps for heat maps, a palette for parts."""

from __future__ import annotations

from collections.abc import Sequence

PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a3e9d", "#8a6d00", "#6b7280")
"""After Okabe and Ito; the last is for all further parts."""
SEQUENTIAL = ("#f7fbff", "#c6dbef", "#6baed6", "#2171b5", "#08306b")
DIVERGING = ("#2166ac", "#67a9cf", "#d1e5f0", "#f7f7f7", "#fddbc7", "#ef8a62", "#b2182b")
_DARK_INK, _LIGHT_INK = "#000000", "#ffffff"  # pure: no colour has a contrast below 4.5 with both


def part_colour(number: int) -> str:
    """The colour of the first, second, … part."""
    return PALETTE[min(number, len(PALETTE) - 1)]


def between(ramp: Sequence[str], share: float) -> str:
    """The colour at a share of the way along a ramp.

    >>> between(("#000000", "#646464"), 0.5), between(SEQUENTIAL, 1.7) == SEQUENTIAL[-1]
    ('#323232', True)
    """
    position = min(max(share, 0.0), 1.0) * (len(ramp) - 1)
    index = min(int(position), len(ramp) - 2)
    lower, upper = _rgb(ramp[index]), _rgb(ramp[index + 1])
    return "#" + "".join(f"{round(a + (b - a) * (position - index)):02x}" for a, b in zip(lower, upper, strict=True))


def ink_on(colour: str) -> str:
    """Black or white, whichever has more contrast with a colour.

    >>> ink_on("#f7f7f7"), ink_on("#08306b")
    ('#000000', '#ffffff')
    """
    return max((_DARK_INK, _LIGHT_INK), key=lambda ink: contrast(ink, colour))


def contrast(first: str, second: str) -> float:
    """Contrast of two colours as the Web Content Accessibility Guidelines define it, from 1 to 21.

    >>> round(contrast("#000000", "#ffffff"), 9)
    21.0
    """
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [value / 255 for value in _rgb(colour)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
