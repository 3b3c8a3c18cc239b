"""Editors by their address alone (`--editor http://host:8000/v1`): what stands there is found by asking."""

from __future__ import annotations

from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

from vdebench.editors.catalog import EDITORS
from vdebench.editors.editor import Editor
from vdebench.editors.servers.openai_images import OpenAiImagesEditor
from vdebench.errors import EditorError, VdeError
from vdebench.net.errors import RequestError
from vdebench.net.json_path import at, text_at
from vdebench.registry import make

ASKING = 20.0
"""Seconds for each question; the edits' own limit is an option."""
NAMED = 20
"""Models that an error lists."""
GIVE = "give the option model=NAME"


def editor_at(url: str, **options: Any) -> Editor:
    """The editor at an address: one that speaks our protocol, else one with `/images/edits`.

    The second has a `model`; where none is given and the server has only one, it is that.
    """
    if options.get("model"):
        return _images(url, options)
    asking = OpenAiImagesEditor(base_url=url, model="?", key_variable=options.get("key_variable", ""), timeout=ASKING)
    asking.tries = 2
    with closing(asking):
        hello, fault = _answer(asking, f"{asking.url}/hello")
        if isinstance(at(hello, "hello"), dict):
            found: Editor = make("editors", "external", EDITORS, {"url": url, **options})
            return found
        base = asking.url
        listed, fault = _answer(asking, f"{base}/models")
        if listed is None and not urlsplit(url).path.strip("/"):
            base = f"{base}/v1"
            listed, fault = _answer(asking, f"{base}/models")
        if listed is None and fault:
            asking.model = ""
            reason, advice = f"asked for its models: {fault.reason}", f"{fault.advice}; or {GIVE}"
            raise asking.error(RequestError("answer", reason, advice))
    return _images(base, {**options, "model": _only(url, listed)})


def _images(url: str, options: dict[str, Any]) -> Editor:
    found: Editor = make("editors", "openai-images", EDITORS, {"base_url": url, **options})
    return found


def _answer(asking: OpenAiImagesEditor, url: str) -> tuple[Any, RequestError | None]:
    """The JSON at an address, or why there is none; a server that is away is an error."""
    client = asking.client()
    try:
        return client.patiently(lambda: client.get(url)), None
    except RequestError as fault:
        if fault.kind == "connection":
            asking.model = ""
            raise asking.error(fault) from None
        return None, fault


def _only(url: str, listed: Any) -> str:
    models = [name for one in at(listed, "data") or [] if (name := text_at(one, "id"))]
    if len(models) == 1:
        return models[0]
    if not models:
        raise EditorError(
            f"{url}: lists no models, and speaks no protocol of ours; give one: --editor-option model=NAME"
        )
    more = f" and {len(models) - NAMED} more" if len(models) > NAMED else ""
    shown = ", ".join(models[:NAMED])
    raise VdeError(f"{url}: has {len(models)} models; {GIVE}\n  {shown}{more}")
