"""Evaluate image-editing models on pages full of text, and build the benchmarks to do it with.

>>> from vdebench import load_suite, score
>>> suite = load_suite("examples/tiny")
>>> score(suite, "examples/tiny/editors/careful").signature
'vde|p:strict|rules:...|v:0.1.0|match:assign-3|tok:script|local:crop|reader:unstated|gt:suite|ceiling:none|images:off|in:whole,rgb-1|rewriter:none|suite:tiny@sha256:...|n:8'
"""

from vdebench._version import __version__
from vdebench.core.page_text import Block, PageText
from vdebench.core.sample import Operation, Sample
from vdebench.errors import VdeError
from vdebench.pipeline.score import Score, score
from vdebench.suites.suite import Suite, load_suite

__all__ = [
    "Block",
    "Operation",
    "PageText",
    "Sample",
    "Score",
    "Suite",
    "VdeError",
    "__version__",
    "load_suite",
    "score",
]
