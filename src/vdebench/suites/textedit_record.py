"""One sample of TextEditBench: a folder with a JSON file, an input, optionally a reference, and masks.

A fault with an obvious correction is a warning; otherwise it is an error and the sample is not used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vdebench.core.box import Size
from vdebench.core.difficulty import Difficulty, Tier, parse, tier_named
from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.files import list_folder, parse_json, read_bytes
from vdebench.io.images import image_size
from vdebench.suites.names import FILES, stem
from vdebench.suites.suite import Fault
from vdebench.suites.textedit_vocabulary import FIELDS, OPERATIONS, field_named, names_an_operation, operation_named

MASKS = 2
"""Expected number of masks: where text was, and where it should be."""


_ODD_SPACE = re.compile(r'"(?:[^"\\]|\\.)*"|([^\S \t\r\n]|[\u200b\u2060\ufeff])')
"""A complete JSON string, or white space outside of strings that JSON does not allow."""


def plain_spaces(text: str) -> tuple[str, list[str]]:
    r"""Replace invalid white space between JSON tokens by spaces; return the text and the replaced characters.

    >>> plain_spaces('{"a\u00a0b":\u00a0 1,\u2028"c": 2}')
    ('{"a\xa0b":  1, "c": 2}', ['U+00A0', 'U+2028'])
    """
    replaced_characters: dict[str, None] = {}

    def replaced(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        replaced_characters.setdefault(f"U+{ord(match[1]):04X}")
        return " "

    return _ODD_SPACE.sub(replaced, text), list(replaced_characters)


class TextEditRecord(NamedTuple):
    """A sample and its files."""

    sample: Sample
    source: Path
    reference: Path | None
    masks: tuple[Path, ...]

    @property
    def images(self) -> tuple[Path, ...]:
        """All images."""
        return tuple(file for file in (self.source, self.reference, *self.masks) if file is not None)


class _UnclearError(Exception):
    """The sample cannot be used; the fault is already recorded."""


class RecordReader:
    """Reads the folder of one sample; `topic` is the topic of its parent folder."""

    def __init__(self, folder: Path, group: str, identity: str, topic: str) -> None:
        self.folder = folder
        self.group = group
        self.identity = identity
        self.topic = topic
        self.faults: list[Fault] = []
        self._json = ""

    def read(self) -> TextEditRecord | None:
        """Return the sample, or None if it cannot be used; `faults` lists the problems."""
        try:
            return self._read()
        except _UnclearError:
            return None
        except VdeError as error:
            self._note("error", "", str(error))
            return None

    def _note(self, severity: Literal["error", "warning"], file: str, what: str) -> None:
        self.faults.append(Fault(severity, f"{self.group}/{self.identity}", file, what))

    def _warn(self, what: str) -> None:
        """Record a warning about the JSON file."""
        self._note("warning", self._json, what)

    def _unclear(self, file: str, what: str) -> _UnclearError:
        self._note("error", file, what)
        return _UnclearError()

    def _read(self) -> TextEditRecord:
        names = [name for name in list_folder(self.folder) if not name.startswith(".")]
        images = [name for name in names if name.lower().endswith(FILES["image"])]
        entry = self._entry([name for name in names if name.lower().endswith(".json")])
        written = entry["editing_method"]
        operation = operation_named(written)
        if operation is None:
            raise self._unclear(self._json, f"editing_method {written!r}, expected one of {', '.join(OPERATIONS)}")
        if not operation.is_right:
            self._warn(f"editing_method {written!r}, taken as {operation.meaning}")
        instruction = entry["prompt"].strip()
        if not instruction:
            raise self._unclear(self._json, "no 'prompt'")
        masks = [name for name in images if stem(name).lower().endswith("_mask")]
        others = [name for name in images if name not in masks]
        source = self._source(entry, others)
        reference = self._reference(entry, [name for name in others if name != source])
        self._check_sizes(source, reference, masks := self._readable(masks))
        self._check_identity(entry)
        sample = Sample(
            id=self.identity,
            group=self.group,
            instruction=instruction,
            operation=OPERATIONS[operation.meaning],
            source=self.topic,
            source_image=source,
            reference_image=reference,
            extra={
                "id": entry["id"],
                **self._difficulty(entry),
                "knowledge": entry["knowledge_prompt"].strip() or None,
                "source_tag": entry["source_tag"].strip() or None,
            },
        )
        value = self.folder / reference if reference else None
        return TextEditRecord(sample, self.folder / source, value, tuple(self.folder / name for name in masks))

    def _parsed(self, content: bytes) -> Any:
        """Parse the JSON; invalid white space between tokens is replaced, with a warning."""
        try:
            return parse_json(content, self._json)
        except InputError:
            text, replaced_characters = plain_spaces(content.decode("utf-8-sig", "surrogateescape"))
            if not replaced_characters:
                raise
            data = parse_json(text.encode("utf-8", "surrogateescape"), self._json)
            self._warn(f"invalid white space in JSON: {', '.join(replaced_characters)}; replaced by spaces")
            return data

    def _entry(self, files: list[str]) -> dict[str, str]:
        """Return the fields of the JSON as text, under their correct names."""
        if len(files) != 1:
            value = f"{len(files)} JSON files ({', '.join(files)})" if files else "no JSON file"
            raise self._unclear("", f"{value}, expected one")
        self._json = files[0]
        content = read_bytes(self.folder / self._json)
        try:
            data = self._parsed(content)
        except InputError as error:
            raise self._unclear(self._json, str(error)) from None
        if content.startswith(b"\xef\xbb\xbf"):
            self._warn("starts with a byte order mark")
        if isinstance(data, list) and len(data) == 1:
            data = data[0]
        if not isinstance(data, dict):
            value = f"a list of {len(data)}" if isinstance(data, list) else type(data).__name__
            raise self._unclear(self._json, f"contains {value}, expected an object or a list of one object")
        entry = dict.fromkeys(FIELDS, "")
        for key, value in data.items():
            field = field_named(key)
            if field is not None and not field.is_right:
                self._warn(f"field {key!r}, taken as {field.meaning!r}")
            if field is not None and (field.is_right or field.meaning not in data):
                entry[field.meaning] = self._text(key, value)
        return entry

    def _text(self, key: str, value: object) -> str:
        if isinstance(value, str | int | float) or value is None:
            return "" if value is None else str(value)
        self._warn(f"{key} is {type(value).__name__}, expected text")
        return ""

    def _source(self, entry: Mapping[str, str], images: list[str]) -> str:
        """Return the input file: as stated in the JSON, else the only image whose name is a number."""
        name = self._named(entry, "input_image", images)
        if not name:
            stated = entry["input_image"].strip()
            numbers = [image for image in images if stem(image).isdigit()]
            if len(numbers) != 1:
                there = ", ".join(images) or "no image"
                raise self._unclear(self._json, f"input_image {stated!r} is not in the folder; found: {there}")
            name = numbers[0]
            absent = f"input_image {stated!r} is not in the folder" if stated else "no 'input_image'"
            self._warn(f"{absent}, using {name}")
        try:
            image_size(self.folder / name)
        except VdeError as error:
            raise self._unclear(name, self._without_folder(error)) from None
        return name

    def _reference(self, entry: Mapping[str, str], images: list[str]) -> str:
        """Return the reference file: as stated in the JSON, else the only image named after an operation; empty if
        none.
        """
        name = self._named(entry, "output_image", images)
        if not name:
            stated = entry["output_image"].strip()
            value = [image for image in images if names_an_operation(stem(image))]
            name = value[0] if len(value) == 1 else ""
            if stated:
                taken = f"using {name}" if name else "and there is no other reference"
                self._warn(f"output_image {stated!r} is not in the folder, {taken}")
            elif name:
                self._warn(f"no 'output_image', using {name}")
            elif self.group == "manual":
                self._note("warning", "", "no reference, expected one in the manual split")
        for other in images:
            if other != name:
                self._note("warning", other, "is neither the input nor the reference nor a mask")
        if name:
            try:
                image_size(self.folder / name)
            except VdeError as error:  # comparing with the input instead would mix two measures
                raise self._unclear(name, self._without_folder(error)) from None
        return name

    def _named(self, entry: Mapping[str, str], field: str, images: list[str]) -> str:
        """Return the file that a field names; empty if it does not exist."""
        written = entry[field]
        if written in images:
            return written
        name = written.strip()
        if name in images:
            self._warn(f"{field} {written!r} has spaces around it")
            return name
        return ""

    def _readable(self, masks: list[str]) -> list[str]:
        readable = []
        for name in masks:
            try:
                image_size(self.folder / name)
                readable.append(name)
            except VdeError as error:
                self._note("warning", name, self._without_folder(error))
        if not readable:
            raise self._unclear("", "no readable mask: the region that may change is unknown")
        if len(masks) != MASKS:
            there = ", ".join(masks)
            self._note("warning", "", f"{len(masks)} mask{'s' * (len(masks) > 1)} ({there}), expected {MASKS}")
        return readable

    def _check_sizes(self, source: str, reference: str, masks: list[str]) -> None:
        expected = image_size(self.folder / source)
        for name in filter(None, (reference, *masks)):
            size = image_size(self.folder / name)
            if size != expected:
                self._note("warning", name, f"{_by(size)} pixels, the input has {_by(expected)}")

    def _check_identity(self, entry: Mapping[str, str]) -> None:
        """Warn if id or topic differ from the folder names, which take precedence."""
        written, number = entry["id"], self.folder.name
        stated = re.search(r"\d+\s*$", written, re.ASCII)
        if not written:
            self._warn("no 'id'")
        elif number.isdecimal() and (stated is None or stated[0].strip().lstrip("0") != number.lstrip("0")):
            self._warn(f"id {written!r}, but the folder is {number}")
        topic = entry["topic"]
        if topic != self.topic:
            self._warn(f"topic {topic!r}, expected {self.topic!r} (the folder's)" if topic else "no 'topic'")

    def _difficulty(self, entry: Mapping[str, str]) -> dict[str, Any]:
        """Return tier and attributes. If they contradict each other, ten complete attributes take precedence over the
        word.
        """
        written, word = entry["difficulty_score"], entry["difficulty"]
        value, problems = parse(written)
        for what in problems:
            self._warn(f"difficulty_score {written!r}: {what}" if written else "no 'difficulty_score'")
        stated = tier_named(word)
        if stated == "unknown":
            self._warn(f"difficulty {word!r}, expected easy, medium or hard" if word else "no 'difficulty'")
        elif stated != word:
            self._warn(f"difficulty {word!r}, taken as {stated}")
        tier = _tier(stated, value)
        if value is not None and "unknown" not in (stated, value.tier) and stated != value.tier:
            self._warn(f"difficulty {word!r}, but a sum of {value.sum} is {value.tier}; taken as {tier}")
        return {
            "tier": tier,
            "difficulty": value.by_attribute if value else None,
            "difficulty_total": value.sum if value else None,
        }

    def _without_folder(self, error: VdeError) -> str:
        return str(error).replace(f"{self.folder}/", "")


def _tier(stated: Tier, value: Difficulty | None) -> Tier:
    if value is not None and (value.is_complete or stated == "unknown"):
        return value.tier
    return stated


def _by(size: Size) -> str:
    return f"{size.width:g}×{size.height:g}"
