"""`answers.jsonl`: what generators have said, written down before it is looked at: nothing is asked twice."""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

from vdebench.build.ledger import Ledger, LedgerEntry, now
from vdebench.instructions.draw import TEMPLATE
from vdebench.instructions.generator import GeneratedAnswer, GenerationRequest, Generator
from vdebench.io.cache import digest_of
from vdebench.io.journal import Journal


class StoredAnswer(NamedTuple):
    """A line of `answers.jsonl`."""

    id: str
    """Of the draw."""
    generator: str
    """Its label: name and all that changes its answers."""
    attempt: int
    asked: str
    """Hash of the prompt and the page."""
    text: str
    model: str
    reason: str
    """Why there is no text, where there is none."""
    when: str


class AnswerStore:
    """All answers of a workspace, for threads to share."""

    def __init__(self, journal: Journal[StoredAnswer], ledger: Ledger, prompts: dict[str, str]) -> None:
        self._journal = journal
        self._ledger = ledger
        self._prompts = prompts
        self._lock = Lock()
        self._known = {_key(given): given for given in journal}
        self.asked = 0
        """How many were asked for now."""

    def of(self, generator: Generator, asked: GenerationRequest) -> GeneratedAnswer:
        """The answer as it was given, from the generator itself where it was never asked for."""
        drawn = asked.drawn
        prompt = self._prompts.get(drawn.prompt, "")
        what = digest_of(prompt, asked.page.sha256)
        given = self._known.get((drawn.id, generator.label, asked.attempt, what))
        if given is None:
            answer = generator.answer(asked)
            given = StoredAnswer(drawn.id, generator.label, asked.attempt, what, *answer, now())
            with self._lock:
                self._journal.append(given)
                self._known[_key(given)] = given
                self.asked += 1
        by = f"{generator.name}: {given.model}" if given.model else generator.name
        shown = "" if generator.name == TEMPLATE else prompt  # rules read no prompt
        entry = LedgerEntry("instruct", drawn.id, "answered", by, given.when, drawn.seed, shown)
        inputs, outputs = {"page": asked.page.sha256}, {"answer": digest_of(given.text)}
        with self._lock:  # also of an answer before whose entry a kill came
            self._ledger.note(entry._replace(inputs=inputs, outputs=outputs, words=f"attempt {asked.attempt}"))
        return GeneratedAnswer(given.text, given.model, given.reason)


def _key(given: StoredAnswer) -> tuple[str, str, int, str]:
    return given.id, given.generator, given.attempt, given.asked


class CachedGenerator(Generator):
    """A generator whose answers are kept."""

    def __init__(self, inner: Generator, answers: AnswerStore) -> None:
        self._inner = inner
        self._answers = answers
        self.name = inner.name

    @property
    def label(self) -> str:
        """As the generator says."""
        return self._inner.label

    def answer(self, asked: GenerationRequest) -> GeneratedAnswer:
        """What was said before, or is said now."""
        return self._answers.of(self._inner, asked)
