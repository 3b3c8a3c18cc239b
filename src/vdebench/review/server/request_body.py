"""Reading of request bodies with a limit on the received bytes, independent of Content-Length."""

from __future__ import annotations

import asyncio
from typing import Any

from vdebench.review.server.responses import fail, object_from
from vdebench.review.server.settings import ServerSettings

IMAGE_KINDS = ("image/png", "image/jpeg", "image/webp")


async def read_body(takes: str, request: Any, settings: ServerSettings) -> tuple[dict[str, Any], bytes]:
    """Return the JSON object of a request, or the bytes of an image."""
    if request.method in ("GET", "HEAD"):
        return {}, b""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    most = settings.largest_upload if takes == "image" else settings.largest_body
    _check_length(request.headers.get("content-length", "0"), most)
    if takes == "image" and kind not in IMAGE_KINDS:
        fail(415, "wrong_type", f"expected one of {', '.join(IMAGE_KINDS)}")
    try:
        async with asyncio.timeout(settings.body_seconds):
            content = await _content(request, most)
    except TimeoutError:
        fail(408, "too_slow", "the body was not received in time", Connection="close")
    if takes == "image":
        return {}, content
    if content and kind != "application/json":
        fail(415, "wrong_type", "expected a body of type application/json")
    return object_from(content) if content else {}, b""


def _check_length(told: str, most: int) -> None:
    if told.isascii() and told.isdigit() and int(told[:20]) > most:
        _too_large(most)


async def _content(request: Any, most: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            _too_large(most)
        parts.append(part)
    return b"".join(parts)


def _too_large(most: int) -> None:
    fail(413, "too_large", f"the body is larger than {most:,} bytes", Connection="close")
