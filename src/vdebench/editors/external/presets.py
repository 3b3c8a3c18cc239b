"""Presets: `external` with the environment and program of a known model."""

from __future__ import annotations

import shlex
import shutil
from typing import Any, ClassVar

from vdebench.editors.editor import About
from vdebench.editors.external.editor import ExternalEditor
from vdebench.editors.external.recipes import RECIPES, EnvironmentRecipe
from vdebench.errors import MissingPartError, VdeError


def _about(recipe: EnvironmentRecipe, licence: str, size: str, model: str = "") -> About:
    return About(f"own environment, {recipe.memory} GPU", model or recipe.weights[0], licence, size)


class _Preset(ExternalEditor):
    """A model in its own environment, made by `vde editors setup`, or behind a `url`."""

    recipe: ClassVar[EnvironmentRecipe]
    weights: ClassVar[str] = ""
    """Where they are not the recipe's first."""
    fixed: ClassVar[tuple[str, ...]] = ()
    """Arguments of the program that make the editor what its name says."""

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
        concurrency: int | str = 1,
    ) -> None:
        if url:
            super().__init__(url=url, timeout=timeout, start_timeout=start_timeout, concurrency=concurrency)
            return
        if lacks := self.missing(python=python):
            raise MissingPartError(f"the editor {self.name}: {lacks}")
        try:
            more = [*self.fixed, *shlex.split(arguments)]
        except ValueError as error:
            raise VdeError(f"{self.name}: the arguments {arguments!r} cannot be split: {error}") from None
        command = self.recipe.command(python or str(self.recipe.python()), model or self.weights, device, more)
        super().__init__(command, timeout=timeout, start_timeout=start_timeout, logs=logs, concurrency=concurrency)

    @classmethod
    def missing(cls, python: str = "", url: str = "", **options: Any) -> str:  # type: ignore[override]
        """Its environment, where there is none."""
        place = python or str(cls.recipe.python())
        if url or shutil.which(place):
            return ""
        return f"no environment: `vde editors setup {cls.recipe.name}`\n  looked for {place}"


class Step1XEditor(_Preset):
    """Step1X-Edit v1p2, without thinking."""

    name = "step1x-edit"
    recipe = RECIPES[name]
    about = _about(recipe, "Apache-2.0", "the model's")


class Step1XThinkEditor(Step1XEditor):
    """Step1X-Edit v1p2 as published: it puts the instruction into its own words, and looks at its edit again."""

    name = "step1x-edit-think"
    fixed = ("--thinking", "--reflection")


class Step1X11Editor(Step1XEditor):
    """Step1X-Edit v1.1, with the steps of its example."""

    name = "step1x-edit-v1.1"
    weights = Step1XEditor.recipe.weights[1]
    fixed = ("--steps", "28")
    about = _about(Step1XEditor.recipe, "Apache-2.0", "the model's", weights)


class OmniGen2Editor(_Preset):
    """OmniGen2."""

    name = "omnigen2"
    recipe = RECIPES[name]
    about = _about(recipe, "see weights", "the page's shape, ≤ 1 MP, ×16")


class BagelEditor(_Preset):
    """Bagel."""

    name = "bagel"
    recipe = RECIPES[name]
    about = _about(recipe, "see weights", "the page's shape, ≤ 1024 a side, ×16")


class BagelThinkEditor(BagelEditor):
    """Bagel that plans in words first."""

    name = "bagel-think"
    fixed = ("--think",)


class Emu35Editor(_Preset):
    """Emu3.5."""

    name = "emu3.5"
    recipe = RECIPES[name]
    about = _about(recipe, "see weights", "the model's choice, about 1 MP")
