"""Fixtures of the judges: a cache of its own for every test, no keys from outside."""

from tests.judges.conftest import _apart

__all__ = ["_apart"]
