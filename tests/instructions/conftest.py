"""Fixtures: the reader and the editor `code`, an empty cache for every test."""

from tests.build.conftest import _code

__all__ = ["_code"]
