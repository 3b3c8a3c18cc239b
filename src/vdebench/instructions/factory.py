"""Create instruction generators by name and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vdebench.errors import VdeError
from vdebench.instructions.draw import TEMPLATE
from vdebench.instructions.generator import Generator
from vdebench.instructions.model import ModelGenerator
from vdebench.instructions.template import TemplateGenerator

OPTIONS = ("url", "key_variable", "model", "temperature", "timeout", "longest_side")
"""Options of a model; `template` has none."""


def require_options(name: str, options: Mapping[str, Any]) -> None:
    """Raise `VdeError` for options that the generator does not have."""
    if name == TEMPLATE and options:
        raise VdeError(f"the generator template has no options, got {', '.join(options)}")
    for option in options:
        if option not in OPTIONS:
            raise VdeError(f"the generator {name} has no option {option!r}; it has: {', '.join(OPTIONS)}")


def generator(name: str, options: Mapping[str, Any] | None = None) -> Generator:
    """Return the generator `template`, or a model on a server with `OPTIONS`."""
    require_options(name, options or {})
    if name == TEMPLATE:
        return TemplateGenerator()
    return ModelGenerator(name, **dict(options or {}))
