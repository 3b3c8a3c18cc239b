"""Words with one fault: another digit, a misspelt word, another word, another punctuation mark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from vdebench.studies.validity.outputs.look_alikes import other_letter

HAN = "\u4e00-\u9fff"
NUMBER = re.compile(r"[$¥€£]?\d+(?:[.,:/]\d+)*%?")
WORD = re.compile(r"[A-Za-z]+(?:[’'-][A-Za-z]+)*")
STOPS = {",": ".;", ".": ",", ";": ",", ":": ";", "，": "。、；", "。": "，", "；": "，", "：": "；", "、": "，"}
STOP = re.compile(rf"(?:[A-Za-z]+|[{HAN}])[,.;:，。；：、)）]|[(（](?:[A-Za-z]+|[{HAN}])")


def other_number(number: str, rng: Random) -> str:
    """The number with one other digit; it does not begin with 0.

    >>> len(other_number("1,250", Random(1))), other_number("7", Random(1)) != "7"
    (5, True)
    """
    places = [at for at, letter in enumerate(number) if letter.isdigit()]
    at = rng.choice(places)
    digits = "123456789" if at == places[0] and len(places) > 1 else "0123456789"
    return number[:at] + rng.choice(digits.replace(number[at], "")) + number[at + 1 :]


def misspelt(word: str, rng: Random) -> str:
    """The word with one other letter, mostly a small one."""
    places = [at for at, letter in enumerate(word) if letter.islower()] or [0]
    at = rng.choice(places) if rng.random() < 0.9 else 0
    return word[:at] + other_letter(word[at], rng) + word[at + 1 :]


def other_word(word: str, words: Sequence[str], rng: Random) -> str:
    """A word of the page of similar length that differs in most letters."""
    near = [
        other
        for other in words
        if abs(len(other) - len(word)) <= 1
        and other[0].isupper() == word[0].isupper()
        and sum(a == b for a, b in zip(other.lower(), word.lower(), strict=False)) < len(word) / 2
    ]
    return rng.choice(near) if near else word[::-1]


def other_stop(token: str, rng: Random) -> str:
    """Change or remove the mark before or after a word."""
    if token[0] in "(（":
        return token[1:]
    marks = STOPS.get(token[-1], "")
    return token[:-1] + (rng.choice(marks) if marks and rng.random() < 0.5 else "")
