"""Talking to Label Studio: keys, versions, faults in words, and a server that is away."""

from __future__ import annotations

import pytest

pytest.importorskip("httpx2")
from tests.review.label_studio.small_studio import JWT, SmallStudio
from vdebench.errors import InputError
from vdebench.net.http import HttpClient
from vdebench.review.label_studio import server as module
from vdebench.review.label_studio.people import LabelStudioMember, read_people
from vdebench.review.label_studio.server import AwayError, LabelStudio, LabelStudioError


@pytest.fixture
def studio():
    made = SmallStudio()
    yield made
    made.close()


@pytest.fixture
def server(studio, monkeypatch):
    monkeypatch.setattr(HttpClient, "pause", lambda self, seconds: None)
    with LabelStudio(studio.url, key=studio.keys["root"]) as made:
        yield made


@pytest.mark.parametrize("version", ["1.22.0", "0.9", "2.0.0", "", "next"])
def test_versions_that_we_do_not_know(studio, server, version):
    assert server.require() == "1.23.2"
    studio.version = version
    with pytest.raises(LabelStudioError, match=r"expected 1\.23 or a later one of 1\.x"):
        server.require()


@pytest.mark.parametrize("key", ["f" * 40, "not.a.key", "héé", "two\nlines"])
def test_a_wrong_key_is_told_and_not_shown(studio, key):
    with (
        pytest.raises(LabelStudioError, match="LABEL_STUDIO_API_KEY") as told,
        LabelStudio(studio.url, key=key) as made,
    ):
        made.require()
    assert key not in str(told.value)


def test_no_key_and_no_address(studio, monkeypatch):
    monkeypatch.delenv("LABEL_STUDIO_API_KEY", raising=False)
    monkeypatch.delenv("LABEL_STUDIO_URL", raising=False)
    with pytest.raises(LabelStudioError, match="set LABEL_STUDIO_API_KEY"):
        LabelStudio(studio.url)
    for url, words in {
        "": "--url",
        "localhost:8080": "not a server address",
        "http://me:secret@host": "no password",
    }.items():
        with pytest.raises(LabelStudioError, match=words) as told:
            LabelStudio(url, key="x" * 40)
        assert "secret" not in str(told.value)


def test_a_personal_token_gives_access_again_and_again(studio):
    with LabelStudio(studio.url, key=JWT) as server:
        assert server.people() == {1: "root@vde.example"}
        studio.access = "over"  # after five minutes
        project = server.make_project(title="one")
        assert [each["id"] for each in server.projects()] == [project]
        assert [path for _, path in studio.asked].count("/api/token/refresh/") == 2


def test_what_may_have_been_done_is_not_asked_for_twice(studio, server):
    studio.failing = [("/api/projects/", 503)]
    with pytest.raises(AwayError, match="HTTP 503"):
        server.make_project(title="one")
    assert studio.asked.count(("POST", "/api/projects/")) == 1
    studio.failing = [("/api/projects/", 503)] * 2
    assert server.projects() == []  # what only looks is asked again


@pytest.mark.parametrize(
    ("status", "words"),
    [(302, "redirects to https://elsewhere.example"), (403, "may not"), (404, "nothing is there"), (418, "compare")],
)
def test_faults_in_words(studio, server, status, words):
    studio.failing = [("/api/users", status)]
    with pytest.raises(LabelStudioError, match=words):
        server.people()


def test_nobody_there(studio, server):
    studio.close()
    with pytest.raises(AwayError, match="is it running"):
        server.require()


def test_all_pages_are_asked_for(studio, server, monkeypatch):
    monkeypatch.setattr(module, "PAGE", 7)
    project = server.make_project(title="one")
    server.add_tasks(project, [{"data": {"sample": f"s{n}"}} for n in range(21)])
    assert [task["data"]["sample"] for task in server.tasks(project)] == [f"s{n}" for n in range(21)]
    last = max(task["updated_at"] for task in server.tasks(project))
    assert list(server.tasks(project, since=last)) == []


def write(folder, text):
    file = folder / "people.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_people(tmp_path):
    file = write(tmp_path, '[people]\n"Anna@lab.example" = "anna"\n"bo@lab.example" = {name = "bo", group = "2"}\n')
    assert read_people(file) == {
        "anna@lab.example": LabelStudioMember("anna"),
        "bo@lab.example": LabelStudioMember("bo", "2"),
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("people", "not TOML"),
        ("", r"expected one table \[people\]"),
        ("[people]", r"expected one table \[people\]"),
        ('people = "anna"', r"expected one table \[people\]"),
        ('[people]\n"a@b" = "anna"\n[more]', r"expected one table \[people\]"),
        ('[people]\nanna = "anna"', "expected an e-mail"),
        ('[people]\n"a@b" = 3', "expected an e-mail"),
        ('[people]\n"a@b" = ""', "expected an e-mail"),
        ('[people]\n"a@b" = {group = "1"}', "expected an e-mail"),
        ('[people]\n"a@b" = {name = "x", role = "admin"}', "expected an e-mail"),
        ('[people]\n"a@b" = "anna"\n"A@b" = "bo"', "twice"),
    ],
)
def test_wrong_people(tmp_path, text, words):
    file = write(tmp_path, text)
    with pytest.raises(InputError, match=words) as told:
        read_people(file)
    assert str(file) in str(told.value)


def test_no_file_of_people(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_people(tmp_path / "none.toml")
