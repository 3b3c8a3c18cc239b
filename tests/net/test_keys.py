"""Keys are never printed."""

from __future__ import annotations

import pickle
from urllib.parse import quote

import pytest

from vdebench.errors import VdeError
from vdebench.net.keys import Secret, key_from


def test_a_key_is_taken_redact_texts_in_every_spelling():
    key = Secret('se"cret/key+1')
    for told in ('se"cret/key+1', quote('se"cret/key+1', safe=""), 'se\\"cret/key+1'):
        assert key.redact(f"<{told}>") == "<[key]>"


def test_a_key_cannot_be_shown_or_written():
    key = Secret("very-secret-key")
    assert "very-secret" not in f"{key!r}{key}{[key]}"
    with pytest.raises(TypeError):
        pickle.dumps(key)


def test_what_local_servers_want_is_no_key():
    assert Secret("none").redact("none of it") == "none of it"


def test_a_key_with_a_line_break_is_named_and_not_shown(monkeypatch):
    monkeypatch.setenv("SOME_KEY", "abc\nsecret-def")
    with pytest.raises(VdeError) as caught:
        key_from("SOME_KEY")
    assert "SOME_KEY" in str(caught.value)
    assert "secret-def" not in str(caught.value)
