"""Registry of engines: `local` runs on this machine, `ray` on a cluster."""

from __future__ import annotations

from vdebench.parallel.engine import Engine
from vdebench.parallel.local import LOCAL
from vdebench.registry import find

__all__ = ["ENGINES", "LOCAL", "Engine", "get_engine"]

ENGINES = {
    "local": "vdebench.parallel.local:LocalEngine",
    "ray": "vdebench.parallel.ray:RayEngine",
}


def get_engine(name: str = "local", address: str = "") -> Engine:
    """Return an engine by name; `address` is that of a running cluster.

    >>> get_engine("local").name
    'local'
    """
    engine: Engine = find("engines", name, ENGINES)(address)
    return engine
