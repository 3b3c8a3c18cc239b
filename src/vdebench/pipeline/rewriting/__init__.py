"""Rephrased instructions for editors: off by default, recorded in the signature.

A run has at most one rewriter, so all its editors get the same instructions.
"""

from vdebench.pipeline.rewriting.rewriter import Rewriter, get_rewriter
from vdebench.pipeline.rewriting.stage import rewrite_suite

__all__ = ["Rewriter", "get_rewriter", "rewrite_suite"]
