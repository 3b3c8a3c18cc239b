"""Real PDF pages with their text layer as ground truth: English and Chinese manuals from Debian packages.

python benchmarks/text_layer_pages.py [--folder DIR]

Downloads the packages in `DOCUMENTS` by `apt-get download` (Debian 12; run `apt-get update` before), extracts the PDFs and
writes `pages.json` and one PNG per page (150 ppi) to the folder, by default `$VDE_CACHE/benchmarks/text-layer`. The pages
are not part of the repository; the licences are those of the packages.

Pages: from each document `PER_DOCUMENT` of its usable pages, at equal distances. A page is usable if it is dense running
text, upright, in the language of its document, and its text layer is intact: every character has a Unicode value, none is
private, unassigned or a control character, and each line of the layer is inside the page, with ink under it.
Parts: the documents of a language, sorted by file name, alternate between `tuning` and `held-out`.
Ground truth: the lines of the text layer with the boxes of their glyphs in pixels. A line ends where the PDF library sees
a line break or where a gap is wider than 1.5 line heights, so columns and table cells are separate lines.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import json
import math
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
import regex

from vdebench.core.box import Box, Size
from vdebench.core.images import Image
from vdebench.core.png import encode_png
from vdebench.io.images import open_image
from vdebench.io.locations import cache_folder

PPI = 150
PER_DOCUMENT = 2
ENGLISH, CHINESE = "english", "simplified_chinese"
MIN_CHARACTERS = {ENGLISH: 1500, CHINESE: 600}
"""Characters of a usable page, without white space."""
MIN_HAN = 0.5
"""Smallest share of Chinese characters among the letters of a Chinese page."""
MAX_DOTS = 0.06
"""Largest share of full stops: tables of contents have dotted leaders."""
COMMON = {
    ENGLISH: (regex.compile(r"\b(?:the|of|and|to|in|is|a|for|that|be)\b", regex.I), regex.compile(r"\p{L}+"), 0.12),
    CHINESE: (regex.compile(r"[的是一不在有以可为用这中]"), regex.compile(r"\p{Han}"), 0.06),
}
"""Common words, all words and the smallest share of common words; a text layer with wrong characters has fewer."""
_BROKEN = regex.compile(r"[\p{Co}\p{Cn}\p{Cs}\p{Cc}\uFFFD\u2E80-\u2EFF]")  # the radicals stand for whole characters
_HYPHENS = str.maketrans("\x02\ufffe", "--")  # pdfium's characters for a hyphen at the end of a line

_DOCUMENTS = {
    ENGLISH: """
        bacula-doc/main.pdf bash-doc/bash-doc/bashref.pdf clips-doc/users_guide.pdf db5.3-doc/BDB_Prog_Reference.pdf
        db5.3-doc/libtp_usenix.pdf debian-faq/debian-faq.en.pdf debian-history/project-history.en.pdf
        debian-policy/fhs-3.0.pdf debian-policy/policy.pdf debian-reference-en/debian-reference.en.pdf
        debmake-doc/debmake-doc.en.pdf developers-reference/developers-reference.pdf expeyes-doc-en/en-eyesj-progman.pdf
        glpk-doc/glpk.pdf gnuplot-doc/gnuplot.pdf haskell98-report/haskell98-report.pdf hmmer-doc/Userguide.pdf
        installation-guide-amd64/install.en.pdf krb5-doc/admin.pdf libcfitsio-doc/cfitsio.pdf
        maint-guide/maint-guide.en.pdf nut-doc/user-manual.pdf octave-doc/octave.pdf openafs-doc/auagd000.pdf
        pari-doc/tutorial.pdf r-doc-pdf/r-doc-pdf/manual/R-intro.pdf xorg-docs/icccm.pdf""",
    CHINESE: """
        context-modules/ctxnotes.pdf debian-edu-doc-legacy-zh-cn/debian-edu-itil-manual.pdf
        debian-edu-doc-zh-cn/debian-edu-bookworm-manual.pdf debian-reference-zh-cn/debian-reference.zh-cn.pdf
        debmake-doc/debmake-doc.zh-cn.pdf installation-guide-amd64/install.zh_CN.pdf
        maint-guide-zh-cn/maint-guide.zh-cn.pdf texlive-lang-chinese/asymptote-by-example-zh-cn.pdf
        texlive-lang-chinese/asymptote-faq-zh-cn.pdf texlive-lang-chinese/asymptote-manual-zh-cn.pdf
        texlive-lang-chinese/cnbook.pdf texlive-lang-chinese/ctex-faq.pdf texlive-lang-chinese/ctex.pdf
        texlive-lang-chinese/exam-zh-doc.pdf texlive-lang-chinese/example-multiple.pdf
        texlive-lang-chinese/fduthesis.pdf texlive-lang-chinese/install-latex-guide-zh-cn.pdf
        texlive-lang-chinese/latex-notes-zh-cn.pdf texlive-lang-chinese/lshort-zh-cn.pdf
        texlive-lang-chinese/nanicolle-doc-zh.pdf texlive-lang-chinese/njurepo/example.pdf
        texlive-lang-chinese/qyxf-book-doc.pdf texlive-lang-chinese/texlive-zh-cn.pdf
        texlive-lang-chinese/texproposal.pdf texlive-lang-chinese/tlmgr-intro-zh-cn.pdf
        texlive-lang-chinese/zhlineskip.pdf texlive-lang-chinese/zhlipsum.pdf""",
}
DOCUMENTS = {language: names.split() for language, names in _DOCUMENTS.items()}
"""Package and the end of the file's path, by language."""


class LayerLine(NamedTuple):
    box: Box
    text: str


class LayerPage(NamedTuple):
    name: str
    language: str
    part: str
    image: Image
    lines: list[LayerLine]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=default_folder())
    folder: Path = parser.parse_args().folder
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        sys.exit("text_layer_pages: apt-get and dpkg-deb not found; the corpus is made from Debian packages")
    folder.mkdir(parents=True, exist_ok=True)
    records = []
    with tempfile.TemporaryDirectory() as temporary:
        packages = {name.split("/")[0] for names in DOCUMENTS.values() for name in names}
        versions = download(sorted(packages), Path(temporary))
        for language, names in DOCUMENTS.items():
            for number, name in enumerate(sorted(names, key=lambda name: Path(name).name)):
                package, _, end = name.partition("/")
                content = find_pdf(Path(temporary) / package, end)
                usable = usable_pages(content, language)
                print(f"{language} {name}: {len(usable)} usable pages")
                part = "held-out" if number % 2 else "tuning"
                for page in equally_spaced(usable, PER_DOCUMENT):
                    image, lines = render(content, page)
                    stem = f"{package}-{Path(end).stem}-{page + 1}"
                    (folder / f"{stem}.png").write_bytes(encode_png(image))
                    records.append(
                        {
                            "name": stem,
                            "language": language,
                            "part": part,
                            "package": package,
                            "version": versions[package],
                            "file": end,
                            "sha256": sha256(content).hexdigest(),
                            "page": page + 1,
                            "lines": [[*line.box, line.text] for line in lines],
                        }
                    )
    (folder / "pages.json").write_text(json.dumps(records, ensure_ascii=False, indent=0), "utf-8")
    for language in DOCUMENTS:
        for part in ("tuning", "held-out"):
            pages = [page for page in records if (page["language"], page["part"]) == (language, part)]
            files = {(page["package"], page["file"]) for page in pages}
            print(f"{language}, {part}: {len(pages)} pages of {len(files)} documents")
    print(f"written to {folder}")


def default_folder() -> Path:
    return cache_folder() / "benchmarks" / "text-layer"


def layer_pages(folder: Path, part: str = "") -> Iterator[LayerPage]:
    """Read the corpus; first one page of every document, then the second ones."""
    file = folder / "pages.json"
    if not file.is_file():
        sys.exit(
            f"{file}: no such file; make the corpus with\n  python benchmarks/text_layer_pages.py --folder {folder}"
        )
    records = [page for page in json.loads(file.read_text("utf-8")) if part in ("", page["part"])]
    pages = Counter[tuple[str, str]]()
    turns = []
    for record in records:
        document = record["package"], record["file"]
        turns.append(pages[document])
        pages[document] += 1
    for _, record in sorted(zip(turns, records, strict=True), key=lambda pair: pair[0]):
        image = open_image(folder / f"{record['name']}.png")
        lines = [LayerLine(Box(*box), text) for *box, text in record["lines"]]
        yield LayerPage(record["name"], record["language"], record["part"], image, lines)


def download(packages: list[str], folder: Path) -> dict[str, str]:
    """Download packages and extract their PDFs into one folder each; return the versions."""
    command = ["apt-get", "-o", "APT::Sandbox::User=root", "download", *packages]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"text_layer_pages: apt-get download failed; run apt-get update first\n{result.stderr}")
    versions = {}
    for file in folder.glob("*.deb"):
        package, version, _ = file.name.split("_")
        versions[package] = version.replace("%3a", ":")
        subprocess.run(["dpkg-deb", "-x", file, folder / package], check=True)
        file.unlink()
    return versions


def find_pdf(folder: Path, end: str) -> bytes:
    """Return the content of the only PDF, possibly compressed, whose path ends so."""
    contents = {
        gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for file in folder.rglob(f"{Path(end).name}*")
        if file.is_file() and str(file).removesuffix(".gz").endswith(f"/{end}")
    }
    if len(contents) != 1:
        sys.exit(f"text_layer_pages: {len(contents)} files {end} in {folder.name}, expected 1")
    return contents.pop()


def equally_spaced(pages: list[int], count: int) -> list[int]:
    return sorted({pages[(2 * i + 1) * len(pages) // (2 * count)] for i in range(count)}) if pages else []


def usable_pages(content: bytes, language: str) -> list[int]:
    """Return the indices of up to 60 usable pages; of long documents, equally spaced pages are examined."""
    document = pdfium.PdfDocument(content)
    pages = equally_spaced(list(range(len(document))), 60)
    return [page for page in pages if plausible(document[page], language) and is_visible(*render(content, page))]


def plausible(page: Any, language: str) -> bool:
    """Whether the text layer of a page is dense, intact and in a language."""
    layer = page.get_textpage()
    count = layer.count_chars()
    if any(
        raw.FPDFText_HasUnicodeMapError(layer, i) == 1 or abs(math.sin(raw.FPDFText_GetCharAngle(layer, i))) > 0.01
        for i in range(count)
        if raw.FPDFText_IsGenerated(layer, i) != 1
    ):
        return False
    text = unicodedata.normalize("NFKC", " ".join(line.text for line in text_lines(page, 1)))
    size = len("".join(text.split()))
    letters = len(regex.findall(r"\p{L}", text))
    if size < MIN_CHARACTERS[language] or letters < 0.6 * size or text.count(".") > MAX_DOTS * size:
        return False
    han = len(regex.findall(r"\p{Han}", text))
    common, words, share = COMMON[language]
    return (
        not _BROKEN.search(text)
        and (han >= MIN_HAN * letters if language == CHINESE else han == 0)
        and len(common.findall(text)) >= share * len(words.findall(text))
    )


def render(content: bytes, index: int) -> tuple[Image, list[LayerLine]]:
    """Return the image of a page and the lines of its text layer."""
    page = pdfium.PdfDocument(content)[index]
    bitmap = page.render(scale=PPI / 72, rev_byteorder=True, may_draw_forms=False)
    return np.ascontiguousarray(bitmap.to_numpy()[:, :, :3]), text_lines(page, PPI / 72)


def is_visible(image: Image, lines: list[LayerLine]) -> bool:
    """Whether every line of the text layer is inside the page and has ink."""
    grey, (height, width) = image.mean(axis=2), image.shape[:2]
    return all(
        min(x1, y1) >= 0
        and max(x2 - width, y2 - height) <= 0
        and np.ptp(grey[int(y1) : int(y2) + 1, int(x1) : int(x2) + 1]) > 60
        for (x1, y1, x2, y2), _ in lines
    )


def text_lines(page: Any, scale: float) -> list[LayerLine]:
    """Return the lines of the text layer of a page, with boxes in points times `scale`."""
    layer, size = page.get_textpage(), Size(*(math.ceil(side * scale) for side in page.get_size()))
    lines: list[LayerLine] = []
    last: Box | None = None
    text, boxes = "", []
    for i in range(layer.count_chars()):
        character = chr(raw.FPDFText_GetUnicode(layer, i)).translate(_HYPHENS)
        loose = character_box(page, layer, i, size)
        height = loose.y2 - loose.y1
        broken = character in "\r\n" or (
            last is not None
            and not character.isspace()
            and not (-height < loose.x1 - last.x2 < 1.5 * height and min(loose.y2, last.y2) > max(loose.y1, last.y1))
        )
        if broken and boxes:
            lines.append(LayerLine(Box.around(boxes), text.strip()))
        if broken:
            last, text, boxes = None, "", []
        text += character
        if not character.isspace():
            last = loose
            boxes.append(character_box(page, layer, i, size, tight=True))
    return [*lines, LayerLine(Box.around(boxes), text.strip())] if boxes else lines


def character_box(page: Any, layer: Any, index: int, size: Size, tight: bool = False) -> Box:
    """Return the box of a character, of its glyph or (not tight) of its font's height, in pixels of an image."""
    if tight:
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        raw.FPDFText_GetCharBox(layer, index, left, right, bottom, top)
        corners = (left.value, top.value), (right.value, bottom.value)
    else:
        loose = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(layer, index, loose)
        corners = (loose.left, loose.top), (loose.right, loose.bottom)
    sides: list[float] = []
    for x, y in corners:
        device = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page, 0, 0, size.width * 64, size.height * 64, 0, x, y, *device)  # whole numbers
        sides += [device[0].value / 64, device[1].value / 64]
    return Box(min(sides[0], sides[2]), min(sides[1], sides[3]), max(sides[0], sides[2]), max(sides[1], sides[3]))


if __name__ == "__main__":
    main()
