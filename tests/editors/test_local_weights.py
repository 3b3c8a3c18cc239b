"""Weights of the hub: once downloaded they are pinned, without network."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from vdebench.editors.local.weights import Weights, find_weights, in_cache, is_cached
from vdebench.errors import MissingPartError

pytest.importorskip("huggingface_hub")

REPO = "owner/tiny"
INDEX = {"model_index.json": b"{}", "README.md": b"old words"}


class Hub:
    """A hub with one repository: branches and tags, and the files of each commit."""

    def __init__(self) -> None:
        self.commits: dict[str, dict[str, bytes]] = {}
        self.refs: dict[str, str] = {}
        self.asked: list[str] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path = unquote(urlsplit(self.path).path)
                hub.asked.append(path)
                api, place = f"/api/models/{REPO}/", f"/{REPO}/resolve/"
                if path.startswith(api):
                    kind, _, name = path.removeprefix(api).partition("/")
                    commit = hub.refs.get(name, name)
                    files = hub.commits[commit]
                    told = {"id": REPO, "sha": commit, "siblings": [{"rfilename": file} for file in files]}
                    if kind == "tree":
                        told = [{"type": "file", "path": file, **about(files[file])} for file in files]
                    return self.send(200, json.dumps(told).encode(), {"Content-Type": "application/json"})
                name, _, file = path.removeprefix(place).partition("/")
                commit = hub.refs.get(name, name)
                if commit not in hub.commits:
                    return self.send(404, b"", {"X-Error-Code": "RevisionNotFound"})
                headers = {"X-Repo-Commit": commit}
                content = hub.commits[commit].get(file)
                if content is None:
                    return self.send(404, b"", {"X-Error-Code": "EntryNotFound", **headers})
                return self.send(200, content, {"ETag": f'"{about(content)["oid"]}"', **headers})

            do_HEAD = do_GET  # noqa: N815

            def send(self, status, content, headers):
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(content)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def push(self, files: dict[str, bytes], name: str = "main") -> str:
        commit = hashlib.sha1(repr(sorted(files.items())).encode()).hexdigest()
        self.commits[commit] = files
        self.refs[name] = commit
        return commit

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def about(content: bytes) -> dict:
    return {"size": len(content), "oid": hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()}


@pytest.fixture
def started():
    hub = Hub()
    yield hub
    hub.close()


@pytest.fixture
def hub(started, tmp_path, monkeypatch):
    """The hub of this process, with an empty cache."""
    from huggingface_hub import constants

    place = "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", started.url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", started.url + place)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return started


@pytest.fixture
def offline(monkeypatch):
    from huggingface_hub import constants

    return lambda: monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)


def test_what_a_name_meant_is_known_later(hub, offline):
    first = hub.push(INDEX)
    assert find_weights("icedit", REPO, "") == Weights(REPO, first, REPO, first)
    asked = len(hub.asked)
    hub.push({**INDEX, "README.md": b"new words"})
    assert find_weights("icedit", REPO, "").commit == first  # the cache has it: what was pushed meanwhile is no matter
    assert find_weights("icedit", REPO, "main").commit == first
    offline()
    assert find_weights("icedit", REPO, "").commit == first
    assert len(hub.asked) == asked


def test_a_revision_pins(hub, offline):
    first = hub.push(INDEX, "v1")
    second = hub.push({**INDEX, "README.md": b"new words"})
    assert find_weights("icedit", REPO, "").commit == second
    assert find_weights("icedit", REPO, "v1").commit == first
    offline()
    assert (find_weights("icedit", REPO, "v1").commit, find_weights("icedit", REPO, "").commit) == (first, second)
    assert find_weights("icedit", REPO, "0" * 40).commit == "0" * 40  # a commit is itself
    with pytest.raises(MissingPartError, match="not on this machine, and the hub cannot be reached"):
        find_weights("icedit", REPO, "v2")


def test_what_the_hub_does_not_have(hub):
    hub.push(INDEX)
    with pytest.raises(MissingPartError, match="have no revision 'v9' on the hub"):
        find_weights("icedit", REPO, "v9")
    with pytest.raises(MissingPartError, match="have no such file on the hub"):
        find_weights("icedit", REPO, "", holding="lora.safetensors")


def test_a_part_of_a_repository(hub, offline):
    commit = hub.push({**INDEX, "vae/config.json": b"{}"})
    assert find_weights("autoencoder", REPO, "", holding="config.json", subfolder="vae").commit == commit
    offline()
    assert find_weights("autoencoder", REPO, "", holding="config.json", subfolder="vae").commit == commit


def test_a_part_of_a_folder(tmp_path):
    (tmp_path / "vae").mkdir()
    (tmp_path / "vae/config.json").write_text("{}")
    first = find_weights("autoencoder", str(tmp_path), "", holding="config.json", subfolder="vae")
    (tmp_path / "model_index.json").write_text("{}")  # of another part
    assert find_weights("autoencoder", str(tmp_path), "", holding="config.json", subfolder="vae") == first
    with pytest.raises(MissingPartError, match=r"contains no unet/config\.json"):
        find_weights("autoencoder", str(tmp_path), "", holding="config.json", subfolder="unet")


def test_an_index_alone_is_no_weights(hub, tmp_path):
    """Else the bars of a download of many gigabytes would be hidden, and `vde editors` would call it here."""
    commit = hub.push(INDEX)
    weights = find_weights("icedit", REPO, "")
    folder = tmp_path / "hub/models--owner--tiny"
    assert (folder / "snapshots" / commit / "model_index.json").is_file()
    assert not is_cached(weights)
    assert not in_cache(REPO)
    (folder / "snapshots" / commit / "vae").mkdir()
    (folder / "snapshots" / commit / "vae/model.safetensors").write_bytes(b"x")
    assert is_cached(weights)
    assert in_cache(REPO)
    (folder / "blobs/0123.incomplete").write_bytes(b"")
    assert not is_cached(weights)


@pytest.mark.slow
def test_weights_fetched_by_a_run_are_there_for_the_next_without_network(started, tmp_path):
    pytest.importorskip("diffusers")
    from tests.editors import tiny

    folder = tiny.save(tiny.pix2pix, tmp_path / "made")
    files = [file for file in Path(folder).rglob("*") if file.is_file()]
    commit = started.push({file.relative_to(folder).as_posix(): file.read_bytes() for file in files})
    code = (
        "import numpy as np\n"
        "from vdebench.editors.factory import get_editor\n"
        f"editor = get_editor('instruct-pix2pix', weights={REPO!r}, device='cpu', steps=1, safety_checker='off')\n"
        "made = editor.edit(np.full((64, 64, 3), 255, np.uint8), 'x')\n"
        "print(editor.identity['revision'], made.state)\n"
    )
    environment = {"HF_HUB_CACHE": str(tmp_path / "hub"), "HF_ENDPOINT": started.url, "HF_HUB_DISABLE_XET": "1"}
    told = []
    for more in ({}, {"HF_HUB_OFFLINE": "1"}):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PATH": "", "HOME": str(tmp_path), **environment, **more},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        told.append(done.stdout.split()[-2:])
        started.push({**started.commits[commit], "README.md": b"new words"})
    assert told == [[commit, "edited"]] * 2


@pytest.mark.slow
def test_only_the_autoencoder_of_a_pipeline_is_fetched(started, tmp_path):
    pytest.importorskip("diffusers")
    from tests.editors import tiny

    folder = tiny.save(tiny.pix2pix, tmp_path / "made")
    files = [file for file in Path(folder).rglob("*") if file.is_file()]
    commit = started.push({file.relative_to(folder).as_posix(): file.read_bytes() for file in files})
    code = (
        "import numpy as np\n"
        "from vdebench.editors.factory import get_editor\n"
        f"editor = get_editor('autoencoder', weights={REPO!r}, subfolder='vae', device='cpu', megapixels=0)\n"
        "made = editor.edit_reference(np.full((64, 64, 3), 255, np.uint8))\n"
        "print(editor.identity['weights'], editor.identity['revision'], made.state)\n"
    )
    environment = {"HF_HUB_CACHE": str(tmp_path / "hub"), "HF_ENDPOINT": started.url, "HF_HUB_DISABLE_XET": "1"}
    for more in ({}, {"HF_HUB_OFFLINE": "1"}):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PATH": "", "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path), **environment, **more},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert done.stdout.split()[-3:] == [REPO, commit, "edited"]
    fetched = {path.name for path in (tmp_path / "hub/models--owner--tiny/snapshots" / commit).iterdir()}
    assert fetched == {"model_index.json", "vae"}
