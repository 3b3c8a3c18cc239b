"""Text that moved to other lines: pieces missing on one side and new on the other, compared as running text."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

import regex

from vdebench.changes.words import LineText, PlacedText, compared, is_meaningful, tokens
from vdebench.core.box import Box
from vdebench.core.images import Image

MIN_LATIN, MIN_HAN = 4, 2
"""Least number of characters of a piece of text that is recognised elsewhere."""
MAX_CHARACTERS = 12_000
"""Longest text that is searched; a page that was replaced as a whole has more."""
MAX_LEADING = 2.5
"""Greatest distance of two lines that follow each other, in heights, from top to top."""
_HAN = regex.compile(r"\p{Han}")


class Piece(NamedTuple):
    """A range of characters of a line that has no counterpart at its place."""

    line: int
    text: LineText
    span: range
    box: Box
    """Of the whole line."""
    image: Image
    """Of the whole line."""
    origin: int = -1
    """Equal for the two sides of a difference at the end of a line; -1 for other pieces."""

    @property
    def words(self) -> str:
        """The text of the piece."""
        return self.text.text[self.span.start : self.span.stop].strip()

    def box_of(self, span: range) -> Box:
        """Return the box of a range of characters."""
        return PlacedText(self.box, self.text).part(range(span.start, max(span.stop, span.start + 1)))


class RemainingText(NamedTuple):
    """Text that is on one side only: a piece on each side (replaced), or on one of them (lost, added)."""

    lost: Piece | None
    added: Piece | None


class _Side:
    """The compared characters of all pieces of one side, and which of them were found on the other."""

    def __init__(self, pieces: Sequence[Piece], separator: str) -> None:
        self.pieces = pieces
        characters: list[str] = []
        self.owner: list[tuple[int, int]] = []
        for chain in _chains(pieces):
            for place, number in enumerate(chain):
                piece = pieces[number]
                part = compared(piece.text.text[piece.span.start : piece.span.stop])
                kept = len(part.characters)
                if place < len(chain) - 1 and part.characters.endswith("-"):
                    kept -= 1  # a word that is broken at the end of a line
                characters += part.characters[:kept]
                self.owner += [(number, piece.span.start + at) for at in part.positions[:kept]]
            characters.append(separator)
            self.owner.append((chain[-1], -1))
        self.text = "".join(characters)
        self.found = [position == -1 for _, position in self.owner]
        self.partner = [-1] * len(self.owner)

    def origin(self, index: int) -> int:
        """Return the number of the difference that a character belongs to; -1 for other pieces."""
        return self.pieces[self.owner[index][0]].origin

    def remaining(self) -> list[Remaining]:
        """Return the pieces that were not found, in whole words, and the index of their first character."""
        result: list[Remaining] = []
        by_piece: dict[int, dict[int, int]] = {}
        for index, (number, position) in enumerate(self.owner):
            if position >= 0:
                by_piece.setdefault(number, {}).setdefault(position, index)
        for number, piece in enumerate(self.pieces):
            indices = by_piece.get(number, {})
            run: list[range] = []
            for token in tokens(piece.text.text):
                inside = [at for at in token if at in indices]
                left = [at for at in inside if not self.found[indices[at]]]
                if left:
                    run.append(token)
                elif run and inside:
                    result.append(self._joined(piece, run, indices))
                    run = []
            if run:
                result.append(self._joined(piece, run, indices))
        return [each for each in result if is_meaningful(each[0].text.text[each[1].start : each[1].stop])]

    def release_numbers(self, other: _Side) -> bool:
        """Mark numbers that were found in part as not found, on both sides; return whether there were any."""
        indices: dict[tuple[int, int], list[int]] = {}
        for index, owner in enumerate(self.owner):
            indices.setdefault(owner, []).append(index)
        released = False
        for number, piece in enumerate(self.pieces):
            for token in tokens(piece.text.text):
                inside = [index for at in token for index in indices.get((number, at), ())]
                found = [index for index in inside if self.found[index]]
                digits = any(character.isdigit() for character in piece.text.text[token.start : token.stop])
                if not digits or not found or len(found) == len(inside):
                    continue
                for index in found:
                    other.found[self.partner[index]] = self.found[index] = False
                    other.partner[self.partner[index]] = self.partner[index] = -1
                released = True
        return released

    def _joined(self, piece: Piece, run: Sequence[range], indices: dict[int, int]) -> Remaining:
        span = range(run[0].start, run[-1].stop)
        return piece, span, min(indices[at] for at in span if at in indices)


def _chains(pieces: Sequence[Piece]) -> list[list[int]]:
    """Return the numbers of pieces that follow each other, line after line."""
    order = sorted(range(len(pieces)), key=lambda number: (pieces[number].box.y1, pieces[number].box.x1))
    chains: list[list[int]] = []
    for number in order:
        piece = pieces[number]
        for chain in reversed(chains):
            last = pieces[chain[-1]]
            height = max(last.box.y2 - last.box.y1, 1.0)
            below = 0.5 * height < piece.box.y1 - last.box.y1 < MAX_LEADING * height
            shared = min(piece.box.x2, last.box.x2) - max(piece.box.x1, last.box.x1)
            narrow = min(piece.box.x2 - piece.box.x1, last.box.x2 - last.box.x1)
            whole = last.span.stop >= len(last.text.text.rstrip()) and piece.span.start == 0
            if below and whole and shared > 0.5 * narrow:
                chain.append(number)
                break
        else:
            chains.append([number])
    return chains


def compare_running_text(lost: Sequence[Piece], added: Sequence[Piece]) -> list[RemainingText]:
    """Return the text that is really lost, added or replaced, after removing text that is on both sides.

    Pieces are compared by characters, whatever lines they are on, the longest common text first. A lost piece and an
    added one that follow the same text replace each other.
    """
    one, other = _Side(lost, "\0"), _Side(added, "\1")
    _find_common(one, other)
    while one.release_numbers(other) or other.release_numbers(one):
        pass
    gone, new = _without_pushed(one.remaining(), other.remaining())
    by_origin = {piece.origin: at for at, (piece, _, _) in enumerate(new) if piece.origin >= 0}
    after = {_predecessor(other, index): at for at, (_, _, index) in enumerate(new)}
    used: set[int] = set()
    result = []
    for piece, span, index in gone:
        match = by_origin.get(piece.origin) if piece.origin >= 0 else None
        if match is None and index > 0 and one.partner[index - 1] >= 0:
            match = after.get(one.partner[index - 1])
        if match is not None and match not in used:
            used.add(match)
            partner, partner_span, _ = new[match]
            result.append(RemainingText(piece._replace(span=span), partner._replace(span=partner_span)))
        else:
            result.append(RemainingText(piece._replace(span=span), None))
    result += [
        RemainingText(None, piece._replace(span=span)) for at, (piece, span, _) in enumerate(new) if at not in used
    ]
    return result


Remaining = tuple[Piece, range, int]


def _without_pushed(gone: list[Remaining], new: list[Remaining]) -> tuple[list[Remaining], list[Remaining]]:
    """Leave out short text that was pushed over the end of a line: the same on both sides, in neighbouring lines."""
    left = list(new)
    kept = []
    for item in gone:
        match = next((each for each in left if _text_of(each) == _text_of(item) and _is_pushed(item, each)), None)
        if match is None:
            kept.append(item)
        else:
            left.remove(match)
    return kept, left


def _is_pushed(one: Remaining, other: Remaining) -> bool:
    """Whether text went from the end of a line to the beginning of the next one, or back."""
    (before, gone, _), (after, new, _) = one, other
    box, place = before.box, after.box
    reach = MAX_LEADING * (box.y2 - box.y1)
    if abs(place.y1 - box.y1) > reach or min(box.x2, place.x2) <= max(box.x1, place.x1):
        return False
    down = gone.stop == len(before.text.text) and not after.text.text[: new.start].strip() and place.y1 > box.y1
    up = not before.text.text[: gone.start].strip() and new.stop == len(after.text.text) and place.y1 < box.y1
    return down or up


def _text_of(item: Remaining) -> str:
    piece, span, _ = item
    characters = compared(piece.text.text[span.start : span.stop]).characters
    return "".join(each for each in characters if is_meaningful(each))


def _predecessor(side: _Side, index: int) -> int:
    return index - 1 if index > 0 else -2


def _find_common(one: _Side, other: _Side) -> None:
    """Mark common text as found, the longest first."""
    if not one.text or not other.text or max(len(one.text), len(other.text)) > MAX_CHARACTERS:
        return
    matcher = SequenceMatcher(None, one.text, other.text, autojunk=False)
    ranges = [(0, len(one.text), 0, len(other.text))]
    blocks = []
    while ranges:
        low, high, other_low, other_high = ranges.pop()
        block = matcher.find_longest_match(low, high, other_low, other_high)
        if block.size and _is_long(one.text[block.a : block.a + block.size]):
            blocks.append(block)
            ranges += [(low, block.a, other_low, other_high), (block.a + block.size, high, other_low, other_high)]
    for block in sorted(blocks, key=lambda each: -each.size):
        for step in range(block.size):
            index, partner = block.a + step, block.b + step
            if one.origin(index) == other.origin(partner) >= 0:
                continue  # both sides of one difference
            if not one.found[index] and not other.found[partner]:
                one.found[index] = other.found[partner] = True
                one.partner[index], other.partner[partner] = partner, index


def _is_long(text: str) -> bool:
    return len(text) >= MIN_LATIN or len(_HAN.findall(text)) >= MIN_HAN
