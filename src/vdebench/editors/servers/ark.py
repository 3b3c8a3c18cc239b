"""Seedream by Ark's API (`seedream`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from vdebench.editors.editor import About
from vdebench.editors.servers.answer import ImageAnswer
from vdebench.editors.servers.images import SentImage
from vdebench.editors.servers.options import hosted
from vdebench.editors.servers.server import ServerEditor
from vdebench.net.errors import message_in, status_error
from vdebench.net.json_path import at, count_at, text_at


@dataclass(kw_only=True, eq=False)
class SeedreamEditor(ServerEditor):
    """Pages and images in JSON, no watermark. Its prompt optimisation cannot be disabled."""

    name: ClassVar[str] = "seedream"
    home: ClassVar[str] = "https://ark.cn-beijing.volces.com/api/v3"
    hosts: ClassVar[tuple[str, ...]] = ("ark.ap-southeast.bytepluses.com",)
    default_key_variable: ClassVar[str] = "ARK_API_KEY"
    rewriting: ClassVar[str] = "on"
    watermark: ClassVar[str] = "off"
    about: ClassVar[About] = hosted("ARK_API_KEY; model=", "any of Ark's that edits", "size=2K: about 4 MP")

    max_pixels: int | str = 36_000_000
    size: str = "2K"
    """1K, 2K or 4K, WIDTHxHEIGHT, or input (size of the sent page)."""

    def _sent_options(self) -> Mapping[str, Any]:
        return {"size": self.size}

    def build_request(self, sent: SentImage, instruction: str, seed: int | None) -> tuple[str, dict[str, Any]]:
        """Return the path and the content of a request."""
        body = {
            "model": self.model,
            "prompt": instruction,
            "image": sent.data_uri,
            "size": f"{sent.width}x{sent.height}" if self.size == "input" else self.size,
            "response_format": "b64_json",
            "watermark": False,
            "sequential_image_generation": "disabled",
        }
        return "/images/generations", {"json": body if seed is None else {**body, "seed": seed}}

    def parse_answer(self, reply: Any) -> ImageAnswer:
        """Return the image, the refusal or the fault in an answer."""
        about: Any = {"model": text_at(reply, "model"), "output_tokens": count_at(reply, "usage", "output_tokens")}
        if said := message_in(at(reply, "data", 0)):  # an error may stand in the place of the image
            if said.is_refusal:
                return ImageAnswer(refusal=said.code, words=said.words, **about)
            return ImageAnswer(fault=status_error(200, {}, "", said), **about)
        return ImageAnswer(picture=text_at(reply, "data", 0, "b64_json") or text_at(reply, "data", 0, "url"), **about)
