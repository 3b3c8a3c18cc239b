"""Suites, predictions and images in a store that a folder plays: the same numbers, and nothing fetched in vain."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.stores import FolderStore
from tests.suites.textedit_folders import WEB, picture, write
from vdebench.errors import InputError, MissingPartError, RunFolderError, SuiteError, VdeError
from vdebench.io import files
from vdebench.io.cache import digest_of_file
from vdebench.io.images import image_size, open_image
from vdebench.io.stores import address, bring, environment, mounted, mounts, place, require_local
from vdebench.io.stores.store import Mount
from vdebench.io.stores.urls import parse_url
from vdebench.pipeline.score import score
from vdebench.suites.pages import pages_of
from vdebench.suites.suite import load_suite

TINY = Path("examples/tiny")


@pytest.fixture(autouse=True)
def _nothing_mounted(monkeypatch, tmp_path):
    monkeypatch.setattr(mounts, "_mounts", {})
    monkeypatch.setenv(mounts.VARIABLE, "{}")
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def store(monkeypatch, tmp_path):
    """A store with a bucket `lab`."""
    made = FolderStore(tmp_path / "store")
    (made.root / "lab").mkdir(parents=True)
    monkeypatch.setattr(Mount, "_system", made)
    return made


def put(store, name, content=b"content"):
    file = store.root / "lab" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def another_process():
    """What a process knows that this one has started: the environment."""
    mounts._mounts = None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("s3://bucket/suite", "s3://bucket/suite"),
        ("S3://bucket//suite/", "s3://bucket/suite"),
        (Path("s3://bucket/suite"), "s3://bucket/suite"),  # which is s3:/bucket/suite
        ("abfss://data@lab.dfs.core.windows.net/x", "abfss://data@lab.dfs.core.windows.net/x"),
        (Path("file:///data/suite"), "file:///data/suite"),
        ("gs://bucket/a b/ü", "gs://bucket/a b/ü"),
    ],
)
def test_a_url_has_one_spelling(given, expected):
    assert str(parse_url(given)) == expected


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("s3://key:hush@bucket/x", "user or a password"),
        ("s3://hush@bucket/x", "user or a password"),
        ("sftp://me:hush@host/x", "user or a password"),
        ("https://host/x?signature=hush", "query"),
        ("s3://", "names no bucket"),
        ("s3://bucket/../other", "by . or .."),
        ("zip://x::s3://bucket/a.zip", "chain"),
        ("suites/mine", "not the URL of a store"),
    ],
)
def test_a_url_with_more_than_a_place_is_refused_and_no_secret_repeated(given, what):
    with pytest.raises(InputError, match=what) as caught:
        parse_url(given)
    assert "hush" not in str(caught.value)


def test_a_file_url_is_the_folder_itself_and_needs_no_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    here = f"file://{TINY.absolute()}"
    suite = load_suite(here)
    assert suite.origin == str(TINY.absolute())
    given = score(Path(here), f"{here}/editors/careful").summary
    assert given == score(TINY, TINY / "editors/careful").summary
    assert environment() == {}


def test_without_fsspec_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingPartError, match=r"s3://bucket/suite.*\n.*vdebench\[storage\].*s3fs"):
        load_suite("s3://bucket/suite")


def test_a_suite_and_predictions_in_a_store_score_as_on_disk(store, tmp_path):
    shutil.copytree(TINY, store.root / "lab/tiny")
    near = score(TINY, TINY / "editors/sloppy", out=tmp_path / "near").summary
    suite = load_suite("s3://lab/tiny")
    far = score(suite, Path("s3://lab/tiny/editors/sloppy"), out=tmp_path / "far").summary
    assert near == far
    assert (suite.name, suite.origin) == ("tiny", "s3://lab/tiny")
    assert pages_of(suite) == pages_of(load_suite(TINY))
    assert json.loads((tmp_path / "far/run.json").read_text())["asked"]["suite"] == "s3://lab/tiny"
    scores = "scores.parquet"
    assert (tmp_path / "near" / scores).read_bytes() == (tmp_path / "far" / scores).read_bytes()


def test_a_suite_is_the_same_wherever_it_lies_also_where_names_are_not_clear(store, tmp_path):
    shutil.copytree(TINY, tmp_path / "near")
    reading = tmp_path / "near/text_gt_ocr/notice_1.json"
    shutil.copy(reading, reading.with_name("notice_1_res.json"))
    shutil.copytree(tmp_path / "near", store.root / "lab/far")
    far = load_suite("s3://lab/far/suite.toml")
    assert load_suite(tmp_path / "near").revision == far.revision
    assert [fault.severity for fault in far.faults() if "both" in fault.what] == ["error"]


def test_folders_beside_the_suite_are_found(store):
    shutil.copytree(TINY, store.root / "lab/tiny")
    (store.root / "lab/tiny/text_gt_ocr").rename(store.root / "lab/elsewhere")
    told = store.root / "lab/tiny/suite.toml"
    told.write_text(told.read_text().replace('"text_gt_ocr"', '"../elsewhere"'))
    assert load_suite("s3://lab/tiny").revision == load_suite(TINY).revision


def test_textedit_is_listed_by_one_question(store):
    for number in ("019", "020", "021"):
        write(store.root / "lab/bench", number=number)
        write(store.root / "lab/bench", WEB, number=number)
    near, far = load_suite(f"textedit:{store.root}/lab/bench"), load_suite(Path("textedit:s3://lab/bench"))
    assert len(far) == 6
    assert (far.revision, [*far.faults()]) == (near.revision, [*near.faults()])
    assert far.origin == "textedit:s3://lab/bench"
    assert (store.calls["find"], store.calls["info"]) == (1, 0)
    assert store.calls["ls"] == 1  # of the splits
    picture(store.root / "lab/made/manual/Packaging_Logistics/019_edited.png")
    outputs = far.outputs(Path("s3://lab/made"))
    assert [sample.key for sample in far if outputs.has_any(sample)] == ["manual/Packaging_Logistics/019"]
    assert outputs.find(far.samples[0]) == outputs.root / "manual/Packaging_Logistics/019_edited.png"


def test_no_file_is_fetched_twice_and_no_good_copy_asked_for_again(store):
    put(store, "a/page.json", b"[1]")
    page = mounted("s3://lab/a") / "page.json"
    assert files.is_file(page)
    assert files.read_json(page) == files.read_json(page) == [1]
    assert store.calls == {"info": 1, "get": 1}
    another_process()  # of the same run
    assert files.is_file(page)
    assert files.read_json(page) == [1]
    assert digest_of_file(page)
    assert store.calls == {"info": 1, "get": 1}
    mounted("s3://lab/a")  # another day: compared, not fetched
    assert files.read_json(page) == [1]
    another_process()
    assert files.read_json(page) == [1]
    assert store.calls == {"info": 2, "get": 1}


@pytest.mark.parametrize("listed", [True, False])
def test_a_file_that_changed_is_noticed_though_its_size_is_the_same(store, listed):
    file = put(store, "a/page.json", b"[1]")
    page = mounted("s3://lab/a") / "page.json"
    before = digest_of_file(page)
    file.write_bytes(b"[2]")
    if listed:  # what a listing says counts, also in the same run
        assert files.list_folder(page.parent) == ["page.json"]
    else:
        mounted("s3://lab/a")
    assert files.read_json(page) == [2]
    assert digest_of_file(page) != before


def test_a_store_that_tells_no_versions_is_asked_anew_each_time_it_is_given(store):
    store.tells_versions = False
    file = put(store, "page.json", b"[1]")
    page = mounted("s3://lab") / "page.json"
    files.list_folder(page.parent)
    assert files.read_json(page) == files.read_json(page) == [1]
    assert store.calls["get"] == 1
    file.write_bytes(b"[2]")
    mounted("s3://lab")
    assert files.read_json(page) == [2]


def test_a_copy_that_somebody_changed_here_is_mended(store):
    put(store, "page.json", b"[1]")
    page = mounted("s3://lab") / "page.json"
    assert files.read_json(page) == [1]
    page.write_bytes(b"[7]")
    mounted("s3://lab")
    assert files.read_json(page) == [1]


def test_a_download_that_was_cut_short_is_tried_again_and_leaves_nothing(store):
    put(store, "page.json", b"[1]")
    page = mounted("s3://lab") / "page.json"
    store.cut_short = 2
    with pytest.raises(InputError, match=r"s3://lab/page.json: 2 bytes received, expected 3"):
        files.read_json(page)
    assert list(page.parent.iterdir()) == []
    store.cut_short = 1
    assert files.read_json(page) == [1]


def test_images_are_opened_and_measured(store):
    picture(store.root / "lab/x/page.png", (30, 20))
    page = place("s3://lab/x") / "page.png"
    assert files.size_of(page) == (store.root / "lab/x/page.png").stat().st_size
    assert store.calls["get"] == 0
    assert tuple(image_size(page)) == (30, 20)
    assert open_image(page).shape == (20, 30, 3)
    assert store.calls["get"] == 1


def test_what_is_written_is_in_the_store_first(store):
    folder = mounted("s3://lab/run")
    files.make_folder(folder)
    assert files.list_folder(folder) == []
    files.write_bytes(folder / "text/page.png", b"pixels")
    assert (store.root / "lab/run/text/page.png").read_bytes() == b"pixels"
    assert files.is_folder(folder / "text")
    assert files.list_folder(folder / "text") == ["page.png"]
    assert files.read_bytes(folder / "text/page.png") == b"pixels"
    assert store.calls["get"] == 0
    mounted("s3://lab/run")
    assert files.read_bytes(folder / "text/page.png") == b"pixels"
    assert store.calls["get"] == 0
    files.remove_file(folder / "text/page.png")
    assert not files.is_file(folder / "text/page.png")
    files.remove_file(folder / "text/page.png")


def test_what_cannot_be_written_is_not_here_either(store):
    folder = mounted("s3://lab/run")
    store.fails["put"] = PermissionError("Access Denied")
    with pytest.raises(InputError, match=r"s3://lab/run/a.png: no permission: Access Denied\n.*credentials"):
        files.write_bytes(folder / "a.png", b"pixels")
    assert list(folder.iterdir()) == []
    assert not files.is_file(folder / "a.png")
    del store.fails["put"]
    with pytest.raises(InputError, match=r"s3://none/a.png: The specified bucket does not exist"):
        files.write_bytes(mounted("s3://none") / "a.png", b"pixels")


def test_other_failures_name_the_url(store):
    put(store, "a/page.json")
    folder = mounted("s3://lab/a")
    for wanted, what in (
        (folder / "none.json", "s3://lab/a/none.json: cannot be read: no such file"),
        (folder, "s3://lab/a: is a folder, expected a file"),
    ):
        with pytest.raises(InputError, match=what):
            files.read_bytes(wanted)
    with pytest.raises(InputError, match="s3://lab/a/none: cannot be listed: no such folder"):
        files.list_folder(folder / "none")
    with pytest.raises(InputError, match=r"s3://lab/a/page.json: is a file, expected a folder"):
        files.list_folder(folder / "page.json")
    with pytest.raises(SuiteError, match=r"s3://lab/a: no suite.toml here"):
        load_suite("s3://lab/a")
    store.fails["get"] = TimeoutError("no answer")
    with pytest.raises(InputError, match=r"s3://lab/a/page.json: the store fails: TimeoutError: no answer"):
        files.read_bytes(folder / "page.json")
    store.fails["get"] = OSError(28, "No space left on device")
    with pytest.raises(InputError, match="no place for a copy: No space left on device; make room, or set VDE_CACHE"):
        files.read_bytes(folder / "page.json")


def test_many_are_brought_together_and_what_fails_is_told_later(store):
    for number in range(40):
        put(store, f"{number}.json", b"[]")
    folder = mounted("s3://lab")
    bring([*(folder / f"{number}.json" for number in range(40)), folder / "none.json", Path("elsewhere.json")])
    assert store.calls["get"] == 40
    with pytest.raises(InputError, match=r"none.json: cannot be read"):
        files.read_bytes(folder / "none.json")


def test_of_two_places_the_inner_one_counts(store):
    put(store, "suite/editors/a.json", b"[1]")
    outer, inner = mounted("s3://lab/suite"), mounted("s3://lab/suite/editors")
    assert inner == outer / "editors"
    assert address(inner / "a.json") == address(outer / "editors/a.json") == "s3://lab/suite/editors/a.json"
    assert files.read_json(inner / "a.json") == [1]
    put(store, "suite/editors/a.json", b"[2]")
    mounted("s3://lab/suite/editors")  # looked at anew, the suite is not
    assert files.read_json(outer / "editors/a.json") == [2]
    assert address(Path("x")) == os.path.abspath("x")
    assert address(Path(f"{inner}.old")) == "s3://lab/suite/editors.old"


def test_the_environment_tells_other_processes(store):
    folder = mounted("s3://lab/suite")
    ((told, (url, _)),) = json.loads(os.environ[mounts.VARIABLE]).items()
    assert (told, url) == (str(folder), "s3://lab/suite")
    assert environment() == {mounts.VARIABLE: os.environ[mounts.VARIABLE]}


def test_a_run_stays_on_this_machine():
    require_local("runs/mine")
    require_local(Path("file:///data/runs"))
    with pytest.raises(RunFolderError, match=r"--out s3://lab/runs: .*\n.*--image-store"):
        require_local(Path("s3://lab/runs"))


def test_a_mirror_that_cannot_be_made_says_so(store, monkeypatch, tmp_path):
    put(store, "a.json", b"[1]")
    (tmp_path / "full").write_text("a file")
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "full"))
    with pytest.raises(VdeError, match=r"no place for a copy: .*; set VDE_CACHE"):
        files.read_json(mounted("s3://lab") / "a.json")
