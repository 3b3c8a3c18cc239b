"""The request window grows with a fast server and shrinks with an overloaded one."""

from __future__ import annotations

import asyncio
import time

from vdebench.net.pacing import FIRST, RequestWindow


def paced(most=64):
    return RequestWindow(most)


async def _round(pace, took=0.1):
    """One windowful of answers that took so long."""
    count = int(pace.window)
    pace.under_way = count
    for _ in range(count):
        pace.answered(time.monotonic() - took)
    pace.under_way = 0


def run(work):
    return asyncio.run(work)


def test_it_doubles_until_the_server_complains_and_then_creeps():
    async def work():
        pace = paced()
        sizes = [pace.window]
        for _ in range(3):
            await _round(pace)
            sizes.append(pace.window)
        assert sizes == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST]
        pace.rejected()
        before = pace.window
        await _round(pace)
        assert before < pace.window <= before + 0.51

    run(work())


def test_every_request_that_is_sent_away_takes_its_own_place():
    async def work():
        pace = paced()
        for _ in range(4):
            await _round(pace)
        assert pace.window == 64
        for _ in range(32):  # the server bears 32
            pace.rejected()
        assert pace.window == 32
        for _ in range(100):
            pace.rejected()
        assert pace.window == 1

    run(work())


def test_after_a_moment_of_refusals_it_is_soon_back_at_half():
    async def work():
        pace = paced()
        for _ in range(4):
            await _round(pace)
        for _ in range(100):
            pace.rejected()
        for _ in range(5):
            await _round(pace)
        assert 30 < pace.window < 36

    run(work())


def test_it_never_goes_beyond_what_was_allowed():
    async def work():
        pace = paced(most=10)
        for _ in range(6):
            await _round(pace)
        assert pace.window == 10

    run(work())


def test_a_server_that_slows_down_gets_less():
    async def work():
        pace = paced()
        for _ in range(3):
            await _round(pace, 0.1)
        before = pace.window
        for _ in range(3):
            await _round(pace, 1.0)
        assert pace.window < before
        assert pace.cuts >= 1

    run(work())


def test_time_outs_of_one_moment_cut_once():
    async def work():
        pace = paced()
        for _ in range(3):
            await _round(pace)
        sent, before = time.monotonic() - 1, pace.window
        pace._last_cut = sent - 1
        for _ in range(10):
            pace.timed_out(sent)
        assert pace.window == before * 0.9

    run(work())


def test_where_nobody_is_answered_all_wait_as_long_as_the_server_asks():
    async def work():
        pace = paced()
        for _ in range(4):
            pace.rejected(wait=0.2)
        start = time.monotonic()
        async with pace.turn():
            assert time.monotonic() - start > 0.15

    run(work())


def test_no_more_than_the_window_are_under_way():
    async def work():
        pace = paced(most=3)
        peak = 0

        async def one():
            nonlocal peak
            async with pace.turn():
                peak = max(peak, pace.under_way)
                await asyncio.sleep(0.001)

        await asyncio.gather(*(one() for _ in range(50)))
        assert peak == 3
        assert pace.under_way == 0

    run(work())
