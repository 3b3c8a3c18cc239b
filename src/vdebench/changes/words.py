"""Words of a line, differences between two readings of it in whole words, and the facts that words state."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import regex
from rapidfuzz.distance import Levenshtein, Opcode

from vdebench.changes.change import FactKind
from vdebench.core.box import Box

_TOKEN = regex.compile(
    r"[$€£¥￥]?\d+(?:[.,:/·\-]\d+)*(?:\s?[%‰℃°])?|[\p{Latin}\p{Greek}\p{Cyrillic}\d]+(?:['’\-][\p{Latin}\d]+)*|\p{Han}"
    r"|[^\s\p{Han}]"
)
"""A number with its sign and unit, a word, a Chinese character, or a mark."""
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″〝〞〟＂", '"'),
        **dict.fromkeys("‘’‚‛‹›`´′ʹʻʼ＇", "'"),
        **dict.fromkeys("‐‑‒–−﹣—―⸺⸻－", "-"),
        **dict.fromkeys("。．·•・∙⋅", "."),
        "【": "[",
        "】": "]",
        "～": "~",
        "…": ".",
        "I": "l",
        "|": "l",
        "丨": "l",
        "ı": "i",
        "×": "x",
        "＊": "*",
        "⁄": "/",
    }
)
"""Characters that readers write for each other, in shape or width."""
_SAME_SHAPE = set("COSUVWXZKP")
"""Capitals that differ from their small letters in size only."""
_ACCENTED = regex.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}]\p{M}")
_LEADING_SIGN = regex.compile(r"[\p{P}\p{S}\s]*?(?P<minus>[-‐‑‒–−]\s?)?(?:(?:[A-Z]{3}|[$€£¥￥])\s?)?(?P<point>\.)?\d")
"""The minus sign or the decimal point of a number at the beginning of a text, also before a currency."""
_MEANINGFUL = regex.compile(r"[\p{L}\p{N}]")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = regex.compile(
    r"(?<!\d)(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])(?!\d)|(?<!\d)\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}(?!\d)|\d{1,2}月|\d{1,2}日|\d{4}年"
    rf"|(?i:\b{_MONTH}\b.*\d|\d.*\b{_MONTH}\b)|\bM(?:ay|AY)\b.*\d|\d.*\bM(?:ay|AY)\b"
)
_PRICE = regex.compile(r"[$€£¥￥]|\d\s?(?:元|USD|EUR|GBP|CNY|RMB)")
_CODE = regex.compile(r"(?=\S*\p{L})(?=\S*\d)\S{2,}")
_MARKS = ".,、'\"-:;·*~_"
_SIGN = regex.compile(r"[-+±−–$€£¥￥.]")
_AMOUNT = regex.compile(r"[$€£¥￥]?\d")
_NAME = regex.compile(r"\p{Lu}[\p{L}'’]+")
_HAN = regex.compile(r"\p{Han}")
_HAN_CONTEXT = 1
"""Chinese characters of context on each side of a change: words are not separated."""


class LineText(NamedTuple):
    """The text of a line as it was read, and the place of each character as a share of its width."""

    text: str
    edges: tuple[float, ...] = ()
    probabilities: tuple[float, ...] = ()

    def span(self, start: int, end: int) -> tuple[float, float]:
        """Return left and right end of characters as shares of the line's width."""
        if len(self.edges) != len(self.text) + 1:
            size = max(1, len(self.text))
            return start / size, max(end, start + 1) / size
        if start == end:
            place = self.edges[start]
            return max(0.0, place - 0.01), min(1.0, place + 0.01)
        return self.edges[start], self.edges[end]

    def probability(self, start: int, end: int) -> float:
        """Return the least probability of characters; 1 if it is not known."""
        return min(self.probabilities[start:end], default=1.0)


class PlacedText(NamedTuple):
    """A line, or a part of one, with its box."""

    box: Box
    text: LineText

    def part(self, span: range) -> Box:
        """Return the box of a range of characters."""
        start, end = self.text.span(span.start, span.stop)
        width = self.box.x2 - self.box.x1
        return Box(self.box.x1 + start * width, self.box.y1, self.box.x1 + end * width, self.box.y2)


class Compared(NamedTuple):
    """Characters of a text that are compared, and the position of each in the text."""

    characters: str
    positions: tuple[int, ...]


@lru_cache(maxsize=20_000)
def compared(text: str) -> Compared:
    """Return the characters that count, unified: no white space, one width, one shape of quotes and dashes,
    no accents on letters (on small type readers invent them).

    >>> compared("Total：１２ %").characters, compared("don’t—Stop").characters
    ('Total:12%', "don't-stop")
    >>> compared("é").characters == compared("e").characters, compared("≠").characters == compared("=").characters
    (True, False)
    """
    characters, positions = [], []
    for position, character in enumerate(text):
        accented = _ACCENTED.match(unicodedata.normalize("NFKD", character)) is not None
        for each in unicodedata.normalize("NFKD", character).translate(_ALIKE):
            if not each.isspace() and not (accented and unicodedata.combining(each)):
                characters.append(each.lower() if each in _SAME_SHAPE else each)
                positions.append(position)
    return Compared("".join(characters), tuple(positions))


def same_text(one: str, other: str) -> bool:
    """Whether two readings are equal in everything that counts.

    Marks at the ends of a line are often cut by its box, and do not count, except for a minus sign.

    >>> same_text("“Total”: 12 %", '"total":12%'), same_text("59.00", "69.00")
    (False, False)
    >>> same_text("Wine， 3 l", "wine, 3 I.")
    True
    """
    return _core(one) == _core(other)


def _core(text: str) -> str:
    """Return the compared characters of a text without the marks at its ends, but with the sign of a number.

    >>> [_core(text) for text in ("--$5.00.", ".05", "- item", "• 5 km")]
    ['-$5.00', '.05', 'item', '5km']
    """
    sign = _LEADING_SIGN.match(unicodedata.normalize("NFKC", text))
    mark = "" if sign is None else ("-" if sign["minus"] else "") + (sign["point"] or "")
    return mark + compared(text).characters.strip(_MARKS)


def similarity(one: str, other: str) -> float:
    """Return the similarity of two readings, from 0 to 1."""
    return float(Levenshtein.normalized_similarity(compared(one).characters, compared(other).characters))


class Difference(NamedTuple):
    """A difference between two readings: character ranges, the smallest and in whole words."""

    before: range
    after: range
    words_before: range
    words_after: range

    def texts(self, one: str, other: str) -> tuple[str, str]:
        """Return the whole words before and after."""
        return _cut(one, self.words_before).strip(), _cut(other, self.words_after).strip()

    def is_punctuation(self, one: str, other: str) -> bool:
        """Whether only marks differ, and not inside a number."""
        if is_meaningful(_cut(one, self.before) + _cut(other, self.after)):
            return False
        return not any(_in_number(text, span) for text, span in ((one, self.before), (other, self.after)))


def _in_number(text: str, span: range) -> bool:
    around = text[max(0, span.start - 1) : span.start], text[span.stop : span.stop + 1]
    return all(each.isdigit() for each in around)


def differences(one: str, other: str) -> list[Difference]:
    """Return the differences between two readings of a line, in order, in whole words.

    >>> [each.texts("Total 59.00 for Jan", "Total 69.00 for June") for each in
    ...  differences("Total 59.00 for Jan", "Total 69.00 for June")]
    [('59.00', '69.00'), ('Jan', 'June')]
    >>> [each.texts("按除菌键三秒", "按除霜键三秒") for each in differences("按除菌键三秒", "按除霜键三秒")]
    [('除菌键', '除霜键')]
    >>> [each.texts("this year, we", "this year we") for each in differences("this year, we", "this year we")]
    [('year,', 'year')]
    >>> [each.texts("the cat ran", "the cats ran") for each in differences("the cat ran", "the cats ran")]
    [('cat', 'cats')]
    """
    first, second = compared(one), compared(other)
    result: list[Difference] = []
    ops = list(Levenshtein.opcodes(first.characters, second.characters))
    for at, op in enumerate(ops):
        if op.tag == "equal":
            continue
        before = _positions(first, op.src_start, op.src_end, len(one))
        after = _positions(second, op.dest_start, op.dest_end, len(other))
        if not before and _continues_word(other, after.start):
            before = _end_before(first, op.src_start)
        elif not after and _continues_word(one, before.start):
            after = _end_before(second, op.dest_start)
        # neighbours on one side only would look lost or added
        widened = _whole_words if before and after else whole_tokens
        each = Difference(before, after, widened(one, before), widened(other, after))
        if each.is_punctuation(one, other):
            signed = _is_sign(one, before) or _is_sign(other, after)
            beside = _with_word_after if signed else _with_word_before
            each = each._replace(
                words_before=beside(one, each.words_before), words_after=beside(other, each.words_after)
            )
        elif _splits_word(one, each.before) or _splits_word(other, each.after):
            # a word grew or shrank at one end: both sides show the whole word
            each = each._replace(
                words_before=_joined(each.words_before, _word_beside(one, before)),
                words_after=_joined(each.words_after, _word_beside(other, after)),
            )
        equal = [_equal_size(each) for each in (ops[at - 1 : at], ops[at + 1 : at + 2])]
        each = _reaching_equally(each, op, (first, second), (one, other), equal)
        result.append(each)
    return _merged(result)


def _equal_size(ops: Sequence[Opcode]) -> int:
    """Return the number of equal characters of an operation; 0 if it is another one, or there is none."""
    return ops[0].src_end - ops[0].src_start if ops and ops[0].tag == "equal" else 0


def _reaching_equally(
    found: Difference, op: Opcode, texts: tuple[Compared, Compared], lines: tuple[str, str], equal: Sequence[int]
) -> Difference:
    """Extend the words on each side to the equal characters that the words on the other side include.

    `equal` is the number of equal characters before and after the difference.
    """
    inner = range(op.src_start, op.src_end), range(op.dest_start, op.dest_end)
    words = [found.words_before, found.words_after]
    while True:
        starts, stops = (
            [bisect_left(text.positions, edge) for text, edge in zip(texts, edges, strict=True)]
            for edges in ([each.start for each in words], [each.stop for each in words])
        )
        lead = min(equal[0], max(span.start - start for span, start in zip(inner, starts, strict=True)))
        trail = min(equal[1], max(stop - span.stop for span, stop in zip(inner, stops, strict=True)))
        wider = list(words)
        for side in (0, 1):
            span = range(inner[side].start - max(0, lead), inner[side].stop + max(0, trail))
            if span:
                reach = _positions(texts[side], span.start, span.stop, len(lines[side]))
                wider[side] = whole_tokens(lines[side], _joined(words[side] or reach, reach))
        if wider == words:
            return found._replace(words_before=words[0], words_after=words[1])
        words = wider


def _splits_word(text: str, span: range) -> bool:
    return any(
        token.start < edge < token.stop and token.stop - token.start > 1
        for token in tokens(text)
        for edge in (span.start, span.stop)
    )


def _word_beside(text: str, span: range) -> range:
    """Return the word that a range touches, if it is inside or at the edge of one."""
    touching = [token for token in tokens(text) if token.start <= span.stop and span.start <= token.stop]
    touching = [token for token in touching if is_meaningful(_cut(text, token)) and not _HAN.match(text[token.start])]
    return range(touching[0].start, touching[-1].stop) if touching else span


def _is_sign(text: str, span: range) -> bool:
    """Whether marks are the sign or decimal point of a number: they belong to it, and not to the word before."""
    mark = _cut(text, span)
    if mark == "." and text[: span.start].strip() and not text[span.start - 1].isspace():
        return False
    return _SIGN.fullmatch(mark) is not None and _AMOUNT.match(text, span.stop) is not None


def _with_word_before(text: str, span: range) -> range:
    if is_meaningful(_cut(text, span)):
        return span
    before = [token for token in tokens(text) if token.stop <= span.start]
    return range(before[-1].start, max(span.stop, before[-1].stop)) if before else span


def _with_word_after(text: str, span: range) -> range:
    if is_meaningful(_cut(text, span)):
        return span
    after = [token for token in tokens(text) if token.start >= span.stop]
    return range(min(span.start, after[0].start), after[0].stop) if after else span


def _positions(text: Compared, start: int, end: int, length: int) -> range:
    if start == end:
        place = text.positions[start] if start < len(text.positions) else length
        return range(place, place)
    return range(text.positions[start], text.positions[end - 1] + 1)


def _continues_word(text: str, place: int) -> bool:
    return place > 0 and not text[place - 1].isspace()


def _end_before(text: Compared, index: int) -> range:
    """Return the empty range at the end of the compared character before an index, not after white space."""
    place = text.positions[index - 1] + 1 if index else 0
    return range(place, place)


def _whole_words(text: str, span: range) -> range:
    """Return the words of a range, in Chinese text with their neighbours."""
    words = whole_tokens(text, span)
    return _with_context(text, words) if words else words


def whole_tokens(text: str, span: range) -> range:
    """Return the range extended to whole words, numbers and Chinese characters."""
    start, stop = span.start, span.stop
    for token in tokens(text):
        touches = token.start < span.stop and span.start < token.stop
        inside = not span and token.start < span.start < token.stop
        if touches or inside:
            start, stop = min(start, token.start), max(stop, token.stop)
    return range(start, stop)


def _with_context(text: str, span: range) -> range:
    """Extend a range in Chinese text by neighbouring characters."""
    start, stop = span.start, span.stop
    if not _HAN.search(text[start:stop]):
        return span
    for _ in range(_HAN_CONTEXT):
        if start > 0 and _HAN.match(text[start - 1]):
            start -= 1
        if stop < len(text) and _HAN.match(text[stop]):
            stop += 1
    return range(start, stop)


def _merged(found: Sequence[Difference]) -> list[Difference]:
    """Join differences whose words overlap."""
    merged: list[Difference] = []
    for each in found:
        last = merged[-1] if merged else None
        if last and (
            each.words_before.start < last.words_before.stop or each.words_after.start < last.words_after.stop
        ):
            merged[-1] = Difference(*(_joined(a, b) for a, b in zip(last, each, strict=True)))
        else:
            merged.append(each)
    return merged


def _joined(one: range, other: range) -> range:
    return range(min(one.start, other.start), max(one.stop, other.stop))


def tokens(text: str) -> list[range]:
    """Return the ranges of the words, numbers, Chinese characters and marks of a text."""
    return [range(match.start(), match.end()) for match in _TOKEN.finditer(text)]


def count_words(text: str) -> int:
    """Number of words, numbers and Chinese characters.

    >>> count_words("Total: 12 % of 三人")
    5
    """
    return sum(bool(_MEANINGFUL.search(text[token.start : token.stop])) for token in tokens(text))


def is_meaningful(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return _MEANINGFUL.search(text) is not None


def fact_kind(*texts: str) -> FactKind:
    """Return the kind of fact that any of the texts states, or "".

    >>> [fact_kind(each) for each in ("59.00", "£59.00", "2024-05-01", "AB-123", "cat", "in Paris", "Then")]
    ['number', 'price', 'date', 'code', '', 'name', '']
    """
    kinds = [_fact_kind(text) for text in texts if text]
    return next((kind for kind in kinds if kind), "")


def _fact_kind(text: str) -> FactKind:
    if any(character.isdigit() for character in text):
        if _PRICE.search(text):
            return "price"
        if _DATE.search(text):
            return "date"
        return "code" if _CODE.search(text) and regex.search(r"\p{Latin}", text) else "number"
    words = text.split()
    return "name" if any(_NAME.fullmatch(word.strip(".,;:()")) for word in words[1:]) else ""


def _cut(text: str, span: range) -> str:
    return text[span.start : span.stop]
