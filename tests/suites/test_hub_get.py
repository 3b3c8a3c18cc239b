"""`vde suite get` against a local server that simulates the hub."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.suites import hub_sets
from tests.suites.hub_server import Hub
from vdebench.cli.main import app
from vdebench.errors import VdeError
from vdebench.suites.hub import SETS, staging
from vdebench.suites.hub import transfer as fetching
from vdebench.suites.suite import load_suite

pytestmark = pytest.mark.slow
huggingface_hub = pytest.importorskip("huggingface_hub")
constants = pytest.importorskip("huggingface_hub.constants")

CARD = {"license": "cc-by-4.0"}
TOKEN = "hf_SECRETsecretSECRETsecret"


@pytest.fixture
def serve(monkeypatch):
    """Starts hubs; `HF_ENDPOINT` is the last one's."""
    hubs = []
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # read from the environment at import
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setattr(fetching.Fetcher, "_sleep", lambda self, seconds: None)
    monkeypatch.setattr(fetching, "rest", lambda seconds: None)
    huggingface_hub.close_session()

    def start(name, files, card=CARD):
        hub = Hub(SETS[name].repo, files, card)
        hubs.append(hub)
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        return hub

    yield start
    huggingface_hub.close_session()
    for hub in hubs:
        hub.close()


def run(*given, **options):
    """The command, as a user meets it: exit code, what is printed, the error that becomes exit code 2."""
    done = CliRunner().invoke(app, ["suite", "get", *map(str, given)], **options)
    if done.exception and not isinstance(done.exception, SystemExit | VdeError):
        raise done.exception
    return done.exit_code, done.output, str(done.exception or "")


def get(name, folder, *more):
    code, output, error = run(name, "-o", folder, "--accept-licence", *more)
    assert code == 0, error
    return output


def refused(name, folder, *more):
    code, _, error = run(name, "-o", folder, *more)
    assert code != 0
    assert error, "expected an error in words"
    return error


def record_of(folder):
    return json.loads((folder / ".vde-get.json").read_text())


def files_in(folder):
    hidden = (".vde-get.json", ".lock", "suite.toml")
    paths = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return sorted(path for path in paths if path not in hidden)


def test_vde(serve, tmp_path):
    hub = serve("vde-v3", hub_sets.vde())
    output = get("vde-v3", tmp_path / "vde")
    assert "vde-v3: 8 samples, 0 errors, 0 warnings" in output
    assert f"zionzionzion/vde@{hub.refs['main']}" in output
    assert "licence: cc-by-4.0" in output
    suite = load_suite(tmp_path / "vde")
    tiny = load_suite("examples/tiny")
    assert [sample.key for sample in suite] == [sample.key for sample in tiny]
    for sample, own in zip(suite, tiny, strict=True):
        assert suite.ground_truth(sample) == tiny.ground_truth(own)
        files = suite.image_files(sample)
        assert files.source.parent.name == f"{sample.group}_input"
        assert files.reference.parent.name in ("text_output_all", "table_output")
    record = record_of(tmp_path / "vde")
    assert record["complete"]
    assert (record["repo"], record["revision"]) == ("zionzionzion/vde", hub.refs["main"])
    assert {file["path"] for file in record["files"]} == hub_sets.vde().keys() - {".gitattributes"}
    assert sum("sha256" in file for file in record["files"]) >= 16  # the images are large files
    assert any("git_sha1" in file for file in record["files"])


@pytest.mark.parametrize("pack", [hub_sets.zipped, hub_sets.tarred])
def test_vde_in_an_archive(serve, tmp_path, pack):
    ending = "zip" if pack is hub_sets.zipped else "tar.gz"
    packed = pack({f"vde_bench/{path}": content for path, content in hub_sets.vde(with_images=False).items()})
    serve("vde-v3", {"README.md": b"# VDE", f"vde.{ending}": packed})
    assert "8 samples, 0 errors" in get("vde-v3", tmp_path)
    assert 'info = "vde_bench/text_info_all.json"' in (tmp_path / "suite.toml").read_text()
    assert load_suite(tmp_path).name == "vde-v3"


def test_textedit(serve, tmp_path):
    serve("textedit", hub_sets.textedit(tmp_path / "made"))
    output = get("textedit", tmp_path / "te")
    assert "textedit: 2 samples, 0 errors" in output
    assert f"vde run textedit:{tmp_path / 'te/data'} -e copy" in output
    assert not (tmp_path / "te/__MACOSX").exists()
    suite = load_suite(f"textedit:{tmp_path / 'te/data'}")
    assert [sample.key for sample in suite] == ["manual/Packaging_Logistics/019", "web/Media_Publishing/007"]


def test_omnidocbench(serve, tmp_path):
    hub = serve("omnidocbench", hub_sets.omnidoc(), card=None)
    output = get("omnidocbench", tmp_path)
    assert "omnidocbench: 2 samples, 0 errors, 0 warnings" in output
    assert "licence: cc-by-nc-4.0" in output  # of README.md: the hub's answer has no card
    assert files_in(tmp_path) == ["OmniDocBench.json", "README.md", "images/a.jpg", "images/b.png"]
    assert not any("pdf" in asked.path for asked in hub.asked)
    assert "3 of 5 files" not in get("omnidocbench", tmp_path, "--only", "*")
    assert "ori_pdfs/a.pdf" in files_in(tmp_path)
    sizes = [load_suite(tmp_path).image_size(sample) for sample in load_suite(tmp_path)]
    assert [tuple(size) for size in sizes] == [(120, 175)] * 2


def test_json_for_programs(serve, tmp_path):
    hub = serve("omnidocbench", hub_sets.omnidoc())
    done = CliRunner().invoke(app, ["suite", "get", "omnidocbench", "-o", str(tmp_path), "--accept-licence", "--json"])
    told = json.loads(done.stdout)
    assert told["revision"] == hub.refs["main"]
    assert (told["files"], told["fetched"], told["samples"], told["errors"]) == (4, 4, 2, 0)
    assert "licence: cc-by-4.0" in done.stderr


def test_a_cut_connection_goes_on_in_mid_file(serve, tmp_path):
    hub = serve("omnidocbench", hub_sets.omnidoc())
    hub.cuts["images/a.jpg"] = [1500, 1000]
    get("omnidocbench", tmp_path)
    assert hub.ranges("images/a.jpg") == ["bytes=1500-", "bytes=2500-"]
    assert (tmp_path / "images/a.jpg").read_bytes() == hub_sets.omnidoc()["images/a.jpg"]


def test_a_hub_without_ranges_is_asked_from_the_beginning(serve, tmp_path):
    hub = serve("omnidocbench", hub_sets.omnidoc())
    hub.cuts["images/a.jpg"] = [1500]
    hub.ignores_ranges = True
    get("omnidocbench", tmp_path)
    assert hub.ranges("images/a.jpg") == ["bytes=1500-"]
    assert (tmp_path / "images/a.jpg").read_bytes() == hub_sets.omnidoc()["images/a.jpg"]


@pytest.mark.parametrize("path", ["images/a.jpg", "OmniDocBench.json"])
def test_wrong_bytes_are_fetched_once_more(serve, tmp_path, path):
    hub = serve("omnidocbench", hub_sets.omnidoc())
    hub.swaps[path] = 1
    get("omnidocbench", tmp_path)
    assert (tmp_path / path).read_bytes() == hub_sets.omnidoc()[path]


def test_wrong_bytes_twice_are_an_error_that_names_the_file(serve, tmp_path):
    hub = serve("omnidocbench", hub_sets.omnidoc())
    hub.swaps["images/a.jpg"] = 2
    error = refused("omnidocbench", tmp_path, "--accept-licence")
    assert "1 of 4 files could not be downloaded" in error
    assert "images/a.jpg: SHA-256" in error
    assert files_in(tmp_path) == [
        f".vde-get/files/{path}" for path in ("OmniDocBench.json", "README.md", "images/b.png")
    ]
    with pytest.raises(VdeError, match=r"no suite\.toml"):
        load_suite(tmp_path)
    assert not record_of(tmp_path)["complete"]
    assert "fetching 1 of 4 files" in get("omnidocbench", tmp_path)


def test_nothing_is_fetched_without_the_licence(serve, tmp_path):
    hub = serve("vde-v3", hub_sets.vde())
    error = refused("vde-v3", tmp_path / "new")
    assert "the licence (cc-by-4.0) was not accepted: nothing was downloaded" in error
    assert not (tmp_path / "new").exists()
    assert not any("/resolve/" in asked.path or "/store/" in asked.path for asked in hub.asked)


def test_a_card_without_a_licence_says_so(serve, tmp_path):
    serve("vde-v3", hub_sets.vde() | {"LICENSE": b"terms"}, card={"language": ["en"]})
    code, output, _ = run("vde-v3", "-o", tmp_path / "new")
    assert code != 0
    assert "licence: none named in the card; see its file LICENSE" in output
    assert "ask its authors" in output


def test_an_accepted_licence_is_not_asked_for_again_unless_it_changes(serve, tmp_path):
    hub = serve("omnidocbench", hub_sets.omnidoc())
    get("omnidocbench", tmp_path)
    assert run("omnidocbench", "-o", tmp_path)[0] == 0
    hub.card = {"license": "other", "license_name": "research-only"}
    assert "the licence (research-only) was not accepted" in refused("omnidocbench", tmp_path)


def test_gated(serve, tmp_path, monkeypatch):
    hub = serve("vde-v3", hub_sets.vde())
    hub.gated_for = TOKEN
    error = refused("vde-v3", tmp_path, "--accept-licence")
    assert "HF_TOKEN is not set" in error
    assert f"agree at {hub.url}/datasets/zionzionzion/vde" in error
    monkeypatch.setenv("HF_TOKEN", "hf_OTHERotherOTHER")
    error = refused("vde-v3", tmp_path, "--accept-licence")
    assert "the account of HF_TOKEN has not" in error
    assert "OTHER" not in error
    monkeypatch.setenv("HF_TOKEN", f" {TOKEN}\n")
    output = get("vde-v3", tmp_path)
    assert TOKEN not in output
    assert not any(TOKEN in path.read_bytes().decode("latin-1") for path in tmp_path.rglob("*") if path.is_file())
    stored = [asked for asked in hub.asked if asked.host == "localhost"]
    assert stored
    assert not any("authorization" in asked.headers for asked in stored)  # another host never sees the token


def test_unknown_revision_and_repository(serve, tmp_path):
    hub = serve("vde-v3", hub_sets.vde())
    assert "no revision 'v9'" in refused("vde-v3", tmp_path, "--revision", "v9")
    assert "has no such dataset repository" in refused("textedit", tmp_path)
    hub.statuses[f"/datasets/{hub.repo}/resolve"] = [(404, {"X-Error-Code": "EntryNotFound"})]
    assert "is listed, but not available at revision" in refused("vde-v3", tmp_path, "--accept-licence")
    hub.statuses["/api/datasets"] = [(401, {"X-Error-Message": "Invalid credentials in Authorization header"})]
    assert "does not accept HF_TOKEN" in refused("vde-v3", tmp_path)


def test_a_folder_keeps_to_its_revision(serve, tmp_path):
    files = hub_sets.omnidoc()
    hub = serve("omnidocbench", files)
    first = hub.refs["main"]
    get("omnidocbench", tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    pages = json.loads(files["OmniDocBench.json"])[:1]
    newer = {"OmniDocBench.json": json.dumps(pages).encode(), "images/a.jpg": files["images/a.jpg"]}
    second = hub.push(newer)
    hub.asked.clear()
    output = get("omnidocbench", tmp_path)
    assert f"the hub has a newer revision, {second}; use --update to download it" in output
    assert "2 samples" in output
    assert record_of(tmp_path)["revision"] == first
    assert not any("/resolve/" in asked.path for asked in hub.asked)
    assert f"contains revision {first}, requested {second}" in refused("omnidocbench", tmp_path, "--revision", second)
    output = get("omnidocbench", tmp_path, "--update")
    assert "fetching 1 of 2 files" in output  # the page is the same
    assert "1 samples" in output
    assert files_in(tmp_path) == ["OmniDocBench.json", "images/a.jpg", "notes.txt"]
    assert record_of(tmp_path)["revision"] == second
    hub.push({}, "empty")
    assert "2 samples" in get("omnidocbench", tmp_path / "old", "--revision", first)


def test_a_tag_is_pinned_to_its_commit(serve, tmp_path):
    hub = serve("omnidocbench", hub_sets.omnidoc())
    tagged = hub.push(hub_sets.omnidoc() | {"note.txt": b"v1"}, "v1")
    get("omnidocbench", tmp_path, "--revision", "v1")
    assert (record_of(tmp_path)["revision"], record_of(tmp_path)["asked"]) == (tagged, "v1")
    assert not any("/resolve/v1/" in asked.path for asked in hub.asked)


def test_the_server_is_away(serve, tmp_path, monkeypatch):
    hub = serve("omnidocbench", hub_sets.omnidoc())
    get("omnidocbench", tmp_path / "whole")
    hub.close()
    huggingface_hub.close_session()
    error = refused("omnidocbench", tmp_path / "new")
    assert f"{hub.url} cannot be reached" in error
    assert "HF_ENDPOINT=https://MIRROR" in error
    assert "To place OmniDocBench by hand" in error
    assert f"vde suite get omnidocbench -o {tmp_path / 'new'} --placed" in error
    assert not (tmp_path / "new").exists()
    output = get("omnidocbench", tmp_path / "whole", "--verify")  # what is there needs no hub
    assert "note: the hub could not be reached" in output
    assert "cannot be reached" in refused("omnidocbench", tmp_path / "whole", "--update")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE is set" in refused("omnidocbench", tmp_path / "new")
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "mirror")
    assert "HF_ENDPOINT is 'mirror'" in refused("omnidocbench", tmp_path / "new")


def test_faults_that_pass_are_waited_for(serve, tmp_path):
    hub = serve("omnidocbench", hub_sets.omnidoc())
    hub.statuses["/api/datasets"] = [(503, {}), (429, {"Retry-After": "7"})]
    hub.statuses["/store/"] = [(502, {}), (500, {})]
    get("omnidocbench", tmp_path)
    assert not hub.statuses["/api/datasets"]
    assert not hub.statuses["/store/"]


def test_faults_that_stay_are_told(serve, tmp_path):
    hub = serve("omnidocbench", hub_sets.omnidoc())
    hub.statuses["/api/datasets"] = [(503, {})] * 5
    assert "the hub answered 503" in refused("omnidocbench", tmp_path, "--accept-licence")
    hub.statuses["/store/"] = [(500, {})] * 50
    error = refused("omnidocbench", tmp_path, "--accept-licence")
    assert "2 of 4 files could not be downloaded" in error
    assert "images/b.png: the hub answered 500" in error
    assert "run the same command again" in error


def test_something_else_answers(serve, tmp_path, monkeypatch):
    serve("omnidocbench", hub_sets.omnidoc())
    from vdebench.suites.hub import repository

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", lambda *given, **more: json.loads("<html>"))
    with pytest.raises(repository.HubError, match="gave an unexpected answer"):
        repository.Repository("a/b").head("main")


def test_two_mirrors(serve, tmp_path, monkeypatch):
    first = serve("omnidocbench", hub_sets.omnidoc())
    second = serve("omnidocbench", hub_sets.omnidoc())
    get("omnidocbench", tmp_path / "a")
    assert second.asked
    assert not first.asked
    monkeypatch.setenv("HF_ENDPOINT", f"{first.url}/")
    get("omnidocbench", tmp_path / "b")
    assert first.asked
    assert (tmp_path / "a/suite.toml").read_bytes() == (tmp_path / "b/suite.toml").read_bytes()


def test_a_full_disk_is_told_before(serve, tmp_path, monkeypatch):
    hub = serve("omnidocbench", hub_sets.omnidoc())
    real = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(staging.shutil, "disk_usage", lambda path: real._replace(free=2000))
    error = refused("omnidocbench", tmp_path, "--accept-licence")
    assert "0.0 MB free" in error
    assert "--only" in error
    assert not any("/resolve/" in asked.path for asked in hub.asked)


def test_verify_finds_and_mends(serve, tmp_path):
    serve("textedit", hub_sets.textedit(tmp_path / "made"))
    folder = tmp_path / "te"
    get("textedit", folder)
    file = next((folder / "data").rglob("19.jpg"))
    good = file.read_bytes()
    file.write_bytes(bytes([good[0] ^ 1]) + good[1:])
    assert "fetching" not in get("textedit", folder)  # of the right size: not seen
    output = get("textedit", folder, "--verify")
    assert "19.jpg: SHA-256" in output
    assert file.read_bytes() == good
    file.unlink()
    get("textedit", folder)
    assert file.read_bytes() == good


def test_files_of_others_stay(serve, tmp_path):
    serve("omnidocbench", hub_sets.omnidoc())
    (tmp_path / "images").mkdir()
    (tmp_path / "images/a.jpg").write_bytes(b"another")
    error = refused("omnidocbench", tmp_path, "--accept-licence")
    assert "images/a.jpg: differs from the hub's file: 7 bytes" in error
    assert (tmp_path / "images/a.jpg").read_bytes() == b"another"
    (tmp_path / "images/a.jpg").write_bytes(hub_sets.omnidoc()["images/a.jpg"])
    assert "fetching 3 of 4 files" in get("omnidocbench", tmp_path)  # a right one is taken
    assert "contains opendatalab/OmniDocBench, not zionzionzion/vde" in refused("vde-v3", tmp_path)


def test_an_unknown_layout_keeps_the_files(serve, tmp_path):
    serve("vde-v3", {"README.md": b"# moved", "train.parquet": b"PAR1" * 500})
    error = refused("vde-v3", tmp_path, "--accept-licence")
    assert f"{tmp_path}: no VDE Bench here: found README.md, train.parquet" in error
    assert files_in(tmp_path) == ["README.md", "train.parquet"]
    assert "its layout is unknown" in refused("vde-v3", tmp_path)


def test_a_killed_process_goes_on(serve, tmp_path):
    files = hub_sets.omnidoc() | {"images/c.png": bytes(range(256)) * 4000}
    hub = serve("omnidocbench", files)
    hub.slow = 0.01
    command = [
        sys.executable,
        "-m",
        "vdebench",
        "suite",
        "get",
        "omnidocbench",
        "-o",
        str(tmp_path),
        "--accept-licence",
    ]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and max(_sizes(tmp_path), default=0) <= 100_000:
        time.sleep(0.01)
    first.send_signal(signal.SIGKILL)
    first.wait()
    (left,) = [size for size in _sizes(tmp_path) if size > 100_000]
    assert left < 256 * 4000
    assert not record_of(tmp_path)["complete"]
    with pytest.raises(VdeError, match=r"no suite\.toml"):
        load_suite(tmp_path)
    agents = {asked.headers["user-agent"] for asked in hub.asked}
    assert all(agent.startswith("vdebench/") and "torch" not in agent for agent in agents)  # no telemetry
    assert not any("agent" in asked.path for asked in hub.asked)
    hub.slow = 0
    get("omnidocbench", tmp_path)
    assert hub.ranges("images/c.png") == [f"bytes={left}-"]
    assert (tmp_path / "images/c.png").read_bytes() == files["images/c.png"]
    assert not (tmp_path / ".vde-get").exists()


def _sizes(folder: Path) -> list[int]:
    """Of the parts; those that are finished meanwhile are no parts."""
    sizes = []
    for part in (folder / ".vde-get/parts").glob("*"):
        with contextlib.suppress(FileNotFoundError):
            sizes.append(part.stat().st_size)
    return sizes
