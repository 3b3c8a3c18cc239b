"""Files of model weights: in `$VDE_WEIGHTS` or inside installed packages; never downloaded.

The SHA-256 of a file is part of the identity of its metric.
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
    """Return the folder `$VDE_WEIGHTS`; None if not set."""
    chosen = os.environ.get("VDE_WEIGHTS")
    return Path(chosen) if chosen else None


def in_weights_folder(name: str) -> Path | None:
    """Return a file or folder in `$VDE_WEIGHTS`; None if it does not exist.

    >>> in_weights_folder("no_such.pth") is None
    True
    """
    folder = weights_folder()
    return folder / name if folder and is_there(folder / name) else None


def is_there(path: Path | None) -> bool:
    """Whether a file or folder exists and is accessible."""
    try:
        return path is not None and path.exists()
    except (OSError, ValueError):
        return False


def in_package(package: str, file: str) -> Path | None:
    """Return a file of an installed package, without importing the package.

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
    """Return the packages that are not installed; imports none.

    >>> absent_packages("numpy", "no_such_package")
    ['no_such_package']
    """
    return [name for name in names if find_spec(name) is None]


def what_is_missing(metric: str, packages: Sequence[str], install: str, *, file: str = "", get: str = "") -> str:
    """Return a message about missing packages or a file, with the command that installs them; "" if none.

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
    """Return the SHA-256 of a file; raise an error if its name contains another one (`name-0123abcd.pth`)."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    expected = _DIGEST_IN_NAME.search(path.name)
    if expected and not digest.startswith(expected[1]):
        raise InputError(f"{path}: SHA-256 is {digest}, expected {expected[1]}… by its name: get the file again")
    return digest


def require_digest(path: Path, expected: str) -> None:
    """Raise an error if the SHA-256 of a file is not the expected one."""
    if (digest := digest_of(path)) != expected:
        raise InputError(f"{path}: SHA-256 is {digest}, expected {expected}: install or get the file again")


class _OnlyArrays(pickle.Unpickler):
    """Reads a pickle of NumPy arrays in plain containers; any other class is an error."""

    def find_class(self, module: str, name: str) -> Any:
        if module in ("numpy.core.multiarray", "numpy._core.multiarray") and name == "_reconstruct":
            return np.ndarray(0).__reduce__()[0]  # its module depends on the version of NumPy
        if module == "numpy" and name in ("ndarray", "dtype"):
            return getattr(np, name)
        raise pickle.UnpicklingError(f"it names {module}.{name}")


def unpickled_arrays(path: Path) -> Any:
    """Load a pickle of NumPy arrays in plain containers."""
    try:
        return _OnlyArrays(io.BytesIO(path.read_bytes())).load()
    except Exception as error:  # a broken pickle may raise anything
        raise InputError(f"{path}: not a pickle of plain arrays: {error}") from None


def torch_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Load the tensors of a torch file as arrays by name."""
    import torch

    try:
        return {name: tensor.numpy() for name, tensor in torch.load(path, "cpu", weights_only=True).items()}
    except Exception as error:  # torch raises various classes for invalid files
        raise InputError(f"{path}: not a torch file of named tensors: {str(error).splitlines()[0]}") from None
