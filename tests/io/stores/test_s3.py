"""The same over the S3 protocol: a server that plays S3, other processes, the command line."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.colours import paint, run
from vdebench.core.png import encode_png
from vdebench.errors import InputError, VdeError
from vdebench.io import files
from vdebench.io.images import open_image
from vdebench.io.stores import mounted, mounts
from vdebench.suites.suite import load_suite

pytestmark = pytest.mark.slow
TINY = Path("examples/tiny")
VDE = Path(sys.executable).with_name("vde")


@pytest.fixture(scope="module")
def server():
    moto = pytest.importorskip("moto.server", reason="moto plays the store: pip install --group full")
    pytest.importorskip("s3fs", reason="s3fs speaks to it: pip install --group full")
    logging.getLogger("werkzeug").setLevel(logging.INFO)
    playing = moto.ThreadedMotoServer(port=0, verbose=True)
    playing.start()
    yield f"http://127.0.0.1:{playing.get_host_and_port()[1]}"
    playing.stop()


@pytest.fixture
def s3(server, monkeypatch, tmp_path):
    """A bucket `lab` with the tiny suite in it, and a cache of its own."""
    import s3fs

    for name, value in {
        "AWS_ENDPOINT_URL": server,
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "hush-hush",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1",
        "VDE_CACHE": str(tmp_path / "cache"),
        mounts.VARIABLE: "{}",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(mounts, "_mounts", {})
    s3fs.S3FileSystem.clear_instance_cache()
    system = s3fs.S3FileSystem(use_listings_cache=False)
    if system.exists("lab"):
        system.rm("lab", recursive=True)
    system.mkdir("lab")
    system.put(str(TINY), "lab/tiny", recursive=True)
    return system


@pytest.fixture
def downloads(caplog):
    """How many files the store was asked for since this was asked last."""
    caplog.set_level(logging.INFO, "werkzeug")

    def count() -> int:
        lines = [record.getMessage() for record in caplog.records if record.name == "werkzeug"]
        caplog.clear()
        return sum('"GET /lab/' in line for line in lines)

    return count


def vde(*arguments):
    return subprocess.run([VDE, *arguments], capture_output=True, text=True)


def test_the_command_line_scores_a_bucket_as_a_folder(s3, downloads, tmp_path):
    near = vde("score", str(TINY), str(TINY / "editors/careful"), "--json")
    downloads()
    far = vde("score", "s3://lab/tiny", "s3://lab/tiny/editors/careful", "--json", "--out", str(tmp_path / "run"))
    assert (near.returncode, far.returncode) == (0, 0), far.stderr
    assert json.loads(near.stdout) == json.loads(far.stdout)
    wanted = len([file for file in TINY.rglob("*") if file.is_file() and "sloppy" not in str(file)])
    assert 40 < downloads() <= wanted
    told = (tmp_path / "run/run.json").read_text()
    assert json.loads(told)["asked"]["suite"] == "s3://lab/tiny"
    assert "hush-hush" not in told
    again = vde("score", "s3://lab/tiny", "s3://lab/tiny/editors/careful", "--json")
    assert (again.stdout, downloads()) == (far.stdout, 0)
    checked = vde("suite", "check", "s3://lab/tiny")
    assert checked.returncode == vde("suite", "check", str(TINY)).returncode


def test_images_in_a_bucket_score_as_in_a_folder(s3, make, tmp_path):
    suite, editor = make(4)
    for number in range(3):
        paint(editor / f"page_{number}.png", number + (number == 1))
    near = run(suite, editor).summary
    s3.put(str(suite), "lab/pages", recursive=True)
    s3.put(str(editor), f"lab/{editor.name}", recursive=True)
    shutil.rmtree(tmp_path / "cache")  # readings and measures that were kept
    far = run(load_suite("s3://lab/pages"), f"s3://lab/{editor.name}").summary
    assert near == far
    assert far["coverage"]["missing"] == 1


def test_a_run_keeps_its_images_in_a_bucket_and_goes_on_there(s3, make, tmp_path):
    suite, _ = make(3)
    with (suite / "suite.toml").open("a") as file:
        file.write('source_images = "images"\n')
    s3.put(str(suite), "lab/pages", recursive=True)
    command = ["run", "s3://lab/pages", "-e", "copy", "-e", "blank", "--metrics", "psnr", "--workers", "2", "--json"]
    near = vde(*command, "--out", str(tmp_path / "near"))
    far = vde(*command, "--image-store", "s3://lab/night", "--out", str(tmp_path / "far"))
    assert (near.returncode, far.returncode) == (0, 0), far.stderr
    assert json.loads(near.stdout) == json.loads(far.stdout)
    assert not (tmp_path / "far/copy/images").exists()
    assert len(s3.ls("lab/night/copy/text")) == 3
    written = {
        name: s3.info(f"lab/night/copy/text/{Path(name).name}")["LastModified"] for name in s3.ls("lab/night/copy/text")
    }
    shutil.rmtree(tmp_path / "cache/mounts")  # as on another machine
    again = vde(*command, "--image-store", "s3://lab/night", "--out", str(tmp_path / "far"))
    assert again.stdout == far.stdout
    s3.invalidate_cache()
    assert written == {name: s3.info(name)["LastModified"] for name in written}
    moved = vde(*command, "--image-store", "s3://lab/other", "--out", str(tmp_path / "far"))
    assert (moved.returncode, "its images are in s3://lab/night/copy" in moved.stderr) == (2, True)
    refused = vde(*command, "--out", "s3://lab/runs")
    assert (refused.returncode, "s3://lab/runs" in refused.stderr) == (2, True)


def test_ray_takes_a_suite_from_a_bucket_and_puts_images_there(s3, make, tmp_path, monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # Ray keeps a token there
    suite, _ = make(3)
    with (suite / "suite.toml").open("a") as file:
        file.write('source_images = "images"\n')
    s3.put(str(suite), "lab/pages", recursive=True)
    command = ["run", "s3://lab/pages", "-e", "copy", "--metrics", "psnr", "--workers", "2", "--json"]
    near = vde(*command, "--out", str(tmp_path / "near"))
    shutil.rmtree(tmp_path / "cache")
    far = vde(*command, "--engine", "ray", "--image-store", "s3://lab/night", "--out", str(tmp_path / "far"))
    assert (near.returncode, far.returncode) == (0, 0), far.stderr
    assert json.loads(near.stdout) == json.loads(far.stdout)
    assert not (tmp_path / "far/copy/images").exists()
    for name in s3.ls("lab/night/copy/text", detail=False):
        assert s3.cat_file(name) == (tmp_path / "near/copy/images/text" / Path(name).name).read_bytes()


def test_a_changed_object_is_noticed(s3, downloads):
    before = load_suite("s3://lab/tiny").revision
    assert load_suite("s3://lab/tiny").revision == before
    s3.pipe_file("lab/tiny/text_gt_ocr/notice_1.json", s3.cat_file("lab/tiny/text_gt_ocr/notice_1.json")[::-1])
    downloads()
    assert load_suite("s3://lab/tiny").revision != before
    assert downloads() == 1


def _write(task):
    folder, number = task
    file = folder / "text" / f"page_{number}.png"
    files.write_bytes(file, encode_png(np.full((20, 30, 3), number, np.uint8)))
    return os.getpid()


def test_two_processes_write_images_into_a_bucket(s3, downloads):
    folder = mounted("s3://lab/images")
    files.make_folder(folder)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        writers = set(pool.map(_write, [(folder, number) for number in range(12)]))
    assert len(writers) == 2
    assert os.getpid() not in writers
    names = sorted(f"page_{number}.png" for number in range(12))
    assert files.list_folder(folder / "text") == names
    assert sorted(Path(name).name for name in s3.ls("lab/images/text")) == names
    downloads()
    assert [int(open_image(folder / "text" / f"page_{number}.png").max()) for number in range(12)] == [*range(12)]
    assert downloads() == 0
    shutil.rmtree(folder)  # as on another machine
    assert int(open_image(folder / "text/page_7.png").min()) == 7
    assert downloads() == 1


def test_failures_name_the_url_and_no_secret(s3, monkeypatch):
    for given, what in (
        ("s3://no-such-bucket/suite", "bucket does not exist"),
        ("s3://lab/none", "no suite.toml here"),
        ("s3://somebody:hush-hush@lab/tiny", "user or a password"),
    ):
        done = vde("suite", "check", given)
        assert done.returncode == 2
        assert what in done.stderr
        assert "Traceback" not in done.stderr
        assert "hush-hush" not in done.stderr + done.stdout
    with pytest.raises(InputError, match=r"s3://no-such-bucket/a.png: .*bucket does not exist"):
        files.write_bytes(mounted("s3://no-such-bucket") / "a.png", b"")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    type(s3).clear_instance_cache()
    with pytest.raises(VdeError, match=r"s3://lab/tiny/suite.toml: the store fails: EndpointConnectionError"):
        load_suite("s3://lab/tiny")


def test_what_a_policy_denies_is_told(s3):
    deny = {"Effect": "Deny", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::lab/tiny/*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [deny]})
    s3.call_s3("put_bucket_policy", Bucket="lab", Policy=policy)
    try:
        with pytest.raises(InputError, match=r"s3://lab/tiny/suite.toml: no permission: .*\n.*credentials"):
            load_suite("s3://lab/tiny")
    finally:
        s3.call_s3("delete_bucket_policy", Bucket="lab")
