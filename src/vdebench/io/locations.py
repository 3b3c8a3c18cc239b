"""Folders of the program on this machine."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The cache folder: `$VDE_CACHE`, else `vdebench` in the user's cache folder. It can be deleted at any time."""
    if folder := os.environ.get("VDE_CACHE"):
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vdebench"
