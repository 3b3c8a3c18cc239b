"""Splits, topics, operations and field names of TextEditBench, with the spellings in use."""

from __future__ import annotations

import re
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from vdebench.core.sample import Operation

SPLITS = {
    "manual": ("data_manual_production", "manual", "canva", "synthetic"),
    "web": ("data_web-sourced_instances", "web", "real"),
}
"""Our name of each split, and its folder names, the published one first."""
TOPICS = (
    "Art & Creative Expression",
    "Business & Advertising",
    "Crafts & Personal Creations",
    "Data & Analytics",
    "Digital Interfaces & Interaction",
    "Documents & Credentials",
    "Education & Instruction",
    "Environmental & Spatial Signage",
    "Media & Publishing",
    "Merchandise & Apparel",
    "Packaging & Logistics",
    "Personal Communication & Social Media",
    "Professional Documents & Reports",
    "Scientific & Technical Diagrams",
)
"""The fourteen topics, in the prevailing spelling of the release."""
OPERATIONS = {
    "text_delete": Operation.TEXT_DELETE,
    "text_insert": Operation.TEXT_INSERT,
    "text_change": Operation.TEXT_REPLACE,
    "text_relocation": Operation.TEXT_RELOCATION,
    "scaling": Operation.SCALING,
    "text_attribute": Operation.TEXT_ATTRIBUTE,
}
_MISSPELT_OPERATIONS = {"scalling": "scaling"}
FIELDS = (
    "id",
    "topic",
    "prompt",
    "editing_method",
    "difficulty",
    "difficulty_score",
    "input_image",
    "output_image",
    "source_tag",
    "knowledge_prompt",
)
_MAX_DISTANCE = 3
"""Maximum edit distance of a topic or of the knowledge prompt's field name; topics differ by much more."""


class VocabularyWord(NamedTuple):
    """Canonical form of a word, and whether it was spelt correctly."""

    meaning: str
    is_right: bool


def split_named(folder: str) -> str | None:
    """Return the split of a folder name; None if it is not a split.

    >>> split_named("canva"), split_named("data_web-sourced_instances"), split_named("docs")
    ('manual', 'web', None)
    """
    return next((split for split, names in SPLITS.items() if folder in names), None)


def folder_name(topic: str) -> str:
    """Return the folder name of a topic.

    >>> folder_name("Packaging & Logistics")
    'Packaging_Logistics'
    """
    return "_".join(re.findall(r"\w+", topic))


def _plain(text: str) -> str:
    return " ".join(word for word in re.findall(r"[a-z]+", text.lower()) if word != "and")


_PLAIN_TOPICS = {_plain(topic): topic for topic in TOPICS} | {
    "digital interfaces reports": "Digital Interfaces & Interaction",  # name in the manual split
}


def topic_named(text: str) -> VocabularyWord | None:
    """Return the topic that a folder or field names; None if it is not one of the fourteen.

    >>> topic_named("Packaging_Logistics")
    VocabularyWord(meaning='Packaging & Logistics', is_right=True)
    >>> topic_named("Packaging & Logistics") == topic_named("Packaging_Logistics")
    True
    >>> topic_named("Digtial_Interfaces_Reports")
    VocabularyWord(meaning='Digital Interfaces & Interaction', is_right=False)
    >>> topic_named("Business &Advertising")
    VocabularyWord(meaning='Business & Advertising', is_right=False)
    >>> topic_named("Cats") is None
    True
    """
    plain = _plain(text)
    near = [
        topic
        for words, topic in _PLAIN_TOPICS.items()
        if Levenshtein.distance(plain, words, score_cutoff=_MAX_DISTANCE) <= _MAX_DISTANCE
    ]
    if len(near) != 1:
        return None
    return VocabularyWord(near[0], text in (near[0], folder_name(near[0])))


def operation_named(text: str) -> VocabularyWord | None:
    """Return the operation's name in the release; None if it is not one of the six.

    >>> operation_named("scaling"), operation_named("scalling"), operation_named("Text Delete ")
    (VocabularyWord(meaning='scaling', is_right=True), VocabularyWord(meaning='scaling', is_right=False),
     VocabularyWord(meaning='text_delete', is_right=False))
    >>> operation_named("rotate") is None
    True
    """
    plain = re.sub(r"[\W_]+", "_", text.strip().lower())
    name = _MISSPELT_OPERATIONS.get(plain, plain)
    return VocabularyWord(name, name == text) if name in OPERATIONS else None


def field_named(text: str) -> VocabularyWord | None:
    """Return the JSON field that a key means; the key of the knowledge prompt is often misspelt.

    >>> field_named("prompt"), field_named("knowledge prompt"), field_named("knowlege_prompt")
    (VocabularyWord(meaning='prompt', is_right=True), VocabularyWord(meaning='knowledge_prompt', is_right=False),
     VocabularyWord(meaning='knowledge_prompt', is_right=False))
    >>> field_named("comment") is None
    True
    """
    plain = re.sub(r"[\W_]+", "_", text.strip().lower())
    if plain in FIELDS:
        return VocabularyWord(plain, plain == text)
    if plain == "knowledge" or Levenshtein.distance(plain, "knowledge_prompt") <= _MAX_DISTANCE:
        return VocabularyWord("knowledge_prompt", False)
    return None


def names_an_operation(stem: str) -> bool:
    """Whether the name of an image starts with an operation, as those of references do.

    >>> names_an_operation("text_insert_19"), names_an_operation("scalling_3"), names_an_operation("19_edited")
    (True, True, False)
    """
    return stem.lower().startswith(tuple(f"{name}_" for name in (*OPERATIONS, *_MISSPELT_OPERATIONS)))
