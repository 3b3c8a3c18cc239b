"""What Label Studio shows for each step. Names of controls are those by which annotations are read."""

from __future__ import annotations

from vdebench.review.command_check import CHECKS
from vdebench.review.ratings import SCALES

CHANGED = "changed"
"""The label of a box."""
ANSWERS = ("yes", "no")
HINTS = {
    "pilot": "Score the edit on three scales, 1 to 3.",
    "score": "Score the edit on three scales, 1 to 3. Only what all groups give 9 in total goes on.",
    "boxes": "Draw a tight box around everything that was changed, on the image after the edit. Zoom in: pixels count.",
    "screen": "The finished sample: the changed regions on the original page. May it become ground truth?",
    "ocr": (
        "Does the text say what stands in each region? correct; corrected (mend the text); or wrong (not to be mended)."
    ),
}


def config(step: str) -> str:
    """The labelling configuration of a step.

    >>> 'maxRating="3"' in config("score"), 'snap="pixel"' in config("boxes")
    (True, True)
    """
    controls = {"pilot": _scales, "score": _scales, "boxes": _boxes, "screen": _screen, "ocr": _ocr}[step]()
    task = '<Text name="instruction" value="$instruction"/>'
    after = _image("after", "after" if step in ("pilot", "score", "boxes") else "finished")
    sides = after if step == "ocr" else _beside(_image("before", "before"), after)
    return f"<View>{_head('instruction')}{task}{sides}{controls}</View>"


def settings(step: str) -> dict[str, object]:
    """Everything of a project but its names."""
    return {
        "label_config": config(step),
        "expert_instruction": HINTS[step],
        "show_instruction": True,
        "show_skip_button": False,
        "enable_empty_annotation": False,
        "show_annotation_history": False,
        "show_collab_predictions": step == "ocr",  # that is how the texts come into their fields
        "maximum_annotations": 1,
    }


def _head(words: str) -> str:
    return f'<Header value="{words}" size="5"/>'


def _image(name: str, words: str) -> str:
    return f'{_head(words)}<Image name="{name}" value="${name}" zoom="true" zoomControl="true" rotateControl="false"/>'


def _beside(one: str, other: str) -> str:
    half = '<View style="flex: 1 1 50%; min-width: 0">'
    return f'<View style="display: flex; gap: 1em">{half}{one}</View>{half}{other}</View></View>'


def _scales() -> str:
    ratings = (
        f'{_head(words)}<Rating name="{name}" toName="after" maxRating="3" required="true"'
        f' requiredMessage="score: {words}"/>'
        for name, words in SCALES.items()
    )
    return "".join(ratings)


def _boxes() -> str:
    label = f'<Label value="{CHANGED}" background="#d6336c" selected="true"/>'
    how = 'canRotate="false" snap="pixel" fillOpacity="0.05"'
    return f'<RectangleLabels name="boxes" toName="after" {how}>{label}</RectangleLabels>'


def _choices(answers: tuple[str, ...]) -> str:
    given = "".join(f'<Choice value="{answer}" hotkey="{number}"/>' for number, answer in enumerate(answers, start=1))
    return f'<Choices name="verdict" toName="after" choice="single" required="true" showInline="true">{given}</Choices>'


def _note() -> str:
    return f'{_head("note")}<TextArea name="note" toName="after" maxSubmissions="1" rows="2" editable="true"/>'


def _screen() -> str:
    return _choices(ANSWERS) + _note()


def _ocr() -> str:
    region = (
        f"{_head('region')}"
        '<Image name="region_{{idx}}" value="$regions[{{idx}}].image" zoom="true"/>'
        '<TextArea name="text_{{idx}}" toName="region_{{idx}}" maxSubmissions="1" rows="3" editable="true"/>'
    )
    return f'<Repeater on="$regions" indexFlag="{{{{idx}}}}">{region}</Repeater>{_choices(CHECKS)}{_note()}'
