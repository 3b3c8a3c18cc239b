"""The metric registry: name, title, kind, direction, bounds, digits and version of every metric.

Tables, JSON, intervals, CSV, LaTeX, the report, the leaderboard and `vde compare` show what is registered here. Other
packages register metrics through the entry point group `vdebench.metrics`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, Literal, TypeVar

from vdebench.errors import VdeError
from vdebench.registry import added

Function = TypeVar("Function", bound=Callable[..., Any])
Best = Literal["higher", "lower"]
Kind = Literal["box", "text", "tokens", "table", "mean", "page", "image", "image sets", "mask", "rate", "run"]
"""What a metric compares: boxes, two texts, two lists of tokens, or blocks with tables; `mean`: a mean of metrics;
`page`: the text of a whole page; `image`: two images, or an image and its instruction; `image sets`: all outputs with
all references; `mask`: images around masks; `rate`: a share of samples; `run`: its function gets the summary of a run,
and its value is a column of tables."""
BLOCK_KINDS: tuple[Kind, ...] = ("text", "tokens", "table")
"""Kinds that a protocol for pages measures block by block."""
PAGE_KINDS: tuple[Kind, ...] = ("box", *BLOCK_KINDS, "mean", "page")
"""Kinds of metrics of a page's blocks, in the order of tables."""
IMAGE_KINDS: tuple[Kind, ...] = ("image", "image sets")
_OURS = (
    *("boxes", "text", "teds", "teds_release", "image", "multiscale", "flip", "lpips", "clip", "fid"),
    *("edit_traces", "masked", "change_columns"),
)
_VARIANTS = ("_raw", "_matched", "_all", "_pooled", "_finite")
"""Endings of the same metric over other images or blocks, or averaged differently."""
_RESERVED = (*_VARIANTS, "_sum", "_n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric. `function` is None where the metric is computed from others."""

    name: str
    """Its column in tables of rows, and its key in JSON."""
    title: str
    """Its column head."""
    kind: Kind
    best: Best = "higher"
    bounds: tuple[float, float] = (0.0, 1.0)
    digits: int = 3
    """Decimal places in tables."""
    main: bool = True
    """Whether the report shows it before a reader asks for all metrics."""
    column: str = ""
    """The metric that it replaces in a column, such as `bleu` for the papers' BLEU; "" for its own column."""
    setting: str = ""
    """For kind `run`: the only setting whose rows show it, such as `global`; "" for all."""
    version: int = 1
    function: Callable[..., Any] | None = None

    @property
    def says(self) -> str:
        """First line of the function's documentation."""
        return ((self.function and self.function.__doc__) or "").partition("\n")[0]

    @property
    def identity(self) -> str:
        """Name and version, for signatures."""
        return f"{self.name}-{self.version}"

    @property
    def added(self) -> bool:
        """Whether another package defines it."""
        return self.function is not None and not self.function.__module__.startswith("vdebench.")


METRICS: dict[str, Metric] = {}
"""Metrics of the modules imported so far; `registered` imports all."""

VERSIONS: dict[Callable[..., Any], str] = {}
"""`name-version` of every versioned function; a wrapper is another function."""


def versioned(name: str, version: int = 1) -> Callable[[Function], Function]:
    """Set the name and version of a function in signatures.

    Raise the version whenever the function, or one that it calls, returns different results.
    """

    def record(function: Function) -> Function:
        VERSIONS[function] = f"{name}-{version}"
        return function

    return record


def metric(name: str, *, kind: Kind, title: str = "", version: int = 1, **facts: Any) -> Callable[[Function], Function]:
    """Register a function as a metric; `facts` are other fields of `Metric`. Returns the function unchanged."""

    def record(function: Function) -> Function:
        register(Metric(name=name, kind=kind, title=title or name, version=version, function=function, **facts))
        return versioned(name, version)(function)

    return record


def register(*metrics: Metric) -> None:
    """Register metrics, such as those computed from others; duplicate names are errors."""
    for each in metrics:
        if each.added and (not re.fullmatch("[a-z][a-z0-9_]*", each.name) or each.name.endswith(_RESERVED)):
            ends = ", ".join(_RESERVED)
            raise VdeError(
                f"metric {each.name!r}: expected lower-case letters, digits and _, and none of these endings: {ends}"
            )
        known = METRICS.get(each.name)
        if known is not None and _qualified_name(known) != _qualified_name(each):
            raise VdeError(
                f"two metrics have the name {each.name!r}: in {_qualified_name(known)} and in {_qualified_name(each)}"
            )
        METRICS[each.name] = each


def _qualified_name(one: Metric) -> str:
    return f"{one.function.__module__}.{one.function.__qualname__}" if one.function else "vdebench"


@cache
def _import_all() -> None:
    for module in _OURS:
        import_module(f"vdebench.metrics.{module}")
    added("metrics")


def registered(kinds: Iterable[Kind] = ()) -> dict[str, Metric]:
    """Return the metrics with their own column, of some kinds or all, in the order of tables.

    >>> list(registered(("box", "tokens")))
    ['iou', 'bleu', 'teds_like']
    """
    _import_all()
    kinds = tuple(kinds)
    own = [each for each in METRICS.values() if not each.column and (not kinds or each.kind in kinds)]
    return {each.name: each for each in sorted(own, key=_rank)}


def _rank(one: Metric) -> tuple[int, bool, int]:
    """Return the sort key of a metric in tables: kind, main metrics first, module, other packages last."""
    kinds: dict[str, int] = {"box": 0, **dict.fromkeys(BLOCK_KINDS, 1), "mean": 2, "page": 3}
    module = one.function.__module__.removeprefix("vdebench.metrics.") if one.function else ""
    return kinds.get(one.kind, 4), not one.main, _OURS.index(module) if module in _OURS else len(_OURS)


def facts(name: str) -> Metric:
    """Return a metric or a variant of one; unknown names get the default fields.

    >>> facts("lpips_raw").best, facts("psnr_pooled").digits, facts("iou_matched").title
    ('lower', 2, 'iou_matched')
    """
    known = registered()
    if name in known:
        return known[name]
    for end in _VARIANTS:
        if name.removesuffix(end) in known:
            return replace(known[name.removesuffix(end)], name=name, title=name)
    return Metric(name=name, title=name, kind="rate")


def block_metrics() -> tuple[str, ...]:
    """Return the names of the metrics that page protocols compute per block, except IoU."""
    return tuple(registered(BLOCK_KINDS))


def image_metrics() -> tuple[str, ...]:
    """Return the names of the metrics of one output and its reference or instruction."""
    return tuple(registered(("image",)))


def page_columns() -> dict[str, Metric]:
    """Return the metrics that tables of page runs can show, in order."""
    return registered((*PAGE_KINDS, *IMAGE_KINDS, "run"))
