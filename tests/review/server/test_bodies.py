"""What is sent: JSON and nothing else, of a size; whatever it is, no error of ours."""

from __future__ import annotations

import json
from random import Random

import pytest

from tests.review.server.serving import NINE
from vdebench.review.commands import command_kinds
from vdebench.review.json_form import _names
from vdebench.review.server.responses import ReplyError, object_from

JSON = {"Content-Type": "application/json"}
DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"[]", "expected an object"),
        (b"null", "expected an object"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": 9007199254740993}', "too large"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "too large"),
        (b'{"a": 1, "a": 2}', "duplicate key"),
        (b'{"a": {"b": 1, "b": 1}}', "duplicate key"),
        (b'{"a": ' + DEEP + b"}", "too deeply"),
        (b'{"a": ' + b"[" * 25 + b"]" * 25 + b"}", "too deeply"),
        (b'{"a": 1} {"b": 2}', "not JSON"),
    ],
)
def test_bodies_that_are_none(content, words):
    with pytest.raises(ReplyError) as refused:
        object_from(content)
    assert refused.value.reply.status == 400
    assert words in refused.value.reply.data["words"]


def test_it_is_the_same_over_http(site):
    browser = site.signed_in("anna1")
    for content in (b'{"key": NaN}', b'{"a": 1, "a": 1}', DEEP, b"\xff", b"[]"):
        answer = browser.post("/api/commands", content=content, headers=JSON)
        assert (answer.status_code, answer.json()["error"]) == (400, "malformed")


def test_kinds_of_bodies(site):
    browser = site.signed_in("anna1")
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = browser.post("/api/take", content=b"{}", headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["error"]) == (415, "wrong_type")
    assert browser.post("/api/take").status_code == 200  # nothing at all is as good as an empty object
    assert (
        browser.post("/api/take", content=b"{}", headers={"Content-Type": "Application/JSON; x=y"}).status_code == 200
    )


def test_bodies_are_counted_while_they_come(site):
    browser, read = site.signed_in("anna1"), []

    def pieces():
        for number in range(100):
            read.append(number)
            yield b" " * 10_000

    answer = browser.post("/api/take", content=pieces(), headers=JSON)
    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")
    most = site.settings.largest_body
    assert browser.post("/api/take", content=b"{" + b" " * (most - 2) + b"}", headers=JSON).status_code == 200
    assert browser.post("/api/take", content=b"{" + b" " * (most - 1) + b"}", headers=JSON).status_code == 413


def test_a_size_that_is_told_is_believed_before_anything_is_read(site):
    browser = site.signed_in("anna1")
    for length in ("300000", "9" * 40):
        answer = browser.post("/api/take", content=b"{}", headers={**JSON, "Content-Length": length})
        assert answer.status_code == 413


BROKEN = [
    {},
    {"key": "a-key-of-a-test-x"},
    {"key": "a-key-of-a-test-x", "command": []},
    {"key": "a-key-of-a-test-x", "command": {}},
    {"key": "a-key-of-a-test-x", "command": {"kind": []}},
    {"key": "a-key-of-a-test-x", "command": {"kind": "rated"}},
    {"key": "a-key-of-a-test-x", "command": {"kind": "rate"}},
    {"key": "a-key-of-a-test-x", "command": {"kind": "end_pilot", "more": 1}},
    {"key": "short", "command": {"kind": "end_pilot"}},
    {"key": "x" * 65, "command": {"kind": "end_pilot"}},
    {"key": "a key with spaces in it", "command": {"kind": "end_pilot"}},
    {"key": 1234567890123456, "command": {"kind": "end_pilot"}},
    {"key": "a-key-of-a-test-x", "command": {"kind": "end_pilot"}, "who": "root"},
]


def test_commands_that_are_none(site):
    browser = site.signed_in("root")
    for body in BROKEN:
        answer = browser.post("/api/commands", json=body)
        assert (answer.status_code, answer.json()["error"]) == (400, "malformed"), body


VALUES = [None, True, 0, -1, 1.5, 2**53, "", "s0", "1", "\0", "\ud800", "a" * 300, [], [[]], [1], ["s0"], {}, {"a": 1}]
VALUES += [[[0, 0, 1, 1]], [[0, 0, 1e300, 1]], [[5, 5, 1, 1]], [["a", "b", "c", "d"]], [[None] * 4], NINE]
FIELDS = ("sample", "round", "group", "ratings", "boxes", "yes", "note", "verdict", "texts", "mark", "side")
FIELDS += ("reason", "name", "role", "samples", "options")


def test_whatever_stands_in_a_command_it_is_no_error_of_ours(site):
    random = Random(11)
    browsers = [site.signed_in(name) for name in ("anna1", "judy", "root")]
    right = {"sample": "s0", "round": 1, "group": "1"}
    statuses = set()
    for number in range(150):
        kind = random.choice(sorted(command_kinds().keys() - {"withdraw", "leave"}))
        fields = (
            [*_names(command_kinds()[kind])[0], random.choice(FIELDS)]
            if random.random() < 0.2
            else _names(command_kinds()[kind])[0]
        )
        command = {name: right.get(name, "s0") for name in fields}
        for name in random.sample(list(fields), k=min(len(fields), random.randint(1, 3))):
            command[name] = random.choice(VALUES)
        body = {"key": f"a-key-of-a-test-{number}", "command": {"kind": kind, **command}}
        site.clock.go(1)
        answer = random.choice(browsers).post_json("/api/commands", body)
        assert answer.status_code in (200, 400, 403, 404, 409), (answer.text, json.dumps(body))
        statuses.add(answer.status_code)
    assert statuses >= {400, 403, 409}
    assert site.store.check() == []


KEYS = {
    "/api/take": ("steps",),
    "/api/hold": ("id",),
    "/api/release": ("id",),
    "/api/login": ("name", "password"),
    "/api/join": ("token", "name", "password"),
    "/api/password": ("old", "new"),
}


def test_whatever_stands_in_a_body_it_is_no_error_of_ours(make_site):
    site = make_site(tries_by_name=1000, tries_by_address=1000)
    browser = site.signed_in("anna1")
    for path, names in KEYS.items():
        for name in names:
            for value in VALUES:
                site.clock.go(1)
                answer = browser.post_json(path, {**dict.fromkeys(names, "x"), name: value})
                assert answer.status_code in (200, 204, 400, 401, 403, 404, 409), (path, value)
