"""OpenAI's `/v1/images/edits`, which vLLM-Omni and SGLang serve too (`openai-images`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from vdebench.editors.editor import About
from vdebench.editors.servers.answer import ImageAnswer
from vdebench.editors.servers.images import SentImage
from vdebench.editors.servers.options import number_or_nothing
from vdebench.editors.servers.server import DiffusionServerEditor
from vdebench.net.json_path import at, count_at, text_at


@dataclass(kw_only=True, eq=False)
class OpenAiImagesEditor(DiffusionServerEditor):
    """Sends the page as a form; the image is in base64. OpenAI accepts neither a seed nor diffusion settings."""

    name: ClassVar[str] = "openai-images"
    home: ClassVar[str] = "https://api.openai.com/v1"
    address_variable: ClassVar[str] = "OPENAI_BASE_URL"
    default_key_variable: ClassVar[str] = "OPENAI_API_KEY"
    about: ClassVar[About] = About(
        "httpx2; model=; OPENAI_API_KEY, or base_url= of vLLM-Omni, SGLang",
        "any",
        "the model's",
        "size=auto: the server's choice; vLLM-Omni keeps the page's",
    )

    size: str = "auto"
    """auto, input (size of the sent page), WIDTHxHEIGHT, or none (not sent)."""
    guidance_scale: str | float = ""
    quality: str = ""
    input_fidelity: str = ""

    def __post_init__(self) -> None:
        """Check the options before anything is sent."""
        super().__post_init__()
        self.guidance_scale = number_or_nothing(self.name, "guidance_scale", self.guidance_scale)

    def _sent_options(self) -> Mapping[str, Any]:
        names = ("size", "true_cfg_scale", "guidance_scale", "num_inference_steps", "quality", "input_fidelity")
        return {**{name: getattr(self, name) for name in names}, "negative_prompt": self._negative}

    def build_request(self, sent: SentImage, instruction: str, seed: int | None) -> tuple[str, dict[str, Any]]:
        """Return the path and the content of a request."""
        size = {"input": f"{sent.width}x{sent.height}", "none": ""}.get(self.size, self.size)
        fields = {**self._sent_options(), "size": size, "seed": "" if seed is None else seed}
        form = {"model": self.model, "prompt": instruction, "n": "1"}
        form |= {name: str(value) for name, value in fields.items() if value != ""}
        if not self._is_home:  # defaults of OpenAI, which rejects the fields; SGLang's default is JPEG
            form |= {"response_format": "b64_json", "output_format": "png"}
        return "/images/edits", {"data": form, "files": {"image": ("page.png", sent.png, "image/png")}}

    def parse_answer(self, reply: Any) -> ImageAnswer:
        """Return the image, the refusal or the fault in an answer."""
        usage = at(reply, "usage")
        return ImageAnswer(
            picture=text_at(reply, "data", 0, "b64_json") or text_at(reply, "data", 0, "url"),
            model=text_at(reply, "model"),
            input_tokens=count_at(usage, "input_tokens"),
            output_tokens=count_at(usage, "output_tokens"),
            revised=text_at(reply, "data", 0, "revised_prompt"),
        )
