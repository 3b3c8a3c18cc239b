"""`external`: programs in other processes, correct and broken ones."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from vdebench.editors import get_editor
from vdebench.editors.external.editor import ExternalEditor
from vdebench.editors.external.program import Program, program, stop_programs
from vdebench.errors import EditorError, EditorUnusableError, VdeError

PROGRAMS = Path(__file__).parent / "programs"
PAGE = np.full((20, 30, 3), 250, np.uint8)


@pytest.fixture(autouse=True)
def _ended():
    yield
    stop_programs()


def inverting(*more):
    return [sys.executable, str(PROGRAMS / "inverting.py"), "--device", "cpu", *more]


def broken(way, **options):
    return ExternalEditor([sys.executable, str(PROGRAMS / "broken.py"), way], **options)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_edits_refusals_and_failures_come_from_one_warm_program():
    editor = get_editor("external", command=shlex.join(inverting("--steps", "28")), timeout="20")
    first = editor.edit(PAGE, "invert", seed=5)
    assert (first.image[:, :15] == 5).all()  # 255 - 250
    assert (first.image[:, 15:] == 250).all()
    told = first.metadata
    assert (told["steps"], told["seed"], told["edits"]) == (28, 5, 1)
    assert first.parameters == {"model": "tests/inverting", "program": "inverting 7"}
    assert first.native_size == (30, 20)
    assert 0 <= first.seconds < 20
    refused = editor.edit(PAGE, "refuse")
    assert (refused.state, refused.reason) == ("refused", "I would rather not")
    with pytest.raises(EditorError, match="external: ValueError: cannot do that"):
        editor.edit(PAGE, "fail")
    again = get_editor("external", command=inverting("--steps", "28"), timeout=20)  # the same in other words
    last = again.edit(PAGE, "把“九月”改为“十月”\nand {more}")
    assert (last.metadata["edits"], last.metadata["process"]) == (4, told["process"])
    stop_programs()
    assert not alive(told["process"])


def test_identity_is_the_programs_own_word():
    identity = ExternalEditor(inverting("--steps", "28")).identity
    assert identity["name"] == "external"
    assert identity["program"] == "inverting"
    assert identity["program_version"] == "7"
    assert identity["model"] == "tests/inverting"
    assert '"steps": 28' in identity["parameters"]
    assert "command" not in identity  # it tells its parameters: where it is installed is no matter
    assert ExternalEditor(inverting("--steps", "29")).identity != identity
    assert "broken.py" in broken("third").identity["command"]  # it tells none


def test_a_program_that_dies_costs_one_sample(tmp_path):
    editor = ExternalEditor(inverting(), logs=str(tmp_path / "logs"))
    first = editor.edit(PAGE, "invert")
    with pytest.raises(EditorError, match=r"was ended by SIGKILL while editing[^$]*the GPU is on fire"):
        editor.edit(PAGE, "die")
    after = editor.edit(PAGE, "invert")
    assert after.metadata["process"] != first.metadata["process"]
    logs = sorted((tmp_path / "logs").iterdir())
    assert len(logs) == 2
    assert "a library that prints to stdout" in logs[0].read_text()


def test_a_program_killed_between_two_pages_costs_none():
    editor = ExternalEditor(inverting())
    process = editor.edit(PAGE, "invert").metadata["process"]
    os.kill(process, 9)
    while editor._backends[0]._running.alive:
        time.sleep(0.01)
    assert editor.edit(PAGE, "invert").metadata["process"] != process


def test_a_program_that_dies_again_and_again_is_left_alone(monkeypatch):
    editor = ExternalEditor(inverting("--broken"))
    for _ in range(3):
        with pytest.raises(EditorError, match=r"exit code 1 while editing[^$]*no such weights"):
            editor.edit(PAGE, "invert")
    monkeypatch.setattr("vdebench.editors.external.program.ProgramProcess", None)  # starting it would break
    with pytest.raises(
        EditorUnusableError, match=r"failed 3 times in a row and is not started again[^$]*no such weights"
    ):
        editor.edit(PAGE, "invert")


@pytest.mark.slow
def test_an_answer_ends_the_row_of_deaths():
    editor = broken("third")
    for _ in range(4):
        editor.edit(PAGE, "x")
        editor.edit(PAGE, "x")
        with pytest.raises(EditorError, match=r"exit code 9[^$]*out of memory"):
            editor.edit(PAGE, "x")


def test_a_program_that_hangs_is_ended():
    editor = Program("external", inverting(), timeout=0.4, start_timeout=10)
    made, _ = editor.edit(PAGE, "invert", 0)
    with pytest.raises(EditorError, match=r"no answer within 0\.4 s while editing"):
        editor.edit(PAGE, "hang", 0)
    assert not alive(made.metadata["process"])
    editor.stop()


@pytest.mark.parametrize(
    ("way", "failure", "told"),
    [
        ("at start", EditorError, r"exit code 3 while starting[^$]*no GPU here"),
        ("no hello", EditorError, r"no answer within 0\.2 s while starting"),
        ("garbage first", EditorError, "found 'Loading weights: 40%'"),
        ("protocol 2", EditorUnusableError, "implements protocol 2, expected 1"),
    ],
)
def test_programs_that_do_not_say_hello(way, failure, told):
    editor = broken(way, start_timeout=0.2 if way == "no hello" else 10)
    with pytest.raises(failure, match=told):
        _ = editor.identity


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("garbage", "found 'step 1 of 28'"),
        ("wrong id", "answered request 'another', expected '1'"),
        ("state", "state is 'done', expected edited, refused or failed"),
        ("flood", "answered request 'flood', expected '1'"),
        ("not a number", "expected a JSON object"),
        ("no file", "reported edited, but wrote no file 1-out.png"),
        ("no image", "its image cannot be opened: .*is no image we know"),
        ("elsewhere", r"wrote to /tmp/elsewhere\.png, expected "),
    ],
)
def test_answers_that_are_none(way, told):
    with pytest.raises(EditorError, match=told):
        broken(way).edit(PAGE, "x")


def test_a_program_that_comes_back_as_another_is_refused(tmp_path):
    script = tmp_path / "changing.py"
    version = tmp_path / "version"
    version.write_text("1")
    script.write_text(
        "import json, sys\n"
        f"hello = dict(name='c', version=open({str(version)!r}).read(), model='m', protocol=1)\n"
        "print(json.dumps({'hello': hello}), flush=True)\n"
        "sys.stdin.readline()\n"
    )
    editor = ExternalEditor([sys.executable, str(script)])
    assert editor.identity["program_version"] == "1"
    with pytest.raises(EditorError):
        editor.edit(PAGE, "x")
    version.write_text("2")
    with pytest.raises(EditorUnusableError, match=r"version='1'.*is now.*version='2'"):
        editor.edit(PAGE, "x")


def test_an_interrupted_edit_leaves_no_answer_for_the_next(monkeypatch):
    editor = Program("external", inverting(), timeout=10, start_timeout=10)
    first, _ = editor.edit(PAGE, "invert", 0)

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(editor._running, "receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            editor.edit(PAGE, "invert", 0)
    assert not alive(first.metadata["process"])
    answer, image = editor.edit(PAGE, "invert", 0)
    assert answer.metadata["edits"] == 1
    assert image is not None
    editor.stop()


def test_stopping_does_not_wait_for_an_edit():
    editor = Program("external", inverting(), timeout=20, start_timeout=20)
    first, _ = editor.edit(PAGE, "invert", 0)
    with ThreadPoolExecutor(2) as threads:
        under_way = threads.submit(editor.edit, PAGE, "hang", 0)
        while editor._requests < 2:
            time.sleep(0.01)
        waiting = threads.submit(editor.edit, PAGE, "invert", 0)
        time.sleep(0.1)
        start = time.monotonic()
        editor.stop()
        assert time.monotonic() - start < 4
        with pytest.raises(EditorError, match="was ended by SIGKILL while editing"):
            under_way.result()
        with pytest.raises(EditorError, match="was stopped before it was asked"):
            waiting.result()
    assert not alive(first.metadata["process"])
    assert (editor._running, editor._starts) == (None, 1)
    assert editor.known.name == "inverting"  # who asks for its name does not start it
    assert editor._running is None


def test_stopping_does_not_wait_for_a_start():
    editor = Program("external", [sys.executable, str(PROGRAMS / "broken.py"), "no hello"], 20, 20)
    with ThreadPoolExecutor(1) as threads:
        starting = threads.submit(editor.hello)
        while editor._running is None:
            time.sleep(0.01)
        start = time.monotonic()
        editor.stop()
        assert time.monotonic() - start < 4
        with pytest.raises(EditorError, match="was ended by SIGKILL while starting"):
            starting.result()
    assert (editor._running, editor._starts) == (None, 1)


@pytest.mark.slow
def test_a_deaf_program_is_made_to_end(monkeypatch):
    monkeypatch.setattr("vdebench.editors.external.process.EXIT_SECONDS", 0.2)
    command = [
        sys.executable,
        "-c",
        "import signal,sys; signal.signal(15, signal.SIG_IGN); exec(open(sys.argv[2]).read())",
    ]
    deaf = program("external", [*command, "deaf", str(PROGRAMS / "broken.py")], 10, 10)
    deaf.hello()
    process = deaf._running._process.pid
    deaf.stop()
    assert not alive(process)


@pytest.mark.slow
def test_a_program_in_the_middle_of_an_edit_ends_when_we_are_killed(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    script = (
        "import sys, numpy\n"
        "from vdebench.editors import get_editor\n"
        "editor = get_editor('external', command=sys.argv[1:])\n"
        "print(editor.edit(numpy.zeros((9, 9, 3), 'uint8'), 'invert').metadata['process'], flush=True)\n"
        "editor.edit(numpy.zeros((9, 9, 3), 'uint8'), 'hang')\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, *inverting()], stdout=subprocess.PIPE, text=True) as parent:
        process = int(parent.stdout.readline())
        time.sleep(0.3)
        parent.kill()
    deadline = time.monotonic() + 5
    while alive(process) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(process)


def test_several_programs_at_once_each_with_a_card_of_its_own(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,6")
    editor = get_editor("external", command=inverting(), concurrency="2")
    assert (editor.concurrency, editor.waits) == (2, True)
    with ThreadPoolExecutor(2) as threads:
        made = list(threads.map(lambda _: editor.edit(PAGE, "wait").metadata, range(4)))
    cards = {each["process"]: each["card"] for each in made}
    assert sorted(cards.values()) == ["4", "6"]
    editor.close()
    assert not any(map(alive, cards))
    assert editor.identity["model"] == "tests/inverting"
    assert not any(there._running for there in editor._backends)  # nobody is started for a question that was answered
    assert editor.edit(PAGE, "invert").image is not None  # it may be asked again
    assert "card" not in repr(editor.identity)


def test_nothing_is_left_in_the_folder_of_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ExternalEditor(inverting()).edit(PAGE, "invert")
    (folder,) = tmp_path.iterdir()
    assert [file.name for file in folder.iterdir()] == ["stderr.log"]
    stop_programs()
    assert not list(tmp_path.iterdir())


def test_our_own_packages_are_kept_from_it(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/no/such/place")
    say = "import json,os; print(json.dumps({'hello': dict(name=os.environ.get('PYTHONPATH', 'none'), version='', model='', protocol=1)}))"
    assert ExternalEditor([sys.executable, "-c", say]).identity["program"] == "none"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, r"the editor external needs command= or url=\n.*--editor-option external.command="),
        ({"command": "x", "url": "http://localhost:1"}, "pass command or url, not both"),
        ({"command": "python 'x"}, "cannot be split: No closing quotation"),
        ({"command": '["x'}, "cannot be split"),
        ({"command": "  "}, "is empty"),
        ({"command": "x", "timeout": "soon"}, "timeout is 'soon', expected a number of seconds"),
        ({"url": "localhost:80"}, "'localhost:80' is not a server address"),
    ],
)
def test_options_that_cannot_be(options, told):
    with pytest.raises(VdeError, match=told):
        get_editor("external", **options)


def test_a_command_that_is_not_there():
    editor = ExternalEditor("/no/such/python x.py")
    with pytest.raises(EditorUnusableError, match="/no/such/python: cannot be started: No such file or directory"):
        _ = editor.identity
    assert ExternalEditor.missing(command="/no/such/python x.py") == "/no/such/python: no such program"
    assert ExternalEditor.missing(command=inverting()) == ""
    assert "docs/external-editors.md" in ExternalEditor.missing()
