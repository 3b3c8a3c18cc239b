"""Edits of running text: replace, insert, delete."""

from __future__ import annotations

from collections.abc import Iterator

from vdebench.instructions.phrasing import phrasings
from vdebench.suites.typeset.document import Text
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.propose import LONGEST_QUOTE, DocumentView, Proposal, Reference

_NAMED_AFTER_ENTRY = {"title": "title", "heading": "heading", "headline": "headline", "quote": "quote"}
_REPEATED = {"bullet": "bullet", "jotting": "note"}
"""Roles of which a page has several in a row, with the list their words come from."""
_DELETABLE = (*_REPEATED, "paragraph", "footnote", "caption", "panel", "reference", "quote", "problem", "exercise")
_WITH_UNIT = ("percent", "money")
"""Values after which an aside can be inserted."""


def replace_text(page: DocumentView) -> Proposal | None:
    """Another value, sentence or heading in the place of one."""
    kind = page.rng.choice([_replace_value, _replace_value, _replace_value, _replace_sentence, _replace_block])
    return kind(page) or _replace_value(page)


def insert_text(page: DocumentView) -> Proposal | None:
    """A sentence, an aside or a list item more."""
    kind = page.rng.choice([_insert_sentence, _insert_sentence, _insert_aside, _insert_block])
    return kind(page) or _insert_sentence(page) or _insert_aside(page) or _insert_block(page)


def delete_text(page: DocumentView) -> Proposal | None:
    """A sentence or a whole block less."""
    kind = page.rng.choice([_delete_sentence, _delete_sentence, _delete_block])
    return kind(page) or _delete_block(page) or _delete_sentence(page)


def _replace_value(page: DocumentView) -> Proposal | None:
    for block in page.texts:
        for slot in page.rng.sample(block.slots, len(block.slots)):
            text = block.text
            old = text[slot.start : slot.end]
            found = page.quote(text, slot.start, slot.end)
            new = page.writer.value(slot.name, slot.argument, page.rules_of(text).code, taken=[old])
            if found is None or new == old:
                continue
            start, end = found
            return _replacement(block, start, end, text[start : slot.start] + new + text[slot.end : end])
    return None


def _replace_sentence(page: DocumentView) -> Proposal | None:
    for block, start, end in _sentences(page):
        return _replacement(block, start, end, page.writer.sentence(page.rules_of(block.text).code).text)
    return None


def _replacement(block: Text, start: int, end: int, new: str) -> Proposal:
    target = block.text[start:end]
    edit = DocumentEdit("replace_text", block.id, {"start": start, "end": end, "new": new})
    return Proposal(edit, "replace_text", {"target": target, "new": new}, {}, (Reference(target),))


def _replace_block(page: DocumentView) -> Proposal | None:
    for block in page.texts:
        text = block.text
        if block.role in _NAMED_AFTER_ENTRY and len(text) <= LONGEST_QUOTE and page.is_unique(text):
            new = page.writer.phrase(_NAMED_AFTER_ENTRY[block.role], page.rules_of(text).code).text
            if new != text:
                edit = DocumentEdit("replace_text", block.id, {"start": 0, "end": len(text), "new": new})
                quoted = {"target": text, "new": new}
                return Proposal(edit, "replace_block", quoted, {"role": block.role}, (Reference(text),))
    return None


def _insert_sentence(page: DocumentView) -> Proposal | None:
    for block, start, end in _sentences(page):
        text = block.text
        rules = page.rules_of(text)
        anchor = page.ending(text, start, end, least=rules.min_quote_length)
        if anchor is None:
            continue
        new = page.writer.sentence(rules.code).text
        edit = DocumentEdit("insert_text", block.id, {"at": end, "new": rules.separator + new})
        return Proposal(edit, "insert_sentence", {"anchor": anchor, "new": new}, {}, (Reference(anchor),))
    return None


def _insert_aside(page: DocumentView) -> Proposal | None:
    for block in page.texts:
        text = block.text
        rules = page.rules_of(text)
        for slot in block.slots:
            anchor = page.ending(text, max(0, slot.end - LONGEST_QUOTE), slot.end, least=slot.end - slot.start)
            if slot.name not in _WITH_UNIT or anchor is None or text[slot.end : slot.end + 1].isalnum():
                continue
            aside: str = page.rng.choice(phrasings(rules.phrasing)["asides"]["number"])
            value = page.writer.value(slot.name, slot.argument, rules.code, taken=[text[slot.start : slot.end]])
            new = aside.replace("{value}", value)
            edit = DocumentEdit("insert_text", block.id, {"at": slot.end, "new": rules.separator + new})
            return Proposal(edit, "insert_text", {"anchor": anchor, "new": new}, {}, (Reference(anchor),))
    return None


def _insert_block(page: DocumentView) -> Proposal | None:
    for block in page.texts:
        opening = page.opening(block) if block.role in _REPEATED else None
        if opening is None:
            continue
        rules = page.rules_of(block.text)
        words = page.writer.phrase(_REPEATED[block.role], rules.code).text
        marker = block.text[:2] if block.role == "bullet" else ""
        edit = DocumentEdit("insert_block", block.id, {"new": marker + words})
        quoted = {"anchor": opening, "new": marker + words}
        return Proposal(edit, "insert_block", quoted, {"role": block.role}, (Reference(opening),))
    return None


def _delete_sentence(page: DocumentView) -> Proposal | None:
    for block, start, end in _sentences(page):
        text = block.text
        if len(block.sentences) < 2:
            continue
        edit_end = end + 1 if text[end : end + 1] == " " else end
        edit_start = start - 1 if end == len(text) and text[start - 1 : start] == " " else start
        edit = DocumentEdit("delete_text", block.id, {"start": edit_start, "end": edit_end})
        return Proposal(edit, "delete_text", {"target": text[start:end]}, {}, (Reference(text[start:end]),))
    return None


def _delete_block(page: DocumentView) -> Proposal | None:
    for block in page.texts:
        opening = page.opening(block) if block.role in _DELETABLE else None
        if opening is not None:
            edit = DocumentEdit("delete_block", block.id)
            return Proposal(edit, "delete_block", {"target": opening}, {"role": block.role}, (Reference(opening),))
    return None


def _sentences(page: DocumentView) -> Iterator[tuple[Text, int, int]]:
    """Sentences that occur once, in a random order."""
    for block in page.texts:
        for start, end in page.rng.sample(block.sentences, len(block.sentences)):
            if page.is_unique(block.text[start:end]):
                yield block, start, end
