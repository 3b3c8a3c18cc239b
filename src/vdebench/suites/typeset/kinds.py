"""The nine kinds of documents: layout and content of a slide, a paper, an exam …

Every builder writes more than the page holds; the typesetter drops what does not fit.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from vdebench.suites.typeset.document import Block, BlockStyle, Document
from vdebench.suites.typeset.draft import Draft
from vdebench.suites.typeset.language_rules import Language

# Page sizes in points that are whole pixels at 150 ppi.
A4 = (595.2, 841.92)
LETTER = (612.0, 792.0)
SMALL = (419.52, 595.2)
B5 = (499.2, 708.48)
BROADSHEET = (720.0, 1008.0)


def slides(language: Language, rng: Random) -> Document:
    """A slide: a title and bullet points, perhaps with a table or a chart."""
    draft = Draft(language, rng)
    make = draft.make
    width, height = rng.choice([(720.0, 405.12), (640.32, 480.0)])
    dark = rng.random() < 0.5
    base = BlockStyle(font=rng.choice(["sans", "sans", "serif"]), size=rng.choice([12.5, 13.5, 15.0]), leading=0.22)
    draft.use(
        base,
        title={"size": 23, "ink": "#ffffff" if dark else draft.strong, "below": 2},
        bullet={"above": 8, "below": 8},
        table={"size": 11, "style": "grid", "head_panel": draft.strong, "head_ink": "#ffffff"},
        chart={"size": 9.5},
        caption={"size": 10},
        footer={"size": 8.5, "ink": "#666666"},
        number={"size": 8.5, "ink": "#666666"},
    )
    draft.paper = rng.choice([None, "#fbfaf6", "#f5f8fb"])
    if dark:
        draft.band(0, 0, width, 64, draft.strong)
    else:
        draft.band(36, 62, width - 72, 2, draft.accent)
    draft.band(0, height - 26, width, 26, draft.pale)
    draft.area(36, 18, width - 72, 44, [make.of("title", "heading" if rng.random() < 0.4 else "title")])
    top, tall = 80.0, height - 116
    shape = rng.choice(["points", "two columns", "table", "chart"])
    if shape == "points":
        body = [make.paragraph(2), *make.bullets(8)]
        draft.area(44, top, width - 88, tall, body)
    elif shape == "two columns":
        for x in (40.0, width / 2 + 10):
            draft.area(x, top, width / 2 - 50, tall, [make.heading(), *make.bullets(rng.randint(5, 7))])
    elif shape == "table":
        draft.area(40, top, width - 80, tall, [*make.table(rng.randint(4, 6), rng.randint(5, 6)), *make.bullets(5)])
    else:
        draft.area(40, top, width / 2 - 40, tall, [make.paragraph(1), *make.bullets(6)])
        draft.area(width / 2 + 14, top, width / 2 - 54, tall, make.figure(tall * 0.62))
    draft.area(40, height - 18, width - 200, 14, [make.of("footer", rng.choice(["course", "publisher"]), "common")])
    draft.area(width - 100, height - 18, 60, 14, [draft.page_number("{}", "right")])
    return draft.finish("PPT2PDF", (width, height))


def academic_paper(language: Language, rng: Random) -> Document:
    """A page of a journal: title, authors and abstract over two columns, or a page from the middle of a paper."""
    draft = Draft(language, rng)
    make = draft.make
    width, height = rng.choice([A4, LETTER])
    columns = rng.choice([2, 2, 1])
    base = BlockStyle(
        font=draft.serif(), size=rng.choice([8.6, 9.2]) + (columns == 1) * 0.7, justify=True, indent=draft.indent()
    )
    draft.use(base, title={"size": 16.5, "below": 8}, table={"style": "open", "head_panel": None, "rule": "#111111"})
    number = rng.choice(["{}.", "{}"])
    first = rng.random() < 0.6
    head: list[Block] = []
    if first:
        first_language = language.words[0]
        names = rng.sample(draft.writer.values("person", first_language), rng.randint(2, 3))
        joined = draft.rules.comma.join(names)
        label = draft.writer.word("abstract", first_language)
        head = [
            make.of("title", "title", align="center"),
            make.text("author", joined, align="center"),
            make.of("small", "department", "common", align="center"),
            make.paragraph(rng.randint(3, 4), "abstract", f"{label}{draft.rules.colon}"),
            make.rule(),
        ]
    body: list[Block] = []
    for _ in range(7):
        body += make.section(rng.randint(2, 3), 2, 4, number)
    extras: list[list[Block]] = [make.table(rng.randint(3, 5), rng.randint(4, 6)), [make.formula()], make.figure(96)]
    body = draft.with_extras(body, *rng.sample(extras, rng.randint(1, 3)))
    if not first:
        body += [
            make.text("heading", make.word("references")),
            *(make.of("reference", "reference", "common") for _ in range(6)),
        ]
    foot = [make.rule(0.4), make.of("footnote", "remark", "common")] if rng.random() < 0.6 else []
    draft.area(50, 28, width - 100, 14, [make.of("header", "journal", "common", rng.choice(["left", "center"]))])
    draft.area(50, 52, width - 100, height - 104, body, head=head, foot=foot, columns=columns, gutter=18)
    draft.area(50, height - 40, width - 100, 14, [draft.page_number()])
    return draft.finish("academic_literature", (width, height))


def book(language: Language, rng: Random) -> Document:
    """A page of a book: a running head, indented paragraphs, sometimes a chapter's beginning or a table."""
    draft = Draft(language, rng)
    make = draft.make
    width, height = rng.choice([SMALL, B5])
    base = BlockStyle(
        font=draft.serif(),
        size=rng.choice([9.5, 10.0, 10.5]),
        justify=True,
        indent=draft.rules.indent,
        leading=0.36,
    )
    draft.use(base, title={"size": 17, "below": 14, "above": 10}, paragraph={"above": 3, "below": 3})
    head: list[Block] = []
    if rng.random() < 0.4:
        chapter = draft.rules.chapter.format(rng.randint(1, 20))
        head = [make.text("author", chapter, align="center"), make.of("title", "title", align="center")]
    body: list[Block] = [make.paragraph(rng.randint(2, 4))]
    for _ in range(4):
        body += [*make.paragraphs(rng.randint(1, 3), 2, 5), make.heading()]
    if rng.random() < 0.5:
        body = draft.with_extras(body, make.table(rng.randint(2, 4), rng.randint(4, 6)))
    foot = [make.rule(0.4), make.of("footnote", "remark", "common")] if rng.random() < 0.4 else []
    draft.area(48, 26, width - 96, 14, [make.of("header", "heading", align=rng.choice(["left", "right", "center"]))])
    draft.area(48, 52, width - 96, height - 100, body[:-1], head=head, foot=foot)
    draft.area(48, height - 36, width - 96, 14, [draft.page_number(rng.choice(["{}", "· {} ·"]))])
    return draft.finish("book", (width, height))


def textbook(language: Language, rng: Random) -> Document:
    """A colourful page for school: a banner, coloured panels with definitions, figures, exercises."""
    draft = Draft(language, rng)
    make = draft.make
    width, height = rng.choice([A4, B5])
    base = BlockStyle(
        font=rng.choice(["sans", "serif"]), size=rng.choice([10.0, 10.5]), indent=draft.indent(), leading=0.32
    )
    draft.use(
        base,
        title={"ink": "#ffffff", "size": 19, "below": 0},
        heading={"ink": draft.accent, "size": base.size * 1.3},
        panel={"panel": draft.pale, "radius": 5, "inset": 8},
        table={"style": "grid", "head_panel": draft.strong, "head_ink": "#ffffff", "stripe": draft.pale},
        exercise={"panel": "#fff6e0", "frame": draft.accent, "radius": 4, "inset": 7, "indent": 0},
        number={"ink": "#ffffff", "bold": True},
    )
    draft.band(0, 0, width, 66, draft.strong)
    draft.band(width - 70, 0, 70, 66, draft.accent)
    draft.band(width / 2 - 18, height - 34, 36, 20, draft.strong, radius=10)
    draft.area(46, 22, width - 170, 40, [make.of("title", "title")])
    columns = rng.choice([1, 1, 2]) if width > 550 else 1
    body: list[Block] = []
    for _ in range(6):
        body += [make.heading(), *make.paragraphs(rng.randint(1, 2), 2, 3), make.definition()]
    extras: list[list[Block]] = [
        make.figure(105),
        make.table(3, rng.randint(4, 5)),
        [make.formula(numbered=False)],
        make.bullets(3),
    ]
    body = draft.with_extras(body, *rng.sample(extras, 2))
    foot = [make.problem("exercise") for _ in range(rng.randint(1, 3))]
    draft.area(46, 84, width - 92, height - 132, body, foot=foot, columns=columns)
    draft.area(width / 2 - 18, height - 29, 36, 14, [draft.page_number()])
    return draft.finish("colorful_textbook", (width, height))


def exam(language: Language, rng: Random) -> Document:
    """An exam paper: a line for the name, questions with options, problems, perhaps a table to work on."""
    draft = Draft(language, rng)
    make = draft.make
    width, height = rng.choice([A4, LETTER])
    base = BlockStyle(font=draft.serif(), size=rng.choice([10.0, 10.5]), leading=0.32)
    draft.use(
        base,
        title={"size": 16, "below": 5},
        heading={"size": base.size * 1.1},
        table={"style": "grid", "rule": "#222222", "head_panel": None},
    )
    columns = rng.choice([1, 1, 2])
    blanks = "  ".join(f"{make.word(word)} ________" for word in ("name", "class", "score"))
    head = [
        make.of("title", "school", "common", align="center"),
        make.of("author", "course", "common", align="center"),
        make.text("small", blanks, align="center"),
        make.rule(0.8),
    ]
    body: list[Block] = [make.text("heading", f"{draft.rules.parts[0]}{make.word('choice')}")]
    for _ in range(rng.randint(6, 10)):
        body += make.choice()
    body.append(make.text("heading", f"{draft.rules.parts[1]}{make.word('problem')}"))
    middle = [make.table(rng.randint(3, 4), 4)] if rng.random() < 0.6 else []
    if rng.random() < 0.4:
        middle.append([make.formula(numbered=False)])
    for part in middle:
        body += [make.problem(), *part]
    body += [make.problem() for _ in range(5)]
    draft.area(52, 40, width - 104, height - 88, body, head=head, columns=columns, gutter=26)
    draft.area(52, height - 38, width - 104, 14, [draft.page_number("– {} –")])
    return draft.finish("exam_paper", (width, height))


def magazine(language: Language, rng: Random) -> Document:
    """A magazine's page: a large headline, a byline, columns, a pull quote, something coloured."""
    draft = Draft(language, rng)
    make = draft.make
    width, height = rng.choice([(576.0, 744.0), A4])
    base = BlockStyle(
        font=rng.choice(["serif", "sans"]), size=rng.choice([9.5, 10.0]), justify=True, indent=draft.indent()
    )
    draft.use(
        base,
        title={"size": rng.choice([26, 30]), "ink": draft.strong, "below": 6},
        lead={"size": base.size * 1.25, "ink": "#444444", "below": 10, "indent": 0, "justify": False},
        header={"size": 9, "ink": "#ffffff", "bold": True},
        heading={"ink": draft.accent},
        author={"size": 9.5, "ink": "#555555", "italic": True, "below": 8},
    )
    draft.paper = rng.choice([None, "#fdfbf5"])
    draft.band(40, 30, 130, 18, draft.accent)
    draft.area(46, 34, 118, 12, [make.of("header", "section", "common")])
    head: list[Block] = [
        make.of("title", "headline"),
        make.paragraph(1, "lead"),
        make.of("author", "author_line", "common"),
    ]
    body: list[Block] = make.paragraphs(2, 2, 4)
    for _ in range(6):
        body += make.section(rng.randint(1, 3), 2, 4)
    extras: list[list[Block]] = [[make.of("quote", "quote")], make.figure(100), [make.definition()], make.table(2, 5)]
    body = draft.with_extras(body, *rng.sample(extras, 2))
    draft.area(46, 66, width - 92, height - 118, body, head=head, columns=rng.choice([2, 3]), gutter=16)
    draft.area(46, height - 36, width / 2, 14, [make.of("footer", "magazine", "common")])
    draft.area(width - 106, height - 36, 60, 14, [draft.page_number(align="right")])
    return draft.finish("magazine", (width, height))


def newspaper(language: Language, rng: Random) -> Document:
    """A newspaper page: a masthead and several articles in columns."""
    draft = Draft(language, rng)
    make = draft.make
    width, height = BROADSHEET if rng.random() < 0.5 else LETTER
    base = BlockStyle(
        font="serif",
        size=8.6 if width > 700 else 7.8,
        justify=True,
        indent=draft.rules.indent,
        leading=0.14,
        above=2,
        below=2,
    )
    draft.use(
        base,
        masthead={"size": 30, "bold": True, "indent": 0, "justify": False},
        title={"size": 21, "below": 6, "indent": 0, "justify": False},
        headline={"size": 13.5, "bold": True, "below": 4, "indent": 0, "justify": False, "leading": 0.1},
        author={"size": 7.8, "italic": True, "indent": 0, "justify": False, "below": 4},
        table={"size": 7.4, "pad": 2.2, "rule": "#222222"},
        rule={"rule": "#222222"},
    )

    def article(role: str, paragraphs: int) -> tuple[list[Block], list[Block]]:
        head: list[Block] = [make.of(role, "headline"), make.of("author", "author_line", "common")]
        body = make.paragraphs(paragraphs, 1, 2)
        draft.writer.change_topic()
        return head, body

    left, inner = 34.0, width - 68
    dateline = draft.writer.fill("{date}", language.words[0])
    top: list[Block] = [
        make.of("masthead", "newspaper", "common", "center"),
        make.text("small", dateline, align="center"),
        make.rule(1.2),
    ]
    draft.area(left, 24, inner, 62, top)
    y, tall = 98.0, height - 140
    main = tall * rng.uniform(0.5, 0.6)
    side = inner * 0.26
    extra: list[Block] = make.figure(90) if rng.random() < 0.5 else make.table(2, 5)
    head, body = article("title", 34)
    draft.area(left, y, inner - side - 14, main, draft.with_extras(body, extra), head=head, columns=3, gutter=12)
    head, body = article("headline", 18)
    draft.area(left + inner - side, y, side, main, body, head=head)
    half = (inner - 16) / 2
    draft.band(left, y + main + 7, inner, 0.8, "#222222")
    for x in (left, left + half + 16):
        head, body = article("headline", 24)
        draft.area(x, y + main + 16, half, tall - main - 16, body, head=head, columns=2, gutter=12)
    draft.area(left, height - 30, inner, 14, [draft.page_number("A{}")])
    return draft.finish("newspaper", (width, height))


def note(language: Language, rng: Random) -> Document:
    """A page of a notebook: ruled paper, jottings under headings, boxes, a small table."""
    draft = Draft(language, rng)
    make = draft.make
    width, height = B5
    ink = rng.choice(["#1d2f6f", "#222222", "#20503a"])
    base = BlockStyle(font=rng.choice(["mono", "sans", "serif"]), size=rng.choice([9.5, 10.5]), ink=ink, leading=0.4)
    draft.use(
        base,
        title={"size": 16, "ink": draft.accent, "below": 9},
        heading={"ink": draft.accent, "above": 10},
        jotting={"above": 6, "below": 6, "hang": 1.2},
        table={"style": "grid", "rule": ink, "head_panel": None},
        panel={"panel": "#fff3c4", "frame": "#e0b93c"},
    )
    draft.paper = rng.choice(["#fffdf4", "#fdfdfd", "#f7fbff"])
    if rng.random() < 0.7:
        for line in range(int((height - 90) // 20)):
            draft.band(0, 62 + 20 * line, width, 0.4, "#c9d8e8")
    draft.band(44, 0, 0.8, height, "#e7a6a6")
    body: list[Block] = []
    for _ in range(5):
        body += [make.heading(), *make.jottings(rng.randint(3, 5))]
        if rng.random() < 0.5:
            body.append(make.definition())
    at = rng.randint(4, 7)
    body[at:at] = rng.choice([make.table(rng.randint(2, 3), 4), [make.formula(numbered=False)], make.bullets(3)])
    head: list[Block] = [make.of("title", "title"), make.text("small", draft.writer.fill("{date}", language.words[0]))]
    draft.area(56, 28, width - 92, height - 66, body, head=head)
    return draft.finish("note", (width, height))


def report(language: Language, rng: Random) -> Document:
    """A research report: a coloured header, a summary, sections with tables, charts and their sources."""
    draft = Draft(language, rng)
    make = draft.make
    width, height = A4
    base = BlockStyle(
        font=rng.choice(["sans", "serif"]), size=rng.choice([9.0, 9.5, 10.0]), justify=True, indent=draft.indent()
    )
    draft.use(
        base,
        title={"ink": draft.strong, "size": 18},
        heading={"ink": draft.strong},
        header={"ink": "#ffffff", "size": 9},
        panel={"bar": draft.strong, "inset": 7},
        table={"head_panel": draft.pale, "stripe": rng.choice([None, "#f6f6f6"])},
    )
    draft.band(0, 0, width, 34, draft.strong)
    draft.area(48, 12, width - 96, 14, [make.of("header", "publisher", "common")])
    head: list[Block] = []
    if rng.random() < 0.7:
        opening = f"{make.word('summary')}{draft.rules.colon}"
        head = [
            make.of("title", "title"),
            make.of("author", "author_line", "common"),
            make.paragraph(2, "panel", opening),
        ]
    body: list[Block] = []
    for _ in range(6):
        body += make.section(rng.randint(1, 3), 2, 4, rng.choice(["", "{}."]))
    source = make.of("small", "source", "common")
    extras: list[list[Block]] = [
        [*make.table(rng.randint(4, 6), rng.randint(5, 8)), source],
        make.figure(110),
        make.bullets(3),
    ]
    body = draft.with_extras(body, *rng.sample(extras, rng.choice([2, 3])))
    foot = [make.rule(0.4), make.of("footnote", "remark", "common")]
    draft.area(48, 50, width - 96, height - 98, body, head=head, foot=foot, columns=rng.choice([1, 1, 2]))
    draft.area(48, height - 38, width - 96, 14, [draft.page_number(align="right")])
    return draft.finish("research_report", (width, height))


KINDS: dict[str, Callable[[Language, Random], Document]] = {
    "PPT2PDF": slides,
    "academic_literature": academic_paper,
    "book": book,
    "colorful_textbook": textbook,
    "exam_paper": exam,
    "magazine": magazine,
    "newspaper": newspaper,
    "note": note,
    "research_report": report,
}
