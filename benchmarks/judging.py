"""10,000 questions to a local server that bears 32 at once: memory, throughput against what it allows, requests in vain.

python benchmarks/judging.py [--questions 10000] [--limit 32] [--latency 0.5]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

PER_SAMPLE = 20  # four dimensions, five draws
SIZE = (600, 800)


def ask(url: str, folder: Path, questions: int) -> None:
    """One run, in a process of its own: seconds, peak memory and tries, as JSON."""
    from tests.judges.suites import asker, write_suite

    from vdebench.pipeline.judging.stage import JudgingOptions, judge_suite

    os.environ["VDE_CACHE"] = str(folder / "cache")
    suite, editor = write_suite(folder, questions // PER_SAMPLE, size=SIZE)
    start = time.monotonic()
    asked = JudgingOptions(["IF", "TA", "VC", "LP"], 5, canary=False)
    result = judge_suite(suite, editor, asker(SimpleNamespace(url=url)), folder / "run", asked)
    took = time.monotonic() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines = [json.loads(line) for line in (folder / "run/grades.jsonl").read_text().splitlines() if line]
    assert len(lines) == len(result.rows) == result.rows["grade"].count() == questions
    print(json.dumps({"seconds": took, "megabytes": peak, "tries": sum(line["tries"] for line in lines)}))


def allowed(url: str, limit: int, seconds: float = 8.0) -> float:
    """Answers a second that the server gives to a bare client which knows its limit."""
    place = urlsplit(url)
    body = b'{"messages": "' + b"x" * 12_000 + b'"}'
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode()

    async def one(end: float) -> int:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        count = 0
        while time.monotonic() < end:
            writer.write(head + body)
            told = await reader.readuntil(b"\r\n\r\n")
            assert b" 200 " in told.split(b"\r\n")[0]
            length = next(line for line in told.split(b"\r\n") if line.startswith(b"Content-Length"))
            await reader.readexactly(int(length.split()[1]))
            count += 1
        writer.close()
        return count

    async def all_of_them() -> float:
        start = time.monotonic()
        counts = await asyncio.gather(*(one(start + seconds) for _ in range(limit)))
        return sum(counts) / (time.monotonic() - start)

    return asyncio.run(all_of_them())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--limit", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--child", nargs=2, metavar=("URL", "FOLDER"))
    given = parser.parse_args()
    if given.child:
        ask(given.child[0], Path(given.child[1]), given.questions)
        return
    command = [
        sys.executable,
        "-m",
        "tests.judges.server",
        "--limit",
        str(given.limit),
        "--latency",
        str(given.latency),
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        try:
            measure(url, given)
        finally:
            server.terminate()


def measure(url: str, given: argparse.Namespace) -> None:
    found = {}
    for count in (given.questions // 10, given.questions):
        bare = allowed(url, given.limit)
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, __file__, "--questions", str(count), "--child", url, folder]
            told = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
        found[count] = one = json.loads(told)
        rate = count / one["seconds"]
        vain = (one["tries"] - count) / one["tries"]
        print(
            f"{count:,} questions: {one['seconds']:.1f} s, {rate:.0f} a second of the {bare:.0f} that the server gives"
            f" a bare client: {rate / bare:.2f} of it; {100 * vain:.1f} % of requests sent away;"
            f" peak {one['megabytes']:.0f} MB",
            flush=True,
        )
    small, large = (one["megabytes"] for one in found.values())
    print(f"memory: {large / small:.2f} times for ten times the questions")


if __name__ == "__main__":
    main()
