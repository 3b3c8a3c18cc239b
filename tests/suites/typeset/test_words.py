"""Word lists are complete, templates can be filled, and all proposals have phrasings."""

from __future__ import annotations

import re
from random import Random

import pytest

from vdebench.errors import VdeError
from vdebench.instructions.phrasing import AMBIGUITIES, phrasings
from vdebench.suites.typeset.language_rules import LANGUAGES, get_language
from vdebench.suites.typeset.words import TOPICS, Writer, bank, formulas

CODES = ("en", "zh")


@pytest.mark.parametrize("language", CODES)
@pytest.mark.parametrize("topic", TOPICS)
def test_every_template_fills(language, topic):
    writer = Writer(get_language(language), Random(1), topic)
    for kind, entries in bank(language, topic).items():
        for entry in entries if kind not in ("slots", "table") else ():
            texts = [entry] if isinstance(entry, str) else [text for text in entry.values() if isinstance(text, str)]
            for text in texts:
                filled = writer.fill(text, language)
                assert "{" not in filled.text
                assert not re.search(r'["“”「」]', filled.text), "pages are quoted: they hold no quotation marks"
                for slot in filled.slots:
                    assert filled.text[slot.start : slot.end].strip()


@pytest.mark.parametrize("language", CODES)
def test_banks_are_large_and_without_repeats(language):
    sentences = [entry for topic in TOPICS for entry in bank(language, topic)["sentence"]]
    assert len(sentences) >= 400
    assert len(set(sentences)) == len(sentences)
    for topic in TOPICS:
        for table in bank(language, topic)["table"]:
            assert len(set(table["rows"])) == len(table["rows"])
            heads = [column["head"] for column in table["columns"]]
            assert len(set(heads)) == len(heads)


def test_a_page_does_not_repeat_a_template_while_others_are_left():
    writer = Writer(get_language("en"), Random(1), "economy")
    taken = [writer.entry("sentence", "en") for _ in range(len(bank("en", "economy")["sentence"]))]
    assert len(set(taken)) == len(taken)
    assert writer.entry("sentence", "en") in taken


def test_slots_of_one_template_hold_different_values():
    writer = Writer(get_language("en"), Random(1), "economy")
    for _ in range(50):
        one, other = writer.fill("{person} and {person}", "en").text.split(" and ")
        assert one != other


def test_numbers_are_written_as_the_language_writes_them():
    rng = Random(2)
    en, zh = Writer(get_language("en"), rng), Writer(get_language("zh"), rng)
    assert re.fullmatch(r"\d{1,2} [A-Z][a-z]+ \d{4}", en.fill("{date}", "en").text)
    assert re.fullmatch(r"\d{4}年\d{1,2}月\d{1,2}日", zh.fill("{date}", "zh").text)
    assert re.fullmatch(r"\$\d+\.\d (million|billion)", en.fill("{money}", "en").text)
    assert re.fullmatch(r"\d+\.\d(亿|万)元", zh.fill("{money}", "zh").text)
    assert re.fullmatch(r"\d,\d{3}", en.fill("{int:1000-9999}", "en").text)
    assert re.fullmatch(r"\d\.\d{2}", en.fill("{decimal:1-9:2}", "en").text)


@pytest.mark.parametrize("language", CODES)
def test_phrasings_come_in_several_and_each_has_ambiguous_forms(language):
    words = phrasings(language)
    for kind, templates in words["instructions"].items():
        assert len(set(templates)) >= 3, kind
        assert words["ambiguous"][kind], kind
        assert set(words["ambiguous"][kind]) <= set(AMBIGUITIES)
    assert set(words["instructions"]) == set(words["ambiguous"])
    other = phrasings("en" if language == "zh" else "zh")
    for part in ("instructions", "ambiguous", "roles", "colours", "fonts", "aligns"):
        assert set(words[part]) == set(other[part])


def test_all_kinds_of_ambiguity_occur():
    for language in CODES:
        kinds = {kind for forms in phrasings(language)["ambiguous"].values() for kind in forms}
        assert kinds == set(AMBIGUITIES)


def test_formulas_are_in_both_notations():
    assert len(formulas()) >= 12
    assert all(set(entry) == {"typst", "latex"} for entry in formulas())


def test_unknown_languages_are_told():
    assert set(LANGUAGES) == {"en", "zh", "mixed"}
    with pytest.raises(VdeError, match="unknown language 'fr'; available: en, zh, mixed"):
        get_language("fr")
