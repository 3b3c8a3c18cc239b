"""Files in object stores: a URL maps to a folder in the cache, and files are downloaded when they are needed."""

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
