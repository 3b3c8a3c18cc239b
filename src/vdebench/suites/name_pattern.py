"""Patterns for `--match`, which map files to samples, such as `{stem}_edited.*` or `run1/{id}.png`.

A pattern is compared with the whole path of a file below the folder. Placeholders:

    {id}      id of the sample
    {stem}    name of the sample's reference image without suffix
    {group}   group of the sample
    {id:int}  {stem:int}   the same number with any zero padding: 7, 07 and 000007 are equal
    *         any characters except a slash

A pattern without a dot in its last part matches any suffix. A value never matches part of a longer number: `{stem}*`
does not match `page_10.png` for `page_1`. If two values match, the longer one is used.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal

from vdebench.core.sample import Sample
from vdebench.errors import AmbiguousNameError, InputError
from vdebench.io.files import is_folder, list_folder
from vdebench.io.stores import at_once, place
from vdebench.suites.names import FILES, REGIONS, Outputs, names_of
from vdebench.suites.suite import Suite

_FIELD = re.compile(r"\{(\w+)(:int)?\}")
_NAMING = ("id", "stem")
FIELDS = (*_NAMING, "group")
_FILES = (*FILES["reading"], *FILES["image"])
_SYNTAX = "{id}, {stem}, {group}, {id:int}, {stem:int} and *"


class NamePattern:
    """A parsed pattern.

    >>> pattern = NamePattern("{stem}_edited.*")
    >>> sample = Sample(id="7", group="text", reference_image="reference/000007.png")
    >>> pattern.score(sample, "000007_edited.png"), pattern.score(sample, "000008_edited.png")
    (6, None)
    >>> NamePattern("run1/{id:int}").expected(sample)
    'run1/7.*'
    """

    def __init__(self, text: str) -> None:
        self.text = text
        names = [name for name, _ in _FIELD.findall(text)]
        left = _FIELD.sub("", text)
        if "{" in left or "}" in left or not set(names) <= set(FIELDS) or "{group:int}" in text:
            raise InputError(f"--match {text!r}: expected {_SYNTAX} beside plain characters, as in '{{stem}}_edited.*'")
        if not set(names) & set(_NAMING):
            raise InputError(
                f"--match {text!r}: does not identify a sample; expected {{id}} or {{stem}}, as in '{{stem}}_edited.*'"
            )
        if text.startswith("/") or any(part in ("", ".", "..") for part in text.split("/")):
            raise InputError(
                f"--match {text!r}: expected a path below the folder of outputs, such as 'run1/{{id}}.png'"
            )
        self._whole = text if "." in _FIELD.sub("", text.rpartition("/")[2]) else f"{text}.*"
        field = next(found for found in _FIELD.finditer(text) if found[1] in _NAMING)
        self._index = field[1], bool(field[2])

    def expected(self, sample: Sample) -> str:
        """Return the expected name of a sample's file."""
        return _FIELD.sub(lambda found: _value(sample, found[1], number=bool(found[2])) or "?", self._whole)

    def score(self, sample: Sample, path: str) -> int | None:
        """Return the number of characters of the path that identify the sample; None if the path does not match."""
        if self._values(sample) is None or not self._regex(sample).fullmatch(path):
            return None
        return sum(map(len, self._values(sample) or ()))

    @property
    def folder(self) -> str | None:
        """The folder of all files, relative to the root; None if it differs between samples."""
        folder = self._whole.rpartition("/")[0]
        return None if "*" in folder or "{" in folder or "{id" in self._whole else folder

    def depth(self, samples: Sequence[Sample]) -> int:
        """Return the maximum number of folders between root and file."""
        return self._whole.count("/") + max((each.id.count("/") for each in samples), default=0)

    def key_of(self, sample: Sample) -> str | None:
        """Return the text that a path of this sample must contain."""
        name, number = self._index
        return _value(sample, name, number=number)

    def keys_in(self, path: str, lengths: Collection[int]) -> set[str]:
        """Return all parts of a path that could be a value of `key_of`, of the given lengths."""
        if self._index[1]:
            return {found.lstrip("0") or "0" for found in re.findall("[0-9]+", path)}
        digit = [False, *(character.isdigit() for character in path), False]
        # For each position, whether it does not split a number.
        whole = [not (before and after) for before, after in pairwise(digit)]
        ends = ((at, at + length) for length in lengths for at in range(len(path) - length + 1))
        return {path[start:end] for start, end in ends if whole[start] and whole[end]}

    def _values(self, sample: Sample) -> list[str] | None:
        values = [_value(sample, name, number=bool(number)) for name, number in _FIELD.findall(self._whole)]
        return None if None in values else [value for value in values if value is not None]

    def _regex(self, sample: Sample) -> re.Pattern[str]:
        parts, at = [], 0
        for found in _FIELD.finditer(self._whole):
            value = _value(sample, found[1], number=bool(found[2])) or ""
            first, last = value[:1].isdigit(), value[-1:].isdigit()
            padding = "0*" if found[2] else ""
            fits = f"{'(?<![0-9])' if first else ''}{padding}{re.escape(value)}{'(?![0-9])' if last else ''}"
            parts += [_any(self._whole[at : found.start()]), fits]
            at = found.end()
        return re.compile("".join(parts) + _any(self._whole[at:]))


def _any(text: str, *, slashes: bool = False) -> str:
    """Return a regular expression for plain characters and stars."""
    return (".*" if slashes else "[^/]*").join(map(re.escape, text.split("*")))


def _value(sample: Sample, name: str, *, number: bool) -> str | None:
    """Return the value of a placeholder; None if a number is required and the value is not a number."""
    value = {"id": sample.id, "group": sample.group, "stem": names_of(sample)[0]}[name]
    if not number:
        return value
    return value.lstrip("0") or "0" if re.fullmatch("[0-9]+", value) else None


class MatchedFiles:
    """Files of samples in a folder, found by a pattern; see `NamedFiles`."""

    def __init__(
        self, root: Path, samples: Sequence[Sample], pattern: str, kind: Literal["reading", "image"] = "image"
    ) -> None:
        self.root = root = place(root)
        self.kind: Literal["reading", "image"] = kind
        self.pattern = NamePattern(pattern)
        with at_once(root):
            listed = dict(listed_below(root, "", self.pattern.depth(samples)))
        self._paths = [
            f"{folder}/{name}" if folder else name
            for folder, names in listed.items()
            for name in names
            if not name.startswith(".") and name.lower().endswith(FILES[kind])
        ]
        self._found = self._assigned(samples)
        self.has_regions = kind == "reading" and any(REGIONS in names for names in listed.values())
        """Whether any folder holds OCR output of regions."""

    def _assigned(self, samples: Sequence[Sample]) -> dict[str, str]:
        """Path by sample; two paths of one sample, or two samples of one path, are an error."""
        by_key: dict[str, list[Sample]] = {}
        for sample in samples:
            if key := self.pattern.key_of(sample):
                by_key.setdefault(key, []).append(sample)
        found: dict[str, str] = {}
        lengths = {len(key) for key in by_key}
        for path in self._paths:
            possible = [sample for key in self.pattern.keys_in(path, lengths) for sample in by_key.get(key, ())]
            scores = {each.key: score for each in possible if (score := self.pattern.score(each, path)) is not None}
            owners = sorted(key for key, score in scores.items() if score == max(scores.values()))
            if len(owners) > 1:
                raise AmbiguousNameError(
                    f"{self.root / path}: by --match {self.pattern.text!r} could be the {self.kind} of "
                    f"{' and '.join(owners[:3])}\n  use a pattern that distinguishes them, such as '{{group}}/{{id}}.*'"
                )
            if owners and owners[0] in found:
                both = f"{self.root / found[owners[0]]} and {self.root / path}"
                raise AmbiguousNameError(
                    f"sample {owners[0]}: by --match {self.pattern.text!r} {both} could both be its {self.kind}\n"
                    "  keep one, or use a narrower pattern"
                )
            if owners:
                found[owners[0]] = path
        return found

    def expected(self, sample: Sample) -> str:
        """Return the expected name of a sample's file."""
        return self.pattern.expected(sample)

    def has_any(self, sample: Sample) -> bool:
        """Whether a file matches the sample."""
        return sample.key in self._found

    def find(self, sample: Sample) -> Path | None:
        """Return the sample's file; None if there is none."""
        path = self._found.get(sample.key)
        return None if path is None else self.root / path

    def unmatched_files(self, samples: Sequence[Sample]) -> list[Path]:
        """Return files of this kind that match no sample, in folders that contain a matched file."""
        known = {self._found.get(sample.key) for sample in samples}
        folders = {path.rpartition("/")[0] for path in self._found.values()} | {self.pattern.folder}
        return sorted(
            self.root / path
            for path in self._paths
            if path not in known and (not self._found or path.rpartition("/")[0] in folders)
        )

    def folder_of(self, sample: Sample) -> Path:
        """Return the folder of the sample's file, existing or expected."""
        return self.root / (self._found.get(sample.key) or self.expected(sample)).rpartition("/")[0]

    def regions(self, sample: Sample) -> list[Path] | None:
        """Return the OCR output files of the sample's regions; None if one is missing."""
        page = self.find(sample)
        if page is None:
            return None
        names = dict.fromkeys([page.stem, *names_of(sample)])
        folder = page.parent / REGIONS
        present = set(list_folder(folder)) if is_folder(folder) else set()
        files = []
        for index in range(len(sample.regions)):
            found = [folder / name for each in names if (name := f"{each}_region_{index}.json") in present]
            if len(found) > 1:
                raise AmbiguousNameError(f"sample {sample.key}: {found[0]} and {found[1]} could both be region {index}")
            files += found
        return files if files and len(files) == len(sample.regions) else None


def listed_below(root: Path, folder: str, depth: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the names in the root and in folders below it, by folder; folders of regions are skipped."""
    names = list_folder(root / folder)
    yield folder, names
    for name in names if depth else ():
        skipped = name == REGIONS or name.startswith(".") or name.lower().endswith(_FILES)
        if not skipped and is_folder(root / folder / name):
            yield from listed_below(root, f"{folder}/{name}" if folder else name, depth - 1)


def outputs_of(suite: Suite, root: Path, match: str = "") -> Outputs:
    """Return the images of an editor in a folder, by a pattern or by the suite's own naming rules."""
    return MatchedFiles(root, suite.samples, match) if match else suite.outputs(root)
