"""Peak memory of `vde score` on 360 and on 3,600 pages: it must not grow with the number of samples.

python benchmarks/memory.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from scoring import write_suite  # noqa: E402


def peak(root: Path, protocol: str) -> int:
    """Peak resident set of one run, in kilobytes."""
    command = [sys.executable, "-m", "vdebench", "score", root, "--ocr-output", root / "pred", "-p", protocol]
    process = subprocess.Popen([*command, "--out", root / f"run-{protocol}"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"vde score failed on {root}")
    return usage.ru_maxrss


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        sizes = {}
        for seeds in (20, 200):
            root = Path(temporary) / str(seeds)
            sizes[root] = write_suite(root, range(seeds))
        for protocol in ("strict", "vde-release"):
            small, large = (peak(root, protocol) for root in sizes)
            counts = " and ".join(f"{count:,}" for count in sizes.values())
            print(
                f"{protocol}: {counts} pages: {small / 1024:.0f} and {large / 1024:.0f} MB, {large / small:.2f} times"
            )


if __name__ == "__main__":
    main()
