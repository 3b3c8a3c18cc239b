"""Finished images are made and read beside the server, by a process that ends with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.review.server.serving import through_boxes
from vdebench.review.server.preparer import FIRST_WAIT, LONGEST_WAIT, Preparer


def waits_for(condition, seconds=20.0):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def preparer(site, *code, **options):
    return Preparer(site.store, site.pool, [sys.executable, *code], ticks=site.clock.ticks, **options)


def test_it_runs_when_something_waits(site, tmp_path):
    ran = tmp_path / "ran"
    looking = preparer(site, "-c", f"open({str(ran)!r}, 'a').write('x')")
    assert not looking.run_once()
    through_boxes(site)
    real = site.pool.readings
    site.pool.readings = lambda sample, boxes: ["read"] if ran.exists() else real(sample, boxes)
    assert looking.run_once()
    assert not looking.run_once()
    assert ran.read_text() == "x"


def test_what_fails_is_tried_again_later_and_later(site, caplog):
    through_boxes(site)
    command = ["sh", "-c", "echo no reader here >&2; exit 2"]
    looking = Preparer(site.store, site.pool, command, ticks=site.clock.ticks)
    assert looking.run_once()
    assert "s0: preparation failed, next try in 30 seconds: no reader here" in caplog.text
    waits = []
    for _ in range(6):
        began = site.clock.seconds
        while not looking.run_once():
            site.clock.go(30)
        waits.append(site.clock.seconds - began)
    assert waits == [FIRST_WAIT * 2**n for n in range(5)] + [LONGEST_WAIT]
    through_boxes(site, "s1")  # another is not made to wait for it
    assert looking.run_once()


def test_admins_see_what_could_not_be_prepared(site):
    for sample in ("s0", "s1"):
        through_boxes(site, sample)
    failed = '{"failed": {"s0": "s0: its page is gone"}}'
    looking = Preparer(site.store, site.pool, ["sh", "-c", f"echo a word; echo '{failed}'; exit 2"])
    site.context.stuck = looking.stuck
    root = site.signed_in("root")
    assert root.get("/api/admin/overview").json()["stuck"] == []
    assert looking.run_once()
    told = [{"id": "s0", "words": "s0: its page is gone"}, {"id": "s1", "words": "no error message"}]
    assert root.get("/api/admin/overview").json()["stuck"] == told
    site.pool.read["s0"] = ["read"]
    looking.run_once()
    assert looking.stuck() == told[1:]


CHILD = """
import sys
from collections import Counter
from vdebench.review import preparation as preparing
from vdebench.review.server.child import main

preparing.prepare = lambda *_, **__: preparing.PreparationReport([], Counter(), {"s1": "s1: no ink", "s0": "s0: its page is gone"})
sys.exit(main())
"""


def test_the_process_says_what_failed(site, caplog):
    for sample in ("s0", "s1"):
        through_boxes(site, sample)
    looking = preparer(site, "-c", CHILD, "workspace")
    looking.run_once()
    assert looking.stuck() == [{"id": "s0", "words": "s0: its page is gone"}, {"id": "s1", "words": "s1: no ink"}]
    assert "s1: preparation failed, next try in 30 seconds: s1: no ink" in caplog.text


def test_a_process_that_fails_as_a_whole(site):
    through_boxes(site)
    looking = Preparer(site.store, site.pool, ["sh", "-c", "echo '[]'; echo no reader here >&2; exit 2"])
    looking.run_once()
    assert looking.stuck() == [{"id": "s0", "words": "no reader here"}]


def test_an_edit_that_is_gone_stops_nobody(site):
    from vdebench.errors import InputError

    through_boxes(site)

    def gone(sample, boxes):
        raise InputError("its edit is gone")

    site.pool.readings = gone
    assert preparer(site, "-c", "").run_once()


def test_a_command_that_is_not_there(site, caplog):
    through_boxes(site)
    assert Preparer(site.store, site.pool, ["/no/such/program"]).run_once()
    assert "No such file" in caplog.text


SLEEPER = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"


def is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def started(file):
    waits_for(lambda: file.exists() and file.read_text())
    return int(file.read_text())


FOLLOWER = "from vdebench.review.server.child import follow_the_server; follow_the_server(); " + SLEEPER


def test_it_ends_with_the_server(site, tmp_path):
    through_boxes(site)
    with preparer(site, "-c", FOLLOWER, str(tmp_path / "id"), every=0.01):
        process = started(tmp_path / "id")
        assert is_there(process)
        assert os.getpgid(process) == process  # Ctrl-C in the terminal is not for it
    assert not is_there(process)


def test_it_ends_when_the_server_is_killed(tmp_path):
    server = (
        "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', sys.argv[1], sys.argv[2]],"
        " stdin=subprocess.PIPE, start_new_session=True); child.wait()"
    )
    with subprocess.Popen([sys.executable, "-c", server, FOLLOWER, str(tmp_path / "id")]) as running:
        process = started(tmp_path / "id")
        running.send_signal(signal.SIGKILL)
    waits_for(lambda: not is_there(process))


def test_the_address_of_the_database_is_no_argument(site, tmp_path):
    made = Preparer.of(site.store, site.pool, tmp_path, "postgresql://vde:secret@host/review")
    assert "secret" not in str(made.command)
    assert made.environment == {"VDE_REVIEW_DATABASE": "postgresql://vde:secret@host/review"}
