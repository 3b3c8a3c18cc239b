"""Where the program keeps its files on this machine."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where things are kept that can be made again: `$VDE_CACHE`, else `vdebench` in the user's cache."""
    if chosen := os.environ.get("VDE_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vdebench"
