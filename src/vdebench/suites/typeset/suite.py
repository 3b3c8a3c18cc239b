"""Generated suites by specification, such as `typeset:n=60,seed=1`: made on first use and kept in the cache."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from vdebench.errors import InputError
from vdebench.io.cache import digest_of
from vdebench.io.cache_files import SUITES, folder_size, record_use
from vdebench.io.cache_limit import note_written
from vdebench.io.files import is_file
from vdebench.io.locations import cache_folder
from vdebench.suites.suite import SuiteGroup, read_groups
from vdebench.suites.typeset.make import make_suite
from vdebench.suites.typeset.recipe import SuiteRecipe, provenance
from vdebench.suites.vde import VdeSuite

_LISTS = ("languages", "operations", "kinds")
_NUMBERS = ("seed", "per_page", "ppi")
SYNTAX = "typeset:n=60,seed=1,languages=en+zh"


class TypesetSuite(VdeSuite):
    """A generated suite."""

    def __init__(self, name: str, n: int, recipe: SuiteRecipe) -> None:
        self.n = n
        self.recipe = recipe
        made_with = provenance(recipe.languages)
        specification = json.dumps({"n": n, **recipe.to_json(), "made_with": made_with}, sort_keys=True)
        folder = cache_folder() / SUITES / digest_of(specification)[:16]
        super().__init__(folder, name, self._make)

    def _make(self) -> list[SuiteGroup]:
        self.prepare()
        return read_groups(self.root / "suite.toml")

    def prepare(self, progress: Callable[[int, int], Any] | None = None) -> None:
        """Make the suite, or wait until another process has made it."""
        if is_file(self.root / "suite.toml"):
            record_use(self.root / "suite.toml")  # a suite that is not used for a month may be removed
            return
        make_suite(self.root, self.n, self.recipe, progress=progress, wait=True)
        note_written(cache_folder(), folder_size(self.root))


def generated_suite(text: str) -> TypesetSuite:
    """Return the suite of a specification such as `typeset:n=60,seed=1,languages=en+zh`."""
    values: dict[str, str] = {}
    for option in filter(None, text.partition(":")[2].split(",")):
        name, equals, value = (part.strip() for part in option.partition("="))
        if name not in ("n", "degradation", *_LISTS, *_NUMBERS) or not equals or name in values:
            raise InputError(f"{text}: {option!r} is not an option, expected for example {SYNTAX}")
        values[name] = value
    options: dict[str, Any] = {}
    for name, value in values.items():
        if name in _LISTS:
            options[name] = tuple(value.split("+"))
        elif name == "degradation":
            options[name] = value
        elif re.fullmatch(r"-?[0-9]{1,18}", value):
            options[name] = int(value)
        else:
            raise InputError(f"{text}: {name} is {value!r}, expected a whole number")
    n = options.pop("n", 60)
    return TypesetSuite(text, n, SuiteRecipe(**options))
