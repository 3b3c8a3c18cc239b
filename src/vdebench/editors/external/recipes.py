"""Models that need their own environment: what to install, and the program that implements the protocol."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vdebench.errors import VdeError
from vdebench.io.locations import cache_folder

SHIMS = Path(__file__).parent.parent / "shims"


@dataclass(frozen=True)
class EnvironmentRecipe:
    """How to set up the environment of a model."""

    name: str
    shim: str
    """File of the program, in `shims/`."""
    installs: tuple[str, ...]
    """Arguments of `pip install`, line by line; `CODE` is the folder of the clone."""
    weights: tuple[str, ...]
    """Ids of the weights; the first is the model."""
    memory: str
    """Minimum GPU memory, as far as known."""
    repository: str = ""
    local_weights: bool = False
    """Whether the weights must be downloaded to a folder beforehand."""
    note: str = ""

    def folder(self) -> Path:
        """Return the default folder of the environment."""
        return cache_folder() / "environments" / self.name

    def python(self, folder: Path | None = None) -> Path:
        """Return the environment's interpreter."""
        place = (folder or self.folder()) / "venv"
        return place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    def steps(self, folder: Path, interpreter: str = "python3") -> list[list[str]]:
        """Return the commands that set up the environment, without the weights."""
        code = folder / "code"
        steps = [[interpreter, "-m", "venv", str(folder / "venv")]]
        if self.repository:
            steps.append(["git", "clone", "--depth", "1", self.repository, str(code)])
        pip = [str(self.python(folder)), "-m", "pip", "install"]
        return steps + [[*pip, *(word.replace("CODE", str(code)) for word in line.split())] for line in self.installs]

    def command(self, python: str, model: str = "", device: str = "", more: Sequence[str] = ()) -> list[str]:
        """Return the command that starts the program in its environment."""
        folder = Path(python).parent.parent.parent
        words = [python, str(SHIMS / self.shim)]
        if self.repository and "--code" not in more:
            words += ["--code", str(folder / "code")]
        model = model or (str(folder / "weights") if self.local_weights else self.weights[0])
        return [*words, "--model", model, *(["--device", device] if device else []), *more]


RECIPES = {
    recipe.name: recipe
    for recipe in (
        EnvironmentRecipe(
            "step1x-edit",
            "step1x.py",
            (
                "torch torchvision accelerate sentencepiece pillow transformers==4.55.0",
                "git+https://github.com/Peyton-Chen/diffusers.git@step1xedit_v1p2",
            ),
            ("stepfun-ai/Step1X-Edit-v1p2", "stepfun-ai/Step1X-Edit-v1p1-diffusers"),
            "50 GB",
            note="step1x-edit-think: with thinking and reflection; step1x-edit-v1.1: the older weights",
        ),
        EnvironmentRecipe(
            "omnigen2",
            "omnigen_2.py",
            ("torch torchvision", "-r CODE/requirements.txt"),
            ("OmniGen2/OmniGen2",),
            "17 GB",
            repository="https://github.com/VectorSpaceLab/OmniGen2.git",
        ),
        EnvironmentRecipe(
            "bagel",
            "bagel.py",
            ("-r CODE/requirements.txt", "flash_attn==2.5.8 --no-build-isolation"),
            ("ByteDance-Seed/BAGEL-7B-MoT",),
            "32 GB",
            repository="https://github.com/ByteDance-Seed/Bagel.git",
            local_weights=True,
            note="bagel-think: plans in words first",
        ),
        EnvironmentRecipe(
            "emu3.5",
            "emu35.py",
            ("-r CODE/requirements.txt", "flash_attn --no-build-isolation"),
            ("BAAI/Emu3.5-Image", "BAAI/Emu3.5-VisionTokenizer"),
            "80 GB",
            repository="https://github.com/baaivision/Emu3.5.git",
        ),
    )
}


def get_recipe(name: str) -> EnvironmentRecipe:
    """Return the recipe of a name; raise `VdeError` with the available names.

    >>> get_recipe("bagel-think").name
    'bagel'
    """
    for recipe in RECIPES.values():
        if name == recipe.name or name.startswith(f"{recipe.name}-"):  # one environment for all variants of a model
            return recipe
    raise VdeError(f"unknown environment {name!r}; available: {', '.join(RECIPES)}")


def script_of(recipe: EnvironmentRecipe, folder: Path, interpreter: str = "python3", *, done: bool = False) -> str:
    """Return the recipe as a shell script; with `done`, only the remaining notes."""
    python = str(recipe.python(folder))
    lines = [f"# {recipe.name}: a GPU of {recipe.memory} or more; not tested with the real weights"]
    if not done:
        lines += ["set -e", *(shlex.join(step) for step in recipe.steps(folder, interpreter))]
    lines.append(f"# weights: {', '.join(recipe.weights)}")
    if recipe.local_weights:
        lines.append(f"#   download them to {folder / 'weights'}")
    if recipe.note:
        lines.append(f"# {recipe.note}")
    default = folder == recipe.folder()
    chosen = "" if default else f" --editor-option {shlex.quote(f'{recipe.name}.python={python}')}"
    lines.append(f"# then: vde run SUITE --editor {recipe.name}{chosen} --out RUNS")
    command = shlex.quote(f"external.command={shlex.join(recipe.command(python))}")
    lines.append(f"# or, the same in full: --editor external --editor-option {command}")
    return "\n".join(lines) + "\n"
