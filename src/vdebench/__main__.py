"""`python -m vdebench` is `vde`."""

from vdebench.cli.main import run

run()
