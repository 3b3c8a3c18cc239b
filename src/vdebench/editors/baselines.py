"""Baselines without a model: the unchanged page, the reference, and whitened regions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from vdebench.core.box import Size
from vdebench.core.images import Image, PixelBox
from vdebench.editors.editor import About, Edit, Editor, EditTask
from vdebench.io.images import open_image


class CopyEditor(Editor):
    """Returns the page unchanged."""

    about: ClassVar[About] = About(model="none: the page as it is")

    @property
    def identity(self) -> Mapping[str, str]:
        """Its name and version."""
        return {"name": "copy", "version": "1"}

    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """Return the source."""
        return Edit.of(image)


class _KnowingEditor(Editor):
    """Base class of baselines that need the sample."""

    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """Refuse: page and instruction are not sufficient."""
        return self.run_task(EditTask(image, instruction, seed))


class ReferenceEditor(_KnowingEditor):
    """Base class of baselines that return the reference image, as it is or damaged."""

    @abstractmethod
    def edit_reference(self, reference: Image) -> Edit:
        """Return the result for a reference image."""

    def run_task(self, task: EditTask) -> Edit:
        """Return the result for the sample's reference image; refuse without one."""
        if task.files.reference is None:
            return Edit.refused("the suite has no reference image of this sample")
        return self.edit_reference(open_image(task.files.reference))


class OracleEditor(ReferenceEditor):
    """Returns the reference image."""

    about: ClassVar[About] = About("the suite's answer", "none: the reference image", size="the reference's")

    @property
    def identity(self) -> Mapping[str, str]:
        """Its name and version."""
        return {"name": "oracle", "version": "1"}

    def edit_reference(self, reference: Image) -> Edit:
        """Return the reference image."""
        return Edit.of(reference)


class BlankEditor(_KnowingEditor):
    """Whitens the edited regions: the score of an editor that destroys what it should change."""

    about: ClassVar[About] = About("the suite's regions", "none: white where the edit is")

    @property
    def identity(self) -> Mapping[str, str]:
        """Its name and version."""
        return {"name": "blank", "version": "1"}

    def run_task(self, task: EditTask) -> Edit:
        """Return the source with white regions."""
        if task.sample is None or not task.sample.regions:
            return Edit.refused("the sample has no region")
        page = task.image.copy()
        size = Size(page.shape[1], page.shape[0])
        for region in task.sample.regions:
            PixelBox.holding(region.box(size), size).cut(page)[:] = 255
        return Edit.of(page)
