"""PaddleOCR on this machine: PaddleOCR-VL, the papers' reader, and PP-StructureV3.

Both give the same family of JSON. Neither may turn or unwarp the page: its boxes are to stand on the page we gave.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from vdebench.core.box import Size
from vdebench.core.images import Image
from vdebench.core.page_text import PageText
from vdebench.errors import MissingPartError, ReaderError, VdeError
from vdebench.net.addresses import bad_address, excerpt, one_of
from vdebench.readers.reader import Reader
from vdebench.registry import installed_version

PIPELINE_VERSIONS = ("v1", "v1.5", "v1.6")
BACKENDS = ("native", "vllm-server", "sglang-server", "fastdeploy-server", "mlx-vlm-server", "llama-cpp-server")
ENGINES = ("", "paddle", "paddle_static", "paddle_dynamic", "transformers", "onnxruntime")

_UPRIGHT = {"use_doc_orientation_classify": False, "use_doc_unwarping": False}
_KEPT = ("width", "height", "model_settings", "parsing_res_list")
_PARTS = ("paddlex", "paddlepaddle", "paddlepaddle-gpu")


class PaddleReader(Reader):
    """A pipeline of the package `paddleocr`."""

    name: str
    _extra = "paddleocr[doc-parser]"

    def __init__(self, *, device: str = "", engine: str = "") -> None:
        if gap := self.missing(engine=engine):
            raise MissingPartError(gap)
        one_of(self.name, "engine", engine, ENGINES)
        self.device = device
        self.engine = engine

    @classmethod
    def missing(cls, **options: Any) -> str:
        """What is not installed and how to get it; nothing where all is there."""
        engine = options.get("engine") or "paddle"
        needed = ["paddleocr", *(["paddle"] if engine.startswith("paddle") else [])]
        absent = [name for name in needed if not _is_installed(name)]
        if not absent:
            return ""
        return (
            f"the reader {cls.name} needs {' and '.join(absent)}\n"
            f"  pip install '{cls._extra}>=3.7,<3.8' paddlepaddle   (an environment of its own is best: it wants "
            "another OpenCV; paddlepaddle-gpu for a GPU); the models are fetched when the first page is read"
        )

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, versions of the packages, what else was chosen."""
        parts = {package: installed_version(package) for package in _PARTS}
        return {
            "name": self.name,
            "version": installed_version("paddleocr"),
            **{package: number for package, number in parts.items() if number},
            **({"engine": self.engine} if self.engine else {}),
            **self._chosen,
        }

    @property
    @abstractmethod
    def _chosen(self) -> dict[str, str]:
        """Options that change what is read."""

    @abstractmethod
    def _start(self, paddleocr: Any, settings: Mapping[str, Any]) -> Any:
        """The pipeline."""

    @cached_property
    def _pipeline(self) -> Any:
        settings = {key: value for key, value in (("device", self.device), ("engine", self.engine)) if value}
        try:
            return self._start(import_module("paddleocr"), settings | _UPRIGHT)
        except Exception as error:  # anything at all: missing libraries, no network for the models, no such device
            advice = (
                f"is all of '{self._extra}' installed, and can its models be fetched, or are they in PaddleX's cache?"
            )
            raise ReaderError(f"{self.name}: cannot be started: {_told(error)}\n  {advice}") from error

    def read(self, image: Image) -> PageText:
        """Blocks of a page."""
        pipeline = self._pipeline
        try:
            pages = list(pipeline.predict(np.ascontiguousarray(image[..., ::-1]), **_UPRIGHT))
        except Exception as error:  # anything at all comes out of the pipeline's threads
            raise ReaderError(f"{self.name}: the page cannot be read: {_told(error)}") from error
        if len(pages) != 1:
            raise ReaderError(f"{self.name}: {len(pages)} results for one page")
        result = pages[0]
        data = result if not hasattr(result, "json") else result.json
        return paddle_reading(data, self.name, Size(image.shape[1], image.shape[0]))


class PaddleVLReader(PaddleReader):
    """PaddleOCR-VL, by default the version of the papers; its recogniser may run on a server."""

    name = "paddleocr-vl"

    def __init__(
        self,
        *,
        pipeline_version: str = "v1",
        vl_rec_backend: str = "",
        vl_rec_server_url: str = "",
        vl_rec_api_model_name: str = "",
        device: str = "",
        engine: str = "",
    ) -> None:
        super().__init__(device=device, engine=engine)
        one_of(self.name, "pipeline_version", pipeline_version, PIPELINE_VERSIONS)
        one_of(self.name, "vl_rec_backend", vl_rec_backend or "native", BACKENDS)
        if (vl_rec_backend or "native") != "native" and bad_address(vl_rec_server_url):
            raise MissingPartError(f"{self.name}: {vl_rec_backend} needs vl_rec_server_url=http://host:port/v1")
        if vl_rec_server_url and not vl_rec_backend:
            raise VdeError(f"{self.name}: vl_rec_server_url is given: say what runs there, vl_rec_backend=vllm-server")
        self.pipeline_version = pipeline_version
        self.recogniser = {
            "vl_rec_backend": vl_rec_backend,
            "vl_rec_server_url": vl_rec_server_url,
            "vl_rec_api_model_name": vl_rec_api_model_name,
        }

    @property
    def _chosen(self) -> dict[str, str]:
        told = {"pipeline_version": self.pipeline_version, "vl_rec_backend": self.recogniser["vl_rec_backend"]}
        told["vl_rec_api_model_name"] = self.recogniser["vl_rec_api_model_name"]
        return {key: value for key, value in told.items() if value}

    def _start(self, paddleocr: Any, settings: Mapping[str, Any]) -> Any:
        chosen = {key: value for key, value in self.recogniser.items() if value}
        return paddleocr.PaddleOCRVL(pipeline_version=self.pipeline_version, **chosen, **settings)


class PPStructureReader(PaddleReader):
    """PP-StructureV3: layout, PP-OCR lines, tables and formulas by models of their own."""

    name = "pp-structure"

    def __init__(self, *, lang: str = "", ocr_version: str = "", device: str = "", engine: str = "") -> None:
        super().__init__(device=device, engine=engine)
        one_of(self.name, "ocr_version", ocr_version, ("", "PP-OCRv3", "PP-OCRv4", "PP-OCRv5"))
        self.models = {key: value for key, value in (("lang", lang), ("ocr_version", ocr_version)) if value}

    @property
    def _chosen(self) -> dict[str, str]:
        return {"pipeline": "PP-StructureV3", **self.models}

    def _start(self, paddleocr: Any, settings: Mapping[str, Any]) -> Any:
        return paddleocr.PPStructureV3(**self.models, **settings)


def paddle_reading(data: Any, where: str, page: Size) -> PageText:
    """A reading from a result of PaddleOCR: blocks in the order of their ids, without what no score asks for.

    The order is null for tables, pictures, headers and footers; ids are given to all blocks, in reading order.

    >>> texts = [(1, "b"), (0, "a")]
    >>> blocks = [{"block_id": n, "block_bbox": [0, 0, 1, 1], "block_content": text} for n, text in texts]
    >>> reading = paddle_reading({"res": {"parsing_res_list": blocks}}, "here", Size(9, 9))
    >>> [block.content for block in reading.blocks], reading.size
    (['a', 'b'], Size(width=9, height=9))
    """
    if isinstance(data, dict) and isinstance(data.get("res"), dict):
        data = data["res"]
    if not isinstance(data, dict) or not isinstance(data.get("parsing_res_list"), list):
        told = data["error"] if isinstance(data, dict) and "error" in data else f"found {type(data).__name__} {data!r}"
        raise ReaderError(f"{where}: the answer has no list of blocks 'parsing_res_list': {excerpt(str(told))}")
    kept = {key: data[key] for key in _KEPT if key in data}
    kept = json.loads(json.dumps(kept, default=_as_plain))
    blocks = kept["parsing_res_list"]
    ids = [block.get("block_id") if isinstance(block, dict) else None for block in blocks]
    if all(isinstance(number, int) for number in ids):
        blocks.sort(key=lambda block: int(block["block_id"]))
    reading = PageText.from_json(kept, where)
    if reading.size not in (None, page):
        found, given = (f"{size.width:g}×{size.height:g}" for size in (reading.size or page, page))
        raise ReaderError(
            f"{where}: the reading is of a page of {found} pixels, the page given has {given}\n"
            "  the pipeline turns or unwarps pages: start it without document preprocessing"
        )
    return replace(reading, size=page)


def _as_plain(value: Any) -> Any:
    """NumPy's numbers and arrays as JSON has them; text for anything else."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _told(error: Exception) -> str:
    cause = f" ({error.__cause__})" if error.__cause__ else ""  # PaddleOCR says there which library is missing
    return excerpt(f"{type(error).__name__}: {error}{cause}", 400)
