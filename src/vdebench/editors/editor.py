"""Editors: the interface. Found by name; others' through the entry points `vdebench.editors`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from vdebench.images import Image
from vdebench.registry import make
from vdebench.sample import Sample
from vdebench.suites.suite import ImageFiles

EDITORS = {
    "copy": "vdebench.editors.baselines:CopyEditor",
    "oracle": "vdebench.editors.baselines:OracleEditor",
    "blank": "vdebench.editors.baselines:BlankEditor",
    "overlay": "vdebench.editors.overlay:OverlayEditor",
    "nano-banana": "vdebench.editors.servers.presets:NanoBanana",
    "nano-banana-pro": "vdebench.editors.servers.presets:NanoBananaPro",
    "gpt-image-1": "vdebench.editors.servers.presets:GptImage1",
    "seedream-4": "vdebench.editors.servers.presets:Seedream4",
    "qwen-image-edit-api": "vdebench.editors.servers.presets:QwenImageEditApi",
    "openai-images": "vdebench.editors.servers.openai_images:OpenAiImagesEditor",
    "gemini-image": "vdebench.editors.servers.gemini:GeminiImageEditor",
    "seedream": "vdebench.editors.servers.ark:SeedreamEditor",
    "dashscope-image": "vdebench.editors.servers.dashscope:DashScopeImageEditor",
    "chat-image": "vdebench.editors.servers.chat:ChatImageEditor",
    "external": "vdebench.editors.external:ExternalEditor",
    "step1x-edit": "vdebench.editors.external.presets:Step1XEditor",
    "omnigen2": "vdebench.editors.external.presets:OmniGen2Editor",
    "bagel": "vdebench.editors.external.presets:BagelEditor",
    "emu3.5": "vdebench.editors.external.presets:Emu35Editor",
}


@dataclass(frozen=True, eq=False)
class Task:
    """What an editor is given: a page and what is asked.

    `sample` and `files` are for baselines that know the answer; an editor that is to be judged looks at neither.
    """

    image: Image
    instruction: str
    seed: int = 0
    sample: Sample | None = None
    files: ImageFiles = field(default_factory=ImageFiles)


@dataclass(frozen=True, eq=False)
class Edit:
    """What became of a task: an image, or why there is none. A refusal is a value, not an exception."""

    state: Literal["edited", "refused"]
    image: Image | None = None
    reason: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What the edit was made with, where that is worth keeping: a model as the server names it, a font."""

    @classmethod
    def of(cls, image: Image, **parameters: Any) -> Edit:
        """A page that was edited."""
        return cls("edited", image, parameters=parameters)

    @classmethod
    def refused(cls, reason: str, **parameters: Any) -> Edit:
        """Nothing was made, and why."""
        return cls("refused", reason=reason, parameters=parameters)


class About(NamedTuple):
    """What `vde editors` says of an editor."""

    needs: str = ""
    """Packages, keys, servers; nothing where the base install is enough."""
    model: str = ""
    """Its weights, or the model's id on a server."""
    licence: str = ""
    """Of the weights, or whose terms hold."""
    size: str = "the page's"
    """Of what comes back."""


class Editor(ABC):
    """Edits pages. Whatever changes what it makes is in its identity: a run goes on only with the same."""

    about: ClassVar[About] = About()

    @classmethod
    def missing(cls, **options: Any) -> str:
        """What is missing for it to edit, and how to get it; nothing where it is ready. Quick, and raises nothing."""
        return ""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """Name, versions of code and models, options: `{"name": "overlay", "version": "1", …}`."""

    @abstractmethod
    def edit(self, task: Task) -> Edit:
        """The page as the instruction asks, or a refusal."""


def get_editor(name: str, **options: Any) -> Editor:
    """The editor of a name; an error that says how to install it where it is absent."""
    editor: Editor = make("editors", name, EDITORS, options)
    return editor
