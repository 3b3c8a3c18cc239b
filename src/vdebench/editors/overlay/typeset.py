"""Edit the text of a paragraph: remove and insert words, break lines again, move pixels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vdebench.core.images import Image
from vdebench.editors.overlay.font_match import FontFit, fit_style, stencil
from vdebench.editors.overlay.fonts import WordRenderer
from vdebench.editors.overlay.location import OverlayPage, Paragraph, TextSpan
from vdebench.editors.overlay.measurement import (
    UNLIKE,
    MeasuredLine,
    corrected,
    fit_line,
    ink_colour,
    link_rows,
    measure_row,
    samples_of,
)
from vdebench.editors.overlay.paper import Colour, as_pixels, set_ink
from vdebench.editors.overlay.reflow import Align, Layout, LineColumn, PlacedWord, is_justified
from vdebench.editors.overlay.room import is_free, right_edge, shift
from vdebench.editors.overlay.words import LineWord, part_between, pieces_of, units_of
from vdebench.instructions.request import EditRequest, NotUnderstoodError


class ParagraphEdit:
    """An edit of one paragraph."""

    def __init__(
        self, setter: WordRenderer, page: OverlayPage, paragraph: Paragraph, spot: TextSpan, request: EditRequest
    ) -> None:
        self.setter, self.page, self.paragraph, self.request = setter, page, paragraph, request
        self.texts, self.spot = corrected(paragraph, spot, request.target)
        self.out: Image = page.image.copy()
        self.first = self.spot.line
        self.fit = self._fit(self.texts[self.first])
        if self.fit.likeness < UNLIKE:
            raise NotUnderstoodError(f"the text's font does not match our fonts (similarity {self.fit.likeness:.2f})")
        self.rows = self._rows()
        self.face, self.colour = self._face()

    def _fit(self, text: str) -> FontFit:
        number = max(range(len(self.texts)), key=lambda k: len(self.texts[k]) if k >= self.first else 0)
        return fit_line(self.setter, self.page.image, self.paragraph.lines[number], self.texts[number])

    def _rows(self) -> list[MeasuredLine]:
        rows = []
        for number in range(self.first, len(self.texts)):
            cuts = []
            if number == self.spot.line:
                cuts.append(self.spot.start)
            if number == self.spot.last_line:
                cuts.append(self.spot.end)
            line = self.paragraph.lines[number]
            rows.append(
                measure_row(self.setter, self.page.image, line, number, self.texts[number], self.fit, tuple(cuts))
            )
        link_rows(rows)
        return rows

    def _touched(self) -> list[tuple[MeasuredLine, list[LineWord]]]:
        """Return the words of the range, row by row."""
        found = []
        for row, number in zip(self.rows, range(self.first, len(self.texts)), strict=True):
            if not self.spot.line <= number <= self.spot.last_line:
                continue
            start = self.spot.start if number == self.spot.line else 0
            end = self.spot.end if number == self.spot.last_line else len(self.texts[number])
            cuts = (self.spot.start,) * (number == self.spot.line) + (self.spot.end,) * (number == self.spot.last_line)
            places = [place for _, _, place in pieces_of(self.texts[number], cuts)]
            words = [word for word, place in zip(row.words, places, strict=False) if start <= place < end]
            words += [word for word in row.words if word.soft and number < self.spot.last_line]
            found.append((row, words))
        return found

    def _face(self) -> tuple[FontFit, Colour]:
        """Return font and colour of the replaced words, or of the neighbours of inserted ones."""
        touched = [(row, words) for row, words in self._touched() if words]
        if not touched:
            raise NotUnderstoodError("the text was found, but not its position in the line")
        row, words = max(touched, key=lambda pair: sum(len(word.text) for word in pair[1]))
        fit = self.fit
        text = "".join(word.part + word.text for word in words).strip()
        if 4 <= len(text) < 0.7 * len(self.texts[words[0].line or 0]):
            part = row.paper.ink[:, max(0, words[0].left - row.paper.place.x1) : words[-1].right - row.paper.place.x1]
            own = fit_style(self.setter, np.ascontiguousarray(part), text, samples_of(text), self.fit.size)
            if own.style != fit.style and own.likeness > fit.likeness + 0.02 and abs(own.size / fit.size - 1) < 0.06:
                fit = own._replace(size=fit.size)
        colour = ink_colour(self.setter, self.page.image, row, words, fit)
        if colour is None:
            colour = ink_colour(self.setter, self.page.image, row, row.words, self.fit)
        if colour is None:
            raise NotUnderstoodError("the text has no ink that could be matched")
        return fit, colour

    # --- what changes -------------------------------------------------------------------------------------------------

    def words(self) -> list[LineWord]:
        """Return all words from the first changed line on, after the edit."""
        touched = [word for _, words in self._touched() for word in words]
        every = [word for row in self.rows for word in row.words]
        first, last = every.index(touched[0]), every.index(touched[-1])
        new = self._new()
        action = self.request.action
        if action == "insert_block" and new:
            new[0].begins = True
            before, after = every, []
        elif action == "insert_after":
            before, after = every[: last + 1], every[last + 1 :]
        elif action == "insert_before":
            before, after = every[:first], every[first:]
        else:
            before, after = every[:first], every[last + 1 :]
        if new:
            new[0].part = self._part(before, new[0], touched[0])
            if after and action != "replace":
                after[0].part = (
                    part_between(new[-1].text, after[0].text) if action == "insert_before" else after[0].part
                )
        elif before and after:
            after[0].part = part_between(before[-1].text, after[0].text) and (touched[0].part or after[0].part)
        return [*before, *new, *after]

    def _part(self, before: Sequence[LineWord], new: LineWord, old: LineWord) -> str:
        if not before:
            return ""
        if self.request.action in ("replace", "insert_before"):
            return old.part
        return part_between(before[-1].text, new.text)

    def _new(self) -> list[LineWord]:
        pieces = pieces_of(self.request.new)
        set_ = self.setter.words([text for text, _, _ in pieces], self.face.style)
        return [
            LineWord(text, part, advance=word.advance * self.face.size)
            for (text, part, _), word in zip(pieces, set_, strict=True)
        ]

    # --- where it stands ----------------------------------------------------------------------------------------------

    def column(self, align: Align) -> LineColumn:
        """Return the edges of the paragraph."""
        right = max(row.words[-1].pen + row.words[-1].advance for row in self.rows)
        right = max(right, *(line.box.x2 - 0.15 * line.height for line in self.paragraph.lines))
        justified = align == "left" and is_justified(self.setter, self.fit, self.rows, right)
        if not justified:
            right = max(right, right_edge(self.page, self.paragraph, align))
        starts = [row.words[0].pen for row in self.rows[1:]] or [self.rows[0].words[0].pen]
        left = float(np.median(starts))
        if len(self.rows) == 1 and self.first == 0 and len(self.rows[0].words[0].text) == 1:
            words = self.rows[0].words
            if len(words) > 1 and not words[0].text.isalnum():
                left = float(words[1].pen)  # hanging indent beside a bullet
        if align != "left":
            mid = (self.rows[0].words[0].pen + self.rows[0].words[-1].pen + self.rows[0].words[-1].advance) / 2
            half = max(right - mid, mid - self.paragraph.box.x1)
            left, right = (mid - half, mid + half) if align == "center" else (self.paragraph.box.x1, right)
        return LineColumn(left, right, align, justified)

    def run(self, align: Align = "left", column: LineColumn | None = None) -> Image:
        """Return the edited page."""
        column = column or self.column(align)
        self._keep_breaks(column)
        words = self.words()
        layout = Layout(self.setter, self.face if len(self.rows) == 1 else self.fit, column)
        first_pen = float(self.rows[0].words[0].pen) if align == "left" else column.left
        lines = layout.lines(words, first_pen) if words else []
        more = len(lines) - len(self.rows)
        pitch = self._pitch()
        baselines = [row.baseline for row in self.rows]
        while len(baselines) < len(lines):
            baselines.append(baselines[-1] + pitch)
        self._clean(lines)
        if more:
            self._make_room(more, pitch, lines, baselines, column)
        for line, baseline in zip(lines, baselines, strict=False):
            for each in line:
                self._draw(each, baseline)
        return self.out

    def _keep_breaks(self, column: LineColumn) -> None:
        """Keep line breaks where the next word would have fit: they are intentional."""
        for above, below in zip(self.rows, self.rows[1:], strict=False):
            unit = units_of(below.words)[0]
            width = sum(word.advance for word in unit) + 0.25 * self.fit.size
            if above.words[-1].pen + above.words[-1].advance + width < column.right - 0.5 * self.fit.size:
                below.words[0].begins = True

    def _pitch(self) -> int:
        """Return the distance between baselines."""
        lines = self.paragraph.lines
        if len(self.rows) > 1:
            return round((self.rows[-1].baseline - self.rows[0].baseline) / (len(self.rows) - 1))
        if len(lines) > 1:
            return round((lines[-1].box.y2 - lines[0].box.y2) / (len(lines) - 1))
        high = lines[0].height
        beside = [
            abs(other.lines[0].box.y2 - lines[0].box.y2)
            for other in self.page.paragraphs
            if other is not self.paragraph
            and abs(other.box.x1 - lines[0].box.x1) < high
            and 0.8 < other.height / high < 1.25
        ]  # use the distance of list items
        near = [far for far in beside if 0.9 * self.fit.size < far < 2.2 * self.fit.size]
        return round(min(near)) if near else round(1.35 * self.fit.size)

    def _make_room(
        self, more: int, pitch: int, lines: list[list[PlacedWord]], baselines: list[int], column: LineColumn
    ) -> None:
        box = self.paragraph.box
        last = self.rows[-1]
        if more < 0:
            if lines or self.first:
                shift(self.page, self.out, box, self.paragraph.height, last.bottom, more * pitch)
            return
        top = last.bottom + 1
        bottom = baselines[-1] + last.under + 2
        shifted = shift(self.page, self.out, box, self.paragraph.height, top, more * pitch)
        if not shifted or not is_free(self.page, self.out, column.left - 2, top, column.right, bottom):
            raise NotUnderstoodError(
                f"the paragraph would be {more} line{'s' * (more > 1)} longer and there is no room"
            )

    # --- pixels -------------------------------------------------------------------------------------------------------

    def _clean(self, lines: list[list[PlacedWord]]) -> None:
        """Erase words that move or are deleted."""
        stay = {
            id(each.word)
            for line, row in zip(lines, self.rows, strict=False)
            for each in line
            if self._stays(each, row)
        }
        for row in self.rows:
            for word in row.words:
                if id(word) not in stay:
                    row.paper.clean(self.out, word.left, word.right, row.top, row.bottom)

    def _stays(self, each: PlacedWord, row: MeasuredLine) -> bool:
        return any(each.word is word for word in row.words) and round(each.pen) == each.word.pen

    def _row_of(self, word: LineWord) -> MeasuredLine:
        assert word.line is not None
        return self.rows[word.line - self.first]

    def _draw(self, each: PlacedWord, baseline: int) -> None:
        word = each.word
        if word.is_new:
            drawn = stencil(self.setter, word.text, self.face.style, self.face.size)
            if drawn:
                set_ink(self.out, drawn.ink, self.colour, round(each.pen) - drawn.pen, baseline - drawn.baseline)
            return
        row = self._row_of(word)
        if row.baseline == baseline and round(each.pen) == word.pen:
            return
        move(self.page.image, self.out, row, word, round(each.pen) - word.pen, baseline - row.baseline)


def move(image: Image, out: Image, row: MeasuredLine, word: LineWord, right: int, down: int) -> None:
    """Copy a word's ink to another position, onto the background there."""
    paper = row.paper
    x1, x2 = max(word.left, paper.place.x1), min(word.right, paper.place.x2)
    y1, y2 = max(row.top, paper.place.y1), min(row.bottom, paper.place.y2)
    part = image[y1:y2, x1:x2].astype(np.float32)
    change = part - paper.rows[y1 - paper.place.y1 : y2 - paper.place.y1, None]
    left, top = x1 + right, y1 + down
    if left < 0 or top < 0 or left + x2 - x1 > out.shape[1] or top + y2 - y1 > out.shape[0]:
        raise NotUnderstoodError("the text would extend beyond the page")
    under = out[top : top + y2 - y1, left : left + x2 - x1]
    inked = np.abs(change).max(axis=2) > 3
    under[inked] = as_pixels(under.astype(np.float32) + change)[inked]
