"""Models that need an environment of their own: what to install for each, and the program that speaks for it."""

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
    """How the environment of a model is made."""

    name: str
    shim: str
    """File of the program, in `shims/`."""
    installs: tuple[str, ...]
    """What follows `pip install`, line by line; `CODE` is the clone's folder."""
    weights: tuple[str, ...]
    """Ids; the first is the model."""
    memory: str
    """Of the GPU, at least, as far as is known."""
    repository: str = ""
    local_weights: bool = False
    """Whether the program wants the weights in a folder, downloaded beforehand."""
    note: str = ""

    def folder(self) -> Path:
        """Where its environment is by default."""
        return cache_folder() / "environments" / self.name

    def python(self, folder: Path | None = None) -> Path:
        """The environment's interpreter."""
        place = (folder or self.folder()) / "venv"
        return place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    def steps(self, folder: Path, interpreter: str = "python3") -> list[list[str]]:
        """Commands that make the environment, without the weights."""
        code = folder / "code"
        steps = [[interpreter, "-m", "venv", str(folder / "venv")]]
        if self.repository:
            steps.append(["git", "clone", "--depth", "1", self.repository, str(code)])
        pip = [str(self.python(folder)), "-m", "pip", "install"]
        return steps + [[*pip, *(word.replace("CODE", str(code)) for word in line.split())] for line in self.installs]

    def command(self, python: str, model: str = "", device: str = "", more: Sequence[str] = ()) -> list[str]:
        """What starts the program in its environment; the environment's folder is that of its interpreter."""
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


def recipe(name: str) -> EnvironmentRecipe:
    """The recipe of a name, or an error that says which there are.

    >>> recipe("bagel-think").name
    'bagel'
    """
    for known in RECIPES.values():
        if name == known.name or name.startswith(f"{known.name}-"):  # one environment for all ways of a model
            return known
    raise VdeError(f"no environment is known for {name!r}; there are: {', '.join(RECIPES)}")


def told(made: EnvironmentRecipe, folder: Path, interpreter: str = "python3", *, done: bool = False) -> str:
    """A recipe as a shell script that can be read, copied or piped to a shell; what is left of it when it is done."""
    python = str(made.python(folder))
    lines = [f"# {made.name}: a GPU of {made.memory} or more; not tried by us with the real weights"]
    if not done:
        lines += ["set -e", *(shlex.join(step) for step in made.steps(folder, interpreter))]
    lines.append(f"# weights: {', '.join(made.weights)}")
    if made.local_weights:
        lines.append(f"#   download them to {folder / 'weights'}")
    if made.note:
        lines.append(f"# {made.note}")
    default = folder == made.folder()
    chosen = "" if default else f" --editor-option {shlex.quote(f'{made.name}.python={python}')}"
    lines.append(f"# then: vde run SUITE --editor {made.name}{chosen} --out RUNS")
    command = shlex.quote(f"external.command={shlex.join(made.command(python))}")
    lines.append(f"# or, the same in full: --editor external --editor-option {command}")
    return "\n".join(lines) + "\n"
