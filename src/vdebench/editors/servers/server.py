"""What all editors behind servers share: options, the key, tries, and what is kept of an edit."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from vdebench.editors.editor import Edit, Editor, Task
from vdebench.editors.servers.answer import Answer, or_refusal, short
from vdebench.editors.servers.faults import CallError, Complaint, EditorError
from vdebench.editors.servers.options import whole
from vdebench.editors.servers.picture import Sent, bytes_of, decoded, is_address, policy, prepared
from vdebench.editors.servers.prices import LISTED, cost, parsed
from vdebench.errors import MissingPartError, VdeError
from vdebench.images import Image
from vdebench.judges.secret import Secret, key_from
from vdebench.readers.http import INSTALL, bad_address, seconds, setting, shown

if TYPE_CHECKING:
    from vdebench.editors.servers.calls import Caller

VERSION = "1"
"""Of how pages are sent and answers read: a new one makes edits anew."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(kw_only=True, eq=False)
class ServerEditor(Editor):
    """An editor behind HTTP. Fields are options; what changes the image is in the identity, the key is nowhere."""

    name: ClassVar[str]
    home: ClassVar[str]
    """Where it is asked unless an option says otherwise."""
    hosts: ClassVar[tuple[str, ...]] = ()
    """Further hosts of the same maker, who may be sent the same key."""
    address_variable: ClassVar[str] = ""
    """An environment variable with an address that the key of the environment belongs to."""
    default_key_variable: ClassVar[str]
    default_seed: ClassVar[str] = "none"
    rewriting: ClassVar[str] = "unknown"
    """Whether the server rewrites the instruction: off, on or unknown."""
    watermark_told: ClassVar[str] = "unknown"
    """The watermark that the maker declares, or that the request turns off."""

    model: str = ""
    base_url: str = ""
    key_variable: str = ""
    seed: str | int = ""
    max_pixels: int | str = 0
    max_side: int | str = 0
    price: str | float = ""
    timeout: float | str = 300
    tries: int | str = 4

    def __post_init__(self) -> None:
        """Check the options before anything is sent."""
        self.model, self.base_url = str(self.model).strip(), str(self.base_url).strip()
        if gap := self.missing(model=self.model, base_url=self.base_url, key_variable=self.key_variable):
            raise MissingPartError(gap)
        self.max_pixels = whole(self.name, "max_pixels", self.max_pixels)
        self.max_side = whole(self.name, "max_side", self.max_side)
        self.tries = whole(self.name, "tries", self.tries, least=1)
        self.timeout = seconds(self.timeout)
        self._price = parsed(self.price) if self.price != "" else LISTED.get(self.model) if self._is_home else None
        self._seed_rule = str(self.seed).strip() or self._usual_seed
        if self._seed_rule not in ("task", "none"):
            whole(self.name, "seed", self._seed_rule)
        self._secret = self._key()

    @classmethod
    def missing(cls, **options: Any) -> str:
        """What is not there and how to get it; nothing where all is there."""
        if not find_spec("httpx2"):
            return f"the editor {cls.name} needs the package httpx2\n  {INSTALL}"
        given = str(options.get("base_url") or "")
        url = cls._url(given)
        if any(mark in url for mark in "@?#"):  # not shown: what stands there may be a key
            advice = "keys are taken from the environment only: key_variable=NAME"
            return f"the editor {cls.name}: base_url holds a password or a query, which no address here has\n  {advice}"
        if gap := bad_address(url):
            return f"the editor {cls.name}: {gap}"
        variable = str(options.get("key_variable") or "")
        if variable and not _VARIABLE.fullmatch(variable):
            return f"the editor {cls.name}: key_variable is no name of an environment variable (is it the key itself?)"
        try:
            has_key = key_from(variable or cls.default_key_variable).reveal() != "none"
        except VdeError as error:
            return str(error)
        if not has_key and (variable or cls._goes_home(url)):
            name = variable or cls.default_key_variable
            advice = "another variable: key_variable=NAME; a server of your own: base_url=http://host:8000/v1"
            return f"the editor {cls.name} needs a key in the environment: set {name}\n  {advice}"
        if not (options.get("model") or cls.model):
            return f"the editor {cls.name} has no model\n  give its name on the server: model=…"
        return ""

    @classmethod
    def _url(cls, given: str) -> str:
        return (setting(given, cls.address_variable) if cls.address_variable else given) or cls.home

    @classmethod
    def _goes_home(cls, url: str) -> bool:
        """Whether an address is the maker's, by a connection that nobody reads along."""
        parts = urlsplit(url)
        return parts.scheme == "https" and parts.hostname in (urlsplit(cls.home).hostname, *cls.hosts)

    @property
    def _is_home(self) -> bool:
        return self._goes_home(self.url)

    @property
    def url(self) -> str:
        """The address that is asked."""
        return self._url(self.base_url).rstrip("/")

    @property
    def server(self) -> str:
        """The maker's host; others are `own`, for they move, and their names are nobody's business."""
        return (urlsplit(self.url).hostname or "") if self._is_home else "own"

    def _key(self) -> Secret | None:
        """The key of `key_variable`; else the maker's, which goes to the maker alone unless the environment says so."""
        if self.key_variable or self._is_home or not self.base_url:
            found = key_from(self.key_variable or self.default_key_variable)
            return None if found.reveal() == "none" else found
        return None

    @property
    def _usual_seed(self) -> str:
        """task: the run's; none: not sent."""
        return self.default_seed

    def _seed(self, task: Task) -> int | None:
        rule = self._seed_rule
        return None if rule == "none" else task.seed if rule == "task" else int(rule)

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, model, server, how pages are sent, the options that are sent along."""
        sent = {name: str(value) for name, value in self._sent_options().items() if value != ""}
        return {
            "name": self.name,
            "version": VERSION,
            "model": self.model,
            "server": self.server,
            "input": policy(int(self.max_pixels), int(self.max_side)),
            "seed": self._seed_rule,
            **sent,
        }

    def _sent_options(self) -> Mapping[str, Any]:
        """Options of the request that change the image."""
        return {}

    def _headers(self, key: str) -> Mapping[str, str]:
        """How the key is sent."""
        return {"Authorization": f"Bearer {key}"}

    @cached_property
    def _caller(self) -> Caller:
        from vdebench.editors.servers.calls import Caller

        headers = self._headers(self._secret.reveal()) if self._secret else {}
        how = f"set the environment variable {self.key_variable or self.default_key_variable}, or key_variable=NAME"
        return Caller(headers, timeout=float(self.timeout), tries=int(self.tries), key=how)

    def close(self) -> None:
        """Let go of connections."""
        if "_caller" in self.__dict__:
            self._caller.close()
            del self.__dict__["_caller"]

    def edit(self, task: Task) -> Edit:
        """The page that the server makes, or its refusal; an `EditorError` where neither came."""
        from vdebench.editors.servers.calls import patiently

        sent = prepared(task.image, int(self.max_pixels), int(self.max_side))
        seed = self._seed(task)
        try:
            (answer, image), tried = patiently(
                lambda: self._try(sent, task.instruction, seed), int(self.tries), float(self.timeout)
            )
        except CallError as fault:
            advice = f"\n  {fault.advice}" if fault.advice else ""
            told = f"{self.name} ({self.model} at {shown(self.url)}): {fault.reason}{advice}"
            raise EditorError(self._clean(told)) from None
        about = self._clean(self._about(answer, image, sent, seed, tried))
        if image is None:
            words = f": {short(answer.words)}" if answer.words else ""
            return Edit.refused(self._clean(f"the model refuses ({answer.refusal}){words}"), **about)
        return Edit.of(image, **about)

    def _try(self, sent: Sent, instruction: str, seed: int | None) -> tuple[Answer, Image | None]:
        path, content = self._request(sent, instruction, seed)
        reply = self._caller.post(self.url + path, **content)
        if isinstance(reply, Complaint):
            return Answer(refusal=reply.code or "policy", words=reply.words), None
        answer = or_refusal(self._read(*reply))
        if answer.refusal:
            return answer, None
        if is_address(answer.picture):
            return answer, self._caller.fetch(answer.picture)
        return answer, decoded(bytes_of(answer.picture))

    @abstractmethod
    def _request(self, sent: Sent, instruction: str, seed: int | None) -> tuple[str, dict[str, Any]]:
        """The path below the address, and the content as the client takes it (`json=`, or `data=` and `files=`)."""

    @abstractmethod
    def _read(self, told: Any, headers: Mapping[str, str]) -> Answer:
        """What an answer without an error holds."""

    def _about(self, answer: Answer, image: Image | None, sent: Sent, seed: int | None, tried: int) -> dict[str, Any]:
        """What is kept of an edit."""
        dollars = answer.dollars
        if dollars is None:
            dollars = cost(self._price, answer.input_tokens, answer.output_tokens, image=image is not None)
        return {
            "model": self.model,
            "model_returned": answer.model or None,
            "server": self.server,
            "request_id": answer.request or None,
            "sent_size": [sent.width, sent.height],
            "native_size": None if image is None else [image.shape[1], image.shape[0]],
            "seed": seed,
            "usage": dict(answer.usage),
            "input_tokens": answer.input_tokens,
            "output_tokens": answer.output_tokens,
            "dollars": dollars,
            "prompt_rewriting": "on" if answer.rewritten else self.rewriting,
            "watermark": self.watermark_told,
            "requests": tried,
            **({"refusal": answer.refusal} if answer.refusal else {}),
        }

    def _clean(self, told: Any) -> Any:
        """The same without the key, wherever a server repeats it."""
        if self._secret is None:
            return told
        if isinstance(told, str):
            return self._secret.out_of(told)
        if isinstance(told, dict):
            return {self._clean(name): self._clean(value) for name, value in told.items()}
        return [self._clean(value) for value in told] if isinstance(told, list) else told
