"""A long make, killed twice on the way: equal to an uninterrupted one, and its memory does not grow.

python benchmarks/typeset_long.py [--n 10000] [--ppi 72]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def begin(folder: Path, n: int, ppi: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "vdebench", "typeset", "make", "--n", str(n), "--ppi", str(ppi)]
    return subprocess.Popen([*command, "--out", str(folder)], stdout=subprocess.DEVNULL)


def memory(parent: int) -> dict[int, int]:
    """Resident memory of a process and its children, in kilobytes."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
            if parent in (int(fields["Pid"]), int(fields["PPid"])):
                found[int(folder.name)] = int(fields["VmRSS"].split()[0])
        except (OSError, KeyError, ValueError):
            continue  # it ended while we looked
    return found


def files(folder: Path) -> dict[str, str]:
    """Hash of every file by its name."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file() and file.name != ".lock"
    }


def made(folder: Path) -> int:
    return len(list(folder.glob(".parts/*.jsonl"))) * 20


def uninterrupted(folder: Path, n: int, ppi: int) -> None:
    """Make it in one go, and look at its memory when a tenth is made and at the end."""
    process, start = begin(folder, n, ppi), time.monotonic()
    early, late = 0, 0
    while process.poll() is None:
        now = sum(memory(process.pid).values())
        if made(folder) <= n // 10:
            early = max(early, now)
        late = max(late, now)
        time.sleep(0.5)
    took = time.monotonic() - start
    print(f"{n:,} samples in {took:.0f} s: {n / took:.1f} per second, all processes together")
    print(
        f"memory: {early / 1024:.0f} MB at most in the first tenth, {late / 1024:.0f} MB in all, {late / early:.2f} times"
    )


def killed_twice(folder: Path, n: int, ppi: int) -> None:
    for share in (1 / 3, 2 / 3):
        process = begin(folder, n, ppi)
        while process.poll() is None and made(folder) < n * share:
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        print(f"killed with {made(folder):,} samples written down")
    if begin(folder, n, ppi).wait():
        sys.exit("the last make failed")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--ppi", type=int, default=72)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        whole, killed = Path(temporary) / "whole", Path(temporary) / "killed"
        uninterrupted(whole, given.n, given.ppi)
        killed_twice(killed, given.n, given.ppi)
        one, other = files(whole), files(killed)
    different = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
    print(f"{len(one):,} files: {'equal bytes' if not different else f'DIFFERENT: {different[:10]}'}")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
