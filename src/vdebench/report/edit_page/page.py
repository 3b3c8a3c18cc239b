"""Write the page of one edit: data, images, scripts and styles in one file."""

from __future__ import annotations

import base64
import math
import warnings
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from PIL import Image as Pictures

from vdebench.changes.change import CHANGE_KINDS, EditCheck, Geometry
from vdebench.core.images import ORIENTATION
from vdebench.core.png import encode_png
from vdebench.errors import VdeError
from vdebench.io.files import fetched, is_folder, read_bytes, write_text
from vdebench.io.images import open_image
from vdebench.report.change_data import change_data
from vdebench.report.edit_check import (
    EDIT_WORDS,
    USABLE_WORDS,
    counts_text,
    geometry_text,
    is_placed,
    ordered_changes,
    text_notes,
)
from vdebench.report.web.assets import script_json, shared_text

_STYLES = ("style.css", "site.css", "panes.css", "changes.css")
_SCRIPTS = ("elements.js", "site.js", "panes.js", "changes.js")
_MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}


def check_page_name(page: Path) -> None:
    """Raise an error for a folder or a name that does not end with .html, before anything is computed or replaced."""
    if page.suffix.lower() not in (".html", ".htm"):
        raise VdeError(f"--html {page}: expected a file that ends with .html")
    if is_folder(page):
        raise VdeError(f"--html {page}: is a folder, expected a file")


def write_edit_page(check: EditCheck, before: Path, after: Path, page: Path, *, instruction: str = "") -> Path:
    """Write the page of an edit atomically and return its path."""
    check_page_name(page)
    data = {**page_data(check, instruction), "images": [_image(before), _image(after)]}
    write_text(page, _html(data))
    return page


def page_data(check: EditCheck, instruction: str = "") -> dict[str, Any]:
    """JSON data of the page, without the images."""
    geometry = check.page.geometry
    kinds = {change.kind for change in check.page.changes}
    return {
        "instruction": instruction,
        "edit": EDIT_WORDS[check.edit],
        "usable": USABLE_WORDS[check.usable],
        "why": check.why,
        "geometry": geometry_text(geometry),
        "notes": list(text_notes(check)),
        "counts": counts_text(check.page.changes),
        "sizes": [[int(side) for side in size] for size in (geometry.before, geometry.after)],
        "placed": is_placed(geometry),
        "map": {"scale": [geometry.scale_x, geometry.scale_y], "shift": list(geometry.shift)},
        "transform": page_transform(geometry),
        "kinds": [kind for kind in CHANGE_KINDS if kind in kinds],
        "changes": [change_data(change, geometry) for change in ordered_changes(check.page.changes)],
    }


def page_transform(geometry: Geometry) -> list[list[float]]:
    """Return the affine transformation (2×3) from pixels of the output to pixels of the page.

    >>> from vdebench.core.box import Size
    >>> page_transform(Geometry("cropped", Size(1000, 1000), Size(500, 500), 1.25, 1.25, (-0.25, 0.0)))[0]
    [1.6, 0.0, 200.0]
    """
    across = geometry.scale_x * geometry.after.width / geometry.before.width
    down = geometry.scale_y * geometry.after.height / geometry.before.height
    right, below = geometry.shift[0] * geometry.after.width, geometry.shift[1] * geometry.after.height
    cosine, sine = math.cos(math.radians(geometry.rotation)), math.sin(math.radians(geometry.rotation))
    rows = (cosine / across, sine / across), (-sine / down, cosine / down)  # inverse: turned back, then scaled
    return [[a, b, -(a * right + b * below)] for a, b in rows]


def _image(file: Path) -> dict[str, str]:
    """Name and data URI of an image: the file itself if browsers show it as `open_image` does, otherwise a PNG."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)
        with Pictures.open(fetched(file)) as picture:
            media_type = _MEDIA_TYPES.get(picture.format or "", "")
            is_plain = getattr(picture, "n_frames", 1) == 1 and picture.getexif().get(ORIENTATION, 1) == 1
    if not media_type or not is_plain:
        media_type, content = "image/png", encode_png(open_image(file))
    else:
        content = read_bytes(file)
    return {"name": file.name, "src": f"data:{media_type};base64,{base64.b64encode(content).decode()}"}


def _html(data: Mapping[str, Any]) -> str:
    assets = files("vdebench.report.edit_page").joinpath("assets")
    own = {name: assets.joinpath(name).read_text(encoding="utf-8") for name in ("page.html", "page.css", "page.js")}
    styles = "".join(map(shared_text, _STYLES)) + own["page.css"]
    views = assets.joinpath("views.js").read_text(encoding="utf-8")
    scripts = (*map(shared_text, _SCRIPTS), views, f"const EDIT = {script_json(data)};", own["page.js"])
    page = own["page.html"].replace("/*style*/", styles)
    return page.replace("<!--scripts-->", "\n".join(f"<script>{script}</script>" for script in scripts))
