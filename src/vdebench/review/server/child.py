"""The child process that prepares reference images for a server. It has low priority and ends with the server.

`python -m vdebench.review.server.child WORKSPACE`, the database in VDE_REVIEW_DATABASE, a pipe on its standard input
that the server holds open: it ends when the server does, however that ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from pathlib import Path

from vdebench.errors import VdeError

NICE = 10


def follow_the_server() -> None:
    """Exit, with all child processes, when the parent closes standard input."""

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main() -> int:
    """Run `prepare` once; return 0 if nothing is left. The last line of output lists failures as JSON."""
    follow_the_server()
    if hasattr(os, "nice"):
        os.nice(NICE)
    from vdebench.review.preparation import prepare

    try:
        done = prepare(Path(sys.argv[1]), os.environ.get("VDE_REVIEW_DATABASE", ""), workers=1)
        print(json.dumps({"failed": done.failed}), flush=True)
        done.require_all()
    except VdeError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
