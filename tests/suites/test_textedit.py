"""TextEditBench's folders as a suite: splits, keys, paths, revision, commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from tests.suites.textedit_folders import MANUAL, WEB, load, only_sample, told, write
from vdebench.cli.suite import app
from vdebench.core.sample import Operation
from vdebench.errors import InputError, SuiteError
from vdebench.suites.suite import load_suite

KEY = "manual/Packaging_Logistics/019"


def test_a_right_sample_has_no_faults(tmp_path):
    folder = write(tmp_path, knowledge_prompt="Brands are spelt in capitals.")
    suite = load(tmp_path)
    assert list(suite.faults()) == []
    (sample,) = suite
    assert (sample.key, sample.group, sample.id) == (KEY, "manual", "Packaging_Logistics/019")
    assert (sample.source, sample.operation) == ("Packaging & Logistics", Operation.TEXT_INSERT)
    assert sample.instruction == "Insert 'NEW' after 'BRAND'"
    assert (sample.source_image, sample.reference_image) == ("19.jpg", "text_insert_19.jpg")
    extra = dict(sample.extra)
    assert extra.pop("difficulty")["background_clutter"] == 2
    assert extra == {
        "id": "TextEditing_Packaging & Logistics_019",
        "tier": "easy",
        "difficulty_total": 2,
        "knowledge": "Brands are spelt in capitals.",
        "source_tag": "human_annotation",
    }
    files = suite.image_files(sample)
    assert (files.source, files.reference, files.mask) == (folder / "19.jpg", folder / "text_insert_19.jpg", None)
    assert suite.mask_files(sample) == (folder / "19_mask.jpg", folder / "text_insert_19_mask.jpg")
    assert tuple(suite.image_size(sample)) == (64, 48)
    assert suite.output_name(sample) == f"{KEY}_edited"
    assert (suite.name, suite.track, suite.left_out) == ("textedit", "pixels", {})
    assert not suite.provides_text(sample)
    with pytest.raises(SuiteError, match="no ground-truth text"):
        suite.ground_truth(sample)


def test_a_web_sample_needs_no_reference(tmp_path):
    write(tmp_path, WEB)
    suite = load(tmp_path)
    assert list(suite.faults()) == []
    (sample,) = suite
    assert (sample.key, sample.reference_image) == ("web/Packaging_Logistics/019", "")
    assert suite.image_files(sample).reference is None
    assert tuple(suite.image_size(sample)) == (64, 48)


@pytest.mark.parametrize(("split", "group"), [("canva", "manual"), ("real", "web"), (MANUAL, "manual"), (WEB, "web")])
def test_splits_under_all_their_names(tmp_path, split, group):
    write(tmp_path, split)
    assert [one.name for one in load(tmp_path).groups] == [group]
    assert only_sample(tmp_path).group == group
    assert told(tmp_path) == []


def test_ids_repeat_and_keys_do_not(tmp_path):
    for split in (MANUAL, WEB):
        for topic in ("Packaging_Logistics", "Data_Analytics"):
            write(tmp_path, split, topic)
    suite = load(tmp_path)
    suite.require_distinct_keys()
    assert len(suite) == 4
    assert told(tmp_path) == []


def test_one_split_under_two_names_is_refused(tmp_path):
    write(tmp_path, "canva")
    write(tmp_path, MANUAL)
    with pytest.raises(SuiteError, match="canva and data_manual_production are both the manual split"):
        load(tmp_path)


def test_a_folder_without_a_split_is_refused(tmp_path):
    (tmp_path / "TextEditBench").mkdir()
    with pytest.raises(
        SuiteError, match=r"found TextEditBench\n.*data_manual_production or data_web-sourced_instances"
    ):
        load(tmp_path)
    with pytest.raises(InputError, match="cannot be listed"):
        load(tmp_path / "nowhere")
    with pytest.raises(SuiteError, match="no folder given"):
        load_suite("textedit:")
    with pytest.raises(SuiteError, match="no such home folder"):
        load_suite("textedit:~nobody_here/x")


def test_paths_with_spaces_relative_ones_and_home(tmp_path, monkeypatch):
    write(tmp_path / "my data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in ("my data", "./my data", "~/my data", tmp_path / "my data"):
        suite = load(path)
        assert len(suite) == 1
        assert suite.origin == f"textedit:{tmp_path}/my data"  # also from another folder it is the same suite
    assert load_suite(Path("textedit:my data")).revision == suite.revision


def test_the_revision_follows_content_not_place_or_order(tmp_path):
    write(tmp_path / "a")
    folder = write(tmp_path / "b", "canva")
    assert load(tmp_path / "a").revision == load(tmp_path / "b").revision
    for name, changed in (("19_mask.jpg", "mask"), ("19.jpg", "input"), ("text_insert_19.jpg", "reference")):
        before = load(tmp_path / "b").revision
        Image.new("RGB", (64, 48), "red").save(folder / name)
        assert load(tmp_path / "b").revision != before, changed


def test_commands(tmp_path):
    write(tmp_path)
    write(tmp_path, WEB, difficulty="hard")
    write(tmp_path, WEB, number="020", raw=b"{")
    order = f"textedit:{tmp_path}"
    done = CliRunner().invoke(app, ["check", order])
    assert done.exit_code == 2
    assert "textedit: 2 samples, 1 errors, 1 warnings" in done.output
    shown = CliRunner().invoke(app, ["show", order]).output
    assert re.search(r"text_insert +1 +1 +2", shown)
    assert re.search(r"tier\neasy +1 +1 +2", shown)
    assert "left out: web/Packaging_Logistics/020" in shown
    counts = json.loads(CliRunner().invoke(app, ["show", order, "--json"]).output)
    assert counts["topic"] == {"Packaging & Logistics": 2}
    assert list(counts["left_out"]) == ["web/Packaging_Logistics/020"]
    found = json.loads(CliRunner().invoke(app, ["difficulty", order, "--json"]).output)
    assert [one["sample"] for one in found["samples"]] == [KEY, "web/Packaging_Logistics/019"]
    assert found["samples"][0]["stated"]["background_clutter"] == 2
    assert found["samples"][0]["estimated"]["num_text_regions"] == 0
    assert found["agreement"]["num_text_regions"]["samples"] == 2
    assert "num_text_regions" in CliRunner().invoke(app, ["difficulty", order]).output
