"""Estimated tokens of a question: by the providers' published rules for images, otherwise a rough one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from vdebench.core.box import Size
from vdebench.net.answer import Usage

ANSWER_TOKENS = 250
"""Estimated tokens of a grade with a rationale of a few sentences; reasoning models write more."""
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


@lru_cache(64)  # a question is asked several times in a row
def text_tokens(text: str) -> int:
    """Estimate the tokens of a text: one per four letters, one per Chinese character.

    >>> text_tokens("four letters"), text_tokens("基金")
    (3, 2)
    """
    wide = len(_WIDE.findall(text))
    return wide + math.ceil((len(text) - wide) / 4)


def gpt_tiles(size: Size, base: int = 85, tile: int = 170) -> int:
    """Tokens by OpenAI's tiles: fit into 2,048 square, shorter side at most 768, tiles of 512.

    >>> gpt_tiles(Size(1024, 1024)), gpt_tiles(Size(2048, 4096))
    (765, 1105)
    """
    scale = min(1.0, 2048 / max(size))
    scale *= min(1.0, 768 / (min(size) * scale))
    across, down = (math.ceil(round(side * scale, 6) / 512) for side in size)
    return base + tile * across * down


def gpt_patches(size: Size, factor: float) -> int:
    """Tokens by OpenAI's patches of 32 pixels for small models: at most 1,536, times a factor.

    >>> gpt_patches(Size(1024, 1024), 1.0), gpt_patches(Size(1800, 2400), 1.0)
    (1024, 1452)
    """
    width, height = size
    if math.ceil(width / 32) * math.ceil(height / 32) > 1536:
        scale = math.sqrt(1536 * 32**2 / (width * height))
        across, down = width * scale / 32, height * scale / 32
        scale *= min(math.floor(across) / across, math.floor(down) / down)
        width, height = width * scale, height * scale
    patches = math.ceil(round(width / 32, 6)) * math.ceil(round(height / 32, 6))
    return math.ceil(min(patches, 1536) * factor)


def gemini_tiles(size: Size) -> int:
    """Tokens by Google's tiles: 258 for a small image or per tile of two thirds of the shorter side.

    >>> gemini_tiles(Size(384, 300)), gemini_tiles(Size(960, 540))
    (258, 1548)
    """
    if max(size) <= 384:
        return 258
    unit = min(max(math.floor(min(size) / 1.5), 256), 768)
    return 258 * math.ceil(size.width / unit) * math.ceil(size.height / unit)


def claude_pixels(size: Size) -> int:
    """Tokens by Anthropic's rule: one per 750 pixels, longer side at most 1,568.

    >>> claude_pixels(Size(1000, 1000)), claude_pixels(Size(3136, 1568))
    (1334, 1640)
    """
    scale = min(1.0, 1568 / max(size))
    return math.ceil(size.width * scale * size.height * scale / 750)


def rough(size: Size) -> int:
    """Tokens of open models: one per 28 × 28 pixels.

    >>> rough(Size(1024, 1024))
    1338
    """
    return math.ceil(size.width * size.height / 28**2)


_RULES: tuple[tuple[str, str, Callable[[Size], int]], ...] = (
    (r"gpt-4o-mini", "OpenAI's tiles", lambda size: gpt_tiles(size, 2833, 5667)),
    (r"gpt-4\.1-mini|gpt-5-mini", "OpenAI's patches", lambda size: gpt_patches(size, 1.62)),
    (r"gpt-4\.1-nano|gpt-5-nano", "OpenAI's patches", lambda size: gpt_patches(size, 2.46)),
    (r"o4-mini", "OpenAI's patches", lambda size: gpt_patches(size, 1.72)),
    (r"gpt-5", "OpenAI's tiles", lambda size: gpt_tiles(size, 70, 140)),
    (r"o1|o3", "OpenAI's tiles", lambda size: gpt_tiles(size, 75, 150)),
    (r"gpt-4", "OpenAI's tiles", gpt_tiles),
    (r"gemini", "Google's tiles", gemini_tiles),
    (r"claude", "Anthropic's pixels", claude_pixels),
)


def image_rule(model: str) -> tuple[str, Callable[[Size], int]]:
    """Return name and function of the image rule of a model.

    >>> image_rule("gpt-4o")[0], image_rule("openrouter/claude-x")[0], image_rule("my-model")[0]
    ("OpenAI's tiles", "Anthropic's pixels", 'roughly a token for 28 × 28 pixels')
    """
    name = model.rpartition("/")[2]
    for pattern, title, rule in _RULES:
        if re.match(pattern, name):
            return title, rule
    return "roughly a token for 28 × 28 pixels", rough


def estimate(model: str, prompt: str, sizes: Iterable[Size]) -> Usage:
    """Estimate the tokens of one question and its answer."""
    _, rule = image_rule(model)
    return Usage(text_tokens(prompt) + 60 + sum(map(rule, sizes)), ANSWER_TOKENS)  # 60: labels and the schema
