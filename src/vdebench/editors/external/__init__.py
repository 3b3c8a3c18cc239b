"""Editors in their own environment: a program on a pipe, or a server, that implements a small protocol."""

from vdebench.editors.external.editor import ExternalEditor

__all__ = ["ExternalEditor"]
