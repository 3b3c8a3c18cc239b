"""Suites from files in the hub's layouts or placed by hand; licences in dataset cards."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.suites import hub_sets
from vdebench.cli.main import app
from vdebench.errors import MissingPartError
from vdebench.suites.hub import SETS, HubError, data_set, take_placed
from vdebench.suites.hub.layouts import arrange
from vdebench.suites.hub.licence import front_matter, licence_of_card
from vdebench.suites.suite import load_suite


def placed(folder: Path, files: dict[str, bytes]) -> Path:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def test_vde_is_known_by_what_it_holds(tmp_path):
    """Other names, input and output of one stem, an editor's readings beside the right ones."""
    files = {}
    for path, content in hub_sets.vde().items():
        for old, new in (
            ("text_info_all.json", "bench/annotations_text.json"),
            ("merged_with_label_output.json", "bench/annotations_table.json"),
            ("text_output_all_ocr/", "bench/ocr/text_gt/"),
            ("table_ocr/", "bench/ocr/table_gt/"),
            ("text_output_all/", "bench/text_edited/"),
            ("table_output/", "bench/table_edited/"),
            ("text_input/", "bench/text_source/"),
        ):
            path = path.replace(old, new)
        files[path] = content
        if path.startswith("bench/ocr/"):
            files[path.replace("_gt/", "_some_editor/")] = b'{"parsing_res_list": []}'
    _, toml = arrange(SETS["vde-v3"], placed(tmp_path, files))
    assert toml == (
        'format = "vde-release"\nname = "vde-v3"\n'
        '\n[groups.text]\ninfo = "bench/annotations_text.json"\nreadings = "bench/ocr/text_gt"\n'
        'images = "bench/text_edited"\nsource_images = "bench/text_source"\n'
        '\n[groups.table]\ninfo = "bench/annotations_table.json"\nreadings = "bench/ocr/table_gt"\n'
        'images = "bench/table_edited"\nsource_images = "table_input"\n'
    )


def test_pages_of_one_folder_are_those_after_the_edit(tmp_path):
    files = {path: content for path, content in hub_sets.vde().items() if "_input/" not in path}
    _, toml = arrange(SETS["vde-v3"], placed(tmp_path, files))
    assert "source_images" not in toml
    assert toml.count("images = ") == 2


def test_two_lists_of_entries_are_not_guessed_at(tmp_path):
    entries = (Path("examples/tiny") / "text_info.json").read_bytes()
    placed(tmp_path, {"text_v1.json": entries, "text_v2.json": entries})
    with pytest.raises(HubError, match=r"text_v1\.json and text_v2\.json could all list"):
        arrange(SETS["vde-v3"], tmp_path)
    placed(tmp_path, {"text_info_all.json": entries})
    assert 'info = "text_info_all.json"' in arrange(SETS["vde-v3"], tmp_path)[1]


def test_placed_files_become_suites(tmp_path):
    got = take_placed(SETS["omnidocbench"], placed(tmp_path / "o", hub_sets.omnidoc()))
    assert (got.suite, got.samples, got.errors) == (str(tmp_path / "o"), 2, 0)
    assert len(load_suite(tmp_path / "o")) == 2
    got = take_placed(SETS["textedit"], placed(tmp_path / "t", hub_sets.textedit(tmp_path / "made")))
    assert (got.suite, got.samples, got.errors) == (f"textedit:{tmp_path / 't/data'}", 2, 0)
    assert take_placed(SETS["textedit"], tmp_path / "t").samples == 2  # again
    for one in SETS.values():
        (tmp_path / one.name).mkdir()
        with pytest.raises(HubError, match=f"no {one.title} here: found nothing"):
            take_placed(one, tmp_path / one.name)
    with pytest.raises(HubError, match="To place VDE Bench by hand"):
        take_placed(SETS["vde-v3"], tmp_path / "none")


def run(*given):
    done = CliRunner().invoke(app, ["suite", "get", *map(str, given)])
    return done.exit_code, done.output, done.exception


def test_by_hand_needs_nothing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    for one in SETS.values():
        code, output, _ = run(one.name, "--by-hand")
        assert code == 0
        assert f"hf download {one.repo} --repo-type dataset" in output
        assert f"vde suite get {one.name} -o data/{one.name} --placed" in output
    with pytest.raises(MissingPartError, match=r"pip install 'vdebench\[hub\]'"):
        raise run("vde-v3", "-o", tmp_path)[2]
    code, output, _ = run("omnidocbench", "-o", placed(tmp_path, hub_sets.omnidoc()), "--placed", "--json")
    assert code == 0
    assert json.loads(output)["samples"] == 2
    with pytest.raises(HubError, match="expected one of vde-v3, textedit, omnidocbench"):
        data_set("vde")


def test_licences_of_cards():
    assert licence_of_card({}).summary == "none named in the card"
    assert "ask its authors" in licence_of_card({}).advice
    assert (
        licence_of_card({"license": "mit"}, ["docs/LICENSE", "LICENSE.txt"]).summary == "mit; see its file LICENSE.txt"
    )
    assert licence_of_card({"license": "mit\x1b[2J\nand more"}).name == "mit[2J and more"
    assert licence_of_card({"license": 7}).name == ""
    assert front_matter("---\nlicense: 'mit'\nconfigs:\n- config_name: a\n---\n") == {"license": "mit", "configs": []}
    assert front_matter("# Title\n---\nlicense: mit\n---\n") == {}
