"""What all editors behind servers share: options, the key, tries, and what is kept of an edit."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from vdebench.core.images import Image
from vdebench.editors.editor import Edit, Editor
from vdebench.editors.servers.answer import ImageAnswer, settled, short, without_images
from vdebench.editors.servers.images import SentImage, bytes_of, decoded, is_address, policy, prepared
from vdebench.editors.servers.options import at_least_0, whole
from vdebench.editors.servers.prices import LISTED, EditCost, parsed
from vdebench.errors import EditorError, EditorUnusableError, MissingPartError, VdeError
from vdebench.net.addresses import INSTALL, bad_address, seconds, setting, shown
from vdebench.net.errors import RequestError
from vdebench.net.keys import NO_KEY, Secret, is_variable, key_from

if TYPE_CHECKING:
    from vdebench.editors.servers.client import ServerClient

VERSION = "1"
"""Of how pages are sent and answers read: a new one makes edits anew."""


@dataclass(kw_only=True, eq=False)
class ServerEditor(Editor):
    """An editor behind HTTP, for any number of threads.

    Fields are options; what changes the image is in the identity, the key is nowhere.
    """

    waits: ClassVar[bool] = True
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
    """Whether the server rewrites the instruction: off, on (where it cannot be turned off), unknown."""
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
    at_once: int = 4
    per_minute: float = 0

    def __post_init__(self) -> None:
        """Check the options before anything is sent."""
        self.model, self.base_url = str(self.model).strip(), str(self.base_url).strip()
        if gap := self.missing(model=self.model, base_url=self.base_url, key_variable=self.key_variable):
            raise MissingPartError(gap)
        self.max_pixels = whole(self.name, "max_pixels", self.max_pixels)
        self.max_side = whole(self.name, "max_side", self.max_side)
        self.tries = whole(self.name, "tries", self.tries, least=1)
        self.timeout = seconds(self.timeout)
        self.at_once = whole(self.name, "at_once", self.at_once, least=1)
        self.per_minute = at_least_0(self.name, "per_minute", self.per_minute)
        self._price = parsed(self.price) if self.price != "" else LISTED.get(self.model) if self._is_home else None
        self._seed_rule = str(self.seed).strip() or self._usual_seed
        if self._seed_rule not in ("task", "none"):
            whole(self.name, "seed", self._seed_rule)
        self.charges = self._is_home or self._price is not None  # of own servers the user knows
        self._secret = self._key()
        self._opening = threading.Lock()
        self._client: ServerClient | None = None

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
        if variable and not is_variable(variable):
            return f"the editor {cls.name}: key_variable is no name of an environment variable (is it the key itself?)"
        try:
            has_key = bool(key_from(variable or cls.default_key_variable))
        except VdeError as error:
            return str(error)
        if not has_key and (variable or cls._goes_home(url)):
            name = variable or cls.default_key_variable
            advice = "another variable: key_variable=NAME; a server of your own: base_url=http://host:8000/v1"
            return f"the editor {cls.name} needs a key: set {name}\n  in the environment; {advice}"
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

    def _key(self) -> Secret:
        """The key of `key_variable`; else the maker's, which goes to the maker alone unless the environment says so."""
        if self.key_variable or self._is_home or not self.base_url:
            return key_from(self.key_variable or self.default_key_variable)
        return NO_KEY

    @property
    def _usual_seed(self) -> str:
        """task: the run's; none: not sent."""
        return self.default_seed

    def _seed(self, asked: int) -> int | None:
        rule = self._seed_rule
        return None if rule == "none" else asked if rule == "task" else int(rule)

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
            "prompt_rewriting": self.rewriting,
            "watermark": self.watermark_told,
            **sent,
        }

    def _sent_options(self) -> Mapping[str, Any]:
        """Options of the request that change the image."""
        return {}

    def _headers(self, key: str) -> Mapping[str, str]:
        """How the key is sent."""
        return {"Authorization": f"Bearer {key}"}

    def client(self) -> ServerClient:
        """The client of the server, one for all threads."""
        from vdebench.editors.servers.client import ServerClient

        with self._opening:
            if self._client is None:
                headers = self._headers(self._secret.reveal()) if self._secret else {}
                variable = self.key_variable or self.default_key_variable
                how = f"set the environment variable {variable}, or key_variable=NAME"
                limits = float(self.timeout), int(self.tries)
                self._client = ServerClient(headers, *limits, how, self._secret, per_minute=float(self.per_minute))
            return self._client

    def close(self) -> None:
        """Let go of connections."""
        with self._opening:
            client, self._client = self._client, None
        if client:
            client.close()

    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """The page that the server makes, or its refusal; an `EditorError` where neither came."""
        sent = prepared(image, int(self.max_pixels), int(self.max_side))
        chosen, spent = self._seed(seed), EditCost(self._price)
        try:
            client = self.client()
            answer, made, said = client.patiently(lambda: self._try(client, sent, instruction, chosen, spent))
        except RequestError as fault:
            raise self.error(fault, spent) from None
        rewritten = bool(answer.revised) and answer.revised.strip() != instruction.strip()
        parameters = {
            "model": self.model,
            "model_returned": answer.model or None,
            "server": self.server,
            "sent_size": [sent.width, sent.height],
            "seed": chosen,
            "prompt_rewriting": "on" if rewritten else self.rewriting,
            "watermark": self.watermark_told,
            **spent.told,
            **({"refusal": answer.refusal} if answer.refusal else {}),
        }
        words = f": {short(answer.words)}" if answer.words else ""
        reason = f"the model refuses ({answer.refusal}){words}" if made is None else ""
        reason, parameters, said = self._secret.redact([reason, parameters, said])
        return Edit("refused" if made is None else "edited", made, reason, parameters, said)

    def _try(
        self, client: ServerClient, sent: SentImage, instruction: str, seed: int | None, spent: EditCost
    ) -> tuple[ImageAnswer, Image | None, Any]:
        path, content = self.build_request(sent, instruction, seed)
        spent.requests += 1
        try:
            reply = client.post(self.url + path, **content)
        except RequestError as fault:
            spent.unanswered += fault.lost
            raise
        said = {"answer": without_images(reply.told), "request_id": reply.headers.get("x-request-id")}
        if reply.refusal:
            return ImageAnswer(refusal=reply.refusal.code or "policy", words=reply.refusal.words), None, said
        answer = self.parse_answer(reply.told)
        spent.add(answer)
        answer = settled(answer)
        if answer.refusal:
            return answer, None, said
        if is_address(answer.picture):
            return answer, client.fetch(answer.picture), said
        return answer, decoded(bytes_of(answer.picture)), said

    def error(self, fault: RequestError, spent: EditCost | None = None) -> EditorError:
        """A fault in words for the user, with what it has cost."""
        model = f"{self.model} at " if self.model else ""
        told = self._secret.redact(f"{self.name} ({model}{shown(self.url)}): {fault}")
        error = EditorUnusableError(told) if fault.fatal else EditorError(told)
        error.parameters = spent.told if spent else {}
        return error

    @abstractmethod
    def build_request(self, sent: SentImage, instruction: str, seed: int | None) -> tuple[str, dict[str, Any]]:
        """Return the path below the address, and the content: `json`, or `data` and `files`."""

    @abstractmethod
    def parse_answer(self, told: Any) -> ImageAnswer:
        """Return the image, the refusal or the fault in an answer without an error status."""
