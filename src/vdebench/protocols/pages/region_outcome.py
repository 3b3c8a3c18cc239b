"""The outcome of an edit in a region, from what the region reads, what it should read, and what it read before.

The words that the edit changes must be right to the last character; of the text around them most must stand. Texts are
compared folded (`metrics.folding`) and without white space. Where an edit changes only what folding makes equal, such
as `1` to `１`, the unfolded text decides for these words.
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

STANDS = 0.95
"""Share of the characters around the changed words that must be right; docs/protocols.md has the measurement."""
FREE_ERRORS = 2
"""Characters around the changed words that may always be wrong, but not in numbers: of a short text one is much."""
UNTOUCHED = 0.8
"""The same share for an edit that was not done: a page that was redrawn besides is something else."""
BESIDE = 0.7
"""How well the text beside a deletion must be found in what is read there: on a page that was wiped out it is not."""
PARTLY = 0.5
"""Character similarity below which a region holds some other text, not a part of the edit."""
CAN_READ = 0.6
"""Character similarity of what the reader reads in the reference to what stands there, from which it can read it."""
SHORT_RUN, REACH = 12, 4
"""A run of Chinese characters up to this length is one word; of a longer one, so many characters beside the change."""

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
_SAYS = regex.compile(r"[\p{L}\p{N}]")


class ExpectedText(NamedTuple):
    """What a region should read, in pieces; `own` are the pieces that lie in the region, the others came with them."""

    pieces: Sequence[str]
    own: Sequence[bool]

    @classmethod
    def of(cls, text: str) -> ExpectedText:
        """A text that is all the region's own."""
        return cls([text], [True])

    @property
    def own_text(self) -> str:
        """The pieces that lie in the region."""
        return settled("\n".join(piece for piece, own in zip(self.pieces, self.own, strict=True) if own))

    @property
    def text(self) -> str:
        """All pieces."""
        return settled("\n".join(self.pieces))


def outcome(read: str, wanted: str | ExpectedText, before: str | None) -> Outcome:
    """The outcome of an edit; `before` is None where the text before the edit is unknown.

    >>> outcome("Total: 412.7", wanted="Total: 412.7", before="Total: 418.7")
    'done'
    >>> outcome("Total: 418.7", wanted="Total: 412.7", before="Total: 418.7")
    'not_done'
    >>> outcome("Tofal: 412.7", wanted="Total: 412.7", before="Total: 418.7")  # a misread letter beside the edit
    'done'
    >>> outcome("aged 49", wanted="aged 19", before="aged 18")  # the whole number counts
    'wrong_text'
    >>> outcome("Keep this.", wanted="Keep this.", before="Keep this. Drop that.")  # a deletion
    'done'
    >>> outcome("Red", wanted="Red", before="Red")  # a new colour does not show in text
    'text_kept'
    """
    wanted = ExpectedText.of(wanted) if isinstance(wanted, str) else wanted
    check_length(read, max(wanted.text, before or "", key=len))
    plain = [_Text(folded, wanted.pieces, wanted.own), _Text(folded, [read]), _Text(folded, [before or ""])]
    strict = [_Text(settled, wanted.pieces, wanted.own), _Text(settled, [read]), _Text(settled, [before or ""])]
    if before is None:
        return "done" if plain[1].text == plain[0].text else "wrong_text"
    if strict[0].text == strict[2].text:
        return _of_spaces(settled(read), wanted.text, settled(before), plain)
    if plain[1].text == plain[2].text and plain[0].text != plain[2].text:
        return "not_done"
    if plain[0].text == plain[2].text:
        return _decided(*strict, *plain)
    found = _decided(*plain, *plain)
    if found == "done" and not _holds(strict[1], strict[0], _folded_away(strict[0], strict[2])):
        return "partly"
    return found


def _of_spaces(read: str, wanted: str, before: str, plain: Sequence[_Text]) -> Outcome:
    """The outcome of an edit that changes no character but white space, or nothing that text shows."""
    if wanted != before and read in (wanted, before):
        return "done" if read == wanted else "not_done"
    return "text_kept" if plain[1].text == plain[0].text else "text_changed"


def same_text(one: str, other: str | None) -> bool:
    """Whether two texts are equal but for folding and white space.

    >>> same_text("２０２４ 年", "2024年"), same_text("2024", None)
    (True, False)
    """
    return other is not None and _Text(folded, [one]).text == _Text(folded, [other]).text


def stands(read: str, wanted: ExpectedText) -> bool:
    """Whether a text that nobody asked to change is still there, however the text around it is read.

    >>> expected = ExpectedText.of("Fees stay as they are.")
    >>> stands("Fees stay as they are.", expected), stands("", expected)
    (True, False)
    """
    expected, found = folded(wanted.own_text), folded(read)
    if len(found) < BESIDE * len(expected):
        return False
    return not expected or partial_ratio(expected, found) >= 100 * BESIDE


def _decided(wanted: _Text, read: _Text, before: _Text, *plain: _Text) -> Outcome:
    """The outcome by the words of one form of the texts; what stands around them is compared in the folded form."""
    hunks = _hunks(before, wanted)
    if _holds(read, wanted, [hunk.after for hunk in hunks]):
        rest = _hunks(plain[2], plain[0]) if plain[0] is not wanted else hunks
        if _around(plain[1], plain[0], [hunk.after for hunk in rest]) >= STANDS:
            return "done"
    unchanged = [hunk.before for hunk in hunks]
    before.own = _own_before(wanted, before)
    if _holds(read, before, unchanged) and _around(read, before, unchanged) >= UNTOUCHED:
        return "not_done"
    nearer = Levenshtein.distance(read.text, wanted.text) < Levenshtein.distance(before.text, wanted.text)
    return "partly" if nearer and character_similarity(read.text, wanted.text) >= PARTLY else "wrong_text"


def _own_before(wanted: _Text, before: _Text) -> list[range]:
    """The spans of the text before the edit that are the region's own: changed by the edit, or its own afterwards."""
    own = _covered(wanted.own, len(wanted.text))
    spans = []
    for op in Levenshtein.opcodes(wanted.text, before.text):
        if op.tag != "equal":
            spans.append(range(op.dest_start, op.dest_end))
            continue
        shift = op.dest_start - op.src_start
        spans += [range(at + shift, at + shift + 1) for at in range(op.src_start, op.src_end) if own[at]]
    return spans


class _Text:
    """A text without white space, and where its words stand in it."""

    def __init__(self, form: Callable[[str], str], pieces: Sequence[str], own: Sequence[bool] = ()) -> None:
        self.words: list[range] = []
        self.own: list[range] = []
        parts: list[str] = []
        at = 0
        for piece, is_own in zip(pieces, own or [True] * len(pieces), strict=True):
            spaced = form(piece)
            compact = "".join(spaced.split())
            place = _places(spaced)
            self.words += [range(at + place[word.start()], at + place[word.end()]) for word in _TOKEN.finditer(spaced)]
            if is_own:
                self.own.append(range(at, at + len(compact)))
            parts.append(compact)
            at += len(compact)
        self.text = "".join(parts)
        self._starts = [word.start for word in self.words]
        self.runs = [range(*run.span()) for run in _RUN.finditer(self.text)]

    def words_at(self, start: int, stop: int) -> list[range]:
        """Words that meet or touch the text between two places."""
        first = max(0, bisect_left(self._starts, start) - 1)
        last = bisect_right(self._starts, stop)
        return [word for word in self.words[first:last] if word.stop >= start]


def _places(spaced: str) -> list[int]:
    """For every position in a text, how many characters that are not white space stand before it."""
    places = [0]
    for character in spaced:
        places.append(places[-1] + (not character.isspace()))
    return places


class _Hunk(NamedTuple):
    """What an edit changes: a span of the text before and one of the text after, whole words in both."""

    before: range
    after: range


def _hunks(before: _Text, after: _Text) -> list[_Hunk]:
    hunks = []
    for op in Levenshtein.opcodes(before.text, after.text):
        if op.tag != "equal":
            one, other = range(op.src_start, op.src_end), range(op.dest_start, op.dest_end)
            changed = before.text[one.start : one.stop] + after.text[other.start : other.stop]
            split = _splits_word(one, before) or _splits_word(other, after) or not _SAYS.search(changed)
            hunks.append(_Hunk(_whole_words(one, before, split), _whole_words(other, after, split)))
    return hunks


def _splits_word(span: range, text: _Text) -> bool:
    """Whether a span begins or ends inside a word."""
    return _cuts_word(span.start, text) or _cuts_word(span.stop, text)


def _whole_words(span: range, text: _Text, split: bool) -> range:
    """The span grown to whole words; where a word is split on either side, or only marks change, also the words that
    the span touches."""
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
    """Whether what is read has all spans of a text without an error, as whole words, with nothing inserted."""
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
    """Whether a span that is read without an error is not a part of longer words: `75` where `7.` should stand."""
    edges = {span.start: _place_in_read(span.start, ops), span.stop: _place_in_read(span.stop - 1, ops) + 1}
    return all(_cuts_word(edge, text) or not _cuts_word(there, read) for edge, there in edges.items())


def _place_in_read(at: int, ops: Sequence[Opcode]) -> int:
    """Where a character of a text stands in what is read."""
    for op in ops:
        if op.tag == "equal" and op.src_start <= at < op.src_end:
            return int(op.dest_start + at - op.src_start)
    return 0


def _cuts_word(edge: int, text: _Text) -> bool:
    return any(word.start < edge < word.stop for word in text.words_at(edge, edge))


def _slide(text: str, inserted: str, at: int) -> tuple[int, int]:
    """The first and the last place where inserting something gives the same text: `very ` before or after `very `."""
    whole = text[:at] + inserted + text[at:]
    first = last = at
    while first > 0 and whole[first - 1] == whole[first - 1 + len(inserted)]:
        first -= 1
    while last < len(text) and whole[last] == whole[last + len(inserted)]:
        last += 1
    return first, last


def _around(read: _Text, text: _Text, spans: Sequence[range]) -> float:
    """Share of the text's own characters outside the spans that are right; 1 where a few are wrong at most."""
    inside = _covered(spans, len(text.text))
    own = _covered(text.own, len(text.text))
    counted = sum(mine and not hidden for mine, hidden in zip(own, inside, strict=True))
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


def _folded_away(wanted: _Text, before: _Text) -> list[range]:
    """Spans of the wanted text that differ from the text before only in what folding makes equal."""
    return [
        hunk.after
        for hunk in _hunks(before, wanted)
        if folded(_cut(before, hunk.before)) == folded(_cut(wanted, hunk.after))
    ]


def _cut(text: _Text, span: range) -> str:
    return text.text[span.start : span.stop]
