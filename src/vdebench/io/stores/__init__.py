"""Files in object stores: a URL stands for a folder of the cache, in which files appear when they are asked for."""

from vdebench.io.stores.mounts import VARIABLE, address, at_once, bring, environment, mounted, place, require_local
from vdebench.io.stores.urls import is_url

__all__ = [
    "VARIABLE",
    "address",
    "at_once",
    "bring",
    "environment",
    "is_url",
    "mounted",
    "place",
    "require_local",
]
