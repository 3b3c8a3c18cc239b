"""Software versions and hardware of a run, without host name, user name or folders."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from vdebench._version import __version__
from vdebench.parallel.local import usable_processors

PACKAGES = (
    *("numpy", "scipy", "numba", "opencv-python-headless", "pillow", "polars", "rapidfuzz", "cydifflib", "regex"),
    *("flip-evaluator", "isal", "onnx", "onnxruntime", "openvino", "rapidocr", "pypdfium2", "typst"),
    *("torch", "torchvision", "transformers", "torch-fidelity", "paddleocr", "paddlepaddle"),
)
"""Packages whose version can change a score."""


def versions() -> dict[str, Any]:
    """Versions of vdebench, Python and the packages that scores depend on.

    >>> versions()["packages"]["numpy"].split(".")[0]
    '2'
    """
    return {"vdebench": __version__, **_checkout(), "python": platform.python_version(), "packages": _packages()}


@cache
def _packages() -> dict[str, str]:
    installed = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            installed[name] = version(name)
    return installed


@cache
def _checkout() -> dict[str, Any]:
    """The Git commit and whether `src` has uncommitted changes, if the package runs from its repository."""
    root = Path(__file__).parents[3]
    if not (root / ".git").exists() or not (root / "src/vdebench").is_dir():
        return {}
    commit = _command_output("git", "-C", str(root), "rev-parse", "HEAD")
    if not re.fullmatch("[0-9a-f]{40,64}", commit):
        return {}
    return {
        "commit": commit,
        "changed": bool(_command_output("git", "-C", str(root), "status", "--porcelain", "--", "src")),
    }


@cache
def _hardware() -> dict[str, Any]:
    return {
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "processor": _processor(),
        "memory_gb": _memory(),
    }


def machine() -> dict[str, Any]:
    """Operating system, processor, memory and GPU, as far as they can be detected."""
    return {**_hardware(), "cores": usable_processors(), "gpu": _gpu()}


def _processor() -> str | None:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    brand = _command_output("sysctl", "-n", "machdep.cpu.brand_string") if sys.platform == "darwin" else ""
    return brand or platform.processor() or None


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return None


def _gpu() -> str | None:
    """The GPU, only if torch is already imported: importing it takes seconds, and nothing else uses a GPU."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return None
    try:
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        return f"{count} × {torch.cuda.get_device_name(0)}" if count else None
    except Exception:  # a broken driver must not stop a run
        return None


def _command_output(*command: str) -> str:
    """Output of a command, or "" if it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
