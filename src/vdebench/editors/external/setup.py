"""Making the environment of an editor, step by step."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

from vdebench.editors.external.recipes import EnvironmentRecipe
from vdebench.errors import VdeError


def set_up(
    made: EnvironmentRecipe, folder: Path, interpreter: str = "python3", tell: Callable[[str], object] = print
) -> None:
    """Carry out a recipe; a step that fails ends it with an error. What is there already is not made again."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise VdeError(f"{folder}: cannot be made: {error.strerror}; choose another with --folder") from None
    for step in made.steps(folder, interpreter):
        if step[0] == "git" and Path(step[-1]).is_dir():
            tell(f"# {step[-1]} is there")
            continue
        tell(f"$ {shlex.join(step)}")
        try:
            code = subprocess.run(step, check=False).returncode
        except OSError as error:
            raise VdeError(f"{step[0]}: cannot be started: {error.strerror}") from None
        if code:
            raise VdeError(
                f"{made.name}: exit code {code} from: {shlex.join(step)}\n"
                "  mend what it says above and run the same command again"
            )
