"""Labelling configurations and settings of Label Studio projects, generated from the forms of the steps."""

from __future__ import annotations

from vdebench.review.ratings import SCALES
from vdebench.review.step import Form
from vdebench.review.workflow import WORKFLOW

CHANGED = "changed"
"""Label of a box."""
ANSWERS = ("yes", "no")


def config(name: str) -> str:
    """Return the labelling configuration of a step. `annotations` reads its controls by name.

    >>> 'maxRating="3"' in config("score"), 'snap="pixel"' in config("boxes")
    (True, True)
    """
    step = WORKFLOW[name]
    task = '<Text name="instruction" value="$instruction"/>'
    after = _image("after", "finished" if step.image == "reference" else "after")
    sides = after if "texts" in step.form.fields else _beside(_image("before", "before"), after)
    controls = "".join(_control(field, step.form) for field in step.form.fields)
    return f"<View>{_head('instruction')}{task}{sides}{controls}</View>"


def settings(name: str) -> dict[str, object]:
    """Return the settings of a project except title and description."""
    step = WORKFLOW[name]
    return {
        "label_config": config(name),
        "expert_instruction": step.hint,
        "show_instruction": True,
        "show_skip_button": False,
        "enable_empty_annotation": False,
        "show_annotation_history": False,
        "show_collab_predictions": "texts" in step.form.fields,  # predictions fill in the text fields
        "maximum_annotations": 1,
    }


def _control(field: str, form: Form) -> str:
    """Return the XML of a form field."""
    if field in ("yes", "verdict"):
        return _choices(ANSWERS if field == "yes" else form.answers)
    return {"ratings": _scales, "boxes": _boxes, "texts": _texts, "note": _note}[field]()


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
    choices = "".join(f'<Choice value="{answer}" hotkey="{number}"/>' for number, answer in enumerate(answers, start=1))
    return (
        f'<Choices name="verdict" toName="after" choice="single" required="true" showInline="true">{choices}</Choices>'
    )


def _note() -> str:
    return f'{_head("note")}<TextArea name="note" toName="after" maxSubmissions="1" rows="2" editable="true"/>'


def _texts() -> str:
    region = (
        f"{_head('region')}"
        '<Image name="region_{{idx}}" value="$regions[{{idx}}].image" zoom="true"/>'
        '<TextArea name="text_{{idx}}" toName="region_{{idx}}" maxSubmissions="1" rows="3" editable="true"/>'
    )
    return f'<Repeater on="$regions" indexFlag="{{{{idx}}}}">{region}</Repeater>'
