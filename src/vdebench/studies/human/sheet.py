"""The blind ranking sheet: selection of samples, random order of the outputs, and the key that identifies them."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from vdebench._version import __version__
from vdebench.core.sample import Sample
from vdebench.errors import InputError
from vdebench.io.files import read_json

CRITERIA = ("box alignment", "text correctness")
"""Criteria of the paper."""
MAX_EDITORS = 26
"""Candidates are named by single letters."""


@dataclass(frozen=True)
class SheetSample:
    """A sample of the study: its number on the sheet, missing outputs, and the order of the outputs."""

    number: str
    sample: str
    absent: Mapping[str, str]
    """Editors without an output, with their state; they are not shown and count as last."""
    orders: Mapping[str, Sequence[str]]
    """For each annotator, the editors behind A, B, C …"""


@dataclass(frozen=True)
class Key:
    """The key of a sheet: which candidate is which editor."""

    sheet: str
    """Hash of the other fields; answers name the sheet they belong to."""
    suite: str
    seed: int
    criteria: Sequence[str]
    editors: Sequence[str]
    annotators: Sequence[str]
    samples: Sequence[SheetSample] = field(default_factory=tuple)

    def to_json(self) -> dict[str, Any]:
        """Return the content of `key.json`."""
        return {"made_by": "vdebench", "version": __version__, **asdict(self)}


def make_key(
    suite: str,
    samples: Sequence[Sample],
    editors: Sequence[str],
    absent: Mapping[str, Mapping[str, str]],
    *,
    criteria: Sequence[str] = CRITERIA,
    annotators: int = 1,
    seed: int = 0,
) -> Key:
    """Create the key of a study, with a random order for each annotator and sample. Raises `InputError`."""
    if len(editors) < 2:
        raise InputError(f"{len(editors)} editors: a ranking needs two or more")
    if len(editors) > MAX_EDITORS:
        raise InputError(
            f"{len(editors)} editors: at most {MAX_EDITORS} can be ranked at once; draw_samples with --editor"
        )
    if not criteria or len({name.casefold() for name in criteria}) < len(criteria):
        raise InputError(f"criteria {', '.join(criteria) or '(none)'}: expected one or more, each once")
    people = [str(number + 1) for number in range(annotators)]
    listed = []
    for at, sample in enumerate(samples):
        orders = {}
        for person in people:
            order = sorted(editors)
            random.Random(f"{seed} {person} {sample.key}").shuffle(order)
            orders[person] = order
        listed.append(SheetSample(str(at + 1), sample.key, dict(absent.get(sample.key, {})), orders))
    key = Key("", suite, seed, list(criteria), list(editors), people, listed)
    content = json.dumps(asdict(key), sort_keys=True).encode("utf-8", "surrogatepass")
    # Starts with a letter, because spreadsheets convert 123e45678901 to a number.
    return replace(key, sheet="s" + hashlib.sha256(content).hexdigest()[:12])


def draw_samples(samples: Sequence[Sample], count: int, seed: int = 0) -> list[Sample]:
    """Draw samples at random, as evenly as possible over operations and languages; reproducible by seed.

    >>> from vdebench.core.sample import Operation
    >>> kinds = [Operation.TEXT_INSERT] * 8 + [Operation.TEXT_DELETE] * 2
    >>> drawn = draw_samples([Sample(str(at), "text", operation=kind) for at, kind in enumerate(kinds)], 4)
    >>> sorted(sample.operation.value for sample in drawn)
    ['text_delete', 'text_delete', 'text_insert', 'text_insert']
    """
    draw = random.Random(seed)
    kinds: dict[tuple[str, str], list[Sample]] = {}
    for sample in sorted(samples, key=lambda each: each.key):
        kinds.setdefault((sample.operation.value, sample.language), []).append(sample)
    for members in kinds.values():
        draw.shuffle(members)
    order = sorted(kinds)
    draw.shuffle(order)  # if the counts cannot be equal, chance decides which kind gets more
    rounds = [kinds[kind][turn] for turn in range(len(samples)) for kind in order if turn < len(kinds[kind])]
    chosen = rounds[:count]
    draw.shuffle(chosen)
    return chosen


def letter(place: int) -> str:
    """Letter of the candidate at a position.

    >>> letter(0), letter(5)
    ('A', 'F')
    """
    return chr(ord("A") + place)


def read_key(file: Path) -> Key:
    """Read the key of a sheet; raises `InputError` if the file is invalid."""
    data = read_json(file)
    if not isinstance(data, dict) or data.get("made_by") != "vdebench" or "samples" not in data:
        raise InputError(f"{file}: is not the key of a sheet; expected the key.json written by `vde human sheet`")
    try:
        samples = [SheetSample(**one) for one in data["samples"]]
        fields = {name: data[name] for name in ("sheet", "suite", "seed", "criteria", "editors", "annotators")}
        key = Key(**fields, samples=samples)
        valid = _texts(key.editors, key.annotators, key.criteria, [key.sheet], [key.suite]) and _is_consistent(key)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file}: is damaged ({error!r}); use the file written by `vde human sheet`") from None
    if not valid:
        raise InputError(f"{file}: is damaged; use the file written by `vde human sheet`")
    return key


def _texts(*lists: object) -> bool:
    """Whether these are non-empty lists of non-empty strings without duplicates."""
    return all(
        isinstance(each, list)
        and all(isinstance(text, str) and text for text in each)
        and len({text.casefold() for text in each}) == len(each) > 0
        for each in lists
    )


def _is_consistent(key: Key) -> bool:
    """Whether the samples match the key's editors and annotators; the caller handles type errors."""
    editors, people = sorted(key.editors), set(key.annotators)
    return _texts([each.number for each in key.samples]) and all(
        set(each.orders) == people
        and all(isinstance(order, list) and sorted(order) == editors for order in each.orders.values())
        and isinstance(each.sample, str)
        and isinstance(each.absent, dict)
        and set(each.absent) <= set(editors)
        for each in key.samples
    )
