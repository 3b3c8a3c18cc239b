"""Editors: what turns a page and an instruction into a page."""

from vdebench.editors.editor import EDITORS, Edit, Editor, Task, get_editor

__all__ = ["EDITORS", "Edit", "Editor", "Task", "get_editor"]
