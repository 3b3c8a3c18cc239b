"""People's ranks against metrics: by hand and by SciPy, on runs that are made up."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from vdebench.errors import VdeError
from vdebench.report.figures.ranks import study_figure
from vdebench.stats.stored import Matrix, StoredRun
from vdebench.studies.human import metric as human_metric
from vdebench.studies.human.answers import RankingAnswers
from vdebench.studies.human.sheet import Key, SheetSample
from vdebench.studies.human.study import correlate_study, criteria_metrics

EDITORS = ["one", "two", "three", "four"]
BOX = "box alignment"


class Statistic:
    """What the tests need of a metric."""

    def __init__(self, decibel):
        self.decibel = decibel


@pytest.fixture
def study(monkeypatch):
    """Correlates ranks (people × samples × editors) with values (samples × editors), NaN where there is none."""

    def study(ranks, values, *, metric="iou", decibel=False, each=True, counts=None, unchecked=(), **options):
        ranks, values = np.asarray(ranks, float), np.asarray(values, float)
        names = EDITORS[: values.shape[1]]
        samples = [f"text/{at}" for at in range(len(values))]

        def matrix(run, setting, metrics):
            column = values[:, names.index(run.editor), None]
            under = (
                np.ones_like(column) if counts is None else np.asarray(counts, float)[:, names.index(run.editor), None]
            )
            under = np.where(np.isnan(column), 0.0, under)
            return Matrix(samples, np.nan_to_num(column) * under, under, [each], {metric: Statistic(decibel)}, None)

        monkeypatch.setattr(human_metric, "matrix", matrix)
        rows = pl.DataFrame({"sample": samples})
        runs = [
            StoredRun(
                Path(name),
                {
                    "editor": name,
                    "suite": "s",
                    "protocol": "strict",
                    "signature": "vde|n:1",
                    "overall": {"global": {"n": 1}},
                },
                rows,
            )
            for name in names
        ]
        people = [str(at + 1) for at in range(len(ranks))]
        listed = [SheetSample(str(at + 1), name, {}, {}) for at, name in enumerate(samples)]
        key = Key("k", "s", 0, [BOX], names, people, listed)
        answers = RankingAnswers(people, {BOX: ranks}, ranks.size, 0, 0, unchecked=unchecked)
        found = correlate_study(key, answers, runs, metrics={BOX: metric}, **{"resamples": 500, **options})
        return found["criteria"][BOX], found

    return study


def drawn(seed=1, people=3, samples=15):
    """Ranks that go with the values, more or less."""
    random = np.random.default_rng(seed)
    values = random.random((samples, 4)) + np.array([0.6, 0.4, 0.2, 0.0])
    ranks = [stats.rankdata(-(values + random.normal(0, 0.4, values.shape)), axis=1) for _ in range(people)]
    return np.stack(ranks), values


def value(found, level):
    return {name: found[level][name]["value"] for name in ("spearman", "kendall", "pearson")}


def test_over_models_by_hand(study):
    """Averaged ranks 1.5, 1.5, 3, 4: scores 3.5, 3.5, 2, 1; means of the metric .9, .7, .8, .1."""
    ranks = [[[1, 2, 3, 4], [2, 1, 3, 4]]]
    one, found = study(ranks, [[1.0, 0.6, 0.9, 0.1], [0.8, 0.8, 0.7, 0.1]])
    human, metric = [3.5, 3.5, 2, 1], [0.9, 0.7, 0.8, 0.1]
    assert value(one, "models") == {
        "spearman": pytest.approx(stats.spearmanr(human, metric).statistic),
        "kendall": pytest.approx(stats.kendalltau(human, metric).statistic),
        "pearson": pytest.approx(stats.pearsonr(human, metric).statistic),
    }
    assert [point["human_rank"] for point in one["points"]] == pytest.approx(human)
    assert [point["automatic_rank"] for point in one["points"]] == [4, 2, 3, 1]
    assert [point["metric"] for point in one["points"]] == pytest.approx(metric)
    assert (one["models"]["n"], one["outputs"]["n"], one["samples"]) == (4, 8, 2)
    assert any("4 models are few points" in note for note in found["notes"])


def test_over_outputs_is_the_mean_of_the_samples_where_nothing_is_tied(study):
    ranks, values = drawn(people=1)
    one, _ = study(ranks, values)
    each = [stats.spearmanr(-row, of).statistic for row, of in zip(ranks[0], values, strict=True)]
    assert one["outputs"]["spearman"]["value"] == pytest.approx(np.mean(each))
    taus = [stats.kendalltau(-row, of).statistic for row, of in zip(ranks[0], values, strict=True)]
    assert one["outputs"]["kendall"]["value"] == pytest.approx(np.mean(taus))
    away = values - values.mean(axis=1, keepdims=True)
    assert one["outputs"]["pearson"]["value"] == pytest.approx(
        stats.pearsonr((2.5 - ranks[0]).ravel(), away.ravel()).statistic
    )


def test_intervals_are_those_of_samples_drawn_again(study):
    """Against a loop that draws samples and computes everything anew by SciPy."""
    ranks, values = drawn()
    one, _ = study(ranks, values, resamples=4000)
    random = np.random.default_rng(0)
    human = 5 - ranks.mean(axis=0)
    found = []
    for _ in range(400):
        some = random.integers(0, len(values), len(values))
        found.append(stats.pearsonr(human[some].mean(axis=0), values[some].mean(axis=0)).statistic)
    assert one["models"]["pearson"]["interval"] == pytest.approx(np.quantile(found, (0.025, 0.975)), abs=0.05)
    low, high = one["outputs"]["spearman"]["interval"]
    assert low < one["outputs"]["spearman"]["value"] < high
    assert one == study(ranks, values, resamples=4000)[0]  # the same seed, the same bits


def test_samples_of_one_page_are_drawn_together(study):
    ranks, values = drawn(samples=12)
    ranks, values = np.tile(ranks, (1, 3, 1)), np.tile(values, (3, 1))
    pages = {f"text/{at}": f"page {at % 12}" for at in range(36)}
    wide = study(ranks, values, pages=pages, resamples=2000)[0]["outputs"]["spearman"]["interval"]
    narrow, found = study(ranks, values, resamples=2000)
    interval = narrow["outputs"]["spearman"]["interval"]
    assert interval[1] - interval[0] < 0.75 * (wide[1] - wide[0])
    assert any("each counts as its own page" in note for note in found["notes"])


def test_less_is_better_is_turned(study):
    ranks, values = drawn()
    higher, lower = study(ranks, values)[0], study(ranks, -values, metric="lpips")[0]
    assert value(lower, "models") == pytest.approx(value(higher, "models"))
    assert lower["points"][0]["metric"] == pytest.approx(-higher["points"][0]["metric"])
    assert lower["points"][0]["automatic_rank"] == higher["points"][0]["automatic_rank"]


def test_means_over_blocks_are_sums_by_sums(study):
    """Two blocks in the first sample, one in the second: (2 · .5 + 1 · .8) / 3."""
    ranks = [[[1, 2, 3], [1, 2, 3]]]
    one, _ = study(ranks, [[0.5, 0.4, 0.3], [0.8, 0.1, 0.0]], each=False, counts=[[2, 2, 2], [1, 1, 1]])
    assert one["points"][0]["metric"] == pytest.approx(0.6)


def test_a_sample_without_some_models_value_counts_for_none(study):
    ranks = [[[1, 2, 3, 4], [4, 3, 2, 1], [1, 2, 3, 4]]]
    one, found = study(ranks, [[0.9, 0.8, 0.7, 0.6], [np.nan, 0.9, 0.9, 0.9], [0.9, 0.8, 0.7, 0.6]])
    assert one["lacking"] == 1
    assert one["points"][1]["metric"] == pytest.approx(0.8)
    assert [point["human_rank"] for point in one["points"]] == pytest.approx([4, 3, 2, 1])  # nor for people
    assert one["models"]["pearson"]["value"] == pytest.approx(1)
    assert one["outputs"]["spearman"]["value"] == pytest.approx(1)
    assert f"{BOX}: 1 samples have no iou for some model and are left out." in found["notes"]


def test_an_infinite_psnr_has_a_rank_and_no_distance(study):
    ranks = [[[1, 2, 3], [1, 2, 3]]]
    one, _ = study(ranks, [[0.0, 10.0, 20.0], [0.0, 20.0, 30.0]], metric="psnr", decibel=True)
    assert one["models"]["spearman"]["value"] == pytest.approx(1)
    assert one["models"]["pearson"]["value"] is None
    assert [point["automatic_rank"] for point in one["points"]] == [3, 2, 1]
    assert one["points"][0]["metric"] is None


def test_where_nothing_has_the_metric_there_are_no_ranks_beside_it(study):
    one, found = study([[[1, 2, 3]] * 2], [[np.nan, 0.2, 0.3], [0.1, np.nan, 0.3]])
    assert one["points"] == [
        {"editor": name, "human_rank": None, "automatic_rank": None, "metric": None} for name in EDITORS[:3]
    ]
    assert one["models"]["reason"] == "no sample for which every model has iou"
    assert "circle" not in study_figure(found)
    assert "no sample for which every model has iou" in study_figure(found)


def test_a_psnr_that_is_infinite_for_all_is_the_same_for_all(study):
    one, _ = study([[[1, 2, 3]] * 2], np.zeros((2, 3)), metric="psnr", decibel=True)
    assert one["models"]["reason"] == "all values of psnr are the same"
    assert one["outputs"]["reason"] == "all values of psnr are the same within every sample"


def test_answers_that_could_not_be_checked_are_told(study):
    ranks, values = drawn()
    _, found = study(ranks, values, unchecked=["by-hand.csv"])
    assert found["answers"]["unchecked_files"] == ["by-hand.csv"]
    assert [note for note in found["notes"] if "by-hand.csv" in note and "could not be checked" in note]
    assert not any("checked" in note for note in study(ranks, values)[1]["notes"])


@pytest.mark.parametrize(
    ("ranks", "values", "models", "outputs"),
    [
        ([[[2, 2, 2], [2, 2, 2]]], [[0.1, 0.2, 0.3], [0.1, 0.2, 0.4]], "all human ranks are the same", "all human ranks are the same within every sample"),
        ([[[1, 2, 3], [1, 2, 3]]], [[0.5, 0.5, 0.5], [0.4, 0.4, 0.4]], "all values of iou are the same", "all values of iou are the same within every sample"),
        ([[[1, 2], [1, 2]]], [[0.1, 0.2], [0.1, 0.2]], "2 models, at least 3 are needed", None),
        ([[[np.nan] * 3] * 2], [[0.1, 0.2, 0.3], [0.1, 0.2, 0.4]], "no complete ranking of any sample", "no complete ranking of any sample"),
        ([[[1, 2, 3]]], [[np.nan, 0.2, 0.3]], "no sample for which every model has iou", "0 outputs, at least 3 are needed"),
    ],
)  # fmt: skip
def test_no_number_comes_with_words(study, ranks, values, models, outputs):
    one, _ = study(ranks, values)
    assert one["models"]["reason"] == models
    assert value(one, "models") == {"spearman": None, "kendall": None, "pearson": None}
    assert one["outputs"].get("reason") == outputs


def test_people_who_ranked_less_count_where_they_ranked(study):
    ranks, values = drawn(people=2, samples=6)
    ranks[1, 3:] = np.nan
    one, _ = study(ranks, values)
    mean = np.array([ranks[:, at].mean(axis=0) if at < 3 else ranks[0, at] for at in range(6)]).mean(axis=0)
    assert [point["human_rank"] for point in one["points"]] == pytest.approx((5 - mean).tolist())
    assert one["agreement"]["samples"] == 3


def test_usable_edits_are_one_and_zero(study, monkeypatch):
    """One is usable twice, two once, three never; of the third sample some verdict is unknown."""
    said = {"one": [True, True, True], "two": [True, False, True], "three": [False, False, None]}

    def judged(root, thresholds):
        found = [SimpleNamespace(sample=f"text/{at}", usable=one) for at, one in enumerate(said[str(root)])]
        return SimpleNamespace(verdicts=found)

    monkeypatch.setattr(human_metric, "judge_run", judged)
    one, _ = study([[[1, 2, 3]] * 3], np.zeros((3, 3)), metric="usable")
    assert [point["metric"] for point in one["points"]] == [1, 0.5, 0]
    assert (one["lacking"], one["models"]["spearman"]["value"]) == (1, pytest.approx(1))


def test_runs_without_metrics():
    summary = {"suite": "s", "protocol": "strict", "signature": "vde|n:1", "overall": {"global": None, "local": None}}
    runs = [StoredRun(Path(name), {**summary, "editor": name}, pl.DataFrame()) for name in EDITORS]
    key = Key("k", "s", 0, [BOX], EDITORS, ["1"], [])
    answers = RankingAnswers(["1"], {}, 0, 0, 0)
    with pytest.raises(
        VdeError, match="no setting with metrics in common; samples without a reference have no metrics"
    ):
        correlate_study(key, answers, runs)


def test_metrics_of_criteria():
    assert criteria_metrics(["Box alignment", "text correctness"], {}) == {
        "Box alignment": "iou",
        "text correctness": "text_correctness",
    }
    with pytest.raises(VdeError, match="no criterion 'beauty' on the sheet; it has: box alignment"):
        criteria_metrics([BOX], {"beauty": "cdm"})
    with pytest.raises(
        VdeError, match=r"no metric for the criterion .beauty.; pass one, for example --metric \"beauty=cdm\""
    ):
        criteria_metrics(["beauty"], {})
