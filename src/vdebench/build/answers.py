"""`answers.jsonl`: answers of generators, stored before they are checked, so that no request is sent twice."""

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
    """Id of the draw."""
    generator: str
    """Label of the generator: name and settings."""
    attempt: int
    asked: str
    """Hash of the prompt and the page."""
    text: str
    model: str
    reason: str
    """Why there is no text, if so."""
    when: str


class AnswerStore:
    """All answers of a workspace; thread-safe."""

    def __init__(self, journal: Journal[StoredAnswer], ledger: Ledger, prompts: dict[str, str]) -> None:
        self._journal = journal
        self._ledger = ledger
        self._prompts = prompts
        self._lock = Lock()
        self._stored = {_key(stored): stored for stored in journal}
        self.asked = 0
        """Number of new requests."""

    def of(self, generator: Generator, asked: GenerationRequest) -> GeneratedAnswer:
        """Return the stored answer, or request and store it."""
        drawn = asked.drawn
        prompt = self._prompts.get(drawn.prompt, "")
        what = digest_of(prompt, asked.page.sha256)
        stored = self._stored.get((drawn.id, generator.label, asked.attempt, what))
        if stored is None:
            answer = generator.answer(asked)
            stored = StoredAnswer(drawn.id, generator.label, asked.attempt, what, *answer, now())
            with self._lock:
                self._journal.append(stored)
                self._stored[_key(stored)] = stored
                self.asked += 1
        by = f"{generator.name}: {stored.model}" if stored.model else generator.name
        shown = "" if generator.name == TEMPLATE else prompt  # rules use no prompt
        entry = LedgerEntry("instruct", drawn.id, "answered", by, stored.when, drawn.seed, shown)
        inputs, outputs = {"page": asked.page.sha256}, {"answer": digest_of(stored.text)}
        with self._lock:  # also for answers stored before the process was killed
            self._ledger.note(entry._replace(inputs=inputs, outputs=outputs, words=f"attempt {asked.attempt}"))
        return GeneratedAnswer(stored.text, stored.model, stored.reason)


def _key(stored: StoredAnswer) -> tuple[str, str, int, str]:
    return stored.id, stored.generator, stored.attempt, stored.asked


class CachedGenerator(Generator):
    """A generator whose answers are stored."""

    def __init__(self, inner: Generator, answers: AnswerStore) -> None:
        self._inner = inner
        self._answers = answers
        self.name = inner.name

    @property
    def label(self) -> str:
        """Label of the generator."""
        return self._inner.label

    def answer(self, asked: GenerationRequest) -> GeneratedAnswer:
        """Return the stored or a new answer."""
        return self._answers.of(self._inner, asked)
