"""Submissions as they are made: the same bytes from the same run, all that is needed in them, nothing private."""

from __future__ import annotations

import hashlib
import io
import json
import shutil

import polars as pl
import pytest

from tests.colours import paint
from tests.submission.rewriting import manifest, members
from vdebench.errors import InputError, RunFolderError
from vdebench.io.redaction import public
from vdebench.pipeline.score import score
from vdebench.readers.cached import CachedReader
from vdebench.submission.pack import write_submission


def test_a_submission_holds_hashes_of_what_was_scored(coloured, tmp_path):
    write_submission(coloured.run, tmp_path / "a.zip")
    told, held = manifest(tmp_path / "a.zip"), members(tmp_path / "a.zip")
    assert told["format"] == "vdebench-submission"
    assert told["signature"].startswith("vde|p:strict|")
    assert told["suite"]["name"] == "colours"
    assert told["asked"]["reader"] == "colour"
    assert told["environment"]["sessions"] == 1
    pages = {each["sample"]: each for each in told["predictions"]}
    assert set(pages) == {"text/0", "text/1", "text/3"}  # page 2 is missing
    for number in (0, 1, 3):
        content = (coloured.editor / f"text/page_{number}.png").read_bytes()
        assert pages[f"text/{number}"]["sha256"] == hashlib.sha256(content).hexdigest()
    for name in ("summary.json", "scores.parquet", "blocks.parquet", "regions.parquet"):
        assert hashlib.sha256(held[name]).hexdigest() == told["files"][name]["sha256"]
    assert not any(name.startswith("images/") for name in held)


def test_the_same_run_gives_the_same_bytes_and_no_folder_of_this_machine(coloured, tmp_path):
    for name in ("a.zip", "b.zip"):
        write_submission(coloured.run, tmp_path / name, with_predictions=True)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    held = members(tmp_path / "a.zip")
    assert held["images/text/page_1.png"] == (coloured.editor / "text/page_1.png").read_bytes()
    rows = pl.read_parquet(io.BytesIO(held["scores.parquet"]))
    assert "page_3.png" in rows.filter(pl.col("sample") == "text/3")["reason"][0]  # the file is named …
    for name, content in held.items():
        assert str(tmp_path.parent).encode() not in content, name  # … and its folder is not
    told = "".join(str(row) for row in rows.iter_rows())
    assert str(tmp_path.parent) not in told


def test_relative_folders_stay_too(coloured, tmp_path, monkeypatch):
    """Folders as they were given when the run was scored are in its reasons."""
    shutil.move(coloured.editor, tmp_path / "acme secret")
    monkeypatch.chdir(tmp_path)
    score("suite", "acme secret", reader=CachedReader.named("colour"), metrics=["psnr"], workers=1, out="again")
    assert "acme secret" in pl.read_parquet("again/scores.parquet").filter(pl.col("sample") == "text/3")["reason"][0]
    write_submission("again", tmp_path / "a.zip", predictions=tmp_path / "acme secret")
    held = members(tmp_path / "a.zip")
    for name in ("scores.parquet", "summary.json"):
        content = held[name]
        told = str(pl.read_parquet(io.BytesIO(content)).rows()) if name.endswith("parquet") else content.decode()
        editor = '"editor": "acme secret"'  # its name, which is public
        assert "acme secret" not in told.replace(editor, ""), name
    assert "paths" not in manifest(tmp_path / "a.zip")["asked"]


def test_what_was_changed_since_it_was_scored_is_refused(coloured, tmp_path):
    paint(coloured.editor / "text/page_1.png", 1)
    with pytest.raises(InputError, match=r"page_1\.png: differs from the file that was scored for text/1"):
        write_submission(coloured.run, tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


def test_predictions_may_lie_elsewhere_now(coloured, tmp_path):
    shutil.move(coloured.editor, tmp_path / "moved")
    assert write_submission(coloured.run, tmp_path / "a.zip").notes == [
        "3 predictions were not found: the hashes recorded by scoring are used"
    ]
    with pytest.raises(InputError, match="--predictions DIR"):
        write_submission(coloured.run, tmp_path / "b.zip", with_predictions=True)
    write_submission(coloured.run, tmp_path / "b.zip", predictions=tmp_path / "moved", with_predictions=True)
    assert "images/text/page_0.png" in members(tmp_path / "b.zip")


def test_runs_that_are_none_or_unfinished_are_refused(coloured, tmp_path):
    with pytest.raises(RunFolderError, match=r"no run here or below"):
        write_submission(coloured.editor, tmp_path / "a.zip")
    (coloured.run / "parts").mkdir()
    with pytest.raises(RunFolderError, match="not finished"):
        write_submission(coloured.run, tmp_path / "a.zip")
    (coloured.run / "parts").rmdir()
    (coloured.run / "outputs.jsonl").write_text('{"sample": "text/0"}\n')
    with pytest.raises(InputError, match=r"outputs\.jsonl: line 1: missing 3 required fields: kind, file, sha256"):
        write_submission(coloured.run, tmp_path / "a.zip")


def test_ready_ocr_output_is_packed_with_their_crops(tmp_path):
    score("examples/tiny", "examples/tiny/editors/careful", out=tmp_path / "run", setting="local")
    write_submission(tmp_path / "run", tmp_path / "a.zip", with_predictions=True)
    held = members(tmp_path / "a.zip")
    assert sum(name.startswith("readings/") for name in held) == 16  # eight pages, each with one region
    assert "readings/regions/harbour_1_region_0.json" in held


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"api_key": "sk-1", "max_tokens": 9, "auth": {"x": 1}}, {"max_tokens": 9}),
        (["/home/me/a b.png is bad"], ["a b.png is bad"]),
        ("see '/data/x/y.png', /z", "see 'y.png', z"),
        ("POST https://me:pw@10.0.0.1/v1 failed", "POST … failed"),
        ("half and/or 3/4, 1/2", "half and/or 3/4, 1/2"),
        ("vde|suite:a/b@sha256:0f|n:9", "vde|suite:a/b@sha256:0f|n:9"),
        (3.5, 3.5),
        ("../../home/x/p.png: is no image", "p.png: is no image"),
        ("/home/my user/out/p 1.png: bad, and /data/q.png", "p 1.png: bad, and q.png"),
        ("/a/b c/p.png and /d/e f/q.png", "p.png and q.png"),
        (r"\\server\share\p.png: bad", "p.png: bad"),
        ("3 / 4 and/or 5", "3 / 4 and/or 5"),
        ("key sk-abcdefgh1234 refused", "key … refused"),
        ({"note": "hf_abcdefghij"}, {"note": "…"}),
        (
            dict.fromkeys(("apikey", "apiKey", "accessToken", "hf_token_value", "access_key_id", "Cookie"), "x"),
            {},
        ),
        ({"input_tokens": 3, "tokenizer": "script", "author": "me"},) * 2,
    ],
)
def test_what_is_private_stays(told, expected):
    assert public(told) == expected
    json.dumps(public(told))
