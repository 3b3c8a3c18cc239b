"""Tesseract: runs the program and groups the lines of its TSV output into blocks like the embedded reader."""

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
from vdebench.readers.layout.grouping import GROUPING, group_lines
from vdebench.readers.lines.line import Line
from vdebench.readers.reader import Reader

_WORD = "5"
_WIDE = r"[\p{Han}\p{Hiragana}\p{Katakana}\u3000-\u303f\uff00-\uffef]"
_SPACE_BETWEEN_WIDE = regex.compile(f"(?<={_WIDE}) (?={_WIDE})")  # Tesseract returns each Chinese character as a word
_HEADER = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
_COLUMNS = _HEADER.count("\t") + 1


class TesseractInstallation(NamedTuple):
    """Version, data folder and languages of the installed Tesseract."""

    version: str
    folder: str
    languages: tuple[str, ...]


class TesseractReader(Reader):
    """Tesseract, by default on one thread (set `threads` or `OMP_THREAD_LIMIT` for more).

    Its threads busy-wait: on a loaded machine with two cores, a page took 5 s of CPU time with one thread and 47 s with
    two, for the same text.
    """

    name = "tesseract"

    def __init__(
        self, *, languages: str = "chi_sim+eng", psm: int | str = 3, threads: int | str = "", timeout: float | str = 600
    ) -> None:
        if problem := self.missing(languages=languages):
            raise MissingPartError(problem)
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
        """Return which packages are missing and how to install them, or ""."""
        languages = str(options.get("languages") or "chi_sim+eng").split("+")
        try:
            installation = _installation()
        except ReaderError as error:
            packages = ["tesseract-ocr", *map(_debian_package, languages)]
            return f"the reader {cls.name}: {error}\n  apt-get install {' '.join(packages)}"
        absent = [language for language in languages if language not in installation.languages]
        if not absent:
            return ""
        packages = list(map(_debian_package, absent))
        return (
            f"the reader {cls.name} has no data for {' and '.join(absent)} in {installation.folder}\n"
            f"  apt-get install {' '.join(packages)}   (or choose others: languages=eng)"
        )

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Name, version, languages with the hashes of their data files, grouping."""
        installation = _installation()
        data = {name: Path(installation.folder) / f"{name}.traineddata" for name in self.languages.split("+")}
        hashes = [f"{name}:{hashlib.sha256(read_bytes(file)).hexdigest()[:12]}" for name, file in data.items()]
        return {
            "name": self.name,
            "version": installation.version,
            "languages": "+".join(hashes),
            "psm": str(self.psm),
            "blocks": self.grouping.identity,
        }

    def read(self, image: Image) -> PageText:
        """Run Tesseract on a page and group its lines."""
        size = Size(image.shape[1], image.shape[0])
        return PageText(tuple(group_lines(self.lines(image), self.grouping)), size)

    def lines(self, image: Image) -> list[Line]:
        """Return the lines of a page."""
        command = ["tesseract", "stdin", "stdout", "-l", self.languages, "--psm", str(self.psm), "tsv"]
        return parse_lines(_run(command, encode_png(image), self.timeout, self.threads))


def parse_lines(tsv: str) -> list[Line]:
    """Parse Tesseract's TSV output; words of one line are joined. Raises `ReaderError` if it is not TSV.

    >>> row = "5\\t1\\t1\\t1\\t1\\t{}\\t{}\\t10\\t40\\t20\\t90\\t{}"
    >>> parse_lines("\\n".join([_HEADER, row.format(1, 0, "two"), row.format(2, 50, "words")]))
    [Line(box=Box(x1=0.0, y1=10.0, x2=90.0, y2=30.0), text='two words', score=0.9, recognized=None)]
    """
    header, *rows = tsv.split("\n")
    if header.strip() != _HEADER:
        raise ReaderError(f"tesseract: the output is not a TSV table: {excerpt(tsv) or 'empty output'}")
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
            _SPACE_BETWEEN_WIDE.sub("", " ".join(word.text for word in line)),
            min(word.score for word in line),
        )
        for line in words.values()
    ]


def _installation() -> TesseractInstallation:
    if not shutil.which("tesseract"):
        raise ReaderError("the program `tesseract` is not installed")
    first = _run(["tesseract", "--version"]).split("\n")[0]
    # 'List of available languages in "/usr/share/tesseract-ocr/5/tessdata/" (3):', then one language per line
    header, *languages = _run(["tesseract", "--list-langs"]).split("\n")
    folder = regex.search(r'"(.*)"', header)
    return TesseractInstallation(
        first.removeprefix("tesseract").strip(), folder[1] if folder else "", tuple(map(str.strip, languages))
    )


def _debian_package(language: str) -> str:
    """Name of the Debian package with a language's data.

    >>> _debian_package("chi_sim"), _debian_package("script/HanS")
    ('tesseract-ocr-chi-sim', 'tesseract-ocr-script-hans')
    """
    return f"tesseract-ocr-{regex.sub('[_/]', '-', language.lower())}"


def _run(command: list[str], stdin: bytes = b"", timeout: float = 30, threads: str = "1") -> str:
    """Run Tesseract and return its output; raise `ReaderError` if it fails or times out."""
    environment = {**os.environ, "OMP_THREAD_LIMIT": threads}
    try:
        process = subprocess.run(
            command, input=stdin, capture_output=True, timeout=timeout, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        raise ReaderError(
            f"tesseract: timed out after {timeout:g} s\n  allow more time with the option timeout=SECONDS"
        ) from None
    except OSError as error:
        raise ReaderError(f"tesseract: cannot run: {error.strerror}") from None
    stderr = process.stderr.decode("utf-8", "replace")
    if process.returncode:
        raise ReaderError(f"tesseract: exit code {process.returncode}: {excerpt(stderr, 300) or 'no message'}")
    return process.stdout.decode("utf-8", "replace") or stderr  # before version 4, --version prints to stderr
