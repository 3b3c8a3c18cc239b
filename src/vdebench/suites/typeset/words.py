"""Words of generated pages: templates filled with names, numbers and dates from the files in `content/`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from random import Random
from typing import Any

from vdebench.suites.typeset.document import Slot
from vdebench.suites.typeset.language_rules import Language, get_rules

TOPICS = (
    "economy",
    "energy",
    "medicine",
    "computing",
    "history",
    "agriculture",
    "education",
    "transport",
    "astronomy",
    "oceans",
)
_SLOT = re.compile(r"\{(\w+)(?::([^}]*))?\}")
# Words that are written in lower case after an opening such as "In recent years, ".
_LOWERED = {
    *("The", "A", "An", "In", "On", "At", "By", "From", "For", "With"),
    *("Most", "Many", "Some", "Several", "Each", "Every", "All", "Both", "Few", "Half", "One", "Two"),
}
_FOREIGN = ("person", "place", "org", "product")
"""Slots that mixed pages fill with names in their second language."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Text with the slots of replaceable values."""

    text: str
    slots: tuple[Slot, ...] = ()

    def __add__(self, other: Phrase) -> Phrase:
        """Concatenate two phrases."""
        by = len(self.text)
        moved = tuple(slot._replace(start=slot.start + by, end=slot.end + by) for slot in other.slots)
        return Phrase(self.text + other.text, self.slots + moved)


@cache
def bank(language: str, name: str) -> dict[str, Any]:
    """Load a content file; the base of a language completes what its own file does not have."""
    rules = get_rules(language)
    file = (rules.folder or resources.files(__package__) / "content" / language) / f"{name}.toml"
    if not rules.base:
        return tomllib.loads(file.read_text("utf-8"))
    base, own = bank(rules.base, name), tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
    return {**base, **own, "slots": {**base["slots"], **own.get("slots", {})}}


@cache
def formulas() -> list[dict[str, str]]:
    """Return all formulas, as `typst` and `latex`."""
    file = resources.files(__package__) / "content" / "formulas.toml"
    entries: list[dict[str, str]] = tomllib.loads(file.read_text("utf-8"))["formula"]
    return entries


class Writer:
    """Writes on one topic at a time; repeats a template only after all others of its list have been used."""

    def __init__(self, language: Language, rng: Random, topic: str = "") -> None:
        self.language = language
        self.rng = rng
        self.topic = topic or rng.choice(TOPICS)
        self._decks: dict[tuple[str, str, str], list[Any]] = {}

    def change_topic(self) -> None:
        """Switch to another topic."""
        self.topic = self.rng.choice([topic for topic in TOPICS if topic != self.topic])

    def pick_language(self) -> str:
        """Return the language of the next block: mixed pages change it at random."""
        first, *others = self.language.words
        return self.rng.choice(others) if others and self.rng.random() < 0.3 else first

    def entry(self, kind: str, language: str, source: str = "") -> Any:
        """Return an unused entry of a list, from the topic's file or the file `source`."""
        name = source or self.topic
        deck = self._decks.setdefault((language, name, kind), [])
        if not deck:
            deck += bank(language, name)[kind]
            self.rng.shuffle(deck)
        return deck.pop()

    def terms(self, language: str) -> list[str]:
        """Return the terms that the topic defines."""
        return [entry["term"] for entry in bank(language, self.topic)["definition"]]

    def word(self, kind: str, language: str) -> str:
        """Return a fixed word of the language: `Figure`, `Abstract`, …"""
        word: str = bank(language, "common")[f"{kind}_word"]
        return word

    def phrase(self, kind: str, language: str, source: str = "") -> Phrase:
        """Fill a template of a list."""
        return self.fill(self.entry(kind, language, source), language)

    def fill(self, template: str, language: str) -> Phrase:
        """Fill every slot of a template with a value."""
        text, slots, at = "", list[Slot](), 0
        for match in _SLOT.finditer(template):
            text += template[at : match.start()]
            value = self.value(
                match[1], match[2] or "", language, taken=[text[slot.start : slot.end] for slot in slots]
            )
            slots.append(Slot(len(text), len(text) + len(value), match[1], match[2] or ""))
            text += value
            at = match.end()
        return Phrase(text + template[at:], tuple(slots))

    def value(self, name: str, argument: str, language: str, taken: Sequence[str] = ()) -> str:
        """Return a value of the slot's class, avoiding those in `taken` if possible."""
        for _ in range(8):
            value = self._any_value(name, argument, language)
            if value not in taken:
                break
        return value

    def _any_value(self, name: str, argument: str, language: str) -> str:
        if name in _BUILT_IN:
            return _BUILT_IN[name](self.rng, argument, language)
        if name == "slot":  # a table column of words
            return self.rng.choice(self.values(argument, language))
        others = self.language.words[1:]
        if others and name in _FOREIGN and language == self.language.words[0] and self.rng.random() < 0.5:
            language = self.rng.choice(others)
        return self.rng.choice(self.values(name, language))

    def values(self, name: str, language: str) -> Sequence[str]:
        """Return all words of a class, from the topic's file or the common one."""
        for source in (self.topic, "common", *TOPICS):
            words: list[str] | None = bank(language, source)["slots"].get(name)
            if words is not None:
                return words
        raise LookupError(f"content/{language}: no slot {name!r}")

    def sentence(self, language: str) -> Phrase:
        """Return a sentence, at random with an opening."""
        template: str = self.entry("sentence", language)
        if self.rng.random() < 0.22:
            lead = self.entry("lead", language, "common")
            if not get_rules(language).separator:
                template = lead + template
            elif template.split()[0] in _LOWERED:
                template = lead + template[0].lower() + template[1:]
        return self.fill(template, language)


def _span(argument: str) -> tuple[int, int]:
    low, high = argument.split(":")[0].split("-")
    return int(low), int(high)


def _int(rng: Random, argument: str, language: str) -> str:
    return f"{rng.randint(*_span(argument)):,}"


def _year(rng: Random, argument: str, language: str) -> str:
    return str(rng.randint(*_span(argument or "1990-2024")))


def _decimal(rng: Random, argument: str, language: str) -> str:
    digits = int(argument.split(":")[1])
    return f"{rng.uniform(*_span(argument)):.{digits}f}"


def _percent(rng: Random, argument: str, language: str) -> str:
    return f"{rng.uniform(*_span(argument)):.1f}%"


def _date(rng: Random, argument: str, language: str) -> str:
    year, month, day = rng.randint(1998, 2024), rng.choice(get_rules(language).months), rng.randint(1, 28)
    return get_rules(language).date.format(year=year, month=month, day=day)


def _money(rng: Random, argument: str, language: str) -> str:
    return rng.choice(get_rules(language).money).format(f"{rng.uniform(1, 99):.1f}")


def _time(rng: Random, argument: str, language: str) -> str:
    return f"{rng.randint(6, 21):02}:{rng.choice([0, 5, 10, 15, 20, 30, 40, 45, 50]):02}"


_BUILT_IN = {
    "int": _int,
    "year": _year,
    "decimal": _decimal,
    "percent": _percent,
    "date": _date,
    "money": _money,
    "time": _time,
}
