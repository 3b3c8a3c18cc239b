"""Evaluate image-editing models on pages full of text, and build the benchmarks to do it with.

>>> from vdebench import load_suite, score
>>> suite = load_suite("examples/tiny")
>>> score(suite, "examples/tiny/editors/careful").signature
'vde|p:strict|rules:...|v:0.1.0|match:assign-3|tok:script|local:crop|reader:unstated|gt:suite|ceiling:none|images:off|in:whole,rgb-1|rewriter:none|suite:tiny@sha256:...|n:8'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vdebench._version import __version__

if TYPE_CHECKING:
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
_MODULES = {
    "Block": "core.page_text",
    "Operation": "core.sample",
    "PageText": "core.page_text",
    "Sample": "core.sample",
    "Score": "pipeline.score",
    "Suite": "suites.suite",
    "VdeError": "errors",
    "load_suite": "suites.suite",
    "score": "pipeline.score",
}
"""The module of each name; it is imported when the name is used, so that `vde --help` need not load all of them."""


def __getattr__(name: str) -> Any:
    """Return a name of `__all__`."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
