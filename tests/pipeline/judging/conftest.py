"""An empty cache for every judging test, without keys of the environment."""

from tests.judges.conftest import _apart

__all__ = ["_apart"]
