"""Pages for tests of typeset suites, generated once at a low resolution."""

from __future__ import annotations

import pytest

from vdebench.suites.typeset.language_rules import font_folders
from vdebench.suites.typeset.page_samples import make_page
from vdebench.suites.typeset.recipe import SuiteRecipe
from vdebench.suites.typeset.typesetter import Typesetter

PPI = 75


@pytest.fixture(scope="session")
def typesetter():
    return Typesetter(PPI, font_folders())


@pytest.fixture(scope="session")
def pairs(typesetter):
    """Two samples on each of 54 pages: every kind six times, every language, every operation."""
    recipe = SuiteRecipe(seed=11, ppi=PPI)
    return [pair for number in range(54) for pair in make_page(recipe, number, typesetter)]
