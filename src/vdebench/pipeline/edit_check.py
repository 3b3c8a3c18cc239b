"""The check of one edit: every change between two images of a page, and the verdict."""

from __future__ import annotations

from pathlib import Path

from vdebench.changes.change import EditCheck
from vdebench.changes.verdict import GeometryLimits
from vdebench.errors import VdeError


def check_edit(
    before: Path,
    after: Path,
    *,
    instruction: str = "",
    reference: Path | None = None,
    reader: str = "rapidocr",
    limits: GeometryLimits = GeometryLimits(),  # noqa: B008
) -> EditCheck:
    """Compare two images of a page; with an instruction or a reference, decide which changes were asked for."""
    raise VdeError("not available yet")
