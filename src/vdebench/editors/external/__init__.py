"""Editors that run in an environment of their own: a program on a pipe, or a server, that speaks a small protocol."""

from vdebench.editors.external.editor import ExternalEditor

__all__ = ["ExternalEditor"]
