"""Tasks spread over processes."""

from __future__ import annotations

import os
import signal

import pytest

from vdebench.engine.processes import spread
from vdebench.errors import InputError, VdeError


def square(number: int) -> int:
    return number * number


def fail(number: int) -> int:
    raise InputError(f"{number}.png: cannot be read")


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("workers", [1, 3])
def test_all_results_come_once(workers):
    assert sorted(spread(square, range(50), workers)) == [number * number for number in range(50)]


def test_tasks_are_taken_as_they_are_needed():
    """A million tasks are not laid out beforehand."""
    taken = []

    def tasks():
        for number in range(1_000_000):
            taken.append(number)
            yield number

    results = spread(square, tasks(), 2)
    assert next(results) in (0, 1, 4, 9)
    assert len(taken) < 20
    results.close()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_is_told_as_it_is(workers):
    with pytest.raises(InputError, match="png: cannot be read"):
        list(spread(fail, [7, 8], workers))


def test_a_worker_that_dies_is_told_in_words():
    with pytest.raises(VdeError, match="a worker process died"):
        list(spread(die, range(4), 2))


def process_of(number: int) -> int:
    return os.getpid()


def test_processes_are_replaced_where_asked():
    assert len(set(spread(process_of, range(12), 2, recycled=2))) > 2
    assert len(list(spread(process_of, range(13), 2, recycled=2))) == 13
