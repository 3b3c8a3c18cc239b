"""Models under the names that papers use, over the ways of asking. Ids of models expire: `model=` names another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vdebench.editors.editor import About
from vdebench.editors.servers.ark import SeedreamEditor
from vdebench.editors.servers.dashscope import DashScopeImageEditor
from vdebench.editors.servers.gemini import FOLLOWS, GeminiImageEditor
from vdebench.editors.servers.openai_images import OpenAiImagesEditor
from vdebench.editors.servers.options import hosted


@dataclass(kw_only=True, eq=False)
class NanoBanana(GeminiImageEditor):
    """Gemini 2.5 Flash Image."""

    name: ClassVar[str] = "nano-banana"
    about: ClassVar[About] = hosted("GEMINI_API_KEY", "gemini-2.5-flash-image", f"{FOLLOWS}, about 1 MP")
    model: str = "gemini-2.5-flash-image"


@dataclass(kw_only=True, eq=False)
class NanoBananaPro(GeminiImageEditor):
    """Gemini 3 Pro Image."""

    name: ClassVar[str] = "nano-banana-pro"
    about: ClassVar[About] = hosted("GEMINI_API_KEY", "gemini-3-pro-image", f"{FOLLOWS}; image_size=1K, 2K, 4K")
    model: str = "gemini-3-pro-image"


@dataclass(kw_only=True, eq=False)
class GptImage1(OpenAiImagesEditor):
    """OpenAI's first image model that edits by instruction."""

    name: ClassVar[str] = "gpt-image-1"
    watermark: ClassVar[str] = "C2PA metadata"
    about: ClassVar[About] = hosted("OPENAI_API_KEY", "gpt-image-1", "1024x1024, 1536x1024 or 1024x1536")
    model: str = "gpt-image-1"


@dataclass(kw_only=True, eq=False)
class Seedream4(SeedreamEditor):
    """Seedream 4.0."""

    name: ClassVar[str] = "seedream-4"
    about: ClassVar[About] = hosted("ARK_API_KEY", "doubao-seedream-4-0-250828", "size=2K: about 4 MP; 1K, 4K")
    model: str = "doubao-seedream-4-0-250828"


@dataclass(kw_only=True, eq=False)
class QwenImageEditApi(DashScopeImageEditor):
    """Qwen-Image-Edit-Plus as its maker serves it."""

    name: ClassVar[str] = "qwen-image-edit-api"
    about: ClassVar[About] = hosted("DASHSCOPE_API_KEY", "qwen-image-edit-plus", "the maker's choice, about 1 MP")
    model: str = "qwen-image-edit-plus"
