"""URLs of stores: `s3://bucket/folder`, without credentials and options, which belong in the environment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from vdebench.errors import InputError

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.*)", re.DOTALL)  # one letter is a drive
LOCAL = ("file", "local")
_WITH_USERS = ("abfs", "abfss", "hdfs", "sftp", "smb", "ssh", "wasb", "wasbs", "webhdfs")
"""Stores whose URLs name a user, or a container, before an `@`."""


class Url(NamedTuple):
    """A folder in a store, or on this machine."""

    protocol: str
    path: str
    """Without slashes at its ends."""

    def __str__(self) -> str:
        """The URL in normal form."""
        return f"{self.protocol}://{'/' if self.protocol in LOCAL else ''}{self.path}"


def is_url(url: str | Path) -> bool:
    """Whether this is a URL and not a path; also accepts a URL turned into a `Path`, which has one slash left.

    >>> is_url("s3://bucket/suite"), is_url(Path("s3://bucket/suite")), is_url("C:/suite"), is_url("textedit:suite")
    (True, True, False, False)
    """
    return _URL.fullmatch(str(url)) is not None


def parse_url(url: str | Path) -> Url:
    """Parse and normalise a URL; raises `InputError`, without credentials in the message.

    >>> str(parse_url(Path("S3://bucket/suite/")))
    's3://bucket/suite'
    >>> parse_url("s3://key:secret@bucket/suite")
    Traceback (most recent call last):
    vdebench.errors.InputError: s3://…: a URL with a user or a password in it
      credentials come from the environment or from the store's own settings; see docs/storage.md
    """
    match = _URL.fullmatch(str(url))
    if match is None:
        raise InputError(f"{url}: not the URL of a store, expected one like s3://bucket/folder")
    protocol, path = match[1].lower(), match[2]
    user, at, _ = path.partition("/")[0].rpartition("@")
    if at and (":" in user or protocol not in _WITH_USERS):
        raise InputError(
            f"{protocol}://…: a URL with a user or a password in it\n"
            "  credentials come from the environment or from the store's own settings; see docs/storage.md"
        )
    if "?" in path:
        raise InputError(
            f"{protocol}://{path.partition('?')[0]}: a URL with a query behind `?`, expected none\n"
            "  signatures and options come from the environment or from the store's own settings; see docs/storage.md"
        )
    if "::" in path:
        raise InputError(f"{protocol}://{path}: a chain of URLs, expected one; copies are kept in the cache anyway")
    parts = [part for part in path.split("/") if part]
    if {".", ".."} & set(parts) or "\0" in path:
        raise InputError(f"{protocol}://{path}: names a folder by . or .., expected the folder itself")
    if not parts:
        raise InputError(f"{protocol}://: names no bucket or folder, expected one like {protocol}://bucket/folder")
    return Url(protocol, "/".join(parts))
