"""PaddleOCR on this machine: PaddleOCR-VL (used by the papers) and PP-StructureV3.

Both return the same kind of JSON. Document preprocessing (rotation, unwarping) is off, so that boxes refer to the
input image.
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

_NO_PREPROCESSING = {"use_doc_orientation_classify": False, "use_doc_unwarping": False}
_RESULT_KEYS = ("width", "height", "model_settings", "parsing_res_list")
_PACKAGES = ("paddlex", "paddlepaddle", "paddlepaddle-gpu")


class PaddleReader(Reader):
    """A pipeline of the package `paddleocr`."""

    name: str
    _extra = "paddleocr[doc-parser]"

    def __init__(self, *, device: str = "", engine: str = "") -> None:
        if problem := self.missing(engine=engine):
            raise MissingPartError(problem)
        one_of(self.name, "engine", engine, ENGINES)
        self.device = device
        self.engine = engine

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return which packages are missing and how to install them, or ""."""
        engine = options.get("engine") or "paddle"
        needed = ["paddleocr", *(["paddle"] if engine.startswith("paddle") else [])]
        absent = [name for name in needed if not _is_installed(name)]
        if not absent:
            return ""
        return (
            f"the reader {cls.name} needs {' and '.join(absent)}\n"
            f"  pip install '{cls._extra}>=3.7,<3.8' paddlepaddle   (preferably in a separate environment: it needs "
            "another OpenCV; paddlepaddle-gpu for a GPU); the models are downloaded when the first page is read"
        )

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, versions of the packages, options."""
        versions = {package: installed_version(package) for package in _PACKAGES}
        return {
            "name": self.name,
            "version": installed_version("paddleocr"),
            **{package: number for package, number in versions.items() if number},
            **({"engine": self.engine} if self.engine else {}),
            **self._options,
        }

    @property
    @abstractmethod
    def _options(self) -> dict[str, str]:
        """Options that change the OCR output."""

    @abstractmethod
    def _start(self, paddleocr: Any, settings: Mapping[str, Any]) -> Any:
        """Create the pipeline."""

    @cached_property
    def _pipeline(self) -> Any:
        settings = {key: value for key, value in (("device", self.device), ("engine", self.engine)) if value}
        try:
            return self._start(import_module("paddleocr"), settings | _NO_PREPROCESSING)
        except Exception as error:  # missing libraries, no network for the models, unknown device, …
            advice = (
                f"check that '{self._extra}' is installed and that its models are in PaddleX's cache or downloadable"
            )
            raise ReaderError(f"{self.name}: cannot start: {_error_text(error)}\n  {advice}") from error

    def read(self, image: Image) -> PageText:
        """Run the pipeline on a page."""
        pipeline = self._pipeline
        try:
            pages = list(pipeline.predict(np.ascontiguousarray(image[..., ::-1]), **_NO_PREPROCESSING))
        except Exception as error:  # the pipeline's threads raise exceptions of any type
            raise ReaderError(f"{self.name}: cannot read the page: {_error_text(error)}") from error
        if len(pages) != 1:
            raise ReaderError(f"{self.name}: {len(pages)} results for one page")
        result = pages[0]
        data = result if not hasattr(result, "json") else result.json
        return page_text_from_paddle(data, self.name, Size(image.shape[1], image.shape[0]))


class PaddleVLReader(PaddleReader):
    """PaddleOCR-VL, by default in the version of the papers; its recognition model can run on a server."""

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
            raise VdeError(f"{self.name}: vl_rec_server_url needs a backend, for example vl_rec_backend=vllm-server")
        self.pipeline_version = pipeline_version
        self.recogniser = {
            "vl_rec_backend": vl_rec_backend,
            "vl_rec_server_url": vl_rec_server_url,
            "vl_rec_api_model_name": vl_rec_api_model_name,
        }

    @property
    def _options(self) -> dict[str, str]:
        options = {
            "pipeline_version": self.pipeline_version,
            "vl_rec_backend": self.recogniser["vl_rec_backend"],
            "vl_rec_api_model_name": self.recogniser["vl_rec_api_model_name"],
        }
        return {key: value for key, value in options.items() if value}

    def _start(self, paddleocr: Any, settings: Mapping[str, Any]) -> Any:
        recogniser = {key: value for key, value in self.recogniser.items() if value}
        return paddleocr.PaddleOCRVL(pipeline_version=self.pipeline_version, **recogniser, **settings)


class PPStructureReader(PaddleReader):
    """PP-StructureV3: separate models for layout, text lines (PP-OCR), tables and formulas."""

    name = "pp-structure"

    def __init__(self, *, lang: str = "", ocr_version: str = "", device: str = "", engine: str = "") -> None:
        super().__init__(device=device, engine=engine)
        one_of(self.name, "ocr_version", ocr_version, ("", "PP-OCRv3", "PP-OCRv4", "PP-OCRv5"))
        self.models = {key: value for key, value in (("lang", lang), ("ocr_version", ocr_version)) if value}

    @property
    def _options(self) -> dict[str, str]:
        return {"pipeline": "PP-StructureV3", **self.models}

    def _start(self, paddleocr: Any, settings: Mapping[str, Any]) -> Any:
        return paddleocr.PPStructureV3(**self.models, **settings)


def page_text_from_paddle(data: Any, where: str, page: Size) -> PageText:
    """Convert a result of PaddleOCR; blocks are sorted by id and keys that scoring does not use are dropped.

    `block_order` is null for tables, pictures, headers and footers; `block_id` numbers all blocks in reading order.
    Raises `ReaderError` if the result has no blocks list or belongs to a page of another size.

    >>> texts = [(1, "b"), (0, "a")]
    >>> blocks = [{"block_id": n, "block_bbox": [0, 0, 1, 1], "block_content": text} for n, text in texts]
    >>> page_text = page_text_from_paddle({"res": {"parsing_res_list": blocks}}, "here", Size(9, 9))
    >>> [block.content for block in page_text.blocks], page_text.size
    (['a', 'b'], Size(width=9, height=9))
    """
    if isinstance(data, dict) and isinstance(data.get("res"), dict):
        data = data["res"]
    if not isinstance(data, dict) or not isinstance(data.get("parsing_res_list"), list):
        detail = data["error"] if isinstance(data, dict) and "error" in data else f"got {type(data).__name__} {data!r}"
        raise ReaderError(f"{where}: the answer has no list of blocks 'parsing_res_list': {excerpt(str(detail))}")
    result = {key: data[key] for key in _RESULT_KEYS if key in data}
    result = json.loads(json.dumps(result, default=_to_json_value))
    blocks = result["parsing_res_list"]
    ids = [block.get("block_id") if isinstance(block, dict) else None for block in blocks]
    if all(isinstance(number, int) for number in ids):
        blocks.sort(key=lambda block: int(block["block_id"]))
    page_text = PageText.from_json(result, where)
    if page_text.size not in (None, page):
        actual, expected = (f"{size.width:g}×{size.height:g}" for size in (page_text.size or page, page))
        raise ReaderError(
            f"{where}: the OCR output is for a page of {actual} pixels, expected {expected}\n"
            "  the pipeline rotates or unwarps pages: start it without document preprocessing"
        )
    return replace(page_text, size=page)


def _to_json_value(value: Any) -> Any:
    """Convert NumPy numbers and arrays to lists and numbers, anything else to text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _error_text(error: Exception) -> str:
    cause = f" ({error.__cause__})" if error.__cause__ else ""  # PaddleOCR names the missing library there
    return excerpt(f"{type(error).__name__}: {error}{cause}", 400)
