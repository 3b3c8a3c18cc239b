"""PaddleOCR readers against a stub of `paddleocr` 3.7: signatures, JSON, errors."""

from __future__ import annotations

import json
import sys
from inspect import signature
from textwrap import dedent

import numpy as np
import pytest

from vdebench.core.box import Size
from vdebench.errors import MissingPartError, ReaderError, VdeError
from vdebench.readers.paddle import PaddleVLReader, PPStructureReader, page_text_from_paddle

PAGE = np.zeros((6, 8, 3), np.uint8)
PAGE[..., 0] = 200  # red

FAKE = """
    import json, pathlib
    import numpy as np

    LOG = pathlib.Path(__file__).with_name("log.jsonl")

    def note(**what):
        with LOG.open("a") as log:
            log.write(json.dumps(what) + "\\n")

    class Result(dict):
        @property
        def json(self):
            return {"res": dict(self)}

    def block(number, order, label, content):
        bbox = [np.float32(number), np.int64(0), 8, np.float64(6)] if number else np.array([0, 0, 8, 3])
        return {"block_label": label, "block_content": content, "block_bbox": bbox, "block_id": number,
                "block_order": order}

    class Pipeline:
        def __init__(self, device=None, engine=None, use_doc_orientation_classify=None, use_doc_unwarping=None, **rest):
            note(made=type(self).__name__, device=device, engine=engine, unwarp=use_doc_unwarping, **rest)
            if device == "npu":
                raise RuntimeError("no device npu") from OSError("driver too old")

        def predict(self, input, *, use_doc_orientation_classify=None, use_doc_unwarping=None):
            note(first=input[0, 0].tolist(), order=input.flags.c_contiguous, unwarp=use_doc_unwarping)
            if input.shape[0] == 1:
                raise ValueError("too small")
            if input.shape[0] == 2:
                return [{"error": "the input params for model settings are invalid!"}]
            if input.shape[0] == 3:
                return []
            height, width = input.shape[:2]
            return [Result(input_path=None, page_index=None, page_count=None, width=width, height=height,
                           model_settings={"use_layout_detection": np.bool_(True)},
                           layout_det_res={"boxes": np.zeros((5, 4))}, overall_ocr_res={"rec_texts": ["x"] * 9},
                           parsing_res_list=[block(0, 1, "doc_title", "title"),
                                             block(2, 2, "text", "below"),
                                             block(1, None, "table", "<table></table>")])]

    class PaddleOCRVL(Pipeline):
        def __init__(self, pipeline_version="v1.6", vl_rec_backend=None, vl_rec_server_url=None,
                     vl_rec_api_model_name=None, **rest):
            super().__init__(pipeline_version=pipeline_version, backend=vl_rec_backend, server=vl_rec_server_url, **rest)

    class PPStructureV3(Pipeline):
        def __init__(self, lang=None, ocr_version=None, **rest):
            super().__init__(lang=lang, ocr_version=ocr_version, **rest)
"""


@pytest.fixture
def paddleocr(tmp_path, monkeypatch):
    """An installed package; what it was asked, in order."""
    for name, code in (("paddleocr", FAKE), ("paddle", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(dedent(code))
    for name, version in (("paddleocr", "3.7.0"), ("paddlex", "3.7.2"), ("paddlepaddle", "3.3.1")):
        folder = tmp_path / f"{name}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("paddleocr", "paddle"):
        monkeypatch.delitem(sys.modules, name, raising=False)

    def log():
        return [json.loads(line) for line in (tmp_path / "paddleocr" / "log.jsonl").read_text().splitlines()]

    yield log
    for name in ("paddleocr", "paddle"):
        sys.modules.pop(name, None)


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr("vdebench.readers.paddle.find_spec", lambda name: None)


@pytest.mark.parametrize("kind", [PaddleVLReader, PPStructureReader])
def test_a_page_becomes_a_reading(paddleocr, kind):
    reading = kind().read(PAGE)
    assert [block.content for block in reading.blocks] == ["title", "<table></table>", "below"]  # by id, not by order
    assert [block.box for block in reading.blocks] == [(0, 0, 8, 3), (1, 0, 8, 6), (2, 0, 8, 6)]
    assert reading.size == (8, 6)
    assert reading.left_out == ()
    assert reading.extra == {"model_settings": {"use_layout_detection": True}}  # what no score asks for is not kept
    json.dumps(reading.to_json())  # no NumPy in it
    made, asked = paddleocr()
    assert made["unwarp"] is False
    assert asked == {"first": [0, 0, 200], "order": True, "unwarp": False}  # BGR


def test_the_version_of_the_papers_is_pinned(paddleocr):
    reader = PaddleVLReader()
    reader.read(PAGE)
    reader.read(PAGE)
    made = [entry for entry in paddleocr() if "made" in entry]
    assert [entry["pipeline_version"] for entry in made] == ["v1"]  # made once
    assert reader.identity == {
        "name": "paddleocr-vl",
        "version": "3.7.0",
        "paddlex": "3.7.2",
        "paddlepaddle": "3.3.1",
        "pipeline_version": "v1",
    }


def test_making_a_reader_starts_nothing(paddleocr, tmp_path):
    PaddleVLReader(pipeline_version="v1.6")
    assert "paddleocr" not in sys.modules
    assert not (tmp_path / "paddleocr" / "log.jsonl").exists()


def test_a_recogniser_on_a_server(paddleocr):
    first, second = (
        PaddleVLReader(vl_rec_backend="vllm-server", vl_rec_server_url=f"http://{host}:8118/v1") for host in ("a", "b")
    )
    first.read(PAGE)
    assert paddleocr()[0]["backend"] == "vllm-server"
    assert paddleocr()[0]["server"] == "http://a:8118/v1"
    assert first.identity == second.identity
    assert first.identity != PaddleVLReader().identity


def test_options_of_pp_structure(paddleocr):
    reader = PPStructureReader(lang="ch", ocr_version="PP-OCRv5", device="cpu")
    reader.read(PAGE)
    made = paddleocr()[0]
    assert (made["made"], made["lang"], made["ocr_version"], made["device"]) == (
        "PPStructureV3",
        "ch",
        "PP-OCRv5",
        "cpu",
    )
    assert reader.identity["ocr_version"] == "PP-OCRv5"


@pytest.mark.parametrize(
    ("height", "told"),
    [
        (1, "cannot read the page: ValueError: too small"),
        (2, "model settings are invalid"),
        (3, "0 results for one page"),
    ],
)
def test_what_goes_wrong_is_an_error(paddleocr, height, told):
    with pytest.raises(ReaderError, match=f"paddleocr-vl: .*{told}"):
        PaddleVLReader().read(PAGE[:height])


def test_a_pipeline_that_does_not_start_is_an_error(paddleocr):
    with pytest.raises(
        ReaderError,
        match=r"cannot start: RuntimeError: no device npu \(driver too old\)(.|\n)*its models are in PaddleX",
    ):
        PaddleVLReader(device="npu").read(PAGE)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"pipeline_version": "v2"}, "expected one of v1, v1.5, v1.6"),
        ({"vl_rec_backend": "vllm"}, "expected one of native, vllm-server"),
        ({"vl_rec_backend": "vllm-server"}, "needs vl_rec_server_url"),
        ({"vl_rec_server_url": "http://a:1"}, "vl_rec_backend=vllm-server"),
        ({"engine": "tflite"}, "engine is 'tflite'"),
    ],
)
def test_options_that_mean_nothing(paddleocr, options, told):
    with pytest.raises(VdeError, match=told):
        PaddleVLReader(**options)


@pytest.mark.parametrize("kind", [PaddleVLReader, PPStructureReader])
def test_what_is_not_installed_is_named(nothing_installed, kind):
    assert "needs paddleocr and paddle\n  pip install 'paddleocr[doc-parser]" in kind.missing()
    assert "needs paddleocr\n" in kind.missing(engine="transformers")
    with pytest.raises(MissingPartError, match="pip install"):
        kind()


def test_installed_is_installed(paddleocr):
    assert PaddleVLReader.missing() == ""


def test_a_page_that_was_turned_is_an_error():
    with pytest.raises(ReaderError, match="6×8 pixels, expected 8×6"):
        page_text_from_paddle({"width": 6, "height": 8, "parsing_res_list": []}, "here", Size(8, 6))


@pytest.mark.parametrize("data", [None, [], {}, {"res": {}}, {"parsing_res_list": {}}, {"res": []}])
def test_what_is_no_reading(data):
    with pytest.raises(ReaderError, match="here: the answer has no list of blocks"):
        page_text_from_paddle(data, "here", Size(8, 6))


def test_blocks_without_ids_stay_where_they_are():
    blocks = [{"block_bbox": [0, 0, 1, 1], "block_content": text} for text in "ba"]
    assert [block.content for block in page_text_from_paddle({"parsing_res_list": blocks}, "", Size(1, 1)).blocks] == [
        "b",
        "a",
    ]


@pytest.mark.slow
def test_the_real_package_takes_what_we_give_and_gives_what_we_take():
    """No weights are needed for this, only `pip install paddleocr`."""
    real = pytest.importorskip("paddleocr")
    vl = pytest.importorskip("paddlex.inference.pipelines.paddleocr_vl.result")
    upright = {"use_doc_orientation_classify", "use_doc_unwarping"}
    asked = {"pipeline_version", "vl_rec_backend", "vl_rec_server_url", "vl_rec_api_model_name", *upright}
    assert asked <= signature(real.PaddleOCRVL.__init__).parameters.keys()
    assert {"lang", "ocr_version", *upright} <= signature(real.PPStructureV3.__init__).parameters.keys()
    for pipeline in (real.PaddleOCRVL, real.PPStructureV3):
        assert upright <= signature(pipeline.predict).parameters.keys()
    made = [("doc_title", [0, 0, 40, 9], "T"), ("table", np.array([0, 10, 40, 30]), "<table></table>")]
    blocks = [vl.PaddleOCRVLBlock(label=label, bbox=box, content=content) for label, box, content in made]
    settings = {"use_doc_preprocessor": False, "use_layout_detection": False, "markdown_ignore_labels": []}
    page = {"input_path": None, "page_index": None, "page_count": None, "width": 40, "height": 60}
    result = vl.PaddleOCRVLResult({**page, "model_settings": settings, "parsing_res_list": blocks})
    title, table = page_text_from_paddle(result.json, "real", Size(40, 60)).blocks
    assert (title.box, title.content, title.order) == ((0, 0, 40, 9), "T", 1)
    assert (table.box, table.order, table.html) == ((0, 10, 40, 30), None, "<table></table>")
