"""What a server's answer holds, whichever way it is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from vdebench.net.addresses import excerpt, shown
from vdebench.net.errors import RequestError

LONGEST_TEXT = 4000
MOST_ENTRIES = 50
DEEPEST = 10
_PICTURES = frozenset({"b64_json", "data", "image", "png", "thoughtSignature", "thought_signature"})
"""Names under which makers put images, and other long codes that say nothing."""


@dataclass(frozen=True)
class ImageAnswer:
    """A picture, or why there is none."""

    picture: str = ""
    """Base64, a data URI, or an address."""
    refusal: str = ""
    """Its kind, as the server names it."""
    fault: RequestError | None = None
    """What went wrong, where that is neither."""
    words: str = ""
    """What was said beside it or instead of it."""
    model: str = ""
    """As the server names it."""
    revised: str = ""
    """The instruction that the server says it worked from."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    dollars: float | None = None


def settled(answer: ImageAnswer) -> ImageAnswer:
    """The answer where it has a picture; words instead of one are a refusal; a fault, or nothing at all, is raised."""
    if answer.fault:
        raise answer.fault
    if answer.picture or answer.refusal:
        return answer
    if answer.words:
        return replace(answer, refusal="no_image")
    raise RequestError("answer", "the answer has neither an image nor a word", "run again later", retryable=True)


def without_images(told: Any, name: str = "", depth: int = 0) -> Any:
    """A server's own words, as they came but for images, what follows the `?` of addresses, and the end of long texts.

    >>> without_images({"data": [{"b64_json": "iVBO", "revised_prompt": "do"}], "url": "https://host/a.png?key=b"})
    {'data': [{'b64_json': '[image]', 'revised_prompt': 'do'}], 'url': 'https://host/a.png'}
    """
    if isinstance(told, dict | list) and depth > DEEPEST:
        return "…"
    if isinstance(told, dict):
        some = list(told.items())[:MOST_ENTRIES]
        return {str(key)[:100]: without_images(value, str(key), depth + 1) for key, value in some}
    if isinstance(told, list):
        return [without_images(value, name, depth + 1) for value in told[:MOST_ENTRIES]]
    if not isinstance(told, str):
        return told
    if told[:8].lower().startswith(("http://", "https://")) and not any(sign.isspace() for sign in told):
        return shown(told)
    if name in _PICTURES or told[:11].lower() == "data:image/":
        return "[image]"
    return told if len(told) <= LONGEST_TEXT else f"{told[:LONGEST_TEXT]}…"


def short(words: str) -> str:
    """Words as a reason holds them."""
    return excerpt(words, 300)
