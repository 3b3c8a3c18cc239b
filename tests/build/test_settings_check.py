"""Invalid options and secrets are rejected before anything is written."""

from __future__ import annotations

import hashlib
import json
import shutil
import tomllib
from dataclasses import replace

import pytest

from tests.build.pages import LINES, write_pages
from vdebench.build.edit import choose_editor
from vdebench.build.package import checksums, package
from vdebench.build.pages import initialise, prepare
from vdebench.build.settings import BuildSettings, Component, SourceSettings, read_settings, write_settings
from vdebench.build.sources import find_pages
from vdebench.build.workspace import Workspace
from vdebench.errors import VdeError

KEY = "sk-proj-0123456789abcdef"


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (
            {"generators": (Component("qwen", {"api_key": KEY}),)},
            "generator qwen: its option 'api_key' contains a secret",
        ),
        ({"generators": (Component("qwen", {"modle": "x"}),)}, "the generator qwen has no option 'modle'"),
        ({"generators": (Component("template", {"url": "http://here"}),)}, "template has no options"),
        ({"generators": (Component("qwen", {"key_variable": KEY}),)}, "'key_variable' contains a secret"),
        ({"generators": (Component("qwen", {"url": "https://me:pass@here/v1"}),)}, "'url' contains a secret"),
        ({"generators": (Component("qwen", {"url": "https://here/v1?key=abc"}),)}, "'url' contains a secret"),
        (
            {"editor": Component("code", {"colour": "red"})},
            "the editor code has no option 'colour'; it has: spoil, refuse",
        ),
        ({"editor": Component("code", {"spoil": f"Bearer {KEY}"})}, "'spoil' contains a secret"),
        ({"editor": Component("http://me:pass@here/v1")}, "editor's address contains a user name"),
        ({"editor": Component("http://here/v1", {"modle": "x"})}, "has no option 'modle'"),
        ({"editor": Component("paintbrush")}, "no editor is called 'paintbrush'"),
        ({"reader": Component("openai-vlm", {"key": "abc"})}, "reader openai-vlm: its option 'key' contains a secret"),
        ({"reader": Component("paddleocr-vl-server", {"token": "abc"})}, "'token' contains a secret"),
        ({"reader": Component("code", {"x": "1"})}, "the reader code has no option 'x'; it has: none"),
    ],
)
def test_options_that_may_not_be_written(tmp_path, settings, choice, message):
    with pytest.raises(VdeError, match=message) as told:
        prepare(tmp_path / "ws", replace(settings, **choice))
    assert not (tmp_path / "ws").exists()
    assert KEY not in str(told.value)
    assert "pass@" not in str(told.value)


def test_addresses_and_places_may_be_written(tmp_path, settings):
    told = replace(
        settings,
        generators=(
            Component("qwen", {"url": "http://10.0.0.7:8000/v1", "key_variable": "MY_KEY", "model": "a/b@c"}),
            Component("template"),
        ),
        editor=Component("http://10.0.0.7:9000/v1", {"model": "m"}),
        reader=Component("openai-vlm", {"url": "http://here:8000/v1", "max_tokens": "4000"}),
    )
    assert prepare(tmp_path / "ws", told).settings == told


def test_another_editor_is_looked_at_before_it_is_written(workspace):
    before = (workspace.root / "build.toml").read_bytes()
    with pytest.raises(VdeError, match="no option 'colour'"):
        choose_editor(workspace, "code", {"colour": "red"})
    with pytest.raises(VdeError, match="contains a secret"):
        choose_editor(workspace, "code", {"spoil": KEY})
    assert (workspace.root / "build.toml").read_bytes() == before


def test_names_of_options_stay_names(tmp_path):
    told = BuildSettings("a", editor=Component("code", {'x = 1\n[reader]\nname = "evil"\ny': "z", "größe": 2, "": 3}))
    write_settings(tmp_path, told)
    assert tomllib.loads((tmp_path / "build.toml").read_text("utf-8"))["reader"] == {"name": "rapidocr"}
    assert read_settings(tmp_path) == told


def test_what_a_data_set_says_counts_more_than_the_command_line(tmp_path):
    folder = write_pages(tmp_path / "data" / "images", ["mill", "library"])
    element = {"category_type": "text_block", "poly": [24, 36, 300, 36, 300, 60, 24, 60], "text": LINES["mill"][0]}
    said = {"mill.png": {"data_source": "book", "language": "english"}, "library.png": {"language": "unknown"}}
    pages = [
        {
            "layout_dets": [element],
            "page_info": {"image_path": name, "width": 600, "height": 216, "page_attribute": told},
        }
        for name, told in said.items()
    ]
    (folder.parent / "Omni.json").write_text(json.dumps(pages))
    source = SourceSettings(str(folder.parent / "Omni.json"), document="newspaper", language="en_ch_mixed")
    found = {each.name: (each.document, each.language) for each in find_pages(source, tmp_path)}
    assert found == {"mill": ("book", "english"), "library": ("newspaper", "en_ch_mixed")}


def test_a_workspace_below_its_source_does_not_take_its_own_pages(tmp_path, settings):
    folder = write_pages(tmp_path / "mine", ["mill"])
    told = replace(settings, sources=(SourceSettings(str(folder)),))
    initialise(prepare(folder / "ws", told), 1)
    assert initialise(Workspace(folder / "ws"), 1) == {"known": 1}
    assert [page["file"] for page in json.loads((folder / "ws" / "found.json").read_text())] == ["mill.png"]


def test_a_package_below_a_source_is_none(reviewed, tmp_path):
    package(reviewed, tmp_path / "scans" / "out")
    assert len(list(find_pages(SourceSettings(str(tmp_path / "scans")), tmp_path))) == len(LINES)


def test_a_workspace_may_move_with_its_sources(tmp_path, settings):
    write_pages(tmp_path / "here" / "scans", ["mill", "library"])
    (tmp_path / "here" / "ws").mkdir()  # beside which the source is looked for
    told = replace(settings, sources=(SourceSettings("../scans"),))
    initialise(prepare(tmp_path / "here" / "ws", told), 1)
    shutil.move(tmp_path / "here", tmp_path / "there")
    assert initialise(Workspace(tmp_path / "there" / "ws"), 1) == {"known": 2}


def test_large_files_have_sums(tmp_path, monkeypatch):
    monkeypatch.setattr("vdebench.io.files.MAX_JSON_BYTES", 10)
    (tmp_path / "data.parquet").write_bytes(b"x" * 1000)
    assert list(checksums(tmp_path)) == [(hashlib.sha256(b"x" * 1000).hexdigest(), "data.parquet")]
