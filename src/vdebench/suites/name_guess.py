"""Guess which sample an unmatched file was meant for: only for messages, never for scoring."""

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
"""Words that are often added to file names."""
_MIN_SIMILARITY, _MIN_LEAD = 85, 5
"""Minimum similarity of a name in percent, and its minimum lead over the next best."""
_MAX_COMPARED = 50
Tokens = tuple[str, ...]


def tokens(name: str) -> Tokens:
    """Return the words and numbers of a name, without case, separators and zero padding.

    >>> tokens("Page_007-Edited")
    ('page', '7', 'edited')
    """
    words = re.findall(r"[^\W\d_]+|\d+", name.lower())
    return tuple(each.lstrip("0") or "0" if each.isdigit() else each for each in words)


def likely_samples(paths: Sequence[str], samples: Iterable[Sample]) -> dict[str, Sample]:
    """Return the most likely sample of each path, if it is unique and no other path claims it.

    >>> pages = [Sample(id=f"{n}", group="text", reference_image=f"{n:06}.png") for n in (7, 9, 90)]
    >>> matches = likely_samples(["000007_edited.png", "9.png", "notes.png"], pages)
    >>> {path: sample.key for path, sample in matches.items()}
    {'000007_edited.png': 'text/7', '9.png': 'text/9'}
    """
    guesser = _Guesser(samples)
    matches = {path: sample for path in paths if (sample := guesser.by_tokens(path))}
    for path in [path for path in paths if path not in matches][:_MAX_COMPARED]:
        if sample := guesser.by_closeness(path):
            matches[path] = sample
    claims = Counter(sample.key for sample in matches.values())
    return {path: sample for path, sample in matches.items() if claims[sample.key] == 1}


class _Guesser:
    """Index of sample names by their tokens."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._whole: dict[Tokens, dict[str, Sample]] = {}
        self._bare: dict[Tokens, dict[str, Sample]] = {}
        self._by_spelling: dict[str, Sample] = {}
        for sample in samples:
            for name in dict.fromkeys([*names_of(sample), sample.id, sample.key]):
                self._whole.setdefault(tokens(name), {})[sample.key] = sample
                self._bare.setdefault(_bare(tokens(name)), {})[sample.key] = sample
                self._by_spelling.setdefault(" ".join(tokens(name)), sample)

    def by_tokens(self, path: str) -> Sample | None:
        """Match by equal words and numbers: all, all but noise, without a final number, or a part of them."""
        spelling = [tokens(_without_ending(path)), tokens(stem(path))]
        bare = [_bare(each) for each in spelling]
        for index, keys in ((self._whole, spelling), (self._bare, bare)):
            for each in keys:
                if each and len(matches := index.get(each, {})) == 1:
                    return next(iter(matches.values()))
        return self._without_last(bare[1], stem(path)) or self._by_part(bare[1])

    def _without_last(self, name: Tokens, spelling: str) -> Sample | None:
        """Match by all but a final number (such as an attempt), unless that number could be a sample too."""
        if len(name) < 2 or not name[-1].isdigit() or len(matches := self._bare.get(name[:-1], {})) != 1:
            return None
        (sample,) = matches.values()
        numbers = re.findall(r"\d+", spelling)
        others = self._bare.get(name[-1:], {}).values()
        same_spelling = names_of(sample)[0].lower() in spelling.lower()
        if any(not same_spelling or names_of(other)[0] == numbers[-1] for other in others):
            return None
        return sample

    def _by_part(self, name: Tokens) -> Sample | None:
        """Match by the longest run of tokens that is the name of a sample; None if two match."""
        for length in range(len(name) - 1, 0, -1):
            rows = {name[at : at + length] for at in range(len(name) - length + 1)} - {()}
            matches = {key: each for row in rows for key, each in self._bare.get(row, {}).items()}
            if matches:
                return next(iter(matches.values())) if len(matches) == 1 else None
        return None

    def by_closeness(self, path: str) -> Sample | None:
        """Match by similar spelling with equal numbers; None if another sample is nearly as close."""
        name = tokens(stem(path))
        best: dict[str, tuple[float, Sample]] = {}
        for spelling, score, _ in process.extract(
            " ".join(name),
            list(self._by_spelling),
            scorer=fuzz.ratio,
            score_cutoff=_MIN_SIMILARITY - _MIN_LEAD,
            limit=8,
        ):
            if _numbers(tokens(spelling)) == _numbers(name):
                sample = self._by_spelling[spelling]
                best.setdefault(sample.key, (score, sample))
        ranked = sorted(best.values(), key=lambda matches: -matches[0])
        if (
            not ranked
            or ranked[0][0] < _MIN_SIMILARITY
            or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _MIN_LEAD)
        ):
            return None
        return ranked[0][1]


def likely_pattern(matches: Mapping[str, Sample]) -> str:
    """Return a pattern for `--match` that fits most of these paths; empty if none does.

    >>> pages = [Sample(id=f"{n}", group="text", reference_image=f"{n:06}.png") for n in (7, 9)]
    >>> likely_pattern({"a/000007_edited.png": pages[0], "a/000009_edited.png": pages[1]})
    'a/{stem}_edited.*'
    >>> likely_pattern({"7.png": pages[0], "009.png": pages[1]})
    '{stem:int}.*'
    """
    patterns = Counter(filter(None, (_pattern(path, sample) for path, sample in matches.items())))
    if not patterns:
        return ""
    pattern, count = patterns.most_common(1)[0]
    return pattern if 2 * count > len(matches) else ""


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
