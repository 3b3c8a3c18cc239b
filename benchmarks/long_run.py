"""`vde run` over 2,000 typeset samples with `copy`: memory of all processes while it runs, and seconds per stage.

Pages are read by a stand-in that looks up the suite's own readings, so what is timed is all but OCR; what OCR costs is
measured on a few pages beside it, in processor seconds.

python benchmarks/long_run.py [--n 2000] [--workers 2]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parent.parent
ORDER = "typeset:n={n},seed=9,ppi=60"

from vdebench.core.box import Box, Size  # noqa: E402
from vdebench.core.page_text import Block, PageText  # noqa: E402
from vdebench.io.images import open_image  # noqa: E402
from vdebench.readers.cached import ImageCrop  # noqa: E402
from vdebench.readers.rapid import RapidReader  # noqa: E402
from vdebench.readers.reader import Reader  # noqa: E402
from vdebench.suites.suite import load_suite  # noqa: E402


class KnownReader(Reader):
    """Knows the readings of whole pages by their pixels; a crop is one word."""

    def __init__(self, known: str) -> None:
        self._file = Path(known)

    @property
    def identity(self) -> dict[str, str]:
        return {"name": "known", "version": "1"}

    @cached_property
    def _known(self) -> dict[str, str]:
        return json.loads(self._file.read_text())

    def read(self, image) -> PageText:
        size = Size(image.shape[1], image.shape[0])
        file = self._known.get(hashlib.sha256(image.tobytes()).hexdigest())
        if file is None:
            return PageText((Block(Box(0, 0, size.width, size.height), "word"),), size)
        return PageText.from_json(json.loads(Path(file).read_text()), file)


def register(place: Path) -> None:
    """Make the reader known to other processes, as another package's."""
    info = place / "known_reader-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: known-reader\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[vdebench.readers]\nknown = long_run:KnownReader\n")


def readings(order: str, place: Path) -> tuple[Path, list[Path]]:
    """Which reading belongs to which pixels, and some pages to read in earnest."""
    suite = load_suite(order)
    suite.prepare()
    known, pages = {}, []
    place.mkdir()
    for number, sample in enumerate(suite.samples):
        files = suite.image_files(sample)
        for side, image, reading in (
            ("source", files.source, suite.source(sample)),
            ("reference", files.reference, suite.ground_truth(sample)),
        ):
            file = place / f"{number}_{side}.json"
            file.write_text(json.dumps(reading.to_json()))
            known[hashlib.sha256(open_image(image).tobytes()).hexdigest()] = str(file)
        if number % (len(suite.samples) // 12 or 1) == 0 and len(pages) < 12:
            pages.append(files.source)
    whole = place / "known.json"
    whole.write_text(json.dumps(known))
    return whole, pages


def tree(pid: int) -> dict[int, float]:
    """Megabytes of a process and of all below it."""
    found = {}
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        try:
            waiting += [int(child) for child in Path(f"/proc/{one}/task/{one}/children").read_text().split()]
            found[one] = int(Path(f"/proc/{one}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
        except OSError:
            continue
    return found


def watched(command: list[str], environment: dict[str, str]) -> tuple[float, list[tuple[float, float, float]]]:
    """How long a command takes, and (when, its own memory, that of all below it together) every half second."""
    start = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    seen = []
    while process.poll() is None:
        sizes = tree(process.pid)
        own = sizes.pop(process.pid, 0.0)
        seen.append((time.monotonic() - start, own, sum(sizes.values())))
        time.sleep(0.5)
    if process.returncode:
        sys.exit(f"{command[:4]} … failed with {process.returncode}")
    return time.monotonic() - start, seen


def main() -> None:
    asking = argparse.ArgumentParser()
    asking.add_argument("--n", type=int, default=2000)
    asking.add_argument("--workers", type=int, default=2)
    given = asking.parse_args()
    order = ORDER.format(n=given.n)
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        register(place / "site")
        known, pages = readings(order, place / "readings")
        environment = {
            **os.environ,
            "VDE_CACHE": os.environ.get("VDE_CACHE", str(Path.home() / ".cache/vdebench")),
            "PYTHONPATH": os.pathsep.join([str(place / "site"), str(ROOT / "benchmarks")]),
        }
        command = [sys.executable, "-m", "vdebench", "run", order, "-e", "copy", "--reader", "known"]
        command += ["--reader-option", f"known={known}", "--metrics", "psnr,ssim", "--workers", str(given.workers)]
        took, seen = watched([*command, "--out", str(place / "runs")], environment)
        told = json.loads((place / "runs/run.json").read_text())["provenance"]
        print(f"{given.n:,} samples, {given.workers} workers: {took:.0f} s, {1000 * took / given.n:.0f} ms a sample")
        for name, seconds in told["seconds"].items():
            print(f"  {name}: {seconds:.1f} s, {1000 * seconds / given.n:.1f} ms a sample")
        for part in (0.1, 0.25, 0.5, 0.75, 1.0):
            until = [each for each in seen if each[0] <= part * took]
            driver, others = max(each[1] for each in until), max(each[2] for each in until)
            print(f"  until {part:.0%}: this process at most {driver:.0f} MB, its workers together {others:.0f} MB")
        print(
            f"  on disk: images {size_of(place / 'runs/copy/images'):.0f} MB, scores {size_of(place / 'runs/copy/strict'):.1f} MB"
        )
        reader = RapidReader(threads=1)
        reader.read(ImageCrop.of(pages[0]).open())
        begun = time.process_time()
        for page in pages:
            reader.read(ImageCrop.of(page).open())
        print(f"OCR of a page: {(time.process_time() - begun) / len(pages):.2f} processor seconds ({len(pages)} pages)")


def size_of(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


if __name__ == "__main__":
    main()
