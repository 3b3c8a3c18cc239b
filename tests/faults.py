"""Every known fault of VDE Bench's released scoring as a tiny input, with what each protocol says of it.

TextEditBench's are in `faults_masked`.

The docs page `docs/faults.md` is made from this file: `python -m tests.faults > docs/faults.md`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from tests import pages
from vdebench import load_suite, score
from vdebench.pipeline.evaluation import open_predictions

PARAGRAPH = "The office expects a quiet winter. Dredging resumes in March. Fees stay as they are until the summer."
LINE = "Revenue of the year was 418.7 million CHF."


def block(content: str, at: int = 0, label: str = "text", height: int = 80) -> dict[str, Any]:
    top = 50 + 100 * at
    return {"block_bbox": [100, top, 900, top + height], "block_label": label, "block_content": content}


def table(inner: str) -> dict[str, Any]:
    return block(f"<table>{inner}</table>", label="table")


def run(truth, prediction, protocol, **entry) -> dict[str, Any]:
    """Summary of a suite of one sample; `source` adds the page before the edit, `size` that of the prediction."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        source, size = entry.pop("source", None), entry.pop("size", None)
        pages.write_suite(root, [(truth, prediction)], [pages.entry(0, **entry)])
        if size:
            pages.write_json(root / "pred/page_0.json", pages.reading(prediction, size))
        if source:
            pages.write_json(root / "before/page_0.json", pages.reading(source))
            with (root / "suite.toml").open("a", encoding="utf-8") as file:
                file.write('source_readings = "before"\n')
        predictions = open_predictions(root / "pred", load_suite(root))  # one may be missing, and it is the only one
        return score(root, predictions, protocol=protocol).summary


def metric(name: str, truth, prediction, **entry) -> Callable[[str], float | None]:
    return lambda protocol: run(truth, prediction, protocol, **entry)["overall"]["global"][name]


def outcome(truth, prediction, **entry) -> Callable[[str], str]:
    def found(protocol: str) -> str:
        return next(iter(run(truth, prediction, protocol, **entry)["regions"]["outcomes"]))

    return found


def region(top: float, bottom: float) -> list[dict[str, float]]:
    """A region over the width of a block, from top to bottom in pixels."""
    return [
        {
            "x": 10,
            "y": top / 14,
            "width": 80,
            "height": (bottom - top) / 14,
            "original_width": 1000,
            "original_height": 1400,
        }
    ]


def one_missing(protocol: str) -> float:
    with tempfile.TemporaryDirectory() as temporary:
        page = [block("one"), block("two", 1)]
        root = pages.write_suite(Path(temporary), [(page, page), (page, None)])
        return score(root, root / "pred", protocol=protocol).summary["overall"]["global"]["iou"]


def near_identical(protocol: str) -> Any:
    """Mean PSNR of a page at 20 dB and one of which one value of 180,000 is off by one."""
    black, off, spoilt = (Image.new("RGB", (200, 300)) for _ in range(3))
    off.putpixel((0, 0), (1, 0, 0))
    spoilt.paste((255, 255, 255), (0, 0, 200, 3))
    return image_metric("psnr", [(black, off), (black, spoilt)])(protocol)


def transparent(protocol: str) -> Any:
    """A black page, predicted as black pixels that are wholly transparent: seen as white."""
    return image_metric("ssim", [(Image.new("RGB", (200, 280)), Image.new("RGBA", (200, 280)))])(protocol)


def turned(protocol: str) -> Any:
    """The right page, its pixels stored on their side with an EXIF note that says so."""
    page = Image.new("RGB", (200, 280), "white")
    page.paste((0, 0, 0), (20, 20, 180, 90))
    exif = Image.Exif()
    exif[0x0112] = 6
    return image_metric("ssim", [(page, page.transpose(Image.Transpose.ROTATE_90))], exif=exif)(protocol)


def image_metric(name: str, pairs: list[tuple[Image.Image, Image.Image]], **options: Any) -> Callable[[str], Any]:
    """A global image metric of pairs of reference and prediction; `options` to save the predictions with."""

    def found(protocol: str) -> Any:
        with tempfile.TemporaryDirectory() as temporary:
            page = [block("same")]
            root = pages.write_suite(Path(temporary), [(page, page)] * len(pairs))
            with (root / "suite.toml").open("a", encoding="utf-8") as file:
                file.write('images = "images"\n')
            for folder in ("images", "out"):
                (root / folder).mkdir()
            for index, (reference, prediction) in enumerate(pairs):
                reference.save(root / f"images/page_{index}.png")
                prediction.save(root / f"out/page_{index}.png", **options)
            return score(root, root / "pred", images=root / "out", protocol=protocol).summary["overall"]["global"][name]

    return found


def pixels(
    name: str, dots: list[tuple[int, int] | None], setting: str = "global", regions: list[Any] | None = None
) -> Callable[[str], Any]:
    """A number of image metrics: pages of 200×280, each predicted with so many white pixels from a place on, or not."""

    def found(protocol: str) -> Any:
        with tempfile.TemporaryDirectory() as temporary:
            page, given = [block("same")], {"label_output": regions or region(50, 130)}
            pairs = [(page, page if dot is not None else None) for dot in dots]
            root = pages.write_suite(Path(temporary), pairs, [pages.entry(i, **given) for i in range(len(dots))])
            with (root / "suite.toml").open("a", encoding="utf-8") as file:
                file.write('images = "images"\n')
            for index, dot in enumerate(dots):
                for folder in ("images", "out"):
                    (root / folder).mkdir(exist_ok=True)
                picture = Image.new("L", (200, 280))
                picture.save(root / f"images/page_{index}.png")
                if dot is not None:
                    first, count = dot
                    picture.putdata([255 * (first <= at < first + count) for at in range(200 * 280)])
                    picture.save(root / f"out/page_{index}.png")
            summary = score(root, root / "pred", images=root / "out", protocol=protocol).summary
            return summary["overall"][setting][name]

    return found


class Case(NamedTuple):
    """A fault: what is put in, which number is looked at, what the release says, what is right."""

    fault: str
    input: str
    number: str
    found: Callable[[str], Any]
    release: Any
    exact: Any


DIGITS = "0123456789" * 20
DELETION = {"instruction type": "text deletion"}
ROWS = "<tr><td>a</td><td>b</td></tr><tr><td>c</td></tr>"
OTHER_ROWS = "<tr><td>x</td><td>y</td></tr><tr><td>z</td></tr>"
SPANS = "<tr><td{}>a</td></tr><tr><td>b</td><td>c</td></tr>"
CELLS = "<tr><td>a{}b</td><td>c</td></tr><tr><td>d</td><td>e</td></tr>"
TEN = [block(f"paragraph number {i}", i) for i in range(10)]
TWO = [
    block("The first paragraph, of the usual kind.", 0, height=100),
    block("And the second, of which much the same holds.", 1),
]
MERGED = [block(f"{TWO[0]['block_content']}\n{TWO[1]['block_content']}", 0, height=180)]
AFTER_DELETION = [block(PARAGRAPH.replace(" Dredging resumes in March.", ""))]

CORNERS = [{**region(0, 1)[0], "x": x, "y": y, "width": 35, "height": 25} for x, y in ((0, 0), (65, 75))]

CASES = [
    Case("BLEU splits at white space and uses 1e-9 for n-grams longer than the text",
         "identical `Total`", "BLEU", metric("bleu", [block("Total")], [block("Total")]), 1.8e-7, 1.0),
    Case("", "identical `a b c`", "BLEU", metric("bleu", [block("a b c")], [block("a b c")]), 0.0056, 1.0),
    Case("", "identical Chinese sentence", "BLEU",
         metric("bleu", [block("图书馆周末照常开放。")], [block("图书馆周末照常开放。")]), 1.8e-7, 1.0),
    Case("difflib's junk heuristic", "200 digits, one more in front", "similarity",
         metric("text_similarity", [block(DIGITS)], [block("5" + DIGITS)]), 0.0, 0.998),
    Case("", "198 digits, an `x` in the middle", "similarity",
         metric("text_similarity", [block(DIGITS[:198])], [block(DIGITS[:100] + "x" + DIGITS[100:198])]), 0.997, 0.997),
    Case("a region has the text of blocks with IoU ≥ 0.1",
         "the region is a line of a paragraph, not edited", "region",
         outcome([block(PARAGRAPH.replace("March", "May"), height=400)], [block(PARAGRAPH, height=400)],
                 source=[block(PARAGRAPH, height=400)], label_output=region(100, 130)), "success", "not_done"),
    Case("a missing prediction counts as an empty one, and an empty one as a deletion",
         "a sentence to delete, no prediction", "region",
         outcome(AFTER_DELETION, None, label_output=region(50, 130), source=[block(PARAGRAPH)], **DELETION),
         "success", "missing"),
    Case("a deletion succeeds only if the region is empty",
         "one sentence of a paragraph deleted, prediction equal to the reference", "region",
         outcome(AFTER_DELETION, AFTER_DELETION, label_output=region(50, 130), source=[block(PARAGRAPH)], **DELETION),
         "failure", "done"),
    Case("a similarity of 0.8 counts as success", "`418.7` instead of `412.7` in a line of 42 characters", "region",
         outcome([block(LINE.replace("418", "412"))], [block(LINE)], label_output=region(50, 130), source=[block(LINE)]),
         "success", "not_done"),
    Case("table tags count as text of a region", "a table with every cell wrong", "region",
         outcome([table(ROWS)], [table(OTHER_ROWS)],
                 label_output=region(50, 130), source=[table(ROWS.replace(">a<", ">k<"))]), "success", "wrong_text"),
    Case("missing predictions are excluded", "two pages, one prediction", "IoU", one_missing, 1.0, 0.5),
    Case("text metrics use matched blocks only", "nine of ten blocks lost", "CDM", metric("cdm", TEN, TEN[:1]), 1.0, 0.1),
    Case("", "ten correct blocks, fifty invented", "CDM",
         metric("cdm", TEN, TEN + [dict(block("x" * 20), block_bbox=[20 * i, 1200, 20 * i + 10, 1210]) for i in range(50)]),
         1.0, 0.167),
    Case("", "a table lost", "TEDS", metric("teds", [block("text", 1), table(ROWS)], [block("text", 1)]), None, 0.0),
    Case("boxes are not scaled", "the same page at half the resolution", "IoU",
         metric("iou", [dict(block("a"), block_bbox=[500, 700, 900, 800])],
                [dict(block("a"), block_bbox=[250, 350, 450, 400])], size=(500, 700)), 0.0, 1.0),
    Case("greedy one-to-one matching", "the reader merges two paragraphs, text identical", "CDM", metric("cdm", TWO, MERGED),
         0.459, 1.0),
    Case("TEDS ignores spans", "a colspan removed", "TEDS",
         metric("teds", [table(SPANS.format(" colspan=2"))], [table(SPANS.format(""))]), 1.0, 0.833),
    Case("TEDS matches top-down only", "a `tbody` added", "TEDS",
         metric("teds", [table(ROWS)], [table(f"<tbody>{ROWS}</tbody>")]), 0.0, 1.0),
    Case("", "`<br>` instead of `<br/>`", "TEDS",
         metric("teds", [table(CELLS.format("<br/>"))], [table(CELLS.format("<br>"))]), 0.0, 1.0),
    Case("", "two tables in a block, the first one wrong", "TEDS",
         metric("teds", [block("<table><tr><td>a</td></tr></table><table><tr><td>b</td></tr></table>", label="table")],
                [block("<table><tr><td>z</td></tr></table><table><tr><td>b</td></tr></table>", label="table")]), 1.0, 0.8),
    Case("tags are removed by a regular expression", "`p < 0.05 and q > 2` in a cell instead of `p < 0.07 and q > 2`", "CDM",
         metric("cdm", [table("<tr><td>p < 0.05 and q > 2</td></tr>")], [table("<tr><td>p < 0.07 and q > 2</td></tr>")]),
         1.0, 0.929),  # 13 of 14 characters: spaces around < do not count
    Case("entities are unescaped for TEDS but not for CDM", "`R&amp;D` in a cell instead of `R&D`", "CDM",
         metric("cdm", [table("<tr><td>R&amp;D</td></tr>")], [table("<tr><td>R&D</td></tr>")]), 0.429, 1.0),
    Case("blocks without text count", "a page with one picture", "CDM",
         metric("cdm", [block("", label="image")], [block("", label="image")]), 1.0, None),
    Case("identical images are excluded from the mean PSNR", "nine identical pages, one at 20 dB", "PSNR",
         pixels("psnr", [(0, 0)] * 9 + [(0, 560)]), 20.0, 30.0),
    Case("", "nine pages at 30 dB, one at 20 dB", "PSNR", pixels("psnr", [(0, 56)] * 9 + [(0, 560)]), 29.0, 27.212),
    Case("", "one page at 20 dB, one with a single value off by one", "PSNR", near_identical, 20.0, 23.0),
    Case("the alpha channel is dropped", "transparent black pixels instead of a black page", "SSIM", transparent, 1.0, 1e-4),
    Case("EXIF rotation is ignored", "the correct page, stored rotated", "SSIM", turned, 0.619, 1.0),
    Case("missing predictions are excluded", "four pages, one predicted image", "images",
         pixels("images", [(0, 0), None, None, None]), 1, 4),
    Case("one crop around all regions", "two regions in opposite corners, damage between them", "local SSIM",
         pixels("ssim", [(200 * 130, 2000)], "local", CORNERS), 0.942, 1.0),
]  # fmt: skip


def shown(value: Any) -> str:
    if value is None:
        return "not counted"
    return str(value) if isinstance(value, str | int) else f"{value:.2g}" if 0 < value < 0.01 else f"{value:.3f}"


def rows(cases: list[Case], release: str) -> list[str]:
    lines = [f"| fault | input | number | `{release}` | `strict` |", "| --- | --- | --- | ---: | ---: |"]
    for case in cases:
        values = [shown(case.found(protocol)) for protocol in (release, "strict")]
        lines.append(f"| {case.fault} | {case.input} | {case.number} | {values[0]} | {values[1]} |")
    return lines


def page() -> str:
    from tests.faults_masked import CASES as MASKED

    lines = [
        "# Faults of the released scoring code",
        "",
        "This page lists the known faults of the authors' released code, reproduced by `vde-release` and",
        "`textedit-release` because published numbers depend on them. Each row is a small input with the results of the",
        "release and of `strict`, and is tested in `tests/pipeline/scoring/test_faults.py`.",
        "",
        "## VDE Bench",
        "",
        *rows(CASES, "vde-release"),
        "",
        "No protocol reproduces faults in the matching of file names: the release pairs `report_3` with `report_7`, finds",
        "`page_10…` for `page_1.jpg`, and loses one of two files of the same name in two folders. Here",
        "[names match exactly](scoring.md#names-of-outputs), and ambiguous names are an error. The release silently skips",
        "regions without `original_width`; `vde-release` excludes these samples from local with a note; `strict` uses the",
        "size of the OCR output or image.",
        "",
        "## TextEditBench",
        "",
        *rows(MASKED, "textedit-release"),
        "",
        "No protocol reproduces these: the alignment of the release uses random numbers, so its PSNR depends on the order",
        "of files, by up to 1.86 dB on one image (here seeded per image). It also compares a web image with the manual",
        "sample of the same number (here the split is part of the sample's name).",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
