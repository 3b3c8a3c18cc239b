"""Answers of servers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from vdebench.net.addresses import excerpt, redacted
from vdebench.net.errors import RequestError

MAX_TEXT = 4000
MAX_ENTRIES = 50
MAX_DEPTH = 10
_PICTURES = frozenset({"b64_json", "data", "image", "png", "thoughtSignature", "thought_signature"})
"""Keys of images and other long encoded values."""


@dataclass(frozen=True)
class ImageAnswer:
    """An image, or the reason why there is none."""

    picture: str = ""
    """Base64, a data URI, or a URL."""
    refusal: str = ""
    """The server's code of the refusal."""
    fault: RequestError | None = None
    """The error, if there is neither image nor refusal."""
    words: str = ""
    """Text of the answer."""
    model: str = ""
    """Name reported by the server."""
    revised: str = ""
    """The rewritten instruction, as reported by the server."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    dollars: float | None = None


def checked(answer: ImageAnswer) -> ImageAnswer:
    """Return an answer with an image or a refusal; text without an image is a refusal; raise an error otherwise."""
    if answer.fault:
        raise answer.fault
    if answer.picture or answer.refusal:
        return answer
    if answer.words:
        return replace(answer, refusal="no_image")
    raise RequestError("answer", "the answer has neither an image nor text", "run again later", retryable=True)


def without_images(value: Any, name: str = "", depth: int = 0) -> Any:
    """Return a server's answer without images, without queries of URLs, and with long texts truncated.

    >>> without_images({"data": [{"b64_json": "iVBO", "revised_prompt": "do"}], "url": "https://host/a.png?key=b"})
    {'data': [{'b64_json': '[image]', 'revised_prompt': 'do'}], 'url': 'https://host/a.png'}
    """
    if isinstance(value, dict | list) and depth > MAX_DEPTH:
        return "…"
    if isinstance(value, dict):
        entries = list(value.items())[:MAX_ENTRIES]
        return {str(key)[:100]: without_images(item, str(key), depth + 1) for key, item in entries}
    if isinstance(value, list):
        return [without_images(item, name, depth + 1) for item in value[:MAX_ENTRIES]]
    if not isinstance(value, str):
        return value
    if value[:8].lower().startswith(("http://", "https://")) and not any(sign.isspace() for sign in value):
        return redacted(value)
    if name in _PICTURES or value[:11].lower() == "data:image/":
        return "[image]"
    return value if len(value) <= MAX_TEXT else f"{value[:MAX_TEXT]}…"


def short(words: str) -> str:
    """Return an excerpt for a reason."""
    return excerpt(words, 300)
