"""Suites on disk: the same bytes on any number of workers, also after a kill and resume."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import polars as pl
import pytest
from PIL import Image

from tests.oracle.instructions import carried_out, contents
from vdebench.errors import VdeError
from vdebench.io.cache_limit import prune
from vdebench.suites.export import export_suite
from vdebench.suites.suite import load_suite
from vdebench.suites.typeset.make import make_suite
from vdebench.suites.typeset.recipe import SuiteRecipe

SMALL = SuiteRecipe(seed=5, ppi=48)
N = 24


def tree(folder: Path) -> dict[str, str]:
    """Hash of every file."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != ".lock"
    }


def opened(file: Path) -> tuple[tuple[int, int], str]:
    """Size and mode of an image."""
    with Image.open(file) as image:
        return image.size, image.mode


def begin(folder: Path, n: int, workers: int = 2) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "vdebench", "typeset", "make", "--n", str(n), "--seed", "5", "--ppi", "48"]
    return subprocess.Popen([*command, "--workers", str(workers), "--out", str(folder)], start_new_session=True)


def make_alone(folder: Path, n: int) -> None:
    """By one process of its own, as a user's command is: not beside whatever a process of tests has done before."""
    assert begin(folder, n, workers=1).wait() == 0


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("typeset") / "suite"
    make_alone(folder, N)
    return folder


def test_same_bytes_on_any_number_of_workers(made, tmp_path):
    make_suite(tmp_path / "two", N, SMALL, workers=3)
    assert tree(tmp_path / "two") == tree(made)


def test_other_seeds_give_other_bytes(made, tmp_path):
    make_suite(tmp_path / "other", 2, SuiteRecipe(seed=6, ppi=48), workers=1)
    other, ours = (
        {code for name, code in tree(folder).items() if name.endswith(".png")} for folder in (tmp_path / "other", made)
    )
    assert not other & ours


def test_a_suite_grows_into_what_it_would_have_been(made, tmp_path):
    make_alone(tmp_path / "grown", 7)
    make_alone(tmp_path / "grown", N)
    assert tree(tmp_path / "grown") == tree(made)


def kill_after_parts(folder: Path, n: int, parts: int) -> None:
    """Kill the maker, and it alone, when so many parts are written."""
    process = begin(folder, n)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if len(list(folder.glob(".parts/*.jsonl"))) >= parts:
            break
        time.sleep(0.02)
    assert process.poll() is None, "it was done before it could be killed"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.slow
def test_killed_twice_and_gone_on_with(tmp_path):
    """120 samples are six parts; the workers of a killed maker end by themselves and leave nothing half-written."""
    make_suite(tmp_path / "whole", 120, SMALL)
    kill_after_parts(tmp_path / "killed", 120, 1)
    assert not (tmp_path / "killed" / "suite.toml").exists()
    (tmp_path / "killed" / "reference" / ".000003.png.abc").write_bytes(b"half")
    kill_after_parts(tmp_path / "killed", 120, 3)
    assert begin(tmp_path / "killed", 120).wait() == 0
    time.sleep(2.5)  # orphans of the first two would write no more
    assert tree(tmp_path / "killed") == tree(tmp_path / "whole")


def test_what_is_there_already_is_not_made_again(made, tmp_path):
    seen = []
    make_suite(made, N, SMALL, workers=1, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(N, N)]


def test_another_recipe_is_refused(made):
    with pytest.raises(VdeError, match=r"holds a suite with seed 5, requested 9\n  choose another folder"):
        make_suite(made, N, SuiteRecipe(seed=9, ppi=48), workers=1)
    with pytest.raises(VdeError, match="holds a suite of 24 samples, requested 3"):
        make_suite(made, 3, SMALL, workers=1)


def test_a_folder_with_other_things_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(VdeError, match="holds other files"):
        make_suite(tmp_path, 3, SMALL, workers=1)
    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_a_folder_begun_with_other_tools_is_refused(tmp_path):
    make_suite(tmp_path / "s", 2, SMALL, workers=1)
    file = tmp_path / "s" / "make.json"
    made = json.loads(file.read_text())
    file.write_text(json.dumps({**made, "made_with": {**made["made_with"], "typst": "0.1"}}))
    with pytest.raises(VdeError, match="made_with"):
        make_suite(tmp_path / "s", 2, SMALL, workers=1)
    file.write_text(json.dumps({**made, "n": "2"}))
    with pytest.raises(VdeError, match="not the recipe of a generated suite"):
        make_suite(tmp_path / "s", 2, SMALL, workers=1)


def test_a_recipe_half_written_does_not_block_its_folder(tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / ".make.json.abc12345").write_text("{")
    make_suite(tmp_path / "s", 2, SMALL, workers=1)
    assert not list((tmp_path / "s").glob(".make.json.*"))


def test_damaged_parts_are_made_again(made, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    first, second = sorted(copy.glob(".parts/*.jsonl"))
    first.write_bytes(b"\xff\n" * 20)
    next(iter((copy / "reference").glob("00002*.png"))).unlink()
    make_alone(copy, N)
    assert tree(copy) == tree(made)
    assert second.exists()


def test_a_folder_called_typeset_is_a_folder(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "typeset").symlink_to(made)
    assert len(load_suite("typeset")) == N


def test_a_script_without_a_guard_makes_a_suite(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from vdebench import load_suite\nprint(len(load_suite('typeset:n=60,seed=1,ppi=48')))\n", encoding="utf-8"
    )
    environment = {**os.environ, "VDE_CACHE": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=100, env=environment)
    assert (done.returncode, done.stdout) == (0, "60\n"), done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"operations": ("text_dance",)},
            r"no operation is called 'text_dance' \(did you mean '\w+'\?\); there are: text_replace",
        ),
        ({"kinds": ("comic",)}, "no kind is called 'comic'"),
        ({"languages": ("fr",)}, "no language is called 'fr'"),
        ({"languages": ()}, "no language given"),
        ({"ppi": 5}, "5 pixels per inch"),
        ({"degradation": "burnt"}, "no degradation is called 'burnt'; there are: none, light, heavy"),
        ({"per_page": 0}, "0 samples on a page"),
    ],
)
def test_bad_recipes(options, message):
    with pytest.raises(VdeError, match=message):
        SuiteRecipe(**options)


def test_one_operation_alone_gives_different_edits(tmp_path):
    recipe = SuiteRecipe(seed=1, operations=("text_replace",), languages=("en",), kinds=("book",), ppi=48)
    make_suite(tmp_path / "s", 6, recipe, workers=1)
    suite = load_suite(tmp_path / "s")
    assert len({sample.instruction for sample in suite}) == 6


def test_the_suite_is_clean_and_complete(made):
    suite = load_suite(made)
    assert list(suite.faults()) == []
    assert len(suite) == N
    for sample in suite:
        files = suite.image_files(sample)
        assert None not in files
        sizes, modes = zip(*(opened(file) for file in files), strict=True)
        assert set(sizes) == {tuple(suite.image_size(sample))}
        assert modes == ("RGB", "RGB", "L")
        source, truth = suite.source(sample), suite.ground_truth(sample)
        language = "en" if sample.language == "english" else "zh"
        assert carried_out(sample.instruction, source, language) == contents(truth)
        assert len(suite.ground_truth_regions(sample)) == len(sample.regions)


def test_a_missing_image_is_a_fault(made, tmp_path):
    import shutil

    shutil.copytree(made, tmp_path / "copy")
    gone = next((tmp_path / "copy" / "mask").iterdir())
    gone.unlink()
    (fault,) = load_suite(tmp_path / "copy").faults()
    assert fault.severity == "warning"
    assert f"no image {gone.stem}" in fault.what


def test_exact_truth_scores_one_against_itself(made):
    from vdebench import score

    result = score(made, made / "readings", protocol="strict")
    for setting in ("global", "local"):
        found = result.summary["overall"][setting]
        assert found["text_correctness"] == found["iou"] == found["page_text"] == 1.0
        assert found["unmatched_pred"] == found["unmatched_gt"] == 0


def test_a_page_left_as_it_was_is_an_edit_not_done(made):
    """The readings of the sources as predictions: of every edit that changes text, `strict` says that it was not made."""
    from vdebench import score

    neutral = ("text_attribute", "scaling")
    for readings, expected in (("readings", "done"), ("source_readings", "not_done")):
        found = score(made, made / readings, protocol="strict").summary["regions"]["by"]["operation"]
        for operation, outcomes in found.items():
            if operation == "text_relocation":  # a block that moved, or one aligned to another side
                assert set(outcomes["outcomes"]) <= {expected, "text_kept"}
            else:
                assert set(outcomes["outcomes"]) == {"text_kept" if operation in neutral else expected}


def test_lazy_suite_is_made_when_it_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("VDE_CACHE", str(tmp_path))
    suite = load_suite("typeset:n=4,seed=5,ppi=48,languages=en+zh")
    assert not list(tmp_path.rglob("*.png"))
    assert len(suite) == 4
    assert {sample.language for sample in suite} <= {"english", "simplified_chinese"}
    first = next(iter(suite))
    assert suite.image_files(first).source.is_file()
    made_at = suite.image_files(first).source.stat().st_mtime_ns
    again = load_suite("typeset:n=4,seed=5,ppi=48,languages=en+zh")
    assert again.revision == suite.revision
    assert again.image_files(first).source.stat().st_mtime_ns == made_at
    assert list(again.faults()) == []


def test_the_use_of_a_generated_suite_is_recorded(tmp_path, monkeypatch):
    """A suite that was not used for a month may be removed when the cache is full."""
    monkeypatch.setenv("VDE_CACHE", str(tmp_path))
    suite = load_suite("typeset:n=1,seed=5,ppi=48,languages=en")
    suite.prepare()
    os.utime(suite.root / "suite.toml", (0, 0))
    assert len(load_suite("typeset:n=1,seed=5,ppi=48,languages=en")) == 1
    prune(tmp_path, 0)
    assert suite.root.exists()
    os.utime(suite.root / "suite.toml", (0, 0))
    prune(tmp_path, 0)
    assert not suite.root.exists()
    assert len(load_suite("typeset:n=1,seed=5,ppi=48,languages=en")) == 1  # made again


def test_two_processes_that_order_the_same_suite_share_it(tmp_path):
    order = "typeset:n=8,seed=5,ppi=48"
    command = [sys.executable, "-m", "vdebench", "suite", "show", order, "--json"]
    environment = {**os.environ, "VDE_CACHE": str(tmp_path)}
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) for _ in range(2)]
    shown = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert shown[0] == shown[1]
    assert len(list(tmp_path.glob("typeset/*"))) == 1


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("typeset:n=x", "n is 'x', expected a whole number"),
        ("typeset:colour=red", "'colour=red' is not an option"),
        ("typeset:seed=1,seed=2", "'seed=2' is not an option"),
        ("typeset:languages=tlh", "no language is called 'tlh'"),
    ],
)
def test_bad_orders(order, message):
    with pytest.raises(VdeError, match=message):
        load_suite(order)


def test_export_as_parquet(made, tmp_path):
    export_suite(load_suite(made), "parquet", tmp_path / "out")
    frame = pl.read_parquet(tmp_path / "out" / "data" / "*.parquet")
    assert frame.height == N
    row = frame.row(0, named=True)
    sample = load_suite(made).samples[0]
    assert row["instruction"] == sample.instruction
    assert row["source"]["bytes"] == (made / sample.source_image).read_bytes()
    assert json.loads(row["reference_reading"]) == load_suite(made).ground_truth(sample).to_json()
    assert json.loads(row["details"])["edit"] == sample.extra["edit"]
    assert "dtype: image" in (tmp_path / "out" / "README.md").read_text()


def test_export_as_shards_is_the_same_every_time(made, tmp_path):
    for name in ("one", "two"):
        export_suite(load_suite(made), "webdataset", tmp_path / name)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    (shard,) = (tmp_path / "one").iterdir()
    with tarfile.open(shard) as files:
        names = files.getnames()
    assert len(names) == 4 * N
    assert names[0].endswith(".source.png")


def test_export_in_the_release_layout_is_the_same_suite(made, tmp_path):
    suite = load_suite(made)
    export_suite(suite, "vde-release", tmp_path / "out")
    copy = load_suite(tmp_path / "out")
    assert list(copy.faults()) == []
    assert copy.samples == suite.samples
    for sample in suite:
        assert copy.ground_truth(sample) == suite.ground_truth(sample)
        assert copy.source(sample) == suite.source(sample)
        assert copy.image_files(sample).mask.read_bytes() == suite.image_files(sample).mask.read_bytes()


def test_export_of_a_suite_without_images(tmp_path):
    for form in ("parquet", "webdataset", "vde-release"):
        export_suite(load_suite("examples/tiny"), form, tmp_path / form)
    assert len(load_suite(tmp_path / "vde-release")) == len(load_suite("examples/tiny"))


def test_export_refuses_a_full_folder_and_an_unknown_form(made, tmp_path):
    (tmp_path / "x").write_text("")
    with pytest.raises(VdeError, match="is not empty"):
        export_suite(load_suite(made), "parquet", tmp_path)
    with pytest.raises(VdeError, match="unknown form 'zip'; available: parquet, webdataset, vde-release"):
        export_suite(load_suite(made), "zip", tmp_path / "new")


def test_an_export_that_fails_leaves_nothing(made, tmp_path):
    import shutil

    shutil.copytree(made, tmp_path / "copy")
    next((tmp_path / "copy" / "readings" / "text").glob("*.json")).unlink()
    with pytest.raises(VdeError, match="no ground-truth OCR output for"):
        export_suite(load_suite(tmp_path / "copy"), "webdataset", tmp_path / "out")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy"]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # theirs, not ours
def test_datasets_loads_the_parquet_folder(made, tmp_path, datasets):
    export_suite(load_suite(made), "parquet", tmp_path / "out")
    loaded = datasets.load_dataset(str(tmp_path / "out"), cache_dir=str(tmp_path / "cache"))["test"]
    assert loaded.num_rows == N
    sample = load_suite(made).samples[0]
    assert loaded[0]["instruction"] == sample.instruction
    assert loaded[0]["source"].size == opened(made / sample.source_image)[0]
    assert loaded[0]["mask"].mode == "L"
    assert loaded[0]["regions"][0]["x"] == sample.regions[0].x


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_webdataset_loads_the_shards(made, tmp_path):
    webdataset = pytest.importorskip("webdataset")
    export_suite(load_suite(made), "webdataset", tmp_path / "out")
    shards = sorted(str(file) for file in (tmp_path / "out").iterdir())
    loaded = list(webdataset.WebDataset(shards, shardshuffle=False).decode("pil"))
    assert len(loaded) == N
    sample = load_suite(made).samples[0]
    assert loaded[0]["json"]["instruction"] == sample.instruction
    assert loaded[0]["reference.png"].size == opened(made / sample.reference_image)[0]
