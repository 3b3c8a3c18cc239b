"""Entries of the VDE Bench release: a JSON list, or JSON Lines, with one editing task each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vdebench.core.page_text import as_numbers, as_size
from vdebench.core.sample import LANGUAGES, SOURCES, Operation, Region, Sample
from vdebench.errors import InputError
from vdebench.io.files import parse_json, read_bytes
from vdebench.suites.suite import Fault, SuiteGroup

_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_SLASHES = re.compile(r"[/\\]")
_OWN = {
    "id",
    "image_input",
    "image_output",
    "instruction",
    "instruction type",
    "edit_type",
    "language",
    "data_source",
    "label_output",
}


def read_entries(group: SuiteGroup) -> Iterator[tuple[Sample, list[Fault]]]:
    """Yield the samples of a group's info file, each with the faults of its entry."""
    content = read_bytes(group.info)
    if group.info.suffix == ".jsonl":
        lines = enumerate(content.splitlines(), start=1)
        data = [parse_json(line, f"{group.info}, line {number}") for number, line in lines if line.strip()]
    else:
        data = parse_json(content, group.info)
    if not isinstance(data, list):
        raise InputError(f"{group.info}: expected a list of entries, found {type(data).__name__}")
    pages = Counter(str(entry.get("image_input")) for entry in data if isinstance(entry, dict))
    for index, entry in enumerate(data):
        if not isinstance(entry, dict):
            where = f"{group.name}/#{index}"
            fault = Fault("error", where, str(group.info), f"entry {index} is not an object")
            yield Sample(id=f"#{index}", group=group.name), [fault]
        else:
            sample, faults = _sample(entry, index, group)
            if not group.has_references and not sample.reference_image and pages[sample.source_image] > 1:
                own = f"{sample.id}_{re.split(_SLASHES, sample.source_image)[-1]}"  # not the name of the shared page
                sample = replace(sample, reference_image=own)
            yield sample, faults


def _sample(entry: Mapping[str, Any], index: int, group: SuiteGroup) -> tuple[Sample, list[Fault]]:
    faults: list[Fault] = []
    identity = entry.get("id")
    name = str(identity) if isinstance(identity, int | str) and str(identity).strip() else f"#{index}"

    def fault(what: str, severity: Any = "error") -> None:
        faults.append(Fault(severity, f"{group.name}/{name}", str(group.info), what))

    if name.startswith("#"):
        fault(f"entry {index} has no id")

    texts: dict[str, str] = {}

    def text(field: str) -> str:
        if field not in texts:
            value = entry.get(field)
            if value is not None and not isinstance(value, str):
                fault(f"{field!r} is {value!r}, expected text")
            texts[field] = value if isinstance(value, str) else ""
        return texts[field]

    kind = text("instruction type") or text("edit_type")
    operation = Operation.parse(kind, in_table=group.name == "table")
    stated = group.has_references  # else operation, language, source and regions are optional
    if operation is Operation.OTHER and (kind or stated):
        fault(f"operation {kind!r} is not one we know; counted as 'other'", "warning")
    language, source = text("language"), text("data_source")
    if language not in LANGUAGES and (language or stated):
        fault(f"language {language!r}, expected one of {', '.join(LANGUAGES)}", "warning")
    if source not in SOURCES and (source or stated):
        fault(f"data_source {source!r}, expected one of {', '.join(SOURCES)}", "warning")
    _check_target_text(entry.get("target_text"), fault)
    if stated:
        if not text("image_output"):
            fault("no 'image_output': the sample's files cannot be found by name")
        if not text("instruction"):
            fault("no 'instruction'", "warning")
    else:
        if not text("image_input"):
            fault("no 'image_input': a sample without a reference is compared with its page")
        if not text("instruction"):
            fault("no 'instruction': a sample without a reference is judged by it")
        if group.source_images is None:
            fault(f"[groups.{group.name}] has no 'source_images' in suite.toml, and no 'readings' or 'images'")
    sample = Sample(
        id=name,
        group=group.name,
        instruction=text("instruction"),
        operation=operation,
        language=language or "unknown",
        source=source or "unknown",
        source_image=text("image_input"),
        reference_image=text("image_output"),
        regions=tuple(_regions(entry.get("label_output"), fault, needed=stated)),
        extra={key: value for key, value in entry.items() if key not in _OWN} | {"instruction type": kind},
    )
    return sample, faults


def _check_target_text(value: object, fault: Any) -> None:
    pieces = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(piece, str) for piece in pieces):
        fault(f"'target_text' is {value!r}, expected text or a list of texts")


def _regions(labels: object, fault: Any, *, needed: bool) -> Iterator[Region]:
    if not isinstance(labels, list) or not labels:
        if needed or labels:
            fault("no 'label_output': no region to score", "warning")
        return
    for index, label in enumerate(labels):
        values = [label.get(side) for side in ("x", "y", "width", "height")] if isinstance(label, dict) else None
        sides = as_numbers(values, 4)
        if sides is None:
            fault(f"region {index} is {values or label!r}, expected x, y, width and height as numbers")
            continue
        x, y, width, height = sides
        if width <= 0 or height <= 0:
            fault(f"region {index}: {width:g}×{height:g} percent has no area")
            continue
        if x < -0.01 or y < -0.01 or x + width > 100.01 or y + height > 100.01:
            fault(f"region {index}: {x:g},{y:g} + {width:g}×{height:g} percent reaches outside the image", "warning")
        stated = [label.get("original_width"), label.get("original_height")]
        page = as_size(*stated)
        if page is None and stated != [None, None]:
            fault(f"region {index}: original size {stated[0]!r}×{stated[1]!r}, expected two positive numbers")
        own = {"x", "y", "width", "height"} | ({"original_width", "original_height"} if page else set())
        extra = {key: value for key, value in label.items() if key not in own}
        yield Region(x, y, width, height, page, extra)


def entry_of(sample: Sample) -> dict[str, Any]:
    """Return a sample as an entry of the release's info file, with all extra fields."""
    extra = dict(sample.extra)
    return {
        "id": int(sample.id) if _WHOLE_NUMBER.fullmatch(sample.id) else sample.id,
        "image_input": sample.source_image,
        "image_output": sample.reference_image,
        "instruction": sample.instruction,
        "instruction type": extra.pop("instruction type", None) or sample.operation.value,
        "language": sample.language,
        "data_source": sample.source,
        "label_output": [
            {
                "x": region.x,
                "y": region.y,
                "width": region.width,
                "height": region.height,
                **({"original_width": region.page.width, "original_height": region.page.height} if region.page else {}),
                **region.extra,
            }
            for region in sample.regions
        ],
        **extra,
    }
