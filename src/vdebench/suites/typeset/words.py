"""Words: templates filled with names, numbers and dates from our own banks, so that pages read like documents."""

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
from vdebench.suites.typeset.language_rules import TONGUES, Language

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
# Words that may lose their capital letter behind an opening such as "In recent years, ".
_LOWERED = {
    *("The", "A", "An", "In", "On", "At", "By", "From", "For", "With"),
    *("Most", "Many", "Some", "Several", "Each", "Every", "All", "Both", "Few", "Half", "One", "Two"),
}
_FOREIGN = ("person", "place", "org", "product")
"""Slots that a mixed page fills with names of its other language."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Text, and where in it values stand that others of their class could replace."""

    text: str
    slots: tuple[Slot, ...] = ()

    def __add__(self, other: Phrase) -> Phrase:
        """One after the other."""
        by = len(self.text)
        moved = tuple(slot._replace(start=slot.start + by, end=slot.end + by) for slot in other.slots)
        return Phrase(self.text + other.text, self.slots + moved)


@cache
def bank(tongue: str, name: str) -> dict[str, Any]:
    """A file of words."""
    file = resources.files(__package__) / "content" / tongue / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8"))


@cache
def formulas() -> list[dict[str, str]]:
    """All formulas, as `typst` and `latex`."""
    file = resources.files(__package__) / "content" / "formulas.toml"
    found: list[dict[str, str]] = tomllib.loads(file.read_text("utf-8"))["formula"]
    return found


class Writer:
    """Writes on one topic at a time, in a language, never the same template twice while others are left."""

    def __init__(self, language: Language, rng: Random, topic: str = "") -> None:
        self.language = language
        self.rng = rng
        self.topic = topic or rng.choice(TOPICS)
        self._decks: dict[tuple[str, str, str], list[Any]] = {}

    def turn_to_another_topic(self) -> None:
        """Write on something else from here on."""
        self.topic = self.rng.choice([topic for topic in TOPICS if topic != self.topic])

    def tongue(self) -> str:
        """A tongue for the next block: mixed pages change it now and then."""
        first, *others = self.language.words
        return self.rng.choice(others) if others and self.rng.random() < 0.3 else first

    def entry(self, kind: str, tongue: str, source: str = "") -> Any:
        """An entry of a list that was not taken before, of the topic or of the file named `source`."""
        name = source or self.topic
        deck = self._decks.setdefault((tongue, name, kind), [])
        if not deck:
            deck += bank(tongue, name)[kind]
            self.rng.shuffle(deck)
        return deck.pop()

    def terms(self, tongue: str) -> list[str]:
        """Terms the topic defines."""
        return [entry["term"] for entry in bank(tongue, self.topic)["definition"]]

    def word(self, kind: str, tongue: str) -> str:
        """A word of the language itself: `Figure`, `Abstract`, …"""
        found: str = bank(tongue, "common")[f"{kind}_word"]
        return found

    def phrase(self, kind: str, tongue: str, source: str = "") -> Phrase:
        """A filled template of a list."""
        return self.fill(self.entry(kind, tongue, source), tongue)

    def fill(self, template: str, tongue: str) -> Phrase:
        """A template with a value in every slot."""
        text, slots, at = "", list[Slot](), 0
        for match in _SLOT.finditer(template):
            text += template[at : match.start()]
            value = self.value(match[1], match[2] or "", tongue, taken=[text[slot.start : slot.end] for slot in slots])
            slots.append(Slot(len(text), len(text) + len(value), match[1], match[2] or ""))
            text += value
            at = match.end()
        return Phrase(text + template[at:], tuple(slots))

    def value(self, name: str, argument: str, tongue: str, taken: Sequence[str] = ()) -> str:
        """A value of a slot's class, other than those taken where there are enough."""
        for _ in range(8):
            found = self._any_value(name, argument, tongue)
            if found not in taken:
                break
        return found

    def _any_value(self, name: str, argument: str, tongue: str) -> str:
        if name in _BUILT_IN:
            return _BUILT_IN[name](self.rng, argument, tongue)
        if name == "slot":  # a table's column that holds words
            return self.rng.choice(self.values(argument, tongue))
        others = self.language.words[1:]
        if others and name in _FOREIGN and tongue == self.language.words[0] and self.rng.random() < 0.5:
            tongue = self.rng.choice(others)
        return self.rng.choice(self.values(name, tongue))

    def values(self, name: str, tongue: str) -> Sequence[str]:
        """All words of a class, of the topic or common ones."""
        for source in (self.topic, "common", *TOPICS):
            found: list[str] | None = bank(tongue, source)["slots"].get(name)
            if found is not None:
                return found
        raise LookupError(f"content/{tongue}: no slot is called {name!r}")

    def sentence(self, tongue: str) -> Phrase:
        """A sentence, now and then with an opening."""
        template: str = self.entry("sentence", tongue)
        if self.rng.random() < 0.22:
            lead = self.entry("lead", tongue, "common")
            if not TONGUES[tongue].gap:
                template = lead + template
            elif template.split()[0] in _LOWERED:
                template = lead + template[0].lower() + template[1:]
        return self.fill(template, tongue)


def _span(argument: str) -> tuple[int, int]:
    low, high = argument.split(":")[0].split("-")
    return int(low), int(high)


def _int(rng: Random, argument: str, tongue: str) -> str:
    return f"{rng.randint(*_span(argument)):,}"


def _year(rng: Random, argument: str, tongue: str) -> str:
    return str(rng.randint(*_span(argument or "1990-2024")))


def _decimal(rng: Random, argument: str, tongue: str) -> str:
    digits = int(argument.split(":")[1])
    return f"{rng.uniform(*_span(argument)):.{digits}f}"


def _percent(rng: Random, argument: str, tongue: str) -> str:
    return f"{rng.uniform(*_span(argument)):.1f}%"


def _date(rng: Random, argument: str, tongue: str) -> str:
    year, month, day = rng.randint(1998, 2024), rng.choice(TONGUES[tongue].months), rng.randint(1, 28)
    return TONGUES[tongue].date.format(year=year, month=month, day=day)


def _money(rng: Random, argument: str, tongue: str) -> str:
    return rng.choice(TONGUES[tongue].money).format(f"{rng.uniform(1, 99):.1f}")


def _time(rng: Random, argument: str, tongue: str) -> str:
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
