"""A PostgreSQL of one's own, in a folder that goes when it is done with; by any user, since it refuses to run as root."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def binaries() -> Path | None:
    """The folder of `initdb` and `postgres`: Debian keeps them out of the path."""
    found = shutil.which("initdb")
    places = [
        *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
        *([Path(found).parent] if found else []),
    ]
    return next((place for place in places if (place / "initdb").exists() and (place / "pg_ctl").exists()), None)


def _other_user() -> dict:
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    return {}


@contextmanager
def running() -> Iterator[str]:
    """The URL of a database in a server that runs as long as the block."""
    bin, user = binaries(), _other_user()
    folder = Path(tempfile.mkdtemp(prefix="vdepg", dir="/tmp"))  # short: the name of a socket has an end
    if user:
        os.chown(folder, user["user"], user["group"])
    data, quiet = folder / "data", {"check": True, "cwd": folder, "stdout": subprocess.DEVNULL, **user}

    def run(*command: str) -> None:
        subprocess.run([str(bin / command[0]), *command[1:]], stderr=subprocess.STDOUT, **quiet)

    try:
        run("initdb", "-D", str(data), "-U", "vde", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-c listen_addresses= -k {folder} -c max_connections=60"
        run("pg_ctl", "-D", str(data), "-l", str(folder / "log"), "-w", "-o", options, "start")
        try:
            run("createdb", "-h", str(folder), "-U", "vde", "review")
            yield f"postgresql://vde@/review?host={folder}"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
