"""Memory of the embedded reader, or of change detection, over many pages of different sizes.

python benchmarks/reading_memory.py [--pages 2000] [--changes] [--folder /tmp/text-layer]

Pages are parts of the text-layer pages (`text_layer_pages.py`), at random places, in random sizes and scales, so that no
two are alike. With --changes, each page is compared with a copy of another size, saved as JPEG, with a part of it moved
down. Prints the resident memory of the process and the size of its cache after every tenth part.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from itertools import islice
from pathlib import Path

from text_layer_pages import default_folder, layer_pages

from vdebench.core.images import Image


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--changes", action="store_true", help="compare each page with a copy of it")
    parser.add_argument("--folder", type=Path, default=default_folder(), help="folder of the text-layer pages")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["VDE_CACHE"] = cache  # before the reader is created
        measure(options, random.Random(options.seed), Path(cache))


def measure(options: argparse.Namespace, chance: random.Random, cache: Path) -> None:
    import cv2

    from vdebench.changes.engine import compare_pages
    from vdebench.readers.rapid import RapidReader

    pages = [page.image for page in islice(layer_pages(options.folder, ""), 0, None, 5)]
    count = options.pages
    reader = RapidReader(threads=1)
    start = time.process_time()
    print("pages  resident MB  cache MB  CPU s")
    for number in range(1, count + 1):
        page = chance.choice(pages)
        height, width = (chance.randint(300, 1000) for _ in range(2))
        top, left = chance.randint(0, page.shape[0] - height), chance.randint(0, page.shape[1] - width)
        scale = chance.uniform(0.8, 1.3)
        part = cv2.resize(page[top : top + height, left : left + width], None, fx=scale, fy=scale)
        if options.changes:
            compare_pages(part, edited(part, chance), reader)
        else:
            reader.read(part)
        if number % max(1, count // 10) == 0:
            stored = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())
            seconds = time.process_time() - start
            print(f"{number:5}  {resident_megabytes():11.0f}  {stored / 1e6:8.1f}  {seconds:5.0f}", flush=True)


def edited(page: Image, chance: random.Random) -> Image:
    """Return a copy of a page: a part moved down, another size, saved as JPEG."""
    import cv2
    import numpy as np

    after = page.copy()
    top, down = chance.randint(0, len(page) // 2), chance.randint(0, 60)
    after[top + down :] = page[top : len(page) - down]
    scale = chance.uniform(0.7, 1.2)
    _, data = cv2.imencode(".jpg", cv2.resize(after, None, fx=scale, fy=scale))
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
