"""Alternative values of the same kind: numbers with other digits, nearby dates, words of the same group."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import regex

from vdebench.instructions.seeded_choice import SeededChoice

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_MONTH = "|".join(_MONTHS)
_NUMBER = r"(?<![\w.,\-~/^])[$¥￥£€]?\d{1,3}(?:,\d{3})+(?:\.\d+)?%?|(?<![\w.,\-~/^])[$¥￥£€]?\d+(?:\.\d+)?[%％]?"
_AFTER = r"(?![\w\-~/]|[.,]\d|[.)、．]\s|年代|世纪)"
DATES = {
    "en": regex.compile(
        rf"\b(?:(?:{_MONTH}) \d{{1,2}}, \d{{4}}|\d{{1,2}} (?:{_MONTH}),? \d{{4}}|(?:{_MONTH}) \d{{4}})\b"
    ),
    "zh": regex.compile(r"(?<!\d)(?:\d{4}年)?\d{1,2}月(?:\d{1,2}日)?|(?<!\d)(?:19|20)\d\d年"),
}
NUMBERS = {
    "en": regex.compile(f"(?:{_NUMBER}){_AFTER}"),
    "zh": regex.compile(
        rf"(?:{_NUMBER.replace(chr(92) + 'w', 'A-Za-z0-9')}){_AFTER.replace(chr(92) + 'w', 'A-Za-z0-9')}"
    ),
}


class Value(NamedTuple):
    """A value in a text and a replacement of the same kind."""

    start: int
    end: int
    new: str
    kind: str
    """date, number or word."""


@cache
def bank(language_code: str) -> dict[str, Any]:
    """Return the words of templates in a language, `en` or `zh`."""
    file = files("vdebench.instructions").joinpath("templates", f"{language_code}.toml")
    return tomllib.loads(file.read_text("utf-8"))


def values_in(text: str, language_code: str, chance: SeededChoice) -> Iterator[Value]:
    """Yield dates, numbers and words of a text, each with a replacement."""
    taken: list[tuple[int, int]] = []
    for kind, pattern in (("date", DATES[language_code]), ("number", NUMBERS[language_code])):
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < other_end and other < end for other, other_end in taken):
                continue
            taken.append((start, end))
            listed = not text[:start].strip() or regex.match(r"[(（\[].*[)）\]]$", text[max(0, start - 1) : end + 1])
            if kind == "date" or not listed:  # `1.` and `(2)` are numbers of lines and formulas
                yield Value(start, end, (other_date if kind == "date" else other_number)(match[0], chance), kind)
    yield from _words(text, language_code, chance)


def _words(text: str, language_code: str, chance: SeededChoice) -> Iterator[Value]:
    pattern, groups = _swaps(language_code)
    for match in pattern.finditer(text):
        yield Value(*match.span(), chance.choice([other for other in groups[match[0]] if other != match[0]]), "word")


@cache
def _swaps(language_code: str) -> tuple[regex.Pattern[str], dict[str, list[str]]]:
    """Return a pattern of all words of groups, and the group of each word."""
    groups = {word: group for group in reversed(bank(language_code)["swaps"]) for word in group}
    words = "|".join(sorted(map(regex.escape, groups), key=len, reverse=True))
    return regex.compile(rf"(?<![\w-])(?:{words})(?![\w-])" if language_code == "en" else words), groups


def other_number(text: str, chance: SeededChoice) -> str:
    """Return a number of the same length with other digits; for years, a nearby year.

    >>> other_number("1,045.20%", SeededChoice(1)), other_number("1998", SeededChoice(1))
    ('1,758.16%', '2000')
    """
    if regex.fullmatch(r"(?:1[5-9]|20)\d\d", text):
        return str(int(text) + chance.choice([-7, -5, -3, -2, -1, 1, 2, 3, 4]))
    places = [place for place, letter in enumerate(text) if letter.isdigit()]
    if not places:
        return text
    first = places[0]
    new = list(text)
    for place in places[-max(2, len(places) - 1) :] if len(places) > 1 else places:
        least = 1 if place == first else 0
        new[place] = str(chance.choice([digit for digit in range(least, 10) if str(digit) != text[place]]))
    return "".join(new)


def other_date(text: str, chance: SeededChoice) -> str:
    """Return a valid nearby date: another day, month or year.

    >>> other_date("August 30, 1890", SeededChoice(2)), other_date("2023年4月18日", SeededChoice(2))
    ('August 15, 1890', '2023年4月20日')
    """
    day = regex.search(r"(?<!\d)(\d{1,2})(?=日|, \d{4}| [A-Z])", text)
    if day:
        return text[: day.start(1)] + str(_other(int(day[1]), 28, chance)) + text[day.end(1) :]
    month = regex.search(r"(\d{1,2})(?=月)", text)
    if month:
        return text[: month.start()] + str(_other(int(month[1]), 12, chance)) + text[month.end() :]
    name = regex.match(_MONTH, text)
    if name:
        return chance.choice([other for other in _MONTHS if other != name[0]]) + text[name.end() :]
    return other_number(text.rstrip("年"), chance) + "年" * text.endswith("年")


def _other(number: int, most: int, chance: SeededChoice) -> int:
    return chance.choice([other for other in range(1, most + 1) if other != number])
