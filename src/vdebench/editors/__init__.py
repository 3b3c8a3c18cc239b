"""Editors: programs and models that apply an instruction to the image of a page."""

from vdebench.editors.catalog import EDITORS
from vdebench.editors.editor import Edit, Editor, EditTask
from vdebench.editors.factory import get_editor

__all__ = ["EDITORS", "Edit", "EditTask", "Editor", "get_editor"]
