"""Worker of `reading_compare.py`: read page images with the `vdebench` on PYTHONPATH and measure CPU time.

Reads JSON lines `{"image": "page.npy"}` from standard input and answers each with one JSON line: the CPU seconds of
`lines` and of the rest of `read`, the lines and the blocks. The first line of output describes the reader.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

import vdebench
from vdebench.readers import rapid
from vdebench.readers.rapid import RapidReader


def main() -> None:
    answers, sys.stdout = sys.stdout, sys.stderr  # libraries that print must not break the answers
    if sys.argv[1:] == ["f32"]:
        set_precision("f32")
    reader = TimedReader()
    reader.measure(warm_up_page())
    print(json.dumps({"source": str(Path(vdebench.__file__).parent), "identity": reader.identity}), file=answers)
    answers.flush()
    for request in sys.stdin:
        print(json.dumps(reader.measure(np.load(json.loads(request)["image"]))), file=answers)
        answers.flush()


def set_precision(name: str) -> None:
    """Make every OpenVINO core compute in a precision, whatever the processor prefers."""
    import openvino

    set_property = openvino.Core.set_property

    def with_precision(core: Any, device: str, settings: dict[str, Any]) -> None:
        set_property(core, device, {**settings, "INFERENCE_PRECISION_HINT": name})

    openvino.Core.set_property = with_precision


class TimedReader:
    """The embedded reader on one thread, with the CPU time of `lines` measured inside `read`."""

    def __init__(self) -> None:
        self._reader = RapidReader(threads=1)
        engine = getattr(self._reader, "engine", None)
        if hasattr(engine, "read"):
            self._lines_method = engine.read
            engine.read = self._timed_lines
        else:  # before version 0.2
            self._lines_method = self._reader.lines
            self._reader.lines = self._timed_lines  # type: ignore[method-assign]
        self._lines: list[Any] = []
        self._image: Any = None
        self._seconds = 0.0

    @property
    def identity(self) -> dict[str, str]:
        return dict(self._reader.identity)

    def measure(self, image: Any) -> dict[str, Any]:
        """Read a page; return CPU seconds, lines and blocks."""
        self._seconds, self._image = 0.0, image
        start = time.process_time()
        page = self._reader.read(image)
        seconds = time.process_time() - start
        if not self._seconds:
            raise RuntimeError("RapidReader.read does not call the line engine: the time of lines is unknown")
        return {
            "cpu_lines": self._seconds,
            "cpu_blocks": seconds - self._seconds,
            "lines": [[*map(float, line.box), line.text, float(line.score)] for line in self._lines],
            "blocks": [[*map(float, block.box), block.content, block.label] for block in page.blocks],
        }

    def _timed_lines(self, image: Any) -> Any:
        start = time.process_time()
        result = self._lines_method(image)
        self._seconds += time.process_time() - start
        self._lines = result
        if hasattr(result, "on_page"):  # with the margin that the reader adds to small images
            margin = rapid.crop_margin(self._image)
            self._lines = [line._replace(box=[side - margin for side in line.box]) for line in result.on_page]
        return result


def warm_up_page() -> Any:
    """A page with lines of many lengths and a ruled table, so that all models are loaded and compiled for many widths."""
    page = np.full((2000, 1400, 3), 255, np.uint8)
    for row in range(60):
        cv2.putText(page, "warm " * (1 + row // 4), (40, 60 + 28 * row), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 0), 2)
    for row in range(4):
        for column in range(3):
            x, y = 60 + 220 * column, 1740 + 60 * row
            cv2.rectangle(page, (x, y), (x + 220, y + 60), (0, 0, 0), 2)
            cv2.putText(page, f"cell {row}{column}", (x + 30, y + 40), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (0, 0, 0), 2)
    return page


if __name__ == "__main__":
    main()
