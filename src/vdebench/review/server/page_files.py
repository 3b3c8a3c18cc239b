"""The files of the page, read once at start. Requested names are never used as paths."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from vdebench.report.web.assets import FOLDER as SHARED

PAGE = Path(__file__).parent / "page"
NAMES = ("elements.js", "figures.js", "style.css", "figures.css")
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
}


class PageFile(NamedTuple):
    """A file with its type and ETag."""

    content: bytes
    kind: str
    tag: str


def page_files(folder: Path = PAGE) -> dict[str, PageFile]:
    """Return all files of the page by name, with the assets that all front ends share."""
    found = {}
    for file in (*(SHARED / name for name in NAMES), *(sorted(folder.iterdir()) if folder.is_dir() else ())):
        if file.suffix in KINDS and file.is_file():
            content = file.read_bytes()
            found[file.name] = PageFile(content, KINDS[file.suffix], f'"{hashlib.sha256(content).hexdigest()[:20]}"')
    return found
