"""The embedded reader: RapidOCR with the PP-OCR models inside its package, on OpenVINO or ONNX Runtime."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np

from vdebench.box import Box, Size
from vdebench.errors import MissingPartError
from vdebench.images import Image
from vdebench.readers.lines import GROUPING, Line, blocks_of
from vdebench.readers.reader import Reader
from vdebench.reading import Reading

_INSTALL = "pip install rapidocr openvino   (or onnxruntime in the place of openvino)"


class RapidReader(Reader):
    """Lines by RapidOCR, grouped into blocks by where they stand."""

    def __init__(self, threads: int = 0) -> None:
        try:
            self._version = version("rapidocr")
        except PackageNotFoundError:
            raise MissingPartError(f"the reader rapidocr is not installed\n  {_INSTALL}") from None
        self.engine = next((name for name in ("openvino", "onnxruntime") if find_spec(name)), "")
        if not self.engine:
            raise MissingPartError(f"rapidocr has no engine to run on\n  {_INSTALL}")
        self.threads = threads
        self.grouping = GROUPING

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, versions, grouping."""
        return {
            "name": "rapidocr",
            "version": self._version,
            "engine": f"{self.engine} {version(self.engine)}",
            "blocks": "lines-1:" + ",".join(f"{value:g}" for value in self.grouping),
        }

    @cached_property
    def _rapidocr(self) -> Any:
        os.environ.setdefault("OPENVINO_TELEMETRY_OPT_OUT", "1")
        from rapidocr import EngineType, RapidOCR

        engine = EngineType(self.engine)
        threads = self.threads or -1
        key = "inference_num_threads" if self.engine == "openvino" else "intra_op_num_threads"
        parameters = {
            "Global.log_level": "error",
            "Global.use_cls": False,  # pages stand upright; the classifier turns lines that do
            "Det.engine_type": engine,
            "Rec.engine_type": engine,
            f"EngineConfig.{self.engine}.{key}": threads,
        }
        return RapidOCR(params=parameters)

    def lines(self, image: Image) -> list[Line]:
        """Lines of a page as the engine reads them."""
        found = self._rapidocr(np.ascontiguousarray(image[..., ::-1]))
        if found.boxes is None or found.txts is None:
            return []
        lines = []
        for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True):
            xs, ys = corners[:, 0], corners[:, 1]
            box = Box(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max()))
            lines.append(Line(box, str(text), float(score)))
        return lines

    def read(self, image: Image) -> Reading:
        """Blocks of a page."""
        size = Size(image.shape[1], image.shape[0])
        return Reading(tuple(blocks_of(self.lines(image), self.grouping)), size)
