"""Composition of blocks from words: paragraphs, lists, tables, figures, formulas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from vdebench.suites.typeset.document import Block, Chart, DocumentCell, Formula, Rule, Span, Table, Text
from vdebench.suites.typeset.language_rules import get_rules
from vdebench.suites.typeset.words import Phrase, Writer, formulas

_OPTIONS = "ABCD"
_MARKERS = ("• ", "– ", "▪ ")


class Composer:
    """Builds blocks and assigns ids and the numbers of headings, figures, tables and formulas."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.rng: Random = writer.rng
        self._ids = self._headings = self._figures = self._tables = self._formulas = self._questions = 0
        self._marker = self.rng.choice(_MARKERS)

    def _id(self) -> int:
        self._ids += 1
        return self._ids

    def text(self, role: str, *parts: Phrase | str, align: str = "left") -> Text:
        """Return a text block of several phrases."""
        whole = Phrase("")
        for part in parts:
            whole += Phrase(part) if isinstance(part, str) else part
        return Text(self._id(), role, (Span(whole.text),), align, whole.slots)

    def of(self, role: str, kind: str, source: str = "", align: str = "left") -> Text:
        """Return a text block of one entry of the content files."""
        return self.text(role, self.writer.phrase(kind, self.writer.pick_language(), source), align=align)

    def word(self, kind: str) -> str:
        """Return a word such as `Figure` in the first language of the page."""
        return self.writer.word(kind, self.writer.language.words[0])

    def paragraph(self, sentences: int, role: str = "paragraph", opening: str = "") -> Text:
        """Return a paragraph of about `sentences` sentences in one language."""
        language = self.writer.pick_language()
        sentences = round(sentences * get_rules(language).sentences_per_english_sentence)
        whole, places = Phrase(opening), []
        for index in range(sentences):
            sentence = self.writer.sentence(language)
            if index:
                whole += Phrase(get_rules(language).separator)
            places.append((len(whole.text), len(whole.text) + len(sentence.text)))
            whole += sentence
        return replace(self.text(role, whole), sentences=tuple(places))

    def paragraphs(self, count: int, least: int, most: int, role: str = "paragraph") -> list[Block]:
        """Return paragraphs of `least` to `most` sentences."""
        return [self.paragraph(self.rng.randint(least, most), role) for _ in range(count)]

    def heading(self, role: str = "heading", number: str = "") -> Text:
        """Return the heading of a section; `number` is a pattern such as `{}.`"""
        self._headings += 1
        return self.text(
            role,
            f"{number.format(self._headings)} " if number else "",
            self.writer.phrase("heading", self.writer.pick_language()),
        )

    def section(self, paragraphs: int, least: int, most: int, number: str = "") -> list[Block]:
        """Return a heading and its paragraphs."""
        return [self.heading(number=number), *self.paragraphs(paragraphs, least, most)]

    def bullets(self, count: int, role: str = "bullet") -> list[Block]:
        """Return the items of a list."""
        return [
            self.text(role, self._marker, self.writer.phrase("bullet", self.writer.pick_language()))
            for _ in range(count)
        ]

    def jottings(self, count: int) -> list[Block]:
        """Return the lines of a notebook."""
        return [self.of("jotting", "note") for _ in range(count)]

    def definition(self, role: str = "panel") -> Text:
        """Return a term with its definition."""
        entry = self.writer.entry("definition", self.writer.pick_language())
        colon = self.writer.language.rules_of(entry["term"]).colon
        return self.text(role, f"{entry['term']}{colon}{entry['text']}")

    def choice(self) -> list[Block]:
        """Return a question with four options."""
        self._questions += 1
        language = self.writer.pick_language()
        entry = self.writer.entry("question", language)
        answers = self.rng.sample(entry["options"], len(_OPTIONS))
        options = [f"{letter}. {answer}" for letter, answer in zip(_OPTIONS, answers, strict=True)]
        ask = self.text("question", f"{self._questions}. ", self.writer.fill(entry["ask"], language))
        if sum(map(len, options)) < 4 * get_rules(language).min_quote_length:
            return [ask, self.text("option", "  ".join(options))]
        return [ask, *(self.text("option", option) for option in options)]

    def problem(self, role: str = "problem") -> Text:
        """Return an open question."""
        self._questions += 1
        return self.text(role, f"{self._questions}. ", self.writer.phrase("problem", self.writer.pick_language()))

    def formula(self, numbered: bool = True) -> Formula:
        """Return a displayed formula."""
        self._formulas += 1
        formula = self.rng.choice(formulas())
        return Formula(self._id(), formula["typst"], formula["latex"], f"({self._formulas})" if numbered else "")

    def rule(self, weight: float = 0.6) -> Rule:
        """Return a horizontal line."""
        return Rule(self._id(), weight)

    def figure(self, height: float = 100) -> list[Block]:
        """Return a chart and its caption."""
        self._figures += 1
        language = self.writer.pick_language()
        kind = self.rng.choice(["bars", "bars", "line", "area", "flow"])
        count = self.rng.randint(3, 4) if kind == "flow" else self.rng.randint(4, 6)
        if kind == "flow":
            words = [word for word in self.writer.terms(language) if len(word) <= 16] or self.writer.terms(language)
            chart = Chart(self._id(), kind, tuple(self.rng.sample(words, min(count, len(words)))), height=height * 0.6)
        else:
            first = self.rng.randint(1994, 2016)
            top = self.rng.choice([20, 40, 80, 160, 400, 1200])
            values = tuple(float(self.rng.randint(top // 4, top)) for _ in range(count))
            labels = (*(str(first + year) for year in range(count)), "0", f"{max(values) / 2:g}", f"{max(values):g}")
            chart = Chart(self._id(), kind, labels, values, height)
        label = self._label("figure", self._figures)
        return [chart, self.text("caption", label, self.writer.phrase("caption", language), align="center")]

    def table(self, columns: int, rows: int) -> list[Block]:
        """Return a title and its table."""
        self._tables += 1
        language = self.writer.pick_language()
        spec = self.writer.entry("table", language)
        table = _Table(self, spec, language, min(columns, len(spec["columns"])), min(rows, len(spec["rows"]))).table
        label = self._label("table", self._tables)
        title = self.text("table_title", label, self.writer.fill(spec["title"], language), align="center")
        return [title, table]

    def _label(self, kind: str, number: int) -> str:
        word = self.word(kind)
        return f"{word} {number}. " if word.isascii() else f"{word}{number} "

    def table_id(self) -> int:
        """Return an id for a table."""
        return self._id()


class _Table:
    """Builds one table: plain, with grouped columns, or with grouped rows."""

    def __init__(self, composer: Composer, spec: dict[str, Any], language: str, columns: int, rows: int) -> None:
        self.writer, self.rng, self.language = composer.writer, composer.rng, language
        self.columns = self.rng.sample(spec["columns"], columns)
        labels = self.rng.sample(spec["rows"], rows)
        shape = self.rng.choice(["plain", "plain", "head groups", "row groups"]) if columns >= 3 and rows >= 4 else ""
        left = 2 if shape == "row groups" else 1
        head = 2 if shape == "head groups" else 1
        cells = list(self._head(spec, shape, left, head))
        for row, label in enumerate(labels, start=head):
            cells.append(DocumentCell(row, left - 1, label))
            cells += [
                DocumentCell(row, left + column, self._value(each["value"])) for column, each in enumerate(self.columns)
            ]
        if shape == "row groups":
            half = rows // 2
            cells += [
                DocumentCell(1, 0, spec["groups"][0], rowspan=half),
                DocumentCell(1 + half, 0, spec["groups"][1], rowspan=rows - half),
            ]
        cells = self._with_gaps(cells, head, left)
        values = ("",) * left + tuple(each["value"] for each in self.columns)
        widths = ((1.6,) if left == 1 else (1.1, 1.4)) + (1.0,) * columns
        self.table = Table(
            composer.table_id(),
            tuple(cells),
            widths,
            head,
            values,
            spare_rows=tuple(label for label in spec["rows"] if label not in labels),
            spare_columns=tuple((each["head"], each["value"]) for each in spec["columns"] if each not in self.columns),
        )

    def _head(self, spec: dict[str, Any], shape: str, left: int, head: int) -> Iterator[DocumentCell]:
        yield DocumentCell(0, 0, spec["corner"], rowspan=head, colspan=left)
        if shape == "head groups":
            half = len(self.columns) // 2
            yield DocumentCell(0, 1, spec["groups"][0], colspan=half)
            yield DocumentCell(0, 1 + half, spec["groups"][1], colspan=len(self.columns) - half)
        for column, each in enumerate(self.columns):
            yield DocumentCell(head - 1, left + column, each["head"])

    def _value(self, kind: str) -> str:
        name, _, argument = kind.partition(":")
        return self.writer.value(name, argument, self.language)

    def _with_gaps(self, cells: list[DocumentCell], head: int, left: int) -> list[DocumentCell]:
        """Empty zero to two value cells, for edits that fill in a value."""
        inner = [index for index, cell in enumerate(cells) if cell.row >= head and cell.column >= left]
        for index in self.rng.sample(inner, self.rng.choice([0, 1, 1, 2])):
            cells[index] = replace(cells[index], text="")
        return cells
