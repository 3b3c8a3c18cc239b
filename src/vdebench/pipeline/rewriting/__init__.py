"""Instructions in other words before an editor sees them: not by default, and pinned in the signature.

A run has one rewriter or none, so all its editors are asked in the same words.
"""

from vdebench.pipeline.rewriting.rewriter import Rewriter, get_rewriter
from vdebench.pipeline.rewriting.stage import rewrite_suite

__all__ = ["Rewriter", "get_rewriter", "rewrite_suite"]
