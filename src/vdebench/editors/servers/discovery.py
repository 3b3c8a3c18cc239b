"""Editors by address (`--editor http://host:8000/v1`): the API is detected by requests."""

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

TIMEOUT = 20.0
"""Seconds for each detection request; edits have their own timeout."""
MAX_LISTED = 20
"""Maximum number of models in an error message."""
ADVICE = "give the option model=NAME"


def editor_at(url: str, **options: Any) -> Editor:
    """Return the editor at an address: one with our protocol, otherwise one with `/images/edits`.

    For the latter, `model` is by default the only model of the server.
    """
    if options.get("model"):
        return _images(url, options)
    probe = OpenAiImagesEditor(base_url=url, model="?", key_variable=options.get("key_variable", ""), timeout=TIMEOUT)
    probe.tries = 2
    with closing(probe):
        hello, fault = _answer(probe, f"{probe.url}/hello")
        if isinstance(at(hello, "hello"), dict):
            found: Editor = make("editors", "external", EDITORS, {"url": url, **options})
            return found
        base = probe.url
        listed, fault = _answer(probe, f"{base}/models")
        if listed is None and not urlsplit(url).path.strip("/"):
            base = f"{base}/v1"
            listed, fault = _answer(probe, f"{base}/models")
        if listed is None and fault:
            probe.model = ""
            reason, advice = f"asked for its models: {fault.reason}", f"{fault.advice}; or {ADVICE}"
            raise probe.error(RequestError("answer", reason, advice))
    return _images(base, {**options, "model": _only(url, listed)})


def _images(url: str, options: dict[str, Any]) -> Editor:
    found: Editor = make("editors", "openai-images", EDITORS, {"base_url": url, **options})
    return found


def _answer(probe: OpenAiImagesEditor, url: str) -> tuple[Any, RequestError | None]:
    """Return the JSON at an address or the error; raise an error if the server is unreachable."""
    client = probe.client()
    try:
        return client.with_retries(lambda: client.get(url)), None
    except RequestError as fault:
        if fault.kind == "connection":
            probe.model = ""
            raise probe.error(fault) from None
        return None, fault


def _only(url: str, listed: Any) -> str:
    models = [name for one in at(listed, "data") or [] if (name := text_at(one, "id"))]
    if len(models) == 1:
        return models[0]
    if not models:
        raise EditorError(f"{url}: lists no models and does not implement our protocol; add --editor-option model=NAME")
    more = f" and {len(models) - MAX_LISTED} more" if len(models) > MAX_LISTED else ""
    names = ", ".join(models[:MAX_LISTED])
    raise VdeError(f"{url}: has {len(models)} models; {ADVICE}\n  {names}{more}")
