"""What tests of the server share. The packages may not be there: then the tests skip themselves."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def _template(tmp_path_factory):
    from tests.review.server.serving import template

    return template(tmp_path_factory.mktemp("review"))


@pytest.fixture
def make_site(_template, tmp_path):
    """Makes a site of its own, with settings."""
    from tests.review.server.serving import Site, copied

    made = []

    def make(**settings):
        made.append(Site(copied(_template, tmp_path), tmp_path, **settings))
        return made[-1]

    yield make
    for site in made:
        site.store.close()


@pytest.fixture
def site(make_site):
    return make_site()
