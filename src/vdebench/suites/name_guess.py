"""Which sample a file of another name was probably meant for: suggestions for messages, never used for scoring."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rapidfuzz import fuzz, process

from vdebench.core.sample import Sample
from vdebench.suites.names import names_of, stem

NOISE = frozenset(
    (
        *("copy", "edit", "edited", "editing", "final", "gen", "generated", "image", "img", "modified", "new", "out"),
        *("output", "outputs", "page", "pred", "predicted", "prediction", "predictions", "res", "result", "results"),
        "sample",
    )
)
"""Words that people add to names, before or behind."""
_CLOSE, _APART = 85, 5
"""Similarity, in percent, from which a name is close to a sample's, and how far the next best must be behind."""
_MOST_COMPARED = 50
Tokens = tuple[str, ...]


def tokens(name: str) -> Tokens:
    """Words and numbers of a name, without case, separators and zero padding.

    >>> tokens("Page_007-Edited")
    ('page', '7', 'edited')
    """
    found = re.findall(r"[^\W\d_]+|\d+", name.lower())
    return tuple(each.lstrip("0") or "0" if each.isdigit() else each for each in found)


def likely_samples(paths: Sequence[str], samples: Iterable[Sample]) -> dict[str, Sample]:
    """The sample that each path was probably meant for, where there is one only and no other path is as likely.

    >>> pages = [Sample(id=f"{n}", group="text", reference_image=f"{n:06}.png") for n in (7, 9, 90)]
    >>> found = likely_samples(["000007_edited.png", "9.png", "notes.png"], pages)
    >>> {path: sample.key for path, sample in found.items()}
    {'000007_edited.png': 'text/7', '9.png': 'text/9'}
    """
    guesser = _Guesser(samples)
    found = {path: sample for path in paths if (sample := guesser.by_tokens(path))}
    for path in [path for path in paths if path not in found][:_MOST_COMPARED]:
        if sample := guesser.by_closeness(path):
            found[path] = sample
    claims = Counter(sample.key for sample in found.values())
    return {path: sample for path, sample in found.items() if claims[sample.key] == 1}


class _Guesser:
    """The samples' names by their tokens."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._whole: dict[Tokens, dict[str, Sample]] = {}
        self._bare: dict[Tokens, dict[str, Sample]] = {}
        self._spelt: dict[str, Sample] = {}
        for sample in samples:
            for name in dict.fromkeys([*names_of(sample), sample.id, sample.key]):
                self._whole.setdefault(tokens(name), {})[sample.key] = sample
                self._bare.setdefault(_bare(tokens(name)), {})[sample.key] = sample
                self._spelt.setdefault(" ".join(tokens(name)), sample)

    def by_tokens(self, path: str) -> Sample | None:
        """By the same words and numbers: all, all but noise, without a last number, or some of them."""
        spelt = [tokens(_without_ending(path)), tokens(stem(path))]
        bare = [_bare(each) for each in spelt]
        for index, wanted in ((self._whole, spelt), (self._bare, bare)):
            for each in wanted:
                if each and len(found := index.get(each, {})) == 1:
                    return next(iter(found.values()))
        return self._without_last(bare[1], stem(path)) or self._by_part(bare[1])

    def _without_last(self, name: Tokens, spelt: str) -> Sample | None:
        """By all but a number at the end, such as that of an attempt; not where this number could be a sample too."""
        if len(name) < 2 or not name[-1].isdigit() or len(found := self._bare.get(name[:-1], {})) != 1:
            return None
        (sample,) = found.values()
        numbers = re.findall(r"\d+", spelt)
        others = self._bare.get(name[-1:], {}).values()
        as_spelt = names_of(sample)[0].lower() in spelt.lower()
        if any(not as_spelt or names_of(other)[0] == numbers[-1] for other in others):
            return None
        return sample

    def _by_part(self, name: Tokens) -> Sample | None:
        """By the longest row of tokens that is a sample's name; none where there are two."""
        for length in range(len(name) - 1, 0, -1):
            rows = {name[at : at + length] for at in range(len(name) - length + 1)} - {()}
            found = {key: each for row in rows for key, each in self._bare.get(row, {}).items()}
            if found:
                return next(iter(found.values())) if len(found) == 1 else None
        return None

    def by_closeness(self, path: str) -> Sample | None:
        """By similar spelling, with the same numbers; none where another sample is nearly as close."""
        name = tokens(stem(path))
        best: dict[str, tuple[float, Sample]] = {}
        for spelt, score, _ in process.extract(
            " ".join(name), list(self._spelt), scorer=fuzz.ratio, score_cutoff=_CLOSE - _APART, limit=8
        ):
            if _numbers(tokens(spelt)) == _numbers(name):
                sample = self._spelt[spelt]
                best.setdefault(sample.key, (score, sample))
        ranked = sorted(best.values(), key=lambda found: -found[0])
        if not ranked or ranked[0][0] < _CLOSE or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _APART):
            return None
        return ranked[0][1]


def likely_pattern(found: Mapping[str, Sample]) -> str:
    """A pattern for `--match` that fits most of these paths; nothing where no single one does.

    >>> pages = [Sample(id=f"{n}", group="text", reference_image=f"{n:06}.png") for n in (7, 9)]
    >>> likely_pattern({"a/000007_edited.png": pages[0], "a/000009_edited.png": pages[1]})
    'a/{stem}_edited.*'
    >>> likely_pattern({"7.png": pages[0], "009.png": pages[1]})
    '{stem:int}.*'
    """
    patterns = Counter(filter(None, (_pattern(path, sample) for path, sample in found.items())))
    if not patterns:
        return ""
    pattern, count = patterns.most_common(1)[0]
    return pattern if 2 * count > len(found) else ""


def _pattern(path: str, sample: Sample) -> str:
    folder, slash, name = _without_ending(path).rpartition("/")
    value = names_of(sample)[0]
    if not value or any(mark in path for mark in "*{}"):
        return ""
    exact = re.compile(rf"(?<!\d){re.escape(value)}(?!\d)")
    if len(exact.findall(name)) == 1:
        return f"{folder}{slash}{exact.sub('{stem}', name)}.*"
    number = re.compile(rf"(?<!\d)0*{int(value)}(?!\d)") if re.fullmatch("[0-9]+", value) else None
    if number and len(number.findall(name)) == 1:
        return f"{folder}{slash}{number.sub('{stem:int}', name)}.*"
    return ""


def _bare(name: Tokens) -> Tokens:
    return tuple(each for each in name if each not in NOISE)


def _numbers(name: Tokens) -> list[str]:
    return [each for each in name if each.isdigit()]


def _without_ending(path: str) -> str:
    folder, slash, _ = path.rpartition("/")
    return f"{folder}{slash}{stem(path)}"
