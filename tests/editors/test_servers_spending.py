"""Editors behind servers: temporary and final quotas, and requests of unknown cost."""

from __future__ import annotations

import json

import pytest

from tests.editors.server import (
    GOOD,
    Reply,
    dashscope,
    edited,
    error,
    link,
    openai,
    png,
    serving,
    without_keys_or_pauses,
)
from vdebench.editors.factory import get_editor
from vdebench.errors import EditorError, EditorUnusableError
from vdebench.net.errors import message_in, status_error

pytest.importorskip("httpx2")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    without_keys_or_pauses(monkeypatch)


def quota(per: str, delay: str) -> Reply:
    """Gemini's 429, the same words whether a minute's requests are used up or a day's."""
    words = (
        "You exceeded your current quota, please check your plan and billing details. For more information on this "
        "error, head to: https://ai.google.dev/gemini-api/docs/rate-limits."
    )
    kind = "type.googleapis.com/google.rpc"
    violation = {
        "quotaMetric": "generativelanguage.googleapis.com/generate_content_requests",
        "quotaId": f"GenerateRequestsPer{per}PerProjectPerModel",
        "quotaValue": "10",
    }
    details = [
        {"@type": f"{kind}.QuotaFailure", "violations": [violation]},
        {"@type": f"{kind}.Help", "links": [{"description": "Learn more", "url": "https://ai.google.dev/"}]},
        {"@type": f"{kind}.RetryInfo", "retryDelay": delay},
    ]
    return error(429, words, code=429, status="RESOURCE_EXHAUSTED", details=details)


def test_the_quota_of_a_minute_passes():
    reply = quota("Minute", "26s")
    fault = status_error(429, {}, json.dumps(reply.body), message_in(reply.body))
    assert (fault.retryable, fault.fatal, fault.wait) == (True, False, 26)
    with serving(quota("Minute", "0.3s"), GOOD["gemini-image"]) as server:
        assert edited("gemini-image", server).state == "edited"
    assert server.pauses[0] >= 0.3


@pytest.mark.parametrize(("reply", "advice"), [
    (quota("Day", "26s"), "the day's quota is used up"),
    (error(429, "You exceeded your current quota, please check your plan and billing details.", code="insufficient_quota"), "no money"),
    (error(400, "Billing hard limit has been reached", code="billing_hard_limit_reached"), "no money"),
    (error(429, "Your account is not active, please check your billing details.", code="billing_not_active"), "no money"),
])  # fmt: skip
def test_the_quota_of_a_day_and_an_empty_account_end_the_run(reply, advice):
    with serving(reply) as server, pytest.raises(EditorUnusableError, match=advice):
        edited("gemini-image", server)
    assert len(server.asks) == 1


def test_no_answer_in_time_is_asked_again_once_and_counted():
    with serving(Reply(wait=0.5), openai()) as server:
        told = edited("openai-images", server, timeout=0.2).parameters
    assert (told["requests"], told["unanswered"]) == (2, 1)
    with serving(error(500), Reply(wait=0.5)) as server, pytest.raises(EditorError, match=r"\(tried 3 times\)") as late:
        edited("openai-images", server, timeout=0.2, tries=9)
    assert len(server.asks) == 3
    assert (late.value.parameters["requests"], late.value.parameters["unanswered"]) == (3, 2)


def test_connections_that_break_are_counted_and_those_that_never_were_are_not():
    with serving(Reply(b'{"half": ', cut=20), Reply(b'{"half": ', cut=20), openai()) as server:
        told = edited("openai-images", server).parameters
    assert (told["requests"], told["unanswered"]) == (3, 2)
    with pytest.raises(EditorError, match="no connection") as away:
        edited("openai-images", server, tries=2)
    assert (away.value.parameters["requests"], away.value.parameters["unanswered"]) == (2, 0)


def test_an_image_that_is_there_is_fetched_as_often_as_tries_allow():
    gets = iter([Reply(png(), wait=0.5), Reply(png(), wait=0.5), Reply(png())])
    with serving(
        behaviour=lambda ask: dashscope({"image": link(server)}) if ask.method == "POST" else next(gets)
    ) as server:
        told = edited("dashscope-image", server, timeout=0.2).parameters
    assert [ask.method for ask in server.asks] == ["POST", "GET", "GET", "GET"]
    assert (told["requests"], told["unanswered"]) == (1, 0)


def test_makers_charge_and_servers_of_ones_own_where_a_price_is_named(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    assert get_editor("gpt-image-1").charges
    assert get_editor("openai-images", model="none-that-is-listed").charges
    assert not get_editor("openai-images", model="m", base_url="http://localhost:1/v1").charges
    assert get_editor("openai-images", model="m", base_url="http://localhost:1/v1", price="0.03").charges
    assert not get_editor("copy").charges
