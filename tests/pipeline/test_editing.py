"""The editing stage: concurrency, early stops, stored results."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from tests.colours import paint
from tests.plugins import register
from vdebench.core.input_policy import InputPolicy
from vdebench.editors.catalog import EDITORS
from vdebench.editors.editor import Edit, Editor
from vdebench.errors import EditorError, EditorUnusableError, InputError, VdeError
from vdebench.io.images import open_image
from vdebench.net.budget import Budget
from vdebench.pipeline.editing import edit_suite, jobs, read_edits, stage
from vdebench.suites.suite import load_suite

PAGES = 10


class Waiting(Editor):
    """Behind an imagined server: a tenth of a second and four cents each."""

    waits = charges = True
    under_way, most, begun, closed = 0, 0, [], 0
    lock = threading.Lock()

    def __init__(self, concurrency: int = 4, per_minute: float = 0, fails: str = "", price: float | None = 0.04):
        self.concurrency, self.per_minute, self._fails, self._price = int(concurrency), float(per_minute), fails, price

    @property
    def identity(self):
        return {"name": "waiting", "version": "1"}

    def edit(self, image, instruction, *, seed=0):
        kind = type(self)
        with kind.lock:
            kind.under_way += 1
            kind.most = max(kind.most, kind.under_way)
            kind.begun.append(time.monotonic())
        time.sleep(0.05)
        with kind.lock:
            kind.under_way -= 1
        if self._fails == "key":
            raise EditorUnusableError("the key is wrong")
        if self._fails == "exit":
            raise SystemExit("a library has had enough")
        if self._fails == "all":
            raise EditorError("the server is away")
        if self._fails == "most" and image[0, 0, 0] != 20:
            raise EditorError("the page is too much for it")
        if self._fails == "once" and len(kind.begun) == 1:
            error = EditorError("an answer without an image")
            error.parameters = {"dollars": 0.5}
            raise error
        return Edit("edited", image, parameters={"dollars": self._price}, metadata={"said": "done"}, seconds=0.25)

    def close(self):
        type(self).closed += 1


class Dying(Editor):
    """Takes its process along on the fourth page, wherever it meets it; with `batch` several pages at once."""

    def __init__(self, batch: int = 1):
        self.batch = int(batch)

    @property
    def identity(self):
        return {"name": "dying", "version": "1"}

    def edit(self, image, instruction, *, seed=0):
        if image[0, 0, 0] == 20 * 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return Edit.of(image)


class Seeing(Editor):
    """Gives back what it was shown, with the words it was asked in; batches fail as a whole."""

    batch = 4

    @property
    def identity(self):
        return {"name": "seeing", "version": "1"}

    def edit(self, image, instruction, *, seed=0):
        return Edit.of(image, asked=instruction, seed=seed)

    def edit_all(self, tasks):
        sizes = {task.image.shape for task in tasks}
        assert len(sizes) == 1, "a batch is of one size"
        if any(task.image[0, 0, 0] == 20 for task in tasks):
            raise RuntimeError("out of memory")
        return [Edit.of(task.image, together=len(tasks)) for task in tasks]


class Slow(Editor):
    """Half a second each, by processes; for Ctrl-C."""

    @property
    def identity(self):
        return {"name": "slow", "version": "1"}

    def edit(self, image, instruction, *, seed=0):
        time.sleep(0.3)
        return Edit.of(image)


@pytest.fixture
def suite(make):
    """Pages in the colours 20, 40, …"""
    root, _ = make(PAGES)
    with (root / "suite.toml").open("a") as file:
        file.write('source_images = "before"\n')
    for index in range(PAGES):
        paint(root / f"before/page_{index}.png", index + 1)
    return load_suite(root)


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    for name in ("Waiting", "Dying", "Seeing", "Slow"):
        monkeypatch.setitem(EDITORS, name.lower(), f"tests.pipeline.test_editing:{name}")
    Waiting.under_way, Waiting.most, Waiting.begun, Waiting.closed = 0, 0, [], 0


def test_editors_that_wait_are_asked_side_by_side_and_no_more_than_they_bear(suite, tmp_path):
    made = edit_suite(suite, "waiting", tmp_path / "w", options={"concurrency": 3})
    assert [each.state for each in made] == ["edited"] * PAGES
    assert Waiting.most == 3
    assert Waiting.closed == 1
    assert made[0].metadata == {"said": "done"}
    assert made[0].parameters == {"dollars": 0.04, "model_seconds": 0.25}
    assert made[0].size == [200, 300]
    assert json.loads((tmp_path / "w/not_edited.json").read_text()) == []


def test_a_rate_is_kept(suite, tmp_path):
    start = time.monotonic()
    edit_suite(suite, "waiting", tmp_path / "w", options={"concurrency": 8, "per_minute": 1200})  # one every 50 ms
    # none before its slot; a busy machine may start any of them later
    assert all(begun - start > 0.05 * number - 0.005 for number, begun in enumerate(sorted(Waiting.begun)))


def test_a_budget_is_never_passed_and_a_larger_one_goes_on(suite, tmp_path):
    with pytest.raises(EditorError, match=r"budget of \$0\.20 does not allow one more edit: \$0\.20 are spent") as told:
        edit_suite(suite, "waiting", tmp_path / "w", budget=Budget(0.2))
    assert "5 of 10 samples are done and kept" in str(told.value)
    assert len(Waiting.begun) == 5
    assert len(read_edits(tmp_path / "w")) == 5
    made = edit_suite(suite, "waiting", tmp_path / "w", budget=Budget(1.0, spent=0.2))
    assert len(made) == PAGES
    assert len(Waiting.begun) == PAGES


def test_a_budget_without_prices_is_refused(suite, tmp_path):
    with pytest.raises(EditorError, match="the cost of an edit is unknown"):
        edit_suite(suite, "waiting", tmp_path / "w", options={"price": None}, budget=Budget(1.0))
    assert len(Waiting.begun) == 1


def test_an_editor_that_charges_nothing_is_not_held_up_by_a_budget(suite, tmp_path, monkeypatch):
    monkeypatch.setattr(Waiting, "charges", False)
    made = edit_suite(suite, "waiting", tmp_path / "w", options={"price": None}, budget=Budget(1.0, spent=1.5))
    assert {each.state for each in made} == {"edited"}
    assert Waiting.most == 4


def test_what_failed_tries_have_cost_is_not_forgotten(suite, tmp_path):
    first = edit_suite(suite, "waiting", tmp_path / "w", options={"fails": "once", "concurrency": 1})
    assert [each.state for each in first].count("failed") == 1
    again = edit_suite(suite, "waiting", tmp_path / "w", options={"fails": "once", "concurrency": 1})
    assert {each.state for each in again} == {"edited"}
    told = json.loads((tmp_path / "w/run.json").read_text())["provenance"]["cost"]
    assert told["dollars"] == pytest.approx(0.5 + PAGES * 0.04)


def test_edits_that_cannot_be_kept_are_paid_for_and_end_the_run(suite, tmp_path, monkeypatch):
    def full(path, content):
        raise InputError(f"{path}: cannot be written: No space left on device")

    monkeypatch.setattr(jobs, "write_bytes", full)
    with pytest.raises(EditorError, match="No space left on device"):
        edit_suite(suite, "waiting", tmp_path / "w", options={"concurrency": 1})
    assert len(Waiting.begun) == 8
    told = json.loads((tmp_path / "w/run.json").read_text())["provenance"]["cost"]
    assert told["dollars"] == pytest.approx(8 * 0.04)


def test_a_page_that_is_away_for_a_session_costs_nothing_again(suite, tmp_path):
    first = edit_suite(suite, "waiting", tmp_path / "w")
    (suite.root / "before").rename(suite.root / "away")
    gone = edit_suite(load_suite(suite.root), "waiting", tmp_path / "w")
    assert {each.state for each in gone} == {"failed"}
    (suite.root / "away").rename(suite.root / "before")
    assert edit_suite(load_suite(suite.root), "waiting", tmp_path / "w") == first
    assert len(Waiting.begun) == PAGES


def test_an_image_never_passes_for_that_of_other_options(suite, tmp_path, monkeypatch):
    """Killed between a new image and its line, then run as before."""
    edit_suite(suite, "seeing", tmp_path / "s", workers=1)
    journal = (tmp_path / "s/edits.jsonl").read_bytes()

    def killed(made):
        raise KeyboardInterrupt

    watched = stage._watch
    monkeypatch.setattr(stage, "_watch", lambda outcomes, *_: (killed(each) for each in outcomes))
    with pytest.raises(KeyboardInterrupt):
        edit_suite(suite, "seeing", tmp_path / "s", workers=1, input_policy=InputPolicy(max_pixels=15000))
    monkeypatch.setattr(stage, "_watch", watched)
    assert (tmp_path / "s/edits.jsonl").read_bytes().startswith(journal)
    again = edit_suite(suite, "seeing", tmp_path / "s", workers=1)
    assert {tuple(each.size) for each in again} == {(200, 300)}
    assert open_image(tmp_path / "s" / again[0].file).shape == (300, 200, 3)


def test_an_editor_that_is_another_elsewhere_is_refused(suite, tmp_path, monkeypatch):
    monkeypatch.setattr(stage, "identity_text", lambda editor: "as on the machine that started it")
    with pytest.raises(EditorError, match="has another version of the editor"):
        edit_suite(suite, "copy", tmp_path / "c", workers=1)


@pytest.mark.parametrize(
    ("way", "most", "words"),
    [("key", 4, "the key is wrong"), ("exit", 10, "a library has had"), ("all", 10, "8 samples in a row")],
)
def test_an_editor_that_cannot_be_used_is_given_up(suite, tmp_path, way, most, words):
    with pytest.raises(EditorError, match=words):
        edit_suite(suite, "waiting", tmp_path / "w", options={"fails": way})
    assert len(Waiting.begun) <= most
    failed = json.loads((tmp_path / "w/not_edited.json").read_text())
    assert {each["state"] for each in failed} == {"failed"}


def test_pages_that_fail_for_good_do_not_keep_a_run_from_its_end(suite, tmp_path):
    first = edit_suite(suite, "waiting", tmp_path / "w", options={"fails": "most", "concurrency": 1})
    assert [each.state for each in first].count("failed") == 9
    again = edit_suite(suite, "waiting", tmp_path / "w", options={"fails": "most", "concurrency": 1})
    assert [each.state for each in again] == [each.state for each in first]
    assert len(Waiting.begun) == PAGES + 9  # they were tried again, and the run came to its end


@pytest.mark.parametrize(
    ("pixels", "told"),
    [
        (np.zeros((30, 20, 3)), "float64 of 30×20×3"),
        (np.zeros((30, 20, 4), np.uint8), "uint8 of 30×20×4"),
        ("a path", "str"),
    ],
)
def test_what_is_no_page_is_no_edit(suite, tmp_path, monkeypatch, pixels, told):
    monkeypatch.setattr(Waiting, "edit", lambda self, image, instruction, *, seed=0: Edit.of(pixels))
    with pytest.raises(EditorError, match="8 samples in a row"):
        edit_suite(suite, "waiting", tmp_path / "w")
    reasons = {each.reason for each in read_edits(tmp_path / "w")}
    assert reasons == {f"the editor returned {told}, expected RGB pixels: uint8 of height×width×3"}


@pytest.mark.parametrize("batch", [1, 3])
def test_a_process_that_dies_loses_one_sample(suite, tmp_path, batch, monkeypatch):
    register(tmp_path / "site", "editors", dying="tests.pipeline.test_editing:Dying")
    monkeypatch.syspath_prepend(tmp_path / "site")
    made = edit_suite(suite, "dying", tmp_path / "d", options={"batch": batch}, workers=2)
    states = {each.sample: each.state for each in made}
    assert [sample for sample, state in states.items() if state != "edited"] == ["text/2"]
    lost = next(each for each in made if each.state == "failed")
    assert "died" in lost.reason or "killed" in lost.reason or "SIGKILL" in lost.reason


def test_batches_are_of_one_size_and_fall_apart_where_they_fail(suite, tmp_path):
    made = edit_suite(suite, "seeing", tmp_path / "s", workers=1)
    assert {each.state for each in made} == {"edited"}
    together = [each.parameters.get("together") for each in made]
    assert together == [None] * 4 + [4] * 4 + [2] * 2  # the first batch holds the page that it has no memory for


def test_pages_are_given_as_the_policy_says(suite, tmp_path):
    small = InputPolicy(max_pixels=15000)
    made = edit_suite(
        suite, "seeing", tmp_path / "s", workers=1, input_policy=small, instructions={"text/1": "in other words"}
    )
    assert made[0].size == [100, 150]
    assert open_image(tmp_path / "s" / made[0].file).shape == (150, 100, 3)
    assert made[1].instruction == "in other words"
    assert made[0].instruction == ""
    again = edit_suite(suite, "seeing", tmp_path / "s", workers=1)  # whole pages: another task
    assert again[0].size == [200, 300]


def test_a_sample_that_has_no_instruction_fails_and_the_others_do_not(suite, tmp_path):
    made = edit_suite(suite, "copy", tmp_path / "c", workers=1, instructions={"text/3": VdeError("no words for it")})
    assert [(each.state, each.reason) for each in made if each.state != "edited"] == [("failed", "no words for it")]


@pytest.mark.parametrize("waits", [True, False])
def test_ctrl_c_finishes_what_is_under_way_and_the_next_run_goes_on(suite, tmp_path, waits, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    script = tmp_path / "go.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from vdebench.pipeline.editing import edit_suite\n"
        "from vdebench.editors.catalog import EDITORS\n"
        "from vdebench.suites.suite import load_suite\n"
        "import tests.pipeline.test_editing as ours\n"
        f"EDITORS['slow'] = 'tests.pipeline.test_editing:Slow'\n"
        f"ours.Slow.waits = {waits}\n"
        "ours.Slow.concurrency = 2\n"
        "if __name__ == '__main__':\n"
        "    def told(done, total): print(done, flush=True)\n"
        "    edit_suite(load_suite(sys.argv[1]), 'slow', Path(sys.argv[2]), workers=1, progress=told)\n"
    )
    command = [sys.executable, str(script), str(suite.root), str(tmp_path / "s")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "1"
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "edits in progress are finished and kept" in told
    kept = read_edits(tmp_path / "s")
    assert 1 <= len(kept) < PAGES
    assert all(each.state == "edited" for each in kept)
    assert subprocess.run(command, check=True, capture_output=True).returncode == 0
    assert len(read_edits(tmp_path / "s")) == PAGES


def test_a_second_ctrl_c_ends_at_once(suite, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    script = tmp_path / "go.py"
    script.write_text(
        "import sys, time\n"
        "from pathlib import Path\n"
        "from vdebench.pipeline.editing import edit_suite\n"
        "from vdebench.editors.catalog import EDITORS\n"
        "from vdebench.suites.suite import load_suite\n"
        "import tests.pipeline.test_editing as ours\n"
        "EDITORS['slow'] = 'tests.pipeline.test_editing:Slow'\n"
        "ours.Slow.waits = True\n"
        "def waiting(*_, **__):\n"
        "    ours.os.write(1, b'asked\\n')\n"  # at once: several threads print, and print writes twice
        "    ours.threading.Event().wait(60)\n"
        "ours.Slow.edit = waiting\n"
        "edit_suite(load_suite(sys.argv[1]), 'slow', Path(sys.argv[2]))\n"
    )
    command = [sys.executable, str(script), str(suite.root), str(tmp_path / "s")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "asked"
    process.send_signal(signal.SIGINT)
    assert "edits in progress are finished" in process.stderr.readline() + process.stderr.readline()
    start = time.monotonic()
    while process.poll() is None and time.monotonic() < start + 20:  # as often as an impatient person would
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    process.kill()
    process.communicate()
    assert time.monotonic() < start + 20
    assert process.returncode != 0
