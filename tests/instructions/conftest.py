"""Fixtures of the build tests: the reader and the editor `code`, a cache of its own for every test."""

from tests.build.conftest import _code

__all__ = ["_code"]
