"""What may happen to an output last: nothing, another resolution and back, or an autoencoder.

The work is done by the editors `resize` and `autoencoder`, which do the same to references.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol

from vdebench.core.images import Image
from vdebench.editors.baselines import ReferenceEditor
from vdebench.editors.factory import get_editor
from vdebench.errors import VdeError

NOTHING = "none"
SYNTAX = "none, resize, resize:MEGAPIXELS, or autoencoder:WEIGHTS with an id of the hub or a folder"


class LastStep(Protocol):
    """A transformation of a whole output; it is sent to other processes."""

    @property
    def name(self) -> str:
        """Its name in results."""

    @property
    def identity(self) -> str:
        """Everything that changes the image."""

    def __call__(self, image: Image) -> Image:
        """Return the transformed output, in its own size."""


class EditorStep:
    """A last step by name; its editor is created once in each process."""

    def __init__(self, text: str) -> None:
        self.name = text
        editor = _editor(text)  # raises now if it is not installed
        self.identity = "" if editor is None else repr(dict(editor.identity))

    def __call__(self, image: Image) -> Image:
        """Return the transformed output."""
        editor = _editor(self.name)
        if editor is None:
            return image
        edit = editor.edit_reference(image)
        if edit.image is None:
            raise VdeError(f"--after {self.name}: {edit.reason or 'no image was returned'}")
        return edit.image


def parse_last_step(text: str) -> LastStep:
    """Return the last step of an option such as `resize` or `autoencoder:FOLDER`.

    >>> parse_last_step("resize:0.5").name
    'resize:0.5'
    >>> parse_last_step("blur")
    Traceback (most recent call last):
    vdebench.errors.VdeError: --after blur: expected none, resize, resize:MEGAPIXELS, or autoencoder:WEIGHTS with ...
    """
    return EditorStep(text.strip() or NOTHING)


@cache
def _editor(text: str) -> ReferenceEditor | None:
    kind, colon, value = text.partition(":")
    if text == NOTHING:
        return None
    if kind == "resize" and (value or not colon):
        editor = get_editor("resize", **({"megapixels": value} if value else {}))
    elif kind == "autoencoder" and value:
        weights, _, subfolder = value.partition(",subfolder=")
        editor = get_editor("autoencoder", weights=weights, **({"subfolder": subfolder} if subfolder else {}))
    else:
        raise VdeError(f"--after {text}: expected {SYNTAX}")
    assert isinstance(editor, ReferenceEditor)
    return editor
