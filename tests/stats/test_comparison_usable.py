"""Usable edits compared: the exact test by page, its interval, and the samples that are left out."""

from __future__ import annotations

import itertools
import json
import math
import shutil
from functools import partial

import numpy as np
import pytest
from scipy.stats import binomtest

from tests.commands import vde
from tests.report import site_runs
from vdebench.errors import InputError
from vdebench.pipeline.score import score
from vdebench.readers.cached import CachedReader
from vdebench.stats.comparison import compare_runs
from vdebench.stats.pages import pages_beside
from vdebench.stats.paired import Side, permutation_p
from vdebench.stats.rates import rate_interval
from vdebench.stats.sign_flip import pages_needed, sign_flip_p
from vdebench.stats.stored import read_run


@pytest.mark.parametrize(("gained", "lost"), [(5, 0), (9, 2), (1, 1), (0, 0), (3, 3), (40, 22), (300, 240), (0, 7)])
def test_with_one_sample_per_page_it_is_mcnemars_exact_test(gained, lost):
    # McNemar: of the discordant pairs each is a fair coin
    expected = binomtest(gained, gained + lost, 0.5).pvalue if gained + lost else 1.0
    assert sign_flip_p([1] * gained + [-1] * lost + [0] * 30) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_all_sign_changes_are_counted(seed):
    differences = np.random.default_rng(seed).integers(-3, 4, 9).tolist()
    found = abs(sum(differences))
    changes = itertools.product((-1, 1), repeat=len(differences))
    sums = [abs(sum(sign * each for sign, each in zip(signs, differences, strict=True))) for signs in changes]
    assert sign_flip_p(differences) == pytest.approx(sum(each >= found for each in sums) / len(sums))
    # the permutation test of the other metrics, which swaps pages, says the same where it is exact
    ones = np.ones((len(differences), 1))
    first, second = Side(np.zeros_like(ones), ones), Side(np.array(differences, dtype=float)[:, None], ones)
    assert permutation_p(first, second)[0] == pytest.approx(sign_flip_p(differences))


def test_pages_needed():
    # 8 pages of one sample: 3 gained, 1 lost. Differences 1,1,1,-1,0,0,0,0: mean 1/4, variance (4 - 8/16) / 7 = 1/2.
    differences = np.array([1, 1, 1, -1, 0, 0, 0, 0], dtype=float)
    reach = 1.959964 + 0.841621
    assert pages_needed(0.25, differences, np.ones(8)) == math.ceil(reach**2 * 0.5 / 0.25**2) == 63
    assert pages_needed(0.1, differences, np.ones(8)) == math.ceil(reach**2 * 0.5 / 0.1**2)
    assert pages_needed(0.0, differences, np.ones(8)) == math.inf
    assert math.isnan(pages_needed(0.1, np.ones(8), np.ones(8)))  # all pages alike
    assert math.isnan(pages_needed(0.1, np.ones(1), np.ones(1)))


COUNT = 12
UNREADABLE = "unreadable"


class GivesUp(site_runs.StripeReader):
    """Fails on some pages: whether their edits are usable is not known."""

    @property
    def identity(self):
        return {"name": "gives-up", "version": "1"}

    def read(self, image):
        if UNREADABLE.encode() in image[: site_runs.ROWS].tobytes():
            raise InputError("the reader gives up")
        return super().read(image)


@pytest.fixture(scope="module")
def make(tmp_path_factory, _cache):
    """Makes runs of editors that are right on some samples, leave others as they were; of others the reader knows nothing."""
    root = tmp_path_factory.mktemp("usable")
    suites = {}
    for name in ("shared", "own"):
        suite = suites[name] = site_runs.make_suite(root / name, COUNT)
        for at in range(COUNT if name == "own" else 0):  # every sample on a page of its own
            page = [(site_runs.BEFORE, f"before {at}"), site_runs.TRUTHS[at % 4][1]]
            site_runs.paint(suite / f"sources/page_{at}.png", page)

    def run(suite, editor, right=(), broken=(), **options):
        images, out = root / f"{suite}-{editor}/images", root / f"{suite}-{editor}/run"
        images.mkdir(parents=True, exist_ok=True)
        for at in range(COUNT):
            source = suites[suite] / ("images" if at in right else "sources") / f"page_{at}.png"
            shutil.copy(source, images / f"page_{at}.png")
            if at in broken:
                site_runs.paint(images / f"page_{at}.png", [(site_runs.BODY, UNREADABLE)])
        reader = CachedReader(GivesUp())
        score(suites[suite], images, out=out, editor=editor, reader=reader, metrics=["psnr"], workers=1, **options)
        return read_run(out)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        yield run


def compared(*runs, **options):
    found = compare_runs(runs, pages=pages_beside(runs[0]), **options)
    return {one.editor: one for one in found.findings if one.metric == "usable"}, found


def test_usable_edits_come_first(make):
    runs = [make("own", "first", range(4)), make("own", "second", range(2, 10))]
    found, whole = compared(*runs)
    assert [one.metric for one in whole.findings[:2]] == ["usable", "usable"]
    one, two = found["first"], found["second"]
    assert (one.samples, one.pages, one.mean, one.p) == (12, 12, pytest.approx(4 / 12), None)
    # the second is right on 4 … 9, which the first is not; the first on 0 and 1
    assert (two.wins, two.ties, two.losses) == (6, 4, 2)
    assert two.difference == pytest.approx(4 / 12)
    assert two.p == pytest.approx(binomtest(6, 8, 0.5).pvalue)
    assert (two.low, two.high) == pytest.approx(rate_interval([True] * 8 + [False] * 4))
    assert two.difference_low < 4 / 12 < two.difference_high
    # differences: 6 × 1, 2 × -1, 4 × 0; mean 1/3, variance (8 - 12/9) / 11
    reach = 1.959964 + 0.841621
    assert two.needed == two.needed_pages == math.ceil(reach**2 * ((8 - 12 / 9) / 11) / (1 / 9))
    assert whole.to_json()["findings"][1]["needed_pages"] == two.needed_pages
    told = "\n".join(whole.notes)
    assert "usable edits: 12 samples of 12 pages" in told
    assert "McNemar" in told
    assert "to show a difference of 0.05 takes " in told


def test_samples_of_a_page_are_swapped_together(make):
    runs = [make("shared", "none"), make("shared", "all", range(COUNT))]
    found, _ = compared(*runs)
    # two pages: those of kinds 0, 1 and 3, and those of kind 2. Both in favour of the second: 2 of 4 sign changes
    assert (found["all"].pages, found["all"].wins, found["all"].p) == (2, 12, 0.5)


def test_what_is_not_judged_in_both_is_left_out_and_counted(make):
    runs = [make("own", "one", range(6), broken=(0, 1)), make("own", "two", range(6, 12), broken=(1, 2))]
    found, whole = compared(*runs)
    assert (found["one"].samples, found["two"].samples) == (9, 9)
    assert found["one"].mean == pytest.approx(3 / 9)  # 3, 4, 5 of 3 … 11
    assert found["two"].mean == pytest.approx(6 / 9)
    assert found["two"].p == pytest.approx(binomtest(6, 9, 0.5).pvalue)
    assert "usable edits: 3 samples without a verdict in some run are excluded" in whole.notes


def test_slices(make):
    runs = [make("own", "first", range(4)), make("own", "second", range(2, 10))]
    found = compare_runs(runs, by="language", pages=pages_beside(runs[0]))
    rates = {(one.slice, one.editor): one.mean for one in found.findings if one.metric == "usable"}
    # Chinese are 2, 6 and 10: the first is right on 2, the second on 2 and 6
    assert rates["simplified_chinese", "first"] == pytest.approx(1 / 3)
    assert rates["simplified_chinese", "second"] == pytest.approx(2 / 3)
    assert rates["english", "second"] == pytest.approx(6 / 9)


def test_runs_without_verdicts(make, tmp_path):
    runs = [make("own", "first", range(4)), make("own", "second", range(2, 10))]
    found, _ = compared(*runs, metrics=["cdm"])
    assert not found
    found, _ = compared(*runs, metrics=["usable"])
    assert set(found) == {"first", "second"}
    tiny = [f"examples/tiny/editors/{name}" for name in ("careful", "copy")]
    score_tiny = partial(score, "examples/tiny", protocol="vde-v3")
    runs = [read_run(tmp_path / str(at)) for at, one in enumerate(tiny) if score_tiny(one, out=tmp_path / str(at))]
    found, whole = compared(*runs)
    assert not found
    assert not any("sable" in note for note in whole.notes)


def test_the_table_and_json_of_the_command(make):
    runs = [make("own", "first", range(4)), make("own", "second", range(2, 10))]
    text = vde("compare", *(run.root for run in runs)).stdout.splitlines()
    assert text[3] == "Usable edits"
    assert text[5].split()[:5] == ["second", "0.667", "0.391", "0.862", "+0.333"]
    found = json.loads(vde("compare", *(run.root for run in runs), "--json").stdout)
    assert found["findings"][1]["metric"] == "usable"
    assert found["findings"][1]["p"] == pytest.approx(binomtest(6, 8, 0.5).pvalue)
