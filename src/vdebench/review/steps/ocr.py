"""Text check: one person compares the OCR text of each region with the image, and corrects it if needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vdebench.review.refusals import Reason, Refusal
from vdebench.review.step import Form, Outcome, Step, StepContext, Vote, VoteCommand
from vdebench.review.text_check import wrong_text

VERDICTS = ("correct", "corrected", "wrong")


@dataclass(frozen=True, slots=True)
class Check(VoteCommand):
    """Say whether the OCR text of the regions is correct, and what it should be."""

    verdict: str
    texts: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Checked(Vote):
    """A person checked the OCR text of the regions."""

    verdict: str
    """correct, corrected or wrong."""
    texts: tuple[str, ...] = ()
    """The text of each region if the verdict is `corrected`, else empty."""
    note: str = ""


def check_texts(context: StepContext, command: Check) -> Refusal | None:
    """Refuse unknown verdicts, and texts that do not fit the verdict and the regions."""
    if command.verdict not in VERDICTS:
        return Refusal(Reason.BAD_VERDICT, f"verdict {command.verdict!r}"[:200] + f", expected one of {VERDICTS}")
    if not isinstance(command.texts, tuple | list):
        return Refusal(Reason.MALFORMED, f"texts is {type(command.texts).__name__}, expected a list")
    expected = len(context.boxes) if command.verdict == "corrected" else 0
    if len(command.texts) != expected:
        words = f"{len(command.texts)} texts, expected {expected}: one per region if corrected, else none"
        return Refusal(Reason.BAD_VERDICT, words)
    problem = next(filter(None, map(wrong_text, command.texts)), "")
    return Refusal(Reason.BAD_TEXT, f"a text {problem}") if problem else None


def decide_check(context: StepContext, votes: Sequence[Checked]) -> Outcome:
    """Reject if the verdict is `wrong`."""
    (vote,) = votes
    return Outcome("rejected", "misread", vote.note) if vote.verdict == "wrong" else Outcome("on", words=vote.verdict)


STEP = Step(
    name="ocr",
    title="Text check",
    order=40,
    voters="person",
    hint="Is the text of every region correct, to the letter? Correct it, or choose wrong if that is not possible.",
    command=Check,
    event=Checked,
    check=check_texts,
    decide=decide_check,
    form=Form(("texts", "verdict", "note"), VERDICTS),
    widget="step_ocr.js",
    done="OCR checked",
    image="reference",
    needs_text=True,
)
