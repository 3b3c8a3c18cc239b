"""Files that are no submissions, or were made to harm: refused in words, with nothing written anywhere."""

from __future__ import annotations

import json
import random
import stat
import struct
import zipfile

import pytest

from tests.submission.rewriting import manifest, members, rewrite
from vdebench.errors import VdeError
from vdebench.pipeline.score import score
from vdebench.submission.pack import write_submission
from vdebench.submission.verify import verify


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("handed")
    score("examples/tiny", "examples/tiny/editors/copy", out=folder / "run", setting="local", protocol="vde-release")
    write_submission(folder / "run", folder / "run.zip", with_predictions=True)
    return folder / "run.zip"


def refused(file, match):
    before = sorted(file.parent.parent.iterdir())
    with pytest.raises(VdeError, match=match) as error:
        verify(file)
    assert str(file) in str(error.value)
    assert sorted(file.parent.parent.iterdir()) == before


def test_no_zip(tmp_path):
    refused(tmp_path / "none.zip", "no such file")
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 but then something else")
    refused(tmp_path / "a.zip", "not a complete zip file")
    (tmp_path / "a.zip").write_bytes(b"")
    refused(tmp_path / "a.zip", "not a complete zip file")


def test_another_zip(tmp_path, whole):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("thesis.tex", "x")
    refused(tmp_path / "a.zip", r"contains no manifest\.json")
    refused(rewrite(whole, tmp_path / "b.zip", {"manifest.json": b"[]"}), "not a submission")
    refused(rewrite(whole, tmp_path / "c.zip", {"manifest.json": b"{" * 9}), "not JSON")
    refused(rewrite(whole, tmp_path / "d.zip", {"manifest.json": b"[" * 100_000}), "nested too deeply")
    newer = json.dumps({**manifest(whole), "version": 2}).encode()
    refused(rewrite(whole, tmp_path / "e.zip", {"manifest.json": newer}), "upgrade vdebench")
    for name, wrong in (("editor", 3), ("files", []), ("predictions", {}), ("suite", {}), ("predictions", [3])):
        told = json.dumps({**manifest(whole), name: wrong}).encode()
        refused(rewrite(whole, tmp_path / "f.zip", {"manifest.json": told}), name)


def test_members_that_lack_are_more_or_are_changed(tmp_path, whole):
    refused(rewrite(whole, tmp_path / "a.zip", {"scores.parquet": None}), r"contains no scores\.parquet")
    refused(rewrite(whole, tmp_path / "b.zip", {"run.py": b"print()"}), r"'run\.py', which is not part")
    refused(
        rewrite(whole, tmp_path / "c.zip", {"summary.json": b"{}"}),
        r"summary\.json differs from its hash in the manifest",
    )
    name = next(name for name in members(whole) if name.startswith("readings/"))
    refused(rewrite(whole, tmp_path / "d.zip", {name: b"{}"}), "differs from its hash in the manifest: it was changed")
    refused(rewrite(whole, tmp_path / "e.zip", {"scores.parquet": b"PAR1"}, agree=True), r"cannot read scores\.parquet")
    other = members(whole)["blocks.parquet"]
    refused(
        rewrite(whole, tmp_path / "f.zip", {"scores.parquet": other}, agree=True),
        "differs from what this version writes",
    )
    refused(rewrite(whole, tmp_path / "g.zip", {"summary.json": b"[1]"}, agree=True), "not a summary")


@pytest.mark.parametrize(
    "name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "C:out.txt", "a\\..\\out.txt", "a//b"]
)
def test_names_that_lead_out_are_refused(tmp_path, whole, name):
    refused(rewrite(whole, tmp_path / "a.zip", {name: b"x"}), "not a safe relative path")
    told = manifest(whole)
    told["predictions"][0]["file"] = name
    refused(
        rewrite(whole, tmp_path / "b.zip", {"manifest.json": json.dumps(told).encode()}), "not a safe relative path"
    )


def test_bombs_links_and_doubles_are_refused(tmp_path, whole):
    refused(
        rewrite(whole, tmp_path / "a.zip", {"summary.json": b" " * (20 << 20)}), "that unpack to 20,971,520; refused"
    )
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        link = zipfile.ZipInfo("summary.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    refused(tmp_path / "b.zip", "is a folder or a link")
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("summary.json", "{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("summary.json", "{}")
    refused(tmp_path / "c.zip", "two files have the same name")
    with zipfile.ZipFile(tmp_path / "d.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("summary.json", "{}")
    refused(tmp_path / "d.zip", "uses a compression")


def test_sizes_that_lie_are_refused(tmp_path, whole):
    """A table of contents that says more than there is; and one whose files lie in each other."""
    content = bytearray(whole.read_bytes())
    at = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, at + 24, 4_000_000_000)
    (tmp_path / "a.zip").write_bytes(content)
    refused(tmp_path / "a.zip", "the limit is|that unpack to|is not a complete|ends early|cannot (be|unpack|read)")


def test_truncated_and_damaged_files_are_refused_or_noticed(tmp_path, whole):
    """Whatever byte is lost or changed: an error in words, or the same verdict where the byte says nothing."""
    content = whole.read_bytes()
    lots = random.Random(5)
    for number in range(24):
        broken = bytearray(content)
        if number % 2:
            broken = broken[: lots.randrange(len(content) - 30)]
        else:
            broken[lots.randrange(len(content))] ^= 1 << lots.randrange(8)
        file = tmp_path / f"{number}.zip"
        file.write_bytes(broken)
        told = outcome(file)
        assert told == "consistent" or str(file) in told
        assert told != "consistent" or not number % 2


def test_spoilt_tables_are_refused_in_words(tmp_path, whole):
    """Bytes changed in the middle of a table whose hash the manifest says: no fault of polars gets through."""
    lots = random.Random(3)
    refusals = 0
    for number in range(12):
        table = bytearray(members(whole)["scores.parquet"])
        for _ in range(20):
            table[lots.randrange(len(table))] = lots.randrange(256)
        file = rewrite(whole, tmp_path / f"{number}.zip", {"scores.parquet": bytes(table)}, agree=True)
        refusals += "cannot read" in outcome(file)
    assert refusals > 6


def outcome(file):
    try:
        return verify(file).word
    except VdeError as error:
        return str(error)


def test_words_that_steer_a_terminal_are_not_printed(tmp_path, whole):
    from vdebench.report.submission_verdict import verdict_text

    summary = json.loads(members(whole)["summary.json"])
    named = {"editor": "evil\x1b]0;x\x07\x1b[2J"}
    told = {**manifest(whole), **named}
    file = rewrite(whole, tmp_path / "a.zip", {"summary.json": json.dumps({**summary, **named}).encode()}, agree=True)
    told["files"] = manifest(file)["files"]
    text = verdict_text(verify(rewrite(file, tmp_path / "b.zip", {"manifest.json": json.dumps(told).encode()})))
    assert "evil" in text
    assert "\x1b" not in text
    assert "\x07" not in text
