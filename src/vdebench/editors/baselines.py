"""Baselines that need no model: what doing nothing, knowing the answer, and whitening the place are worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from vdebench.core.box import Size
from vdebench.core.images import Image, PixelBox
from vdebench.editors.editor import About, Edit, Editor, EditTask
from vdebench.io.images import open_image


class CopyEditor(Editor):
    """Gives the page back as it is."""

    about: ClassVar[About] = About(model="none: the page as it is")

    @property
    def identity(self) -> Mapping[str, str]:
        """Its name and version."""
        return {"name": "copy", "version": "1"}

    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """The source."""
        return Edit.of(image)


class _KnowingEditor(Editor):
    """One that must be shown the answer."""

    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """A refusal: page and instruction are not enough."""
        return self.carry_out(EditTask(image, instruction, seed))


class OracleEditor(_KnowingEditor):
    """Gives the reference."""

    about: ClassVar[About] = About("the suite's answer", "none: the reference image", size="the reference's")

    @property
    def identity(self) -> Mapping[str, str]:
        """Its name and version."""
        return {"name": "oracle", "version": "1"}

    def carry_out(self, task: EditTask) -> Edit:
        """The reference, pixel by pixel."""
        if task.files.reference is None:
            return Edit.refused("the suite has no reference image of this sample")
        return Edit.of(open_image(task.files.reference))


class BlankEditor(_KnowingEditor):
    """Whitens the edited regions: what the papers' rules make of one who destroys what it should change."""

    about: ClassVar[About] = About("the suite's regions", "none: white where the edit is")

    @property
    def identity(self) -> Mapping[str, str]:
        """Its name and version."""
        return {"name": "blank", "version": "1"}

    def carry_out(self, task: EditTask) -> Edit:
        """The source with white regions."""
        if task.sample is None or not task.sample.regions:
            return Edit.refused("the sample names no region")
        page = task.image.copy()
        size = Size(page.shape[1], page.shape[0])
        for region in task.sample.regions:
            PixelBox.holding(region.box(size), size).cut(page)[:] = 255
        return Edit.of(page)
