"""Set up the environment of an editor."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

from vdebench.editors.external.recipes import EnvironmentRecipe
from vdebench.errors import VdeError


def set_up(
    recipe: EnvironmentRecipe, folder: Path, interpreter: str = "python3", print_line: Callable[[str], object] = print
) -> None:
    """Run a recipe step by step; raise `VdeError` if a step fails. An existing clone is kept."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise VdeError(f"{folder}: cannot be created: {error.strerror}; choose another with --folder") from None
    for step in recipe.steps(folder, interpreter):
        if step[0] == "git" and Path(step[-1]).is_dir():
            print_line(f"# {step[-1]} exists")
            continue
        print_line(f"$ {shlex.join(step)}")
        try:
            code = subprocess.run(step, check=False).returncode
        except OSError as error:
            raise VdeError(f"{step[0]}: cannot be started: {error.strerror}") from None
        if code:
            raise VdeError(
                f"{recipe.name}: exit code {code} from: {shlex.join(step)}\n"
                "  fix the problem reported above and run the same command again"
            )
