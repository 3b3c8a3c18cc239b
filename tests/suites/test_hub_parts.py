"""The parts of `vde suite get` that need no hub: fetching from a source, the record, archives, layouts, by hand."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import stat
import sys
import tarfile
import zipfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest
from typer.testing import CliRunner

from tests.suites import hub_sets
from vdebench.cli import suite_get
from vdebench.cli.main import app
from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.suites.hub import SETS, HubError, Wish, data_set, fetching, get_suite, getting, take_placed, unpacking
from vdebench.suites.hub.errors import HubAwayError, HubBusyError
from vdebench.suites.hub.fetching import Fetcher
from vdebench.suites.hub.layouts import arrange
from vdebench.suites.hub.licence import Licence, front_matter, licence_of_card
from vdebench.suites.hub.record import HubFile, Record, is_safe
from vdebench.suites.hub.repository import Head
from vdebench.suites.hub.unpacking import unpack
from vdebench.suites.suite import load_suite


def hub_file(path: str, content: bytes) -> HubFile:
    return HubFile(path, len(content), sha256=hashlib.sha256(content).hexdigest())


class Source:
    """Bytes by path; each answer is cut after the next of `cuts`, where there is one."""

    def __init__(self, files: dict[str, bytes], cuts=(), busy: int = 0) -> None:
        self.files, self.cuts, self.busy = files, list(cuts), busy
        self.starts: list[int] = []

    @contextmanager
    def opened(self, file, commit, start):
        self.starts.append(start)
        if self.busy:
            self.busy -= 1
            raise HubBusyError(f"{file.path}: the hub answered 503", 3.0)
        content = self.files[file.path][start:]
        yield start, iter([content[: self.cuts.pop(0)]] if self.cuts else [content])


@pytest.fixture
def fetch(tmp_path, monkeypatch):
    waits = []
    monkeypatch.setattr(Fetcher, "_sleep", lambda self, seconds: waits.append(seconds))

    def run(source, *files, progress=None):
        Fetcher(source, "c0", tmp_path / "files", tmp_path / "parts", at_once=2).fetch(files, progress)

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

    assert fetching.patiently(ask) == 7
    assert waits == [1.0, 9.0]


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
    record = Record("textedit", "r/s", "c0", "main", "mit", ("*.zip",), files).write(tmp_path)
    assert Record.read(tmp_path) == record
    done = record.write(
        tmp_path, unpacked={"a.zip": (hub_file("data/1.jpg", b"1"),)}, suite="textedit:data", complete=True
    )
    assert Record.read(tmp_path) == done
    assert done.suite_in(Path("te")) == "textedit:te/data"


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", '{"files": 3}', '{"files": [{"path": "../x", "size": 1}]}', '{"files": [], "repo": 7}', "{", "\udcff"],
)
def test_a_broken_record_is_named(tmp_path, content):
    (tmp_path / ".vde-get.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=r"\.vde-get\.json"):
        Record.read(tmp_path)


def packed(tmp_path, content: bytes, name: str = "data.zip") -> Path:
    (tmp_path / "root").mkdir(exist_ok=True)
    (tmp_path / "root" / name).write_bytes(content)
    return tmp_path / "root" / name


@pytest.mark.parametrize("pack", [hub_sets.zipped, hub_sets.tarred])
def test_archives_are_unpacked_where_they_lie(tmp_path, pack):
    archive = packed(
        tmp_path,
        pack({"./data/a.txt": b"one", "README.md": b"theirs"}),
        f"x.{'zip' if pack is hub_sets.zipped else 'tgz'}",
    )
    (tmp_path / "root/README.md").write_text("the repository's")
    came = unpack(archive, tmp_path / "root", keep=frozenset({"README.md"}))
    assert came == [hub_file("data/a.txt", b"one")]
    assert (tmp_path / "root/data/a.txt").read_bytes() == b"one"
    assert (tmp_path / "root/README.md").read_text() == "the repository's"


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "a/../../evil", "..\\evil", "C:/evil", ".vde-get.json"])
@pytest.mark.parametrize("pack", [hub_sets.zipped, hub_sets.tarred])
def test_nothing_is_unpacked_outside(tmp_path, name, pack):
    archive = packed(tmp_path, pack({name: b"x"}), f"x.{'zip' if pack is hub_sets.zipped else 'tar.gz'}")
    with pytest.raises(HubError, match="outside the folder: refused"):
        unpack(archive, tmp_path / "root")
    assert [path.name for path in tmp_path.rglob("*")] == ["root", archive.name]


def test_links_are_refused(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as writer:
        info = zipfile.ZipInfo("link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        writer.writestr(info, "/etc/passwd")
    with pytest.raises(HubError, match="'link' is a link"):
        unpack(packed(tmp_path, out.getvalue()), tmp_path / "root")
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as tar:
            info = tarfile.TarInfo("link")
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
        with pytest.raises(HubError, match="'link' is a link"):
            unpack(packed(tmp_path, out.getvalue(), "x.tar"), tmp_path / "root")


def test_bombs_and_broken_archives_are_refused(tmp_path, monkeypatch):
    bomb = hub_sets.zipped({"zeros": bytes(2_000_000)})
    monkeypatch.setattr(unpacking, "MAX_BYTES", 1_000_000)
    with pytest.raises(HubError, match="unpacks to more than 1,000,000 bytes"):
        unpack(packed(tmp_path, bomb), tmp_path / "root")
    monkeypatch.undo()
    real = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(unpacking.shutil, "disk_usage", lambda path: real._replace(free=unpacking.RESERVE + 1000))
    with pytest.raises(HubError, match="the disk is full"):
        unpack(packed(tmp_path, bomb), tmp_path / "root")
    monkeypatch.undo()
    for name, content in (("x.zip", b"PK\3\4 no"), ("x.tar.gz", b"\x1f\x8b no"), ("y.zip", bomb[:500])):
        with pytest.raises(HubError, match=f"{name}: cannot be unpacked"):
            unpack(packed(tmp_path, content, name), tmp_path / "root")


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
    assert licence_of_card({}).told == "none named in the card"
    assert "ask its authors" in licence_of_card({}).advice
    assert licence_of_card({"license": "mit"}, ["docs/LICENSE", "LICENSE.txt"]).told == "mit; see its file LICENSE.txt"
    assert licence_of_card({"license": "mit\x1b[2J\nand more"}).name == "mit[2J and more"
    assert licence_of_card({"license": 7}).name == ""
    assert front_matter("---\nlicense: 'mit'\nconfigs:\n- config_name: a\n---\n") == {"license": "mit", "configs": []}
    assert front_matter("# Title\n---\nlicense: mit\n---\n") == {}


class PlayedRepository:
    """What `getting` asks of a repository."""

    files_there: ClassVar[dict[str, bytes]] = {}
    commit = "c" * 40
    away = False
    endpoint, page = "https://hub.test", "https://hub.test/datasets/x"

    def __init__(self, repo: str) -> None:
        self.repo = repo

    def head(self, revision):
        if self.away:
            raise HubAwayError("the hub cannot be reached")
        return Head(self.commit, Licence("mit"))

    def files(self, commit):
        return [hub_file(path, content) for path, content in self.files_there.items()]

    def opened(self, file, commit, start):
        return Source(self.files_there).opened(file, commit, start)


@pytest.fixture
def played(monkeypatch):
    monkeypatch.setattr(PlayedRepository, "files_there", hub_sets.omnidoc())
    monkeypatch.setattr(getting, "Repository", PlayedRepository)
    return PlayedRepository


def wish(folder, **more):
    return Wish(SETS["omnidocbench"], folder, **more)


def test_getting_without_the_package(played, tmp_path):
    asked = []
    got = get_suite(wish(tmp_path / "o"), lambda page, head: asked.append(page) is None)
    assert (got.samples, got.fetched, got.errors) == (2, 4, 0)
    assert asked == ["https://hub.test/datasets/x"]
    assert get_suite(wish(tmp_path / "o"), lambda page, head: False).fetched == 0
    with pytest.raises(HubError, match="was not accepted"):
        get_suite(wish(tmp_path / "p"), lambda page, head: False)
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize("answer", ["y", "n"])
def test_the_licence_is_asked_for_on_a_terminal(played, tmp_path, monkeypatch, answer):
    monkeypatch.setattr(suite_get, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    given = ["suite", "get", "omnidocbench", "-o", str(tmp_path / "o")]
    done = CliRunner().invoke(app, given, input=f"{answer}\n")
    assert "licence: mit\n  read it before" in done.output
    assert (done.exit_code == 0) == (answer == "y") == (tmp_path / "o").exists()


def test_a_hand_written_suite_file_stays(played, tmp_path):
    get_suite(wish(tmp_path), lambda *told: True)
    own = (tmp_path / "suite.toml").read_text().replace("omnidocbench", "mine")
    (tmp_path / "suite.toml").write_text(own)
    (tmp_path / "images/a.jpg").unlink()
    assert get_suite(wish(tmp_path), lambda *told: True).fetched == 1
    assert load_suite(tmp_path).name == "mine"


def test_without_a_line_what_is_broken_is_told(played, tmp_path, monkeypatch):
    get_suite(wish(tmp_path), lambda *told: True)
    monkeypatch.setattr(played, "away", True)
    assert "not reached" in get_suite(wish(tmp_path, verify=True), lambda *told: True).remark
    content = (tmp_path / "README.md").read_bytes()
    (tmp_path / "README.md").write_bytes(content[::-1])
    lines = []
    with pytest.raises(HubAwayError, match="To place OmniDocBench by hand"):
        get_suite(wish(tmp_path, verify=True), lambda *told: True, tell=lines.append)
    assert len(lines) == 1
    assert "README.md: SHA-256" in lines[0]


def test_only_names_files(played, tmp_path):
    got = get_suite(wish(tmp_path, only=("*.json", "images/a*")), lambda *told: True)
    assert got.fetched == 2
    assert [fault.sample for fault in got.faults] == ["pages/b"]  # its image is not there
    with pytest.raises(HubError, match="no file is meant by nothing"):
        get_suite(wish(tmp_path / "x", only=("nothing",)), lambda *told: True)


def test_a_folder_is_never_half_a_suite(played, tmp_path, monkeypatch):
    """Stopped before any one of the moves of files, the folder does not load, or is whole; and the next call goes on."""
    packed = {"README.md": b"#", "all.zip": hub_sets.zipped(hub_sets.omnidoc())}
    monkeypatch.setattr(played, "files_there", packed)
    monkeypatch.setattr(Path, "replace", Stopper(Path.replace))
    for stop in range(1, 100):
        Stopper.left = stop
        folder = tmp_path / str(stop)
        try:
            get_suite(wish(folder), lambda *told: True)
        except KeyboardInterrupt:
            Stopper.left = 1000
            if (folder / "suite.toml").exists():
                assert not list(load_suite(folder).faults())
            else:
                with pytest.raises(VdeError):
                    load_suite(folder)
            assert get_suite(wish(folder), lambda *told: True).samples == 2
            monkeypatch.setattr(played, "files_there", {"OmniDocBench.json": hub_sets.omnidoc()["OmniDocBench.json"]})
            assert get_suite(wish(folder, update=True), lambda *told: True).samples == 2
            assert {path.name for path in folder.iterdir()} == {
                ".lock",
                ".vde-get.json",
                "OmniDocBench.json",
                "suite.toml",
            }
            monkeypatch.setattr(played, "files_there", packed)
        else:
            assert stop > 12
            return
    pytest.fail("never came to an end")


class Stopper:
    """Raises instead of the n-th move."""

    left = 0

    def __init__(self, real):
        self.real = real

    def __get__(self, path, owner=None):
        def move(target):
            Stopper.left -= 1
            if Stopper.left == 0:
                raise KeyboardInterrupt
            return self.real(path, target)

        return move


def test_paths_that_lead_out_are_known():
    assert not any(is_safe(path) for path in ("a/./b", "a//b", "a/", "./a", "a\\b", "a\0b", ".lock", ".VDE-GET/x"))
    assert is_safe("Art & Creative/图 1.png")
