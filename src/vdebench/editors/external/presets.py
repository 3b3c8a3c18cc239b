"""Presets: `external` with the environment and the program of a model that is known."""

from __future__ import annotations

import shlex
import shutil
from typing import Any, ClassVar

from vdebench.editors.editor import About
from vdebench.editors.external.editor import ExternalEditor
from vdebench.editors.external.recipes import RECIPES, Recipe
from vdebench.errors import MissingPartError, VdeError


def _about(recipe: Recipe, licence: str, size: str) -> About:
    return About(f"an environment of its own, {recipe.memory} on the GPU", recipe.weights[0], licence, size)


class _Preset(ExternalEditor):
    """A model in its own environment, made by `vde editors setup`, or behind a `url`."""

    recipe: ClassVar[Recipe]

    def __init__(
        self,
        python: str = "",
        model: str = "",
        device: str = "",
        arguments: str = "",
        url: str = "",
        timeout: float | str = 900,
        start_timeout: float | str = 1800,
        logs: str = "",
    ) -> None:
        if url:
            super().__init__(url=url, timeout=timeout, start_timeout=start_timeout)
            return
        if lacks := self.missing(python=python):
            raise MissingPartError(f"the editor {self.name}: {lacks}")
        try:
            more = shlex.split(arguments)
        except ValueError as error:
            raise VdeError(f"{self.name}: the arguments {arguments!r} cannot be split: {error}") from None
        command = self.recipe.command(python or str(self.recipe.python()), model, device, more)
        super().__init__(command, timeout=timeout, start_timeout=start_timeout, logs=logs)

    @classmethod
    def missing(cls, python: str = "", url: str = "", **options: Any) -> str:  # type: ignore[override]
        """Its environment, where there is none."""
        place = python or str(cls.recipe.python())
        if url or shutil.which(place):
            return ""
        return f"no environment ({place}); `vde editors setup {cls.name}` says how to make it"


class Step1XEditor(_Preset):
    """Step1X-Edit: v1p2, or v1.1 with its `model`."""

    name = "step1x-edit"
    recipe = RECIPES[name]
    about = _about(recipe, "Apache-2.0", "the model's")


class OmniGen2Editor(_Preset):
    """OmniGen2."""

    name = "omnigen2"
    recipe = RECIPES[name]
    about = _about(recipe, "see the weights", "the page's shape, at most 1 MP, ×16")


class BagelEditor(_Preset):
    """Bagel; `arguments=--think` for thinking."""

    name = "bagel"
    recipe = RECIPES[name]
    about = _about(recipe, "see the weights", "the page's shape, at most 1024 on a side, ×16")


class Emu35Editor(_Preset):
    """Emu3.5."""

    name = "emu3.5"
    recipe = RECIPES[name]
    about = _about(recipe, "see the weights", "the model's choice, about 1 MP")
