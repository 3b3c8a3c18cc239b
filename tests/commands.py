"""The command line in this process: a second quicker than in one of its own."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from subprocess import CompletedProcess
from unittest.mock import patch

from vdebench.cli import main


def vde(*arguments: object, code: int = 0) -> CompletedProcess[str]:
    """What a command prints and its exit code; whatever is not told in words fails the test."""
    words = ["vde", *map(str, arguments)]
    out, err, status = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "argv", words):
        try:
            main.run()
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else int(bool(stop.code))
    assert status == code, out.getvalue() + err.getvalue()
    assert "Traceback" not in err.getvalue()
    return CompletedProcess(words, status, out.getvalue(), err.getvalue())
