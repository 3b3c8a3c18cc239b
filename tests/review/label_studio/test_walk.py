"""The bridge and a small Label Studio in memory: a whole review, crashes, loops, and the command line."""

from __future__ import annotations

import json
from importlib import import_module

import pytest
from typer.testing import CliRunner

pytest.importorskip("httpx2")
pytest.importorskip("sqlalchemy")

from tests.review.label_studio.accounts import rated
from tests.review.label_studio.small_studio import SmallStudio
from tests.review.label_studio.walk import GROUPS, Walk, whole_walk
from vdebench.cli.review_label_studio import app
from vdebench.errors import InputError, MissingPartError
from vdebench.net.http import HttpClient
from vdebench.review.commands import EndPilot, Leave, StartPilot, Withdraw
from vdebench.review.label_studio import sync as running
from vdebench.review.label_studio.projects import ReviewProject
from vdebench.review.label_studio.server import AwayError, LabelStudio, LabelStudioError

SCORE = ReviewProject("score", "group:1")


@pytest.fixture
def studio():
    made = SmallStudio()
    yield made
    made.close()


@pytest.fixture
def walk(workspace, studio, monkeypatch):
    monkeypatch.setattr(HttpClient, "pause", lambda self, seconds: None)
    with Walk(workspace, studio, monkeypatch) as made:
        yield made


def test_from_the_pilot_to_a_sample_that_passes(walk):
    whole_walk(walk)


def test_tasks_hold_what_is_needed_and_nothing_of_others(walk, studio):
    walk.push(27)
    studio.say("2a", studio.tasks(ReviewProject("score", "group:2"))["harbour-1", 1], rated(1, 2, 3))
    walk.pull("score", 1)
    task = studio.tasks(SCORE)["harbour-1", 1]
    keys = {"sample", "round", "edit", "width", "height", "instruction", "before", "after"}
    assert task["data"].keys() == keys
    assert "predictions" not in task
    assert task["data"]["before"].startswith("/data/upload/")


@pytest.mark.parametrize("call", [1, 2, 3, 4, 6])
def test_killed_at_any_moment_of_a_push_nothing_is_there_twice(walk, studio, monkeypatch, call):
    module = import_module("vdebench.review.label_studio.push")
    monkeypatch.setattr(module, "TOGETHER", 4)
    done, calls = LabelStudio._post, []

    def killed(server, path, **content):
        """After the server has done it: that is the worst moment."""
        calls.append(path)
        answer = done(server, path, **content)
        if len(calls) == call:
            raise KeyboardInterrupt
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(LabelStudio, "_post", killed)
        with pytest.raises(KeyboardInterrupt):
            walk.bridge.push()
    with walk.another() as bridge:
        pushed = bridge.push()
    assert pushed.there + pushed.tasks.total() == 27
    assert len(studio.projects()) == len(studio.made) == 4
    assert [len(studio.tasks(ReviewProject("score", f"group:{group}"))) for group in GROUPS] == [9, 9, 9]
    assert sum(map(len, studio.jobs.values())) == 27
    names = [each["file"] for each in studio.files]
    assert len(names) == len(set(names)) == 12  # three pages, nine edits


def test_a_loop_asks_only_for_what_is_new(walk, studio):
    walk.bridge.push()
    studio.say("eve", studio.tasks(SCORE)["harbour-2", 1], rated(3, 3, 3))
    studio.say("1a", studio.tasks(SCORE)["harbour-1", 1], rated(3, 3, 3))
    assert len(walk.bridge.pull(walk.people).refused) == 1
    studio.say("1a", studio.tasks(SCORE)["mill-1", 1], rated(3, 3, 3))
    pulled = walk.bridge.pull(walk.people)  # with the last one seen, for clocks differ
    assert (pulled.accepted, pulled.known, pulled.refused) == ({"score": 1}, 1, [])
    with walk.people.open("a", encoding="utf-8") as file:
        file.write('"eve@vde.example" = "1b"\n')
    assert walk.bridge.pull(walk.people).accepted == {"score": 1}  # who was not known is now


def test_what_waits_for_something_is_not_passed_over_in_a_loop(walk, studio):
    """A vote while a pilot is under way counts when it has ended, though nobody touches the annotation."""
    walk.bridge.push()
    walk.tell(StartPilot(("harbour-1",)))
    studio.say("1a", studio.tasks(SCORE)["mill-1", 1], rated(3, 3, 3))
    studio.say("eve", studio.tasks(SCORE)["mill-2", 1], rated(3, 3, 3))
    assert [each.reason for each in walk.bridge.pull(walk.people).refused] == ["pilot_open", "unknown_person"]
    walk.tell(EndPilot())
    assert walk.bridge.pull(walk.people).accepted == {"score": 1}


def test_deleted_tasks_and_projects_are_made_again(walk, studio):
    walk.push(27)
    assert walk.bridge.push().there == 27  # by now it remembers them
    project = studio.projects()[SCORE.title("tiny")]
    del studio.jobs[project][studio.tasks(SCORE)["mill-1", 1]["id"]]
    pushed = walk.bridge.push()
    assert (pushed.there, pushed.tasks.total()) == (26, 1)
    del studio.made[project]
    pushed = walk.bridge.push()
    assert (pushed.there, pushed.tasks.total(), pushed.projects) == (18, 9, 1)


def test_renamed_projects_are_known_and_tasks_by_hand_are_left_alone(walk, studio):
    walk.push(27)
    project = studio.projects()[SCORE.title("tiny")]
    studio.made[project]["title"] = "ours"
    studio.ask("root", "POST", f"/api/projects/{project}/import", json=[{"data": {"text": "hello"}}])
    walk.push(0, there=27)
    studio.say("1a", {"id": max(studio.jobs[project])}, rated(3, 3, 3))
    walk.pull("score", 0, unknown_task=1)


def test_a_sample_that_is_withdrawn_or_broken(walk, studio):
    walk.push(27)
    walk.tell(Withdraw("harbour-1", "a name in it"))
    walk.push(0, there=24)
    studio.say("1a", studio.tasks(SCORE)["harbour-1", 1], rated(3, 3, 3))
    walk.pull("score", 0, closed=1)
    del studio.made[studio.projects()[SCORE.title("tiny")]]
    next(walk.folder.glob("edits/images/*/mill-1.png")).unlink()
    pushed = walk.bridge.push()
    assert (list(pushed.broken), pushed.tasks.total()) == (["mill-1"], 7)
    assert "mill-1" in pushed.lines()[0]


def test_a_loop_waits_for_a_server_that_is_away(walk, studio, monkeypatch):
    told, complaints, pauses = [], [], []

    def pause(seconds):
        pauses.append(seconds)
        if len(pauses) == 1:
            studio.failing = [("/api/users", 502)] * 4  # as often as one request is tried
        if len(pauses) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(running.time, "sleep", lambda seconds: pause(seconds) if seconds == 7 else None)
    studio.account("late")
    walk.bridge.push()
    studio.say("eve", studio.tasks(SCORE)["harbour-1", 1], rated(3, 3, 3))
    with pytest.raises(KeyboardInterrupt):
        running.sync_for_ever(walk.bridge, walk.people, 7, told.append, complaints.append)
    assert len(told) == 3
    assert [len(each.pulled.refused) for each in told] == [1, 0, 0]  # told once
    assert len(complaints) == 1
    assert "next try in 7 seconds" in complaints[0]


def test_a_loop_goes_on_after_what_passes(walk, studio, monkeypatch):
    told, complaints, pauses, people = [], [], [], walk.people.read_text()

    def pause(seconds):
        pauses.append(seconds)
        walk.people.write_text("[people" if len(pauses) == 1 else people)  # caught half-written
        if len(pauses) == 3:
            monkeypatch.setattr(walk.bridge, "push", lambda: (_ for _ in ()).throw(MissingPartError("no reader")))

    monkeypatch.setattr(running.time, "sleep", pause)
    with pytest.raises(MissingPartError):  # this will not pass
        running.sync_for_ever(walk.bridge, walk.people, 7, told.append, complaints.append)
    assert (len(told), len(complaints), pauses) == (2, 1, [7, 7, 7])
    assert "people.toml" in complaints[0]
    walk.people.write_text("[people")
    with pytest.raises(InputError):  # what is wrong from the beginning is no passing trouble
        running.sync_for_ever(walk.bridge, walk.people, 7, told.append, complaints.append)


def test_people_join_by_their_file(walk, studio):
    new = '[people]\n"1a@vde.example" = "1a"\n"eve@vde.example" = {name = "eve", group = "2"}\n'
    walk.people.write_text(new, encoding="utf-8")
    walk.tell(StartPilot(("harbour-1",)))
    walk.bridge.push(walk.people)
    assert walk.state().study.member("eve").group == "2"
    studio.say("eve", studio.tasks(ReviewProject("pilot", "member:eve"))["harbour-1", 1], rated(3, 3, 3))
    assert walk.bridge.pull(walk.people).accepted == {"pilot": 1}
    walk.tell(Leave("eve"))
    walk.bridge.push(walk.people)
    assert not walk.state().study.member("eve").active  # who has left stays so


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('"carl"', "members: 1a, 1b, 2a, 3a, root"),
        ('{name = "carl", group = "4"}', "expected one of 1, 2, 3"),
        ('{name = "1a", group = "2"}', "1a is annotator 1, not annotator 2"),
        ('{name = "root", group = "1"}', "root is admin, not annotator 1"),
        ('{name = " ", group = "1"}', "space"),
    ],
)
def test_people_that_the_review_knows_otherwise(walk, line, words):
    walk.people.write_text(f'[people]\n"a@b" = {{name = "new", group = "1"}}\n"c@d" = {line}\n', encoding="utf-8")
    with pytest.raises(InputError, match=words):
        walk.bridge.push(walk.people)
    assert walk.state().study.member("new") is None


def run(*words):
    return CliRunner().invoke(app, list(map(str, words)))


def test_command_line(walk, studio):
    done = run("push", walk.folder, "--url", studio.url)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(
        "pushed: 27 new tasks (score 27), 0 already there; 4 new projects, 12 images uploaded"
    )
    studio.say("1a", studio.tasks(SCORE)["harbour-1", 1], rated(3, 3, 9))
    done = run("pull", walk.folder, "--url", studio.url, "--people", walk.people)
    assert done.exit_code == 0  # a refusal of an annotation is no fault of the command
    assert "score group 1: harbour-1: annotation" in done.stdout
    assert "bad_rating: subjective satisfaction is 9, expected 1, 2 or 3" in done.stdout
    done = run("sync", walk.folder, "--url", studio.url, "--people", walk.people, "--json", "--workers", 1)
    told = json.loads(done.stdout)
    assert told["pulled"]["refused"][0]["reason"] == "bad_rating"
    assert told["pushed"]["there"] == 27
    assert studio.keys["root"] not in done.output


def test_command_line_faults(walk, studio, monkeypatch, tmp_path):
    def fault(*words):
        return run(*words).exception

    at = ("--url", studio.url)
    assert isinstance(fault("pull", walk.folder, *at, "--people", tmp_path / "none.toml"), InputError)
    assert isinstance(fault("push", tmp_path / "empty", *at), Exception)
    (walk.folder / "review.sqlite").rename(tmp_path / "other.sqlite")
    assert "vde build review" in str(fault("push", walk.folder, *at))
    assert run("push", walk.folder, *at, "--database", tmp_path / "other.sqlite").exit_code == 0
    (tmp_path / "other.sqlite").rename(walk.folder / "review.sqlite")
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "f" * 40)
    assert isinstance(fault("push", walk.folder, *at), LabelStudioError)
    studio.close()
    assert isinstance(fault("push", walk.folder, *at), AwayError)
