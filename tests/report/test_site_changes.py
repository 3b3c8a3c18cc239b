"""The data of changes in the report: leaderboard, samples, and the list of changed facts."""

from __future__ import annotations

import json

import pytest

from tests.report import site_runs
from tests.report.changed_runs import CHANGES, PAGE, plant_changes
from tests.report.test_site import data, of_editor
from vdebench.changes.change import Geometry, PageChanges
from vdebench.protocols import get_protocol
from vdebench.readers.reader import READERS
from vdebench.report.site import write_report
from vdebench.report.site.ceilings import ceiling_loss, explained_failures, is_ceiling
from vdebench.report.site.gather import ScoredEditor


@pytest.fixture(scope="module")
def report(tmp_path_factory, _cache):
    root = tmp_path_factory.mktemp("changes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        patch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
        runs = site_runs.make_runs(root / "runs", site_runs.make_suite(root / "suite"))
        (runs / "oracle/editor.json").write_text('{"name": "jpeg"}')  # a ceiling, by its identity
        plant_changes(runs / "oracle/strict", {"text/0": CHANGES, "text/2": PageChanges(Geometry("same", PAGE, PAGE))})
        return write_report(runs, root / "report").parent


def test_the_leaderboard_has_columns_of_changes_in_the_global_setting(report):
    (table,) = data(report, "board")["protocols"]
    oracle = next(row for row in table["rows"] if row["editor"] == "oracle")
    assert oracle["cells"]["global"]["unasked_changes"]["value"] == 1  # 2 on 2 pages
    assert oracle["cells"]["global"]["changed_facts"]["value"] == 50
    assert oracle["cells"]["local"]["changed_facts"] is None
    assert "Changed facts / 100 edits" in [metric["title"] for metric in table["metrics"]]
    assert table["facts"] == 1


def test_samples_are_filtered_by_changed_facts_and_kinds(report):
    rows = of_editor(report, "strict/oracle", "index")
    assert [(row.get("changed_facts"), row.get("facts")) for row in rows] == [
        ("yes", 1),
        (None, None),
        ("no", 0),
        (None, None),
    ]
    assert rows[0]["change_kind"] == ["replaced", "lost", "added"]
    assert rows[2]["change_kind"] == ["no change"]
    assert {"changed_facts", "change_kind"} <= data(report, "board")["protocols"][0]["filters"].keys()


def test_a_sample_lists_its_changes_facts_first_with_boxes_in_percent(report):
    details = of_editor(report, "strict/oracle", "0")
    found = details[0]["changes"]
    assert [change["kind"] for change in found["changes"]] == ["replaced", "added", "lost"]
    fact = found["changes"][0]
    assert (fact["before"], fact["after"], fact["fact_kind"], fact["asked"]) == ("59.00", "69.00", "price", False)
    assert fact["box_before"] == [10, 66.667, 20, 5]  # 20, 200, 40 and 15 pixels of 200 × 300
    assert found["changes"][1]["box_before"] is None
    assert found["kinds"] == ["replaced", "lost", "added"]
    assert details[2]["changes"]["changes"] == []
    assert "changes" not in details[1]


def test_changed_facts_are_listed_with_their_places(report):
    slug = data(report, "board")["slugs"]["strict"]
    assert data(report, f"{slug}/facts") == [
        {
            **{"editor": "oracle", "at": 0, "kind": "replaced", "before": "59.00", "after": "69.00"},
            **{"fact_kind": "price", "confidence": 0.98, "note": ""},
            "places": [[10, 66.667, 20, 5], [10, 66.667, 20, 5]],
        }
    ]


def test_a_ceiling_is_known_by_its_identity_or_its_name(tmp_path):
    def result(editor, identity=None):
        folder = tmp_path / editor / "strict"
        folder.mkdir(parents=True)
        if identity is not None:
            (folder.parent / "editor.json").write_text(identity)
        return ScoredEditor(editor, get_protocol("strict"), folder, {})

    assert is_ceiling(result("jpeg"))
    assert is_ceiling(result("small", '{"name": "resize", "megapixels": "0.5"}'))
    assert not is_ceiling(result("autoencoder", '{"name": "mine"}'))
    assert not is_ceiling(result("mine", "broken"))


def test_a_ceiling_says_what_it_does_to_the_reference(tmp_path):
    def loss(**identity):
        folder = tmp_path / str(len(list(tmp_path.iterdir()))) / "strict"
        folder.mkdir(parents=True)
        (folder.parent / "editor.json").write_text(json.dumps(identity))
        return ceiling_loss(ScoredEditor("mine", get_protocol("strict"), folder, {}))

    assert loss(name="resize", megapixels="0.5") == "resize to 0.5 MP"
    assert loss(name="autoencoder", megapixels="1.0") == "autoencoder at 1 MP"
    assert loss(name="autoencoder", megapixels="0.0") == "autoencoder"
    assert loss(name="jpeg", quality="75") == "JPEG of quality 75"
    assert loss(name="jpeg") == "jpeg"


def test_the_leaderboard_has_the_failures_that_a_ceiling_explains(report):
    found = data(report, "board")["protocols"][0]["explained"]
    # text/0: all fail; text/1 to text/3 of `my editor` are refused, left out or broken, and fail too
    assert found == {"ceilings": ["oracle"], "rows": [{"editor": "my editor", "failed": 4, "explained": [1]}]}


def test_failures_that_a_ceiling_explains():
    fails = "fails: Completeness"
    verdicts = {
        "mine": [fails, "usable", fails, "unknown"],
        "jpeg": [fails, fails, "usable", fails],
        "small": ["usable"] * 4,
        "not judged": [""] * 4,
    }
    assert explained_failures(verdicts, ["jpeg", "small"]) == {
        "ceilings": ["jpeg", "small"],
        "rows": [{"editor": "mine", "failed": 2, "explained": [1, 0]}],
    }
    assert explained_failures(verdicts, []) is None
    assert explained_failures({"jpeg": [fails]}, ["jpeg"]) is None


def test_words_lost_by_type_height_in_pixels_of_the_references(report):
    found = data(report, "board")["protocols"][0]["heights"]
    assert (found["pixels"], found["bands"]) == ("reference", [{"title": "12–16 px", "words": 150}])
    oracle, other = found["rows"]
    assert (oracle["editor"], oracle["ceiling"], oracle["cells"][0]["value"]) == ("oracle", "jpeg", pytest.approx(0.02))
    assert (other["editor"], other["cells"]) == ("my editor", [None])
    assert found["lines"][0] == "oracle (jpeg): no type height is safe: 98.0 % of 150 words survive"
    assert any("my editor: words by type height are not known" in note for note in found["notes"])
