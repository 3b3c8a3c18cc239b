"""Downloads in parts with resume and checksums; the record of a download."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.suites.hub_files import Source, hub_file
from vdebench.errors import InputError
from vdebench.suites.hub import HubError
from vdebench.suites.hub import transfer as fetching
from vdebench.suites.hub.errors import HubBusyError
from vdebench.suites.hub.record import DownloadRecord, HubFile
from vdebench.suites.hub.transfer import Fetcher


@pytest.fixture
def fetch(tmp_path, monkeypatch):
    waits = []
    monkeypatch.setattr(Fetcher, "_sleep", lambda self, seconds: waits.append(seconds))

    def run(source, *files, progress=None):
        Fetcher(source, "c0", tmp_path / "files", tmp_path / "parts", parallelism=2).fetch(files, progress)

    run.waits = waits
    return run


def test_a_cut_line_is_taken_up_where_it_was(fetch, tmp_path):
    source = Source({"a/b.bin": b"0123456789"}, cuts=[4, 3])
    told = []
    fetch(source, hub_file("a/b.bin", b"0123456789"), progress=lambda done, total: told.append((done, total)))
    assert source.starts == [0, 4, 7]
    assert (tmp_path / "files/a/b.bin").read_bytes() == b"0123456789"
    assert told[-1] == (10, 10)
    assert not list((tmp_path / "parts").iterdir())


def test_a_part_of_an_earlier_process_is_gone_on_with(fetch, tmp_path):
    file = hub_file("a", b"0123456789")
    with pytest.raises(HubError, match="1 of 1 files"):
        fetch(Source({"a": b"0123456789"}, cuts=[6, 0, 0, 0, 0, 0]), file)
    source = Source({"a": b"0123456789"})
    fetch(source, file)
    assert source.starts == [6]


def test_waits_grow_and_obey_the_hub(fetch):
    fetch(Source({"a": b"x"}, busy=4), hub_file("a", b"x"))
    assert fetch.waits == [3.0, 3.0, 4.0, 8.0]
    with pytest.raises(HubError, match="the hub answered 503"):
        fetch(Source({"a": b"y"}, busy=5), hub_file("a", b"y"))


def test_one_bad_file_does_not_keep_the_others(fetch, tmp_path):
    source = Source({"a": b"right", "b": b"wrong", "c": b"much too long"})
    with pytest.raises(HubError, match="2 of 3 files") as caught:
        fetch(source, hub_file("a", b"right"), hub_file("b", b"write"), hub_file("c", b"short"))
    assert "b: SHA-256" in str(caught.value)
    assert "c: more than the 5 bytes" in str(caught.value)
    assert len(source.starts) == 5  # the bad ones twice
    assert [path.name for path in (tmp_path / "files").iterdir()] == ["a"]


def test_an_empty_file_is_fetched(fetch, tmp_path):
    fetch(Source({"a": b""}), hub_file("a", b""))
    assert (tmp_path / "files/a").read_bytes() == b""


def test_a_disk_that_cannot_be_written_is_told(fetch, tmp_path):
    (tmp_path / "files").write_text("in the way")
    with pytest.raises(HubError, match="cannot be written: "):
        fetch(Source({"a": b"x"}), hub_file("a", b"x"))


def test_questions_are_asked_again_while_the_hub_is_busy(monkeypatch):
    waits = []
    monkeypatch.setattr(fetching, "rest", waits.append)
    answers = [HubBusyError("503"), HubBusyError("429", 9.0), 7]

    def ask():
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert fetching.retry_while_busy(ask) == 7
    assert waits == [pytest.approx(1.0, abs=0.25), 9.0]


def test_checksums_are_those_of_git(tmp_path):
    """`printf hello | git hash-object --stdin` says b6fc4c6…"""
    file = HubFile("a", 5, git_sha1="b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0")
    (tmp_path / "a").write_bytes(b"hello")
    assert file.fault(tmp_path / "a") == ""
    (tmp_path / "a").write_bytes(b"hellO")
    assert file.fault(tmp_path / "a").startswith("git's SHA-1 ")
    assert file.fault(tmp_path / "none") == "cannot be read: No such file or directory"


def test_a_record_comes_back_as_it_was_written(tmp_path):
    files = (hub_file("a.zip", b"x"), HubFile("b", 1, git_sha1="0" * 40))
    record = DownloadRecord("textedit", "r/s", "c0", "main", "mit", ("*.zip",), files).write(tmp_path)
    assert DownloadRecord.read(tmp_path) == record
    done = record.write(
        tmp_path, unpacked={"a.zip": (hub_file("data/1.jpg", b"1"),)}, suite="textedit:data", complete=True
    )
    assert DownloadRecord.read(tmp_path) == done
    assert done.suite_in(Path("te")) == "textedit:te/data"


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", '{"files": 3}', '{"files": [{"path": "../x", "size": 1}]}', '{"files": [], "repo": 7}', "{", "\udcff"],
)
def test_a_broken_record_is_named(tmp_path, content):
    (tmp_path / ".vde-get.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=r"\.vde-get\.json"):
        DownloadRecord.read(tmp_path)
