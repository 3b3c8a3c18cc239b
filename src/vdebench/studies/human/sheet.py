"""People rank outputs without knowing whose they are: which samples, in which order, and the key to it."""

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
"""What the paper's annotators ranked by."""
MOST_EDITORS = 26
"""Candidates are called by letters."""


@dataclass(frozen=True)
class SheetSample:
    """A sample of the study: its number on the sheet, who gave no output, whose output stands where."""

    number: str
    sample: str
    absent: Mapping[str, str]
    """Editors without an output, and their state: they are not ranked, they are last."""
    orders: Mapping[str, Sequence[str]]
    """For every annotator the editors behind A, B, C …"""


@dataclass(frozen=True)
class Key:
    """Everything that a sheet hides."""

    sheet: str
    """Hash of the rest: answers say which sheet they are to."""
    suite: str
    seed: int
    criteria: Sequence[str]
    editors: Sequence[str]
    annotators: Sequence[str]
    samples: Sequence[SheetSample] = field(default_factory=tuple)

    def to_json(self) -> dict[str, Any]:
        """The key as it is kept."""
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
    """The key of a study of these samples: an order anew for every annotator and sample."""
    if len(editors) < 2:
        raise InputError(f"{len(editors)} editors: people rank two or more")
    if len(editors) > MOST_EDITORS:
        raise InputError(f"{len(editors)} editors: at most {MOST_EDITORS} can be ranked at once; choose with --editor")
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
    # A letter first: spreadsheets take 123e45678901 for a number, and save another.
    return replace(key, sheet="s" + hashlib.sha256(content).hexdigest()[:12])


def choose(samples: Sequence[Sample], count: int, seed: int = 0) -> list[Sample]:
    """Samples drawn at random, as evenly as there are from operations and languages; the same seed, the same samples.

    >>> from vdebench.core.sample import Operation
    >>> kinds = [Operation.TEXT_INSERT] * 8 + [Operation.TEXT_DELETE] * 2
    >>> found = choose([Sample(str(at), "text", operation=kind) for at, kind in enumerate(kinds)], 4)
    >>> sorted(sample.operation.value for sample in found)
    ['text_delete', 'text_delete', 'text_insert', 'text_insert']
    """
    draw = random.Random(seed)
    kinds: dict[tuple[str, str], list[Sample]] = {}
    for sample in sorted(samples, key=lambda each: each.key):
        kinds.setdefault((sample.operation.value, sample.language), []).append(sample)
    for kept in kinds.values():
        draw.shuffle(kept)
    order = sorted(kinds)
    draw.shuffle(order)  # where not every kind gets as many, chance says which gets more
    rounds = [kinds[kind][turn] for turn in range(len(samples)) for kind in order if turn < len(kinds[kind])]
    chosen = rounds[:count]
    draw.shuffle(chosen)
    return chosen


def letter(place: int) -> str:
    """What the candidate in a place is called.

    >>> letter(0), letter(5)
    ('A', 'F')
    """
    return chr(ord("A") + place)


def read_key(file: Path) -> Key:
    """The key of a sheet, or an error that says what is wrong with the file."""
    data = read_json(file)
    if not isinstance(data, dict) or data.get("made_by") != "vdebench" or "samples" not in data:
        raise InputError(f"{file}: is no key of a sheet; expected the key.json that `vde human sheet` wrote")
    try:
        samples = [SheetSample(**one) for one in data["samples"]]
        about = {name: data[name] for name in ("sheet", "suite", "seed", "criteria", "editors", "annotators")}
        key = Key(**about, samples=samples)
        sound = _texts(key.editors, key.annotators, key.criteria, [key.sheet], [key.suite]) and _sound(key)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file}: is not as `vde human sheet` wrote it ({error!r}); take the file it wrote") from None
    if not sound:
        raise InputError(f"{file}: is not as `vde human sheet` wrote it; take the file it wrote")
    return key


def _texts(*lists: object) -> bool:
    """Whether these are lists of texts, none of them empty or there twice."""
    return all(
        isinstance(each, list)
        and all(isinstance(text, str) and text for text in each)
        and len({text.casefold() for text in each}) == len(each) > 0
        for each in lists
    )


def _sound(key: Key) -> bool:
    """Whether the samples are of the key's editors and annotators; errors of types are the caller's."""
    editors, people = sorted(key.editors), set(key.annotators)
    return _texts([each.number for each in key.samples]) and all(
        set(each.orders) == people
        and all(isinstance(order, list) and sorted(order) == editors for order in each.orders.values())
        and isinstance(each.sample, str)
        and isinstance(each.absent, dict)
        and set(each.absent) <= set(editors)
        for each in key.samples
    )
