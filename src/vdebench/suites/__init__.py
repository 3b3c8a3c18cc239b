"""Suites: samples with ground truth, and their formats."""

from vdebench.suites.suite import Fault, Suite, load_suite

__all__ = ["Fault", "Suite", "load_suite"]
