"""Where models' weights come from: files in `$VDE_WEIGHTS`, files inside installed packages; never a download.

A file is known by its SHA-256. Two files of other content are other weights, and their metric has another identity.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vdebench.errors import InputError

_DIGEST_IN_NAME = re.compile(r"-([0-9a-f]{8,64})\.\w+$")


def weights_folder() -> Path | None:
    """Where weights lie that no package carries: `$VDE_WEIGHTS`; nothing where it is not set."""
    chosen = os.environ.get("VDE_WEIGHTS")
    return Path(chosen) if chosen else None


def in_weights_folder(name: str) -> Path | None:
    """A file or folder of that name in `$VDE_WEIGHTS`, where there is one.

    >>> in_weights_folder("no_such.pth") is None
    True
    """
    folder = weights_folder()
    return folder / name if folder and is_there(folder / name) else None


def is_there(path: Path | None) -> bool:
    """Whether there is such a file or folder, and we may look."""
    try:
        return path is not None and path.exists()
    except (OSError, ValueError):
        return False


def in_package(package: str, file: str) -> Path | None:
    """A file inside an installed package, found without importing the package.

    >>> in_package("vdebench", "metrics/weights.py").name, in_package("no_such_package", "file")
    ('weights.py', None)
    """
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / file
        if path.is_file():
            return path
    return None


def absent_packages(*names: str) -> list[str]:
    """Those of the packages that are not installed; none is imported.

    >>> absent_packages("numpy", "no_such_package")
    ['no_such_package']
    """
    return [name for name in names if find_spec(name) is None]


def what_is_missing(metric: str, packages: Sequence[str], install: str, *, file: str = "", get: str = "") -> str:
    """One sentence and the command that helps, for packages and a file that are absent; "" where none is.

    >>> print(what_is_missing("flip", ["flip_evaluator"], "pip install flip-evaluator"))
    flip needs flip_evaluator, not installed
      pip install flip-evaluator
    """
    lines = []
    if packages:
        lines += [f"{metric} needs {', '.join(packages)}, not installed", f"  {install}"]
    if file:
        lines += [f"{metric} needs {file}, not found", f"  {get}"]
    return "\n".join(lines)


def digest_of(path: Path) -> str:
    """SHA-256 of a file; an error where the file's own name says another (`name-0123abcd.pth`)."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    said = _DIGEST_IN_NAME.search(path.name)
    if said and not digest.startswith(said[1]):
        raise InputError(f"{path}: SHA-256 is {digest}, but the name says {said[1]}…: get the file again")
    return digest


def require_digest(path: Path, expected: str) -> None:
    """An error where the file's SHA-256 is not the expected one."""
    if (digest := digest_of(path)) != expected:
        raise InputError(f"{path}: SHA-256 is {digest}, expected {expected}: install or get the file again")


class _OnlyArrays(pickle.Unpickler):
    """Reads a pickle of NumPy arrays in plain containers; whatever else it names is an error, and is not called."""

    def find_class(self, module: str, name: str) -> Any:
        if module in ("numpy.core.multiarray", "numpy._core.multiarray") and name == "_reconstruct":
            return np.ndarray(0).__reduce__()[0]  # wherever this NumPy keeps it
        if module == "numpy" and name in ("ndarray", "dtype"):
            return getattr(np, name)
        raise pickle.UnpicklingError(f"it names {module}.{name}")


def unpickled_arrays(path: Path) -> Any:
    """What a pickle of NumPy arrays in plain containers holds."""
    try:
        return _OnlyArrays(io.BytesIO(path.read_bytes())).load()
    except Exception as error:  # a broken pickle may raise anything
        raise InputError(f"{path}: is no pickle of plain arrays: {error}") from None


def torch_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Arrays of a torch file of tensors by name."""
    import torch

    try:
        return {name: tensor.numpy() for name, tensor in torch.load(path, "cpu", weights_only=True).items()}
    except Exception as error:  # what torch raises on other files is of many classes
        raise InputError(f"{path}: is no torch file of tensors by name: {str(error).splitlines()[0]}") from None
