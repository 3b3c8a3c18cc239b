"""Where samples come from."""

from vdebench.suites.suite import Fault, Suite, load_suite

__all__ = ["Fault", "Suite", "load_suite"]
