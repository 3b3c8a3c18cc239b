"""Evaluate image-editing models on pages full of text, and build the benchmarks to do it with.

>>> from vdebench import load_suite, score
>>> suite = load_suite("examples/tiny")
>>> score(suite, "examples/tiny/editors/careful").signature
'vde|p:exact|rules:...|v:0.1.0|match:assign-3|tok:script|local:crop|reader:unstated|truth:suite|floor:none|images:off|in:whole,rgb-1|rewriter:none|suite:tiny@sha256:...|n:8'
"""

__version__ = "0.1.0"

from vdebench.api import Score, score
from vdebench.errors import VdeError
from vdebench.reading import Block, Reading
from vdebench.sample import Operation, Sample
from vdebench.suites.suite import Suite, load_suite

__all__ = [
    "Block",
    "Operation",
    "Reading",
    "Sample",
    "Score",
    "Suite",
    "VdeError",
    "__version__",
    "load_suite",
    "score",
]
