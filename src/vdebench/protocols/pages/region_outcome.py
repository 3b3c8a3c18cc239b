"""The outcome of an edit in a region, from the text read in the region, the expected text and the text before the edit.

The words that the edit changes must be correct to the last character, and most of the text around them must be
preserved. Texts are compared folded (`metrics.folding`) and without white space. If an edit changes only characters
that folding unifies, such as `1` to `１`, the unfolded text of these words decides.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import regex
from rapidfuzz.distance import Levenshtein, Opcode
from rapidfuzz.fuzz import partial_ratio

from vdebench.metrics.folding import folded
from vdebench.metrics.text import character_similarity, check_length
from vdebench.metrics.tokens import settled

MIN_CONTEXT = 0.95
"""Minimum share of correct characters around the changed words; docs/protocols.md has the measurement."""
FREE_ERRORS = 2
"""Wrong characters around the changed words that are always allowed, except in numbers."""
MIN_CONTEXT_NOT_DONE = 0.8
"""The same share for the outcome `not_done`."""
MIN_NEIGHBOUR = 0.7
"""Minimum similarity of the text next to a deletion; below it the page counts as lost."""
MIN_PARTLY = 0.5
"""Minimum character similarity to the expected text for the outcome `partly`."""
CAN_READ = 0.6
"""Minimum character similarity of the reference's OCR output to the ground truth for a readable region."""
SHORT_RUN, REACH = 12, 4
"""A run of up to SHORT_RUN Chinese characters is one word; in longer runs, REACH characters around the change."""

Outcome = Literal["done", "not_done", "partly", "wrong_text", "page_lost", "text_kept", "text_changed", "unreadable"]

_HAN = r"[\p{Han}\p{Hiragana}\p{Katakana}--[〇零一二三四五六七八九十百千万亿]]"
_SPELLED = r"[\p{L}\p{N}--[\p{Han}\p{Hiragana}\p{Katakana}]]"  # a full stop joins `a.b`, not two Chinese sentences
_UNIT = r"""(?: \p{Sc} | [%‰°]\p{L}? | (?:thousand|million|billion|trillion)(?!\p{L}) | [万亿千百]+
    | [a-zA-Zµμ]{1,4}(?:/[a-zA-Zµμ]{1,3}[2-3]?)?(?!\p{L}) | [年月日元个人次块页号时分秒米克吨] )"""
_TOKEN = regex.compile(
    rf"""
      [〇零一二三四五六七八九十百千万亿]+
    | (?:(?<![\p{{L}}\p{{N}})])[-+±])? \p{{Sc}}? (?:(?<![\p{{L}}\p{{N}}])\.)?
      \p{{N}}(?:[\p{{N}}.,:/^-]*\p{{N}})? (?:\s?{_UNIT})?
    | [{_HAN}]
    | (?:[\p{{L}}\p{{M}}\p{{N}}--[{_HAN}]]|(?<={_SPELLED})['._/@&-](?={_SPELLED}))+
    | \S
    """,
    regex.VERBOSE | regex.VERSION1,
)
_RUN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]+")
_DIGIT = regex.compile(r"\p{N}")
_LETTER = regex.compile(r"[\p{L}\p{N}]")


class ExpectedText(NamedTuple):
    """Expected text of a region in pieces; `own` marks pieces inside the region, others are in the same groups."""

    pieces: Sequence[str]
    own: Sequence[bool]

    @classmethod
    def of(cls, text: str) -> ExpectedText:
        """A text that is all the region's own."""
        return cls([text], [True])

    @property
    def own_text(self) -> str:
        """Text of the pieces inside the region."""
        return settled("\n".join(piece for piece, own in zip(self.pieces, self.own, strict=True) if own))

    @property
    def text(self) -> str:
        """Text of all pieces."""
        return settled("\n".join(self.pieces))


def outcome(read: str, expected: str | ExpectedText, before: str | None) -> Outcome:
    """Return the outcome of an edit; `before` is None if the text before the edit is unknown.

    >>> outcome("Total: 412.7", expected="Total: 412.7", before="Total: 418.7")
    'done'
    >>> outcome("Total: 418.7", expected="Total: 412.7", before="Total: 418.7")
    'not_done'
    >>> outcome("Tofal: 412.7", expected="Total: 412.7", before="Total: 418.7")  # a misread letter beside the edit
    'done'
    >>> outcome("aged 49", expected="aged 19", before="aged 18")  # the whole number counts
    'wrong_text'
    >>> outcome("Keep this.", expected="Keep this.", before="Keep this. Drop that.")  # a deletion
    'done'
    >>> outcome("Red", expected="Red", before="Red")  # a new colour does not show in text
    'text_kept'
    """
    expected = ExpectedText.of(expected) if isinstance(expected, str) else expected
    check_length(read, max(expected.text, before or "", key=len))
    plain = [_Text(folded, expected.pieces, expected.own), _Text(folded, [read]), _Text(folded, [before or ""])]
    strict = [_Text(settled, expected.pieces, expected.own), _Text(settled, [read]), _Text(settled, [before or ""])]
    if before is None:
        return "done" if plain[1].text == plain[0].text else "wrong_text"
    if strict[0].text == strict[2].text:
        return _white_space_outcome(settled(read), expected.text, settled(before), plain)
    if plain[1].text == plain[2].text and plain[0].text != plain[2].text:
        return "not_done"
    if plain[0].text == plain[2].text:
        return _decide(*strict, *plain)
    result = _decide(*plain, *plain)
    if result == "done" and not _holds(strict[1], strict[0], _folded_away(strict[0], strict[2])):
        return "partly"
    return result


def _white_space_outcome(read: str, expected: str, before: str, plain: Sequence[_Text]) -> Outcome:
    """Return the outcome of an edit that changes only white space, or nothing that is visible in text."""
    if expected != before and read in (expected, before):
        return "done" if read == expected else "not_done"
    return "text_kept" if plain[1].text == plain[0].text else "text_changed"


def same_text(one: str, other: str | None) -> bool:
    """Whether two texts are equal after folding, ignoring white space.

    >>> same_text("２０２４ 年", "2024年"), same_text("2024", None)
    (True, False)
    """
    return other is not None and _Text(folded, [one]).text == _Text(folded, [other]).text


def is_preserved(read: str, expected: ExpectedText) -> bool:
    """Whether text that the edit must not change is still in the text read, ignoring the text around it.

    >>> expected = ExpectedText.of("Fees stay as they are.")
    >>> is_preserved("Fees stay as they are.", expected), is_preserved("", expected)
    (True, False)
    """
    own_text, read_text = folded(expected.own_text), folded(read)
    if len(read_text) < MIN_NEIGHBOUR * len(own_text):
        return False
    return not own_text or partial_ratio(own_text, read_text) >= 100 * MIN_NEIGHBOUR


def _decide(expected: _Text, read: _Text, before: _Text, *plain: _Text) -> Outcome:
    """Return the outcome by the words of one form of the texts; the text around them is compared folded."""
    hunks = _hunks(before, expected)
    if _holds(read, expected, [hunk.after for hunk in hunks]):
        rest = _hunks(plain[2], plain[0]) if plain[0] is not expected else hunks
        if _around(plain[1], plain[0], [hunk.after for hunk in rest]) >= MIN_CONTEXT:
            return "done"
    unchanged = [hunk.before for hunk in hunks]
    before.own = _own_before(expected, before)
    if _holds(read, before, unchanged) and _around(read, before, unchanged) >= MIN_CONTEXT_NOT_DONE:
        return "not_done"
    nearer = Levenshtein.distance(read.text, expected.text) < Levenshtein.distance(before.text, expected.text)
    return "partly" if nearer and character_similarity(read.text, expected.text) >= MIN_PARTLY else "wrong_text"


def _own_before(expected: _Text, before: _Text) -> list[range]:
    """Return the spans of the text before the edit that belong to the region: changed, or inside it afterwards."""
    own = _covered(expected.own, len(expected.text))
    spans = []
    for op in Levenshtein.opcodes(expected.text, before.text):
        if op.tag != "equal":
            spans.append(range(op.dest_start, op.dest_end))
            continue
        shift = op.dest_start - op.src_start
        spans += [range(at + shift, at + shift + 1) for at in range(op.src_start, op.src_end) if own[at]]
    return spans


class _Text:
    """A text without white space, and the positions of its words."""

    def __init__(self, form: Callable[[str], str], pieces: Sequence[str], own: Sequence[bool] = ()) -> None:
        self.words: list[range] = []
        self.own: list[range] = []
        parts: list[str] = []
        at = 0
        for piece, is_own in zip(pieces, own or [True] * len(pieces), strict=True):
            spaced = form(piece)
            compact = "".join(spaced.split())
            position = _positions(spaced)
            self.words += [
                range(at + position[word.start()], at + position[word.end()]) for word in _TOKEN.finditer(spaced)
            ]
            if is_own:
                self.own.append(range(at, at + len(compact)))
            parts.append(compact)
            at += len(compact)
        self.text = "".join(parts)
        self._starts = [word.start for word in self.words]
        self.runs = [range(*run.span()) for run in _RUN.finditer(self.text)]

    def words_at(self, start: int, stop: int) -> list[range]:
        """Return the words that overlap or touch the text between two positions."""
        first = max(0, bisect_left(self._starts, start) - 1)
        last = bisect_right(self._starts, stop)
        return [word for word in self.words[first:last] if word.stop >= start]


def _positions(spaced: str) -> list[int]:
    """Return for every position in a text the number of non-space characters before it."""
    positions = [0]
    for character in spaced:
        positions.append(positions[-1] + (not character.isspace()))
    return positions


class _Hunk(NamedTuple):
    """A change: a span of the text before and one of the text after the edit, in whole words."""

    before: range
    after: range


def _hunks(before: _Text, after: _Text) -> list[_Hunk]:
    hunks = []
    for op in Levenshtein.opcodes(before.text, after.text):
        if op.tag != "equal":
            one, other = range(op.src_start, op.src_end), range(op.dest_start, op.dest_end)
            changed = before.text[one.start : one.stop] + after.text[other.start : other.stop]
            split = _splits_word(one, before) or _splits_word(other, after) or not _LETTER.search(changed)
            hunks.append(_Hunk(_whole_words(one, before, split), _whole_words(other, after, split)))
    return hunks


def _splits_word(span: range, text: _Text) -> bool:
    """Whether a span begins or ends inside a word."""
    return _cuts_word(span.start, text) or _cuts_word(span.stop, text)


def _whole_words(span: range, text: _Text, split: bool) -> range:
    """Extend a span to whole words; if a word is split or only punctuation changes, also to touching words."""
    start, stop = span.start, span.stop
    for word in text.words_at(span.start, span.stop):
        meets = word.start < span.stop and span.start < word.stop
        if meets or split:
            start, stop = min(start, word.start), max(stop, word.stop)
    for run in text.runs:
        if run.start <= stop and start <= run.stop:
            short = len(run) <= SHORT_RUN
            start = min(start, run.start if short else max(run.start, start - REACH))
            stop = max(stop, run.stop if short else min(run.stop, stop + REACH))
    return range(start, stop)


def _holds(read: _Text, text: _Text, spans: Sequence[range]) -> bool:
    """Whether the text read contains all spans of a text without an error, as whole words, without insertions."""
    ops = list(Levenshtein.opcodes(text.text, read.text))
    for op in ops:
        if op.tag == "insert":
            first, last = _slide(text.text, read.text[op.dest_start : op.dest_end], op.src_start)
            if any(first <= span.stop and span.start <= last for span in spans):
                return False
        elif op.tag != "equal" and any(op.src_start < span.stop and span.start < op.src_end for span in spans):
            return False
    return all(_is_whole(span, text, read, ops) for span in spans if span)


def _is_whole(span: range, text: _Text, read: _Text, ops: Sequence[Opcode]) -> bool:
    """Whether a correctly read span is not a part of a longer word, such as `75` instead of `7.`."""
    edges = {span.start: _position_in_read(span.start, ops), span.stop: _position_in_read(span.stop - 1, ops) + 1}
    return all(_cuts_word(edge, text) or not _cuts_word(position, read) for edge, position in edges.items())


def _position_in_read(at: int, ops: Sequence[Opcode]) -> int:
    """Return the position of a character in the text read."""
    for op in ops:
        if op.tag == "equal" and op.src_start <= at < op.src_end:
            return int(op.dest_start + at - op.src_start)
    return 0


def _cuts_word(edge: int, text: _Text) -> bool:
    return any(word.start < edge < word.stop for word in text.words_at(edge, edge))


def _slide(text: str, inserted: str, at: int) -> tuple[int, int]:
    """Return the first and last position where the insertion gives the same text: `very ` before or after `very `."""
    whole = text[:at] + inserted + text[at:]
    first = last = at
    while first > 0 and whole[first - 1] == whole[first - 1 + len(inserted)]:
        first -= 1
    while last < len(text) and whole[last] == whole[last + len(inserted)]:
        last += 1
    return first, last


def _around(read: _Text, text: _Text, spans: Sequence[range]) -> float:
    """Return the share of correct own characters outside the spans; 1 if only FREE_ERRORS are wrong."""
    inside = _covered(spans, len(text.text))
    own = _covered(text.own, len(text.text))
    counted = sum(is_own and not is_inside for is_own, is_inside in zip(own, inside, strict=True))
    errors, numbers = 0, False
    for op in Levenshtein.opcodes(text.text, read.text):
        if op.tag != "equal" and (op.src_start == op.src_end or not all(inside[op.src_start : op.src_end])):
            near = [text.text[word.start : word.stop] for word in text.words_at(op.src_start, op.src_end)]
            numbers = numbers or _DIGIT.search("".join([*near, read.text[op.dest_start : op.dest_end]])) is not None
        if op.tag == "insert":
            at = min(op.src_start, len(text.text) - 1)
            if at < 0 or (own[at] and not any(span.start <= op.src_start <= span.stop for span in spans)):
                errors += op.dest_end - op.dest_start
        elif op.tag != "equal":
            hit = sum(own[at] and not inside[at] for at in range(op.src_start, op.src_end))
            longer = max(0, (op.dest_end - op.dest_start) - (op.src_end - op.src_start))
            errors += hit + (longer if hit else 0)
    if errors <= FREE_ERRORS and errors < counted and not numbers:
        return 1.0
    return max(0.0, 1.0 - errors / counted) if counted else float(errors == 0)


def _covered(spans: Sequence[range], length: int) -> list[bool]:
    covered = [False] * length
    for span in spans:
        for at in span:
            covered[at] = True
    return covered


def _folded_away(expected: _Text, before: _Text) -> list[range]:
    """Return the spans of the expected text whose change is invisible after folding."""
    return [
        hunk.after
        for hunk in _hunks(before, expected)
        if folded(_cut(before, hunk.before)) == folded(_cut(expected, hunk.after))
    ]


def _cut(text: _Text, span: range) -> str:
    return text.text[span.start : span.stop]
