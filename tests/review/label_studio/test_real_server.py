"""The bridge and the real Label Studio, where VDE_LABEL_STUDIO names it: `make test-label-studio`."""

from __future__ import annotations

import shutil
from importlib import import_module
from threading import Thread

import pytest

pytest.importorskip("sqlalchemy")
from tests.review.label_studio.real_studio import PROGRAM, RealStudio, program

if program() is None:
    pytest.skip(f"{PROGRAM} names no Label Studio", allow_module_level=True)

from tests.review.label_studio.accounts import chosen, drawn, rated
from tests.review.label_studio.walk import GROUPS, Walk, whole_walk
from vdebench.core.box import Box, Size
from vdebench.review.label_studio.projects import ReviewProject
from vdebench.review.label_studio.server import AwayError, LabelStudio, LabelStudioError


@pytest.fixture(scope="module")
def new_folder(tmp_path_factory):
    """A data folder after the first start, which takes a minute."""
    folder = tmp_path_factory.mktemp("label-studio")
    RealStudio(folder).close()
    return folder


@pytest.fixture
def studio(tmp_path, new_folder):
    """A server with a data folder of its own."""
    started = RealStudio(shutil.copytree(new_folder, tmp_path / "label-studio"))
    yield started
    started.close()


@pytest.fixture
def walk(workspace, studio, monkeypatch):
    with Walk(workspace, studio, monkeypatch) as made:
        yield made


def test_from_the_pilot_to_a_sample_that_passes(walk, monkeypatch):
    whole_walk(walk)
    _pictures_are_ours(walk)
    _keys(walk, monkeypatch)


def _pictures_are_ours(walk):
    """What people are shown are the pool's own pictures; nobody without an account sees them."""
    from vdebench.review.pool import Pool

    task = next(iter(walk.studio.tasks(ReviewProject("score", "group:1")).values()))
    headers = {"Authorization": f"Token {walk.studio.keys['3a']}"}
    for side in ("before", "after"):
        url = f"{walk.studio.url}{task['data'][side]}"
        shown = walk.studio.client.get(url, headers=headers)
        assert shown.content == Pool(walk.folder).picture(task["data"]["sample"], side).read_bytes()
        assert walk.studio.client.get(url).status_code == 401


def _keys(walk, monkeypatch):
    """A personal access token does as well; a wrong one of either kind is told, and not shown."""
    personal = walk.studio.personal_token()
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", personal)
    with walk.another() as bridge:
        assert bridge.pull(walk.people).accepted.total() == 0
    for wrong in ("f" * 40, f"{personal[:-4]}aaaa"):
        told = pytest.raises(LabelStudioError, match="LABEL_STUDIO_API_KEY is wrong")
        with LabelStudio(walk.studio.url, key=wrong) as server, told as raised:
            server.require()
        assert wrong not in str(raised.value)


def test_server_killed_in_the_middle_of_a_push(walk, studio, monkeypatch):
    module = import_module("vdebench.review.label_studio.push")
    monkeypatch.setattr(module, "TOGETHER", 2)
    add_tasks, calls = LabelStudio.add_tasks, []

    def killed_meanwhile(server, project, tasks):
        calls.append(project)
        if len(calls) == 4:
            Thread(target=studio.kill).start()
        add_tasks(server, project, tasks)

    with monkeypatch.context() as patch:
        patch.setattr(LabelStudio, "add_tasks", killed_meanwhile)
        with pytest.raises(AwayError):
            walk.bridge.push()
    studio.process.wait()
    studio.start()
    with walk.another() as bridge:
        pushed = bridge.push()
    assert 6 <= pushed.there < 27
    assert pushed.there + pushed.tasks.total() == 27
    for group in GROUPS:
        project = studio.projects()[ReviewProject("score", f"group:{group}").title("tiny")]
        told = studio.ask("root", "GET", "/api/tasks/", params={"project": project, "page_size": 1000})
        assert sorted(task["data"]["sample"] for task in told["tasks"]) == sorted(walk.state().items)
    assert len(studio.projects()) == 4


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: apt-get install chromium")
def test_what_the_page_of_label_studio_sends_is_what_is_read(walk, studio):
    """One person in a browser in every step; the other groups say the same."""
    pytest.importorskip("playwright")
    from tests.review.label_studio import browsing

    sample = next(iter(walk.state().items))
    item = walk.item(sample)

    def others(step, result):
        for group in ("2", "3"):
            studio.say(f"{group}a", studio.tasks(ReviewProject(step, f"group:{group}"))[sample, 1], result)

    walk.bridge.push()
    with browsing.signed_in(studio, "1a") as page:
        browsing.open_task(page, studio, ReviewProject("score", "group:1"), (sample, 1))
        browsing.rate(page, 3, 3, 3)
        browsing.submit(page)
        others("score", rated(3, 3, 3))
        assert walk.bridge.sync(walk.people).pulled.accepted == {"score": 3}

        browsing.open_task(page, studio, ReviewProject("boxes", "group:1"), (sample, 1))
        browsing.draw(page, 0.021, 0.133, 0.947, 0.411)
        browsing.submit(page)
        assert walk.bridge.pull(walk.people).accepted == {"boxes": 1}
        (told,) = studio.tasks(ReviewProject("boxes", "group:1"))[sample, 1]["annotations"][0]["result"]
        (box,) = walk.item(sample).votes("boxes", 1)[0].what.boxes
        expected = Box(0.021 * item.width, 0.133 * item.height, 0.947 * item.width, 0.411 * item.height)
        assert all(
            abs(side - other) <= 4 for side, other in zip(box, expected, strict=True)
        )  # shown smaller than it is
        percent = [told["value"][name] for name in ("x", "y", "width", "height")]
        exact = Box.from_percent(*percent, Size(item.width, item.height))
        assert exact == pytest.approx(box)  # its page snaps to whole pixels
        others("boxes", drawn([box], item.width, item.height))
        assert walk.bridge.sync(walk.people).prepared.made == [sample]

        browsing.open_task(page, studio, ReviewProject("screen", "group:1"), (sample, 1))
        page.keyboard.press("1")
        browsing.submit(page)
        others("screen", chosen("yes"))
        assert walk.bridge.sync(walk.people).pulled.accepted == {"screen": 3}

        task = browsing.open_task(page, studio, ReviewProject("ocr", "person"), (sample, 1))
        page.keyboard.press("1")
        browsing.submit(page)
        (text,) = (
            each
            for each in studio.tasks(ReviewProject("ocr", "person"))[sample, 1]["annotations"][0]["result"]
            if each["type"] == "textarea"
        )
        assert text["value"]["text"] == [task["data"]["regions"][0]["text"]]  # it stood in its field
        assert walk.bridge.sync(walk.people).pulled.accepted == {"ocr": 1}
    assert walk.item(sample).step == "passed"
