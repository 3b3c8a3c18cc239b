"""Gemini's image models by `generateContent` (`gemini-image`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote

from vdebench.editors.editor import About
from vdebench.editors.servers.answer import ImageAnswer
from vdebench.editors.servers.images import SentImage
from vdebench.editors.servers.options import hosted
from vdebench.editors.servers.server import ServerEditor
from vdebench.net.errors import RequestError
from vdebench.net.json_path import at, count_at, text_at

FOLLOWS = "the maker's sizes, the page's shape"
_REFUSALS = re.compile(r"IMAGE_\w+|NO_IMAGE|SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED_CONTENT|SPII")


@dataclass(kw_only=True, eq=False)
class GeminiImageEditor(ServerEditor):
    """Pages and images in JSON; by default the aspect ratio follows the page's."""

    name: ClassVar[str] = "gemini-image"
    home: ClassVar[str] = "https://generativelanguage.googleapis.com/v1beta"
    default_key_variable: ClassVar[str] = "GEMINI_API_KEY"
    watermark: ClassVar[str] = "SynthID, invisible"
    about: ClassVar[About] = hosted("GEMINI_API_KEY; model=", "any of Gemini's that gives images", FOLLOWS)

    image_size: str = ""
    """1K, 2K or 4K, for models that support it."""
    aspect_ratio: str = ""

    def _headers(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key}

    def _sent_options(self) -> Mapping[str, Any]:
        return {"image_size": self.image_size, "aspect_ratio": self.aspect_ratio}

    def build_request(self, sent: SentImage, instruction: str, seed: int | None) -> tuple[str, dict[str, Any]]:
        """Return the path and the content of a request."""
        shape = {"imageSize": self.image_size, "aspectRatio": self.aspect_ratio}
        shape = {name: value for name, value in shape.items() if value}
        config: dict[str, Any] = {"responseModalities": ["TEXT", "IMAGE"]}
        config |= {"imageConfig": shape} if shape else {}
        config |= {"seed": seed} if seed is not None else {}
        parts = [{"inlineData": {"mimeType": "image/png", "data": sent.base64}}, {"text": instruction}]
        body = {"contents": [{"role": "user", "parts": parts}], "generationConfig": config}
        model = quote(self.model.removeprefix("models/"), safe="")
        return f"/models/{model}:generateContent", {"json": body}

    def parse_answer(self, reply: Any) -> ImageAnswer:
        """Return the image, the refusal or the fault in an answer."""
        end = text_at(reply, "candidates", 0, "finishReason")
        blocked = text_at(reply, "promptFeedback", "blockReason")
        parts = at(reply, "candidates", 0, "content", "parts")
        shown = [part for part in parts if isinstance(part, dict) and not part.get("thought")] if parts else []
        pictures = [text_at(part, key, "data") for part in shown for key in ("inlineData", "inline_data")]
        picture = next(filter(None, reversed(pictures)), "")  # the last: drafts come before it
        words = " ".join(filter(None, (text_at(part, "text") for part in shown)))
        refusal = blocked or (end if _REFUSALS.fullmatch(end) else "")
        incomplete = not (refusal or picture or end in ("", "STOP"))  # not a refusal
        fault = RequestError("answer", f"the model ended with {end} and made no image", "run again", retryable=True)
        usage = at(reply, "usageMetadata")
        thoughts = count_at(usage, "thoughtsTokenCount") or 0
        made = count_at(usage, "candidatesTokenCount")
        return ImageAnswer(
            picture="" if refusal else picture,
            refusal=refusal,
            fault=fault if incomplete else None,
            words=words
            or text_at(reply, "candidates", 0, "finishMessage")
            or text_at(reply, "promptFeedback", "blockReasonMessage"),
            model=text_at(reply, "modelVersion"),
            input_tokens=count_at(usage, "promptTokenCount"),
            output_tokens=None if made is None else made + thoughts,
        )
