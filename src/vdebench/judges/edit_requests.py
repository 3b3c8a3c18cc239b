"""A judge model that expresses an instruction as explicit edits, where the rules do not understand it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, cast, get_args

from vdebench.errors import InputError
from vdebench.io.files import read_bytes
from vdebench.judges.client import RETRIES
from vdebench.judges.dimension import PROMPT_FOLDER, json_objects
from vdebench.judges.judge import Judge, JudgeRequest
from vdebench.net.addresses import excerpt
from vdebench.net.answer import ModelAnswer

PROMPT_FILE = PROMPT_FOLDER / "requests.md"
TextAction = Literal["replace", "delete", "insert_after", "insert_before"]
ACTIONS: tuple[TextAction, ...] = get_args(TextAction)
_TEXTS = ("old", "new", "anchor")
_EDIT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": list(ACTIONS)},
        **{name: {"type": "string"} for name in _TEXTS},
        "everywhere": {"type": "boolean"},
    },
    "required": ["action", *_TEXTS, "everywhere"],
    "additionalProperties": False,
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "understood": {"type": "boolean"},
        "reason": {"type": "string"},
        "edits": {"type": "array", "items": _EDIT},
    },
    "required": ["understood", "reason", "edits"],
    "additionalProperties": False,
}
"""JSON schema of an answer."""
_PLACE = re.compile(r"\{(instruction|page)\}")


@dataclass(frozen=True, slots=True)
class StatedEdit:
    """One edit, in the words of the judge."""

    action: TextAction
    old: str = ""
    new: str = ""
    anchor: str = ""
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class StatedEdits:
    """The edits that a judge reads out of an instruction, or the reason why there are none."""

    edits: tuple[StatedEdit, ...] = ()
    problem: str = ""
    model: str = ""
    """Name of the model as reported by the server."""


def state_edits(judge: Judge, instruction: str, page: str, *, pause: float = RETRIES.pause) -> StatedEdits:
    """Ask a judge for the edits of an instruction; a failure is a reason, never an error or a guess.

    `page` is the text of the page before the edit. The connection is closed afterwards.
    """
    request = JudgeRequest(prompt(instruction, page), (), SCHEMA)
    answer = asyncio.run(_ask(judge, request, pause))
    if answer.state != "answered":
        return StatedEdits(problem=answer.reason or answer.state, model=answer.model)
    try:
        edits = parse_edits(answer.text)
    except InputError as error:
        return StatedEdits(problem=str(error), model=answer.model)
    return replace(edits, model=answer.model)


async def _ask(judge: Judge, request: JudgeRequest, pause: float) -> ModelAnswer:
    async def attempt() -> ModelAnswer:
        return await judge.ask(request)

    try:
        return await replace(RETRIES, pause=pause).call_async(attempt)
    except Exception as error:  # of a judge of another package
        return ModelAnswer("failed", reason=f"{type(error).__name__}: {excerpt(judge.secret.redact(str(error)))}")
    finally:
        await judge.close()


def prompt(instruction: str, page: str) -> str:
    """Fill the prompt; placeholders inside the values are not replaced."""
    values = {"instruction": instruction, "page": page}
    return _PLACE.sub(lambda place: values[place[1]], _template())


@cache
def _template() -> str:
    return read_bytes(PROMPT_FILE).decode("utf-8").strip()


def prompt_hash() -> str:
    """Return the hash of the prompt and the schema."""
    return hashlib.sha256(f"{_template()}\0{json.dumps(SCHEMA, sort_keys=True)}".encode()).hexdigest()[:12]


def parse_edits(text: str) -> StatedEdits:
    """Parse an answer; raise an error if it does not match the schema.

    >>> parse_edits('{"understood": false, "reason": "no new text is stated", "edits": []}').problem
    'not understood: no new text is stated'
    >>> parse_edits('{"understood": true, "reason": "", "edits": []}')
    Traceback (most recent call last):
    vdebench.errors.InputError: the answer has no edits
    """
    objects = list(json_objects(text))
    if len(objects) != 1:
        raise InputError(f"the answer has {len(objects)} JSON objects, expected one: {excerpt(text) or 'it is empty'}")
    (answer,) = objects
    _require_keys(answer, SCHEMA, "answer")
    understood, reason, edits = (answer[name] for name in ("understood", "reason", "edits"))
    if not isinstance(understood, bool) or not isinstance(reason, str) or not isinstance(edits, list):
        raise InputError(f"the answer does not match its schema: {excerpt(text)}")
    if not understood:
        return StatedEdits(problem=f"not understood: {excerpt(reason) or 'no reason given'}")
    if not edits:
        raise InputError("the answer has no edits")
    return StatedEdits(tuple(_edit(each) for each in edits))


def _edit(value: Any) -> StatedEdit:
    if not isinstance(value, dict):
        raise InputError(f"an edit is {excerpt(json.dumps(value), 60)}, expected an object")
    _require_keys(value, _EDIT, "edit")
    if value["action"] not in ACTIONS:
        raise InputError(f"the action is {excerpt(repr(value['action']), 60)}, expected one of {', '.join(ACTIONS)}")
    if not all(isinstance(value[name], str) for name in _TEXTS) or not isinstance(value["everywhere"], bool):
        raise InputError(f"an edit does not match its schema: {excerpt(json.dumps(value, ensure_ascii=False))}")
    old, new, anchor = (" ".join(value[name].split()) for name in _TEXTS)
    return StatedEdit(cast(TextAction, value["action"]), old, new, anchor, value["everywhere"])


def _require_keys(value: dict[str, Any], schema: dict[str, Any], what: str) -> None:
    if set(value) != set(schema["required"]):
        keys = excerpt(", ".join(map(repr, value)), 80) or "none"
        raise InputError(f"the {what}'s keys are {keys}, expected {', '.join(map(repr, schema['required']))}")
