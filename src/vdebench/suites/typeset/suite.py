"""`typeset:n=60,seed=1`: a suite that is made when someone first asks for its samples, and kept in the cache."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from vdebench.errors import InputError
from vdebench.io.cache import digest_of
from vdebench.io.files import is_file
from vdebench.io.locations import cache_folder
from vdebench.suites.suite import SuiteGroup, read_groups
from vdebench.suites.typeset.make import make_suite
from vdebench.suites.typeset.recipe import SuiteRecipe, made_with
from vdebench.suites.vde import VdeSuite

_LISTS = ("languages", "operations", "kinds")
_NUMBERS = ("seed", "per_page", "ppi")
SYNTAX = "typeset:n=60,seed=1,languages=en+zh"


class TypesetSuite(VdeSuite):
    """A made-to-order suite."""

    def __init__(self, name: str, n: int, recipe: SuiteRecipe) -> None:
        self.n = n
        self.recipe = recipe
        order = json.dumps({"n": n, **recipe.to_json(), "made_with": made_with()}, sort_keys=True)
        folder = cache_folder() / "typeset" / digest_of(order)[:16]
        super().__init__(folder, name, self._make)

    def _make(self) -> list[SuiteGroup]:
        self.prepare()
        return read_groups(self.root / "suite.toml")

    def prepare(self, progress: Callable[[int, int], Any] | None = None) -> None:
        """Make the suite, or wait for whoever is making it."""
        if not is_file(self.root / "suite.toml"):
            make_suite(self.root, self.n, self.recipe, progress=progress, wait=True)


def lazy_suite(text: str) -> TypesetSuite:
    """The suite of an order such as `typeset:n=60,seed=1,languages=en+zh`."""
    given: dict[str, str] = {}
    for option in filter(None, text.partition(":")[2].split(",")):
        name, equals, value = (part.strip() for part in option.partition("="))
        if name not in ("n", "wear", *_LISTS, *_NUMBERS) or not equals or name in given:
            raise InputError(f"{text}: {option!r} is not an option, expected an order such as {SYNTAX}")
        given[name] = value
    options: dict[str, Any] = {}
    for name, value in given.items():
        if name in _LISTS:
            options[name] = tuple(value.split("+"))
        elif name == "wear":
            options[name] = value
        elif re.fullmatch(r"-?[0-9]{1,18}", value):
            options[name] = int(value)
        else:
            raise InputError(f"{text}: {name} is {value!r}, expected a whole number")
    n = options.pop("n", 60)
    return TypesetSuite(text, n, SuiteRecipe(**options))
