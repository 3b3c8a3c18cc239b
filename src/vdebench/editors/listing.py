"""All editors that can be found by name, with what they say of themselves and what they lack here."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import NamedTuple

from vdebench.editors.editor import EDITORS, About
from vdebench.registry import find


class Listed(NamedTuple):
    """An editor as `vde editors` shows it."""

    name: str
    about: About
    missing: str
    """What it lacks on this machine; nothing where it is ready."""

    @property
    def state(self) -> str:
        """Ready, or what is missing in a line."""
        line = self.missing.partition("\n")[0].removeprefix(f"the editor {self.name}").lstrip(": ")
        return line or "ready"


def listed() -> Iterator[Listed]:
    """Ours, then those of other packages; nothing is loaded that takes long."""
    others = {point.name for point in entry_points(group="vdebench.editors")}
    for name in [*EDITORS, *sorted(others - set(EDITORS))]:
        try:
            editor = find("editors", name, EDITORS)
            about = getattr(editor, "about", None)
            yield Listed(name, about if isinstance(about, About) else About(), str(editor.missing()))
        except Exception as error:  # another package's may fail in any way; the others are still to be told
            yield Listed(name, About("unknown", "unknown", "unknown", "unknown"), f"cannot be asked: {error}")
