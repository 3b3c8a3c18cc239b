"""What a run is made with: versions and the machine, without its name, its user's name or its folders."""

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
"""Those whose version can change a number."""


def versions() -> dict[str, Any]:
    """Versions of this package, of Python, and of the packages that numbers depend on.

    >>> versions()["packages"]["numpy"].split(".")[0]
    '2'
    """
    return {"vdebench": __version__, **_checkout(), "python": platform.python_version(), "packages": _packages()}


@cache
def _packages() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


@cache
def _checkout() -> dict[str, Any]:
    """The commit that is checked out, where this package runs from its repository, and if its code was changed."""
    root = Path(__file__).parents[3]
    if not (root / ".git").exists() or not (root / "src/vdebench").is_dir():
        return {}
    commit = _told("git", "-C", str(root), "rev-parse", "HEAD")
    if not re.fullmatch("[0-9a-f]{40,64}", commit):
        return {}
    return {"commit": commit, "changed": bool(_told("git", "-C", str(root), "status", "--porcelain", "--", "src"))}


@cache
def _hardware() -> dict[str, Any]:
    return {
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "processor": _processor(),
        "memory_gb": _memory(),
    }


def machine() -> dict[str, Any]:
    """The system, its processors, memory and graphics card, as far as they can be found out."""
    return {**_hardware(), "cores": usable_processors(), "gpu": _gpu()}


def _processor() -> str | None:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    brand = _told("sysctl", "-n", "machdep.cpu.brand_string") if sys.platform == "darwin" else ""
    return brand or platform.processor() or None


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return None


def _gpu() -> str | None:
    """Only where torch is at work already: to import it takes seconds, and without it no number comes from a GPU."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return None
    try:
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        return f"{count} × {torch.cuda.get_device_name(0)}" if count else None
    except Exception:  # a broken driver is no reason to lose a run
        return None


def _told(*command: str) -> str:
    """What a program prints, nothing where it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
