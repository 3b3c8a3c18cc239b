"""Qwen's image models by DashScope's API (`dashscope-image`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from vdebench.editors.editor import About
from vdebench.editors.servers.answer import ImageAnswer
from vdebench.editors.servers.images import SentImage
from vdebench.editors.servers.options import hosted
from vdebench.editors.servers.server import ServerEditor
from vdebench.net.json_path import at, count_at, text_at


@dataclass(kw_only=True, eq=False)
class DashScopeImageEditor(ServerEditor):
    """Pages in JSON, images at a temporary URL; requests disable the rewriting of instructions."""

    name: ClassVar[str] = "dashscope-image"
    home: ClassVar[str] = "https://dashscope.aliyuncs.com/api/v1"
    hosts: ClassVar[tuple[str, ...]] = ("dashscope-intl.aliyuncs.com",)
    default_key_variable: ClassVar[str] = "DASHSCOPE_API_KEY"
    default_seed: ClassVar[str] = "task"
    rewriting: ClassVar[str] = "off"
    watermark: ClassVar[str] = "off"
    about: ClassVar[About] = hosted("DASHSCOPE_API_KEY; model=", "any of DashScope's that edits", "the maker's choice")

    max_side: int | str = 3072
    """Documented maximum."""
    negative_prompt: str = " "
    size: str = ""
    """WIDTH*HEIGHT, for models that support it."""

    def _sent_options(self) -> Mapping[str, Any]:
        return {"negative_prompt": self.negative_prompt, "size": self.size}

    def build_request(self, sent: SentImage, instruction: str, seed: int | None) -> tuple[str, dict[str, Any]]:
        """Return the path and the content of a request."""
        settings: dict[str, Any] = {"n": 1, "prompt_extend": False, "watermark": False}
        settings |= {"negative_prompt": self.negative_prompt} if self.negative_prompt else {}
        settings |= {"size": self.size.replace("x", "*")} if self.size else {}
        settings |= {"seed": seed} if seed is not None else {}
        content = [{"image": sent.data_uri}, {"text": instruction}]
        body = {
            "model": self.model,
            "input": {"messages": [{"role": "user", "content": content}]},
            "parameters": settings,
        }
        return "/services/aigc/multimodal-generation/generation", {"json": body}

    def parse_answer(self, reply: Any) -> ImageAnswer:
        """Return the image, the refusal or the fault in an answer."""
        content = at(reply, "output", "choices", 0, "message", "content")
        parts = content if isinstance(content, list) else [{"text": content}]
        usage = at(reply, "usage")
        return ImageAnswer(
            picture=next(filter(None, (text_at(part, "image") for part in parts)), ""),
            words=" ".join(filter(None, (text_at(part, "text") for part in parts))),
            model=text_at(reply, "model") or text_at(reply, "output", "model"),
            input_tokens=count_at(usage, "input_tokens"),
            output_tokens=count_at(usage, "output_tokens"),
        )
