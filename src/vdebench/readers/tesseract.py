"""Tesseract: the binary, its words in TSV, its lines grouped into blocks as for the embedded reader."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import regex

from vdebench.core.box import Box, Size
from vdebench.core.images import Image
from vdebench.core.page_text import PageText
from vdebench.core.png import encode_png
from vdebench.errors import MissingPartError, ReaderError, VdeError
from vdebench.io.files import read_bytes
from vdebench.net.addresses import excerpt, seconds
from vdebench.readers.line_grouping import GROUPING, Line, blocks_of
from vdebench.readers.reader import Reader

_WORD = "5"
_WIDE = r"[\p{Han}\p{Hiragana}\p{Katakana}\u3000-\u303f\uff00-\uffef]"
_GAP = regex.compile(f"(?<={_WIDE}) (?={_WIDE})")  # Chinese characters come as words of their own
_HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
_COLUMNS = _HEAD.count("\t") + 1


class Installed(NamedTuple):
    """What `tesseract` says of itself."""

    version: str
    folder: str
    languages: tuple[str, ...]


class TesseractReader(Reader):
    """Lines by Tesseract.

    It runs on one thread unless `threads` or `OMP_THREAD_LIMIT` says otherwise. Its threads wait by spinning: on a busy
    machine of two cores, a page took 5 s of processor time with one of them and 47 s with two, for the same text.
    """

    name = "tesseract"

    def __init__(
        self, *, languages: str = "chi_sim+eng", psm: int | str = 3, threads: int | str = "", timeout: float | str = 600
    ) -> None:
        if gap := self.missing(languages=languages):
            raise MissingPartError(gap)
        if not str(psm).isdigit() or int(psm) not in range(1, 14):
            raise VdeError(f"{self.name}: psm is {psm!r}, expected a page segmentation mode from 1 to 13")
        if threads != "" and not (str(threads).isdigit() and int(threads) > 0):
            raise VdeError(f"{self.name}: threads is {threads!r}, expected a number above 0")
        self.languages = languages
        self.psm = int(psm)
        self.timeout = seconds(timeout)
        self.threads = str(threads or os.environ.get("OMP_THREAD_LIMIT") or 1)
        self.grouping = GROUPING

    @classmethod
    def missing(cls, **options: Any) -> str:
        """What is not installed and how to get it; nothing where all is there."""
        wanted = str(options.get("languages") or "chi_sim+eng").split("+")
        try:
            found = _installed()
        except ReaderError as error:
            packages = ["tesseract-ocr", *map(_package, wanted)]
            return f"the reader {cls.name}: {error}\n  apt-get install {' '.join(packages)}"
        absent = [language for language in wanted if language not in found.languages]
        if not absent:
            return ""
        packages = list(map(_package, absent))
        return (
            f"the reader {cls.name} has no data for {' and '.join(absent)} in {found.folder}\n"
            f"  apt-get install {' '.join(packages)}   (or choose others: languages=eng)"
        )

    @cached_property
    def identity(self) -> Mapping[str, str]:  # it does not change
        """Name, version, languages with the hashes of their data, grouping."""
        found = _installed()
        data = {name: Path(found.folder) / f"{name}.traineddata" for name in self.languages.split("+")}
        hashes = [f"{name}:{hashlib.sha256(read_bytes(file)).hexdigest()[:12]}" for name, file in data.items()]
        return {
            "name": self.name,
            "version": found.version,
            "languages": "+".join(hashes),
            "psm": str(self.psm),
            "blocks": self.grouping.identity,
        }

    def read(self, image: Image) -> PageText:
        """Blocks of a page."""
        size = Size(image.shape[1], image.shape[0])
        return PageText(tuple(blocks_of(self.lines(image), self.grouping)), size)

    def lines(self, image: Image) -> list[Line]:
        """Lines of a page as the engine reads them."""
        command = ["tesseract", "stdin", "stdout", "-l", self.languages, "--psm", str(self.psm), "tsv"]
        return lines_of(_run(command, encode_png(image), self.timeout, self.threads))


def lines_of(tsv: str) -> list[Line]:
    """Lines from Tesseract's table of words.

    >>> row = "5\\t1\\t1\\t1\\t1\\t{}\\t{}\\t10\\t40\\t20\\t90\\t{}"
    >>> lines_of("\\n".join([_HEAD, row.format(1, 0, "two"), row.format(2, 50, "words")]))
    [Line(box=Box(x1=0.0, y1=10.0, x2=90.0, y2=30.0), text='two words', score=0.9)]
    """
    head, *rows = tsv.split("\n")
    if head.strip() != _HEAD:
        raise ReaderError(f"tesseract: no table came out of it: {excerpt(tsv) or 'nothing at all'}")
    words: dict[tuple[str, ...], list[Line]] = {}
    for row in rows:
        cells = row.rstrip("\r").split("\t", _COLUMNS - 1)
        if cells[0] == _WORD and len(cells) == _COLUMNS and cells[-1].strip():
            left, top, width, height, score = map(float, cells[6:11])
            box = Box(left, top, left + width, top + height)
            words.setdefault(tuple(cells[1:5]), []).append(Line(box, cells[-1].strip(), score / 100))
    return [
        Line(
            Box.around(word.box for word in line),
            _GAP.sub("", " ".join(word.text for word in line)),
            min(word.score for word in line),
        )
        for line in words.values()
    ]


def _installed() -> Installed:
    if not shutil.which("tesseract"):
        raise ReaderError("there is no program `tesseract`")
    first = _run(["tesseract", "--version"]).split("\n")[0]
    # 'List of available languages in "/usr/share/tesseract-ocr/5/tessdata/" (3):', then one a line
    head, *languages = _run(["tesseract", "--list-langs"]).split("\n")
    folder = regex.search(r'"(.*)"', head)
    return Installed(
        first.removeprefix("tesseract").strip(), folder[1] if folder else "", tuple(map(str.strip, languages))
    )


def _package(language: str) -> str:
    """The Debian package of a language's data.

    >>> _package("chi_sim"), _package("script/HanS")
    ('tesseract-ocr-chi-sim', 'tesseract-ocr-script-hans')
    """
    return f"tesseract-ocr-{regex.sub('[_/]', '-', language.lower())}"


def _run(command: list[str], given: bytes = b"", timeout: float = 30, threads: str = "1") -> str:
    """What a run of Tesseract says."""
    environment = {**os.environ, "OMP_THREAD_LIMIT": threads}
    try:
        done = subprocess.run(command, input=given, capture_output=True, timeout=timeout, env=environment, check=False)
    except subprocess.TimeoutExpired:
        raise ReaderError(
            f"tesseract: not done after {timeout:g} s\n  give it more time with the option timeout=SECONDS"
        ) from None
    except OSError as error:
        raise ReaderError(f"tesseract: cannot be run: {error.strerror}") from None
    told = done.stderr.decode("utf-8", "replace")
    if done.returncode:
        raise ReaderError(f"tesseract: ended with code {done.returncode}: {excerpt(told, 300) or 'no message'}")
    return done.stdout.decode("utf-8", "replace") or told  # versions before 4 tell theirs on the other channel
