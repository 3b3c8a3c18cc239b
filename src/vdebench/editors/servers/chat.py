"""Chat completions that answer with images: OpenRouter, vLLM-Omni and others (`chat-image`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from vdebench.editors.editor import About
from vdebench.editors.servers.answer import ImageAnswer
from vdebench.editors.servers.images import SentImage
from vdebench.editors.servers.server import DiffusionServerEditor
from vdebench.net.errors import message_in, status_error
from vdebench.net.json_path import at, count_at, text_at


@dataclass(kw_only=True, eq=False)
class ChatImageEditor(DiffusionServerEditor):
    """Sends the page in a message; the image is in `message.images` or in the content of the answer."""

    name: ClassVar[str] = "chat-image"
    home: ClassVar[str] = "https://openrouter.ai/api/v1"
    default_key_variable: ClassVar[str] = "OPENROUTER_API_KEY"
    about: ClassVar[About] = About(
        "httpx2; model=; OPENROUTER_API_KEY, or base_url= of vLLM-Omni", "any", "the model's", "the server's choice"
    )

    modalities: str = "image,text"
    """Kinds of output to request; empty for servers that do not know the field."""
    image_size: str = ""

    def _sent_options(self) -> Mapping[str, Any]:
        names = ("modalities", "image_size", "true_cfg_scale", "num_inference_steps")
        return {**{name: getattr(self, name) for name in names}, "negative_prompt": self._negative}

    def build_request(self, sent: SentImage, instruction: str, seed: int | None) -> tuple[str, dict[str, Any]]:
        """Return the path and the content of a request."""
        content = [
            {"type": "text", "text": instruction},
            {"type": "image_url", "image_url": {"url": sent.data_uri}},
        ]
        body: dict[str, Any] = {"model": self.model, "messages": [{"role": "user", "content": content}]}
        body |= {"modalities": [one.strip() for one in self.modalities.split(",")]} if self.modalities else {}
        body |= {"image_config": {"image_size": self.image_size}} if self.image_size else {}
        body |= {"true_cfg_scale": self.true_cfg_scale} if self.true_cfg_scale != "" else {}
        body |= {"num_inference_steps": self.num_inference_steps} if self.num_inference_steps != "" else {}
        body |= {"negative_prompt": self._negative} if self._negative else {}
        body |= {"seed": seed} if seed is not None else {}
        return "/chat/completions", {"json": body}

    def parse_answer(self, reply: Any) -> ImageAnswer:
        """Return the image, the refusal or the fault in an answer."""
        choice, usage = at(reply, "choices", 0), at(reply, "usage")
        price = at(usage, "cost")
        about: Any = {
            "model": text_at(reply, "model"),
            "input_tokens": count_at(usage, "prompt_tokens"),
            "output_tokens": count_at(usage, "completion_tokens"),
            "dollars": float(price) if type(price) in (int, float) else None,
        }
        if error := message_in({"error": at(choice, "error")}):
            if error.is_refusal:
                return ImageAnswer(refusal=error.code or "policy", words=error.words, **about)
            return ImageAnswer(fault=status_error(200, {}, "", error), **about)
        message, end = at(choice, "message"), text_at(choice, "finish_reason")
        content = at(message, "content")
        words = content if isinstance(content, str) else " ".join(text_at(part, "text") for part in content or ())
        if refused := text_at(message, "refusal"):
            return ImageAnswer(refusal="refusal", words=refused, **about)
        if end == "content_filter":
            return ImageAnswer(refusal=text_at(choice, "native_finish_reason") or end, words=words, **about)
        return ImageAnswer(picture=next(_pictures(message), ""), words=words.strip(), **about)


def _pictures(message: Any) -> Iterator[str]:
    for parts in (at(message, "images"), at(message, "content")):
        for part in parts if isinstance(parts, list) else ():
            if url := text_at(part, "image_url", "url") or text_at(part, "image_url"):
                yield url
