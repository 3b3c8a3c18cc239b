"""OpenAI's `/v1/images/edits`, which vLLM-Omni and SGLang serve too (`openai-images`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from vdebench.editors.editor import About
from vdebench.editors.servers.answer import ImageAnswer
from vdebench.editors.servers.images import SentImage
from vdebench.editors.servers.options import number_or_nothing, whole
from vdebench.editors.servers.server import ServerEditor
from vdebench.net.json_path import at, count_at, text_at


@dataclass(kw_only=True, eq=False)
class OpenAiImagesEditor(ServerEditor):
    """Pages as a form, images in base64.

    OpenAI takes neither a seed nor settings of diffusion, so these are sent to others alone. Without a negative prompt
    `true_cfg_scale` does nothing for Qwen's models: a blank goes with it.
    """

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
    """auto, input (the page's as sent), WIDTHxHEIGHT, or none (not sent)."""
    negative_prompt: str = ""
    true_cfg_scale: str | float = ""
    guidance_scale: str | float = ""
    num_inference_steps: str | int = ""
    quality: str = ""
    input_fidelity: str = ""

    def __post_init__(self) -> None:
        """Check the options before anything is sent."""
        super().__post_init__()
        self.true_cfg_scale = number_or_nothing(self.name, "true_cfg_scale", self.true_cfg_scale)
        self.guidance_scale = number_or_nothing(self.name, "guidance_scale", self.guidance_scale)
        if self.num_inference_steps != "":
            self.num_inference_steps = whole(self.name, "num_inference_steps", self.num_inference_steps, least=1)

    @property
    def _usual_seed(self) -> str:
        return "none" if self._is_home else "task"

    @property
    def _negative(self) -> str:
        return self.negative_prompt or (" " if self.true_cfg_scale != "" else "")

    def _sent_options(self) -> Mapping[str, Any]:
        names = ("size", "true_cfg_scale", "guidance_scale", "num_inference_steps", "quality", "input_fidelity")
        return {**{name: getattr(self, name) for name in names}, "negative_prompt": self._negative}

    def build_request(self, sent: SentImage, instruction: str, seed: int | None) -> tuple[str, dict[str, Any]]:
        """Return the path and the content of a request."""
        size = {"input": f"{sent.width}x{sent.height}", "none": ""}.get(self.size, self.size)
        fields = {**self._sent_options(), "size": size, "seed": "" if seed is None else seed}
        form = {"model": self.model, "prompt": instruction, "n": "1"}
        form |= {name: str(value) for name, value in fields.items() if value != ""}
        if not self._is_home:  # OpenAI gives both by itself, and refuses to be asked; SGLang's habit is JPEG
            form |= {"response_format": "b64_json", "output_format": "png"}
        return "/images/edits", {"data": form, "files": {"image": ("page.png", sent.png, "image/png")}}

    def parse_answer(self, told: Any) -> ImageAnswer:
        """Return the image, the refusal or the fault in an answer."""
        usage = at(told, "usage")
        return ImageAnswer(
            picture=text_at(told, "data", 0, "b64_json") or text_at(told, "data", 0, "url"),
            model=text_at(told, "model"),
            input_tokens=count_at(usage, "input_tokens"),
            output_tokens=count_at(usage, "output_tokens"),
            revised=text_at(told, "data", 0, "revised_prompt"),
        )
