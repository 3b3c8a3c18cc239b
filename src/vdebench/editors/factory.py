"""Create an editor by name or from the address of a server."""

from __future__ import annotations

from typing import Any

from vdebench.editors.catalog import EDITORS
from vdebench.editors.editor import Editor
from vdebench.editors.selection import ADDRESSES
from vdebench.editors.servers.discovery import editor_at
from vdebench.registry import make


def get_editor(name: str, **options: Any) -> Editor:
    """Return the editor of a name or at an address; raise an error with the install command if it is not installed."""
    if name.startswith(ADDRESSES):
        return editor_at(name, **options)
    editor: Editor = make("editors", name, EDITORS, options)
    return editor
