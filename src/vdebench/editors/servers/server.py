"""Base class of editors behind servers: options, key, requests with retries, and the record of an edit."""

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
from vdebench.editors.servers.answer import ImageAnswer, checked, short, without_images
from vdebench.editors.servers.edit_cost import EditCost
from vdebench.editors.servers.images import SentImage, bytes_of, decoded, is_address, policy, prepared
from vdebench.editors.servers.options import at_least_0, number_or_nothing, whole
from vdebench.errors import EditorError, EditorUnusableError, MissingPartError, VdeError
from vdebench.net.addresses import INSTALL, bad_address, redacted, seconds, setting
from vdebench.net.errors import RequestError
from vdebench.net.keys import NO_KEY, Secret, is_variable, key_from
from vdebench.net.prices import IMAGE_PRICES, parse_image_price

if TYPE_CHECKING:
    from vdebench.editors.servers.client import ServerClient

VERSION = "1"
"""Version of requests and parsing; a new one invalidates existing edits."""


@dataclass(kw_only=True, eq=False)
class ServerEditor(Editor):
    """A thread-safe editor behind HTTP.

    Fields are options; those that change the image are in the identity, the key never is.
    """

    waits: ClassVar[bool] = True
    name: ClassVar[str]
    home: ClassVar[str]
    """Default address."""
    hosts: ClassVar[tuple[str, ...]] = ()
    """Further hosts of the provider, to which the same key may be sent."""
    address_variable: ClassVar[str] = ""
    """Environment variable with an alternative address for the default key."""
    default_key_variable: ClassVar[str]
    default_seed: ClassVar[str] = "none"
    rewriting: ClassVar[str] = "unknown"
    """Whether the server rewrites the instruction: off, on (cannot be disabled) or unknown."""
    watermark: ClassVar[str] = "unknown"
    """The watermark that the provider declares, or `off` if the request disables it."""

    model: str = ""
    base_url: str = ""
    key_variable: str = ""
    seed: str | int = ""
    max_pixels: int | str = 0
    max_side: int | str = 0
    price: str | float = ""
    timeout: float | str = 300
    tries: int | str = 4
    concurrency: int = 4
    per_minute: float = 0

    def __post_init__(self) -> None:
        """Check the options before anything is sent."""
        self.model, self.base_url = str(self.model).strip(), str(self.base_url).strip()
        if problem := self.missing(model=self.model, base_url=self.base_url, key_variable=self.key_variable):
            raise MissingPartError(problem)
        self.max_pixels = whole(self.name, "max_pixels", self.max_pixels)
        self.max_side = whole(self.name, "max_side", self.max_side)
        self.tries = whole(self.name, "tries", self.tries, least=1)
        self.timeout = seconds(self.timeout)
        self.concurrency = whole(self.name, "concurrency", self.concurrency, least=1)
        self.per_minute = at_least_0(self.name, "per_minute", self.per_minute)
        listed_price = IMAGE_PRICES.get(self.model) if self._is_home else None
        self._price = parse_image_price(self.price) if self.price != "" else listed_price
        self._seed_rule = str(self.seed).strip() or self._default_seed
        if self._seed_rule not in ("task", "none"):
            whole(self.name, "seed", self._seed_rule)
        self.charges = self._is_home or self._price is not None  # the cost of other servers is unknown
        self._secret = self._key()
        self._opening = threading.Lock()
        self._client: ServerClient | None = None

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return what is missing with the remedy; empty if nothing is."""
        if not find_spec("httpx2"):
            return f"the editor {cls.name} needs the package httpx2\n  {INSTALL}"
        url = cls._url(str(options.get("base_url") or ""))
        if any(mark in url for mark in "@?#"):  # not printed: it may contain a key
            advice = "keys are read from the environment only: key_variable=NAME"
            return f"the editor {cls.name}: base_url contains a password or a query\n  {advice}"
        if problem := bad_address(url):
            return f"the editor {cls.name}: {problem}"
        variable = str(options.get("key_variable") or "")
        if variable and not is_variable(variable):
            return f"the editor {cls.name}: key_variable is not the name of a variable (is it the key itself?)"
        try:
            has_key = bool(key_from(variable or cls.default_key_variable))
        except VdeError as error:
            return str(error)
        if not has_key and (variable or cls._goes_home(url)):
            name = variable or cls.default_key_variable
            advice = "another variable: key_variable=NAME; another server: base_url=http://host:8000/v1"
            return f"the editor {cls.name} needs a key: set {name}\n  in the environment; {advice}"
        if not (options.get("model") or cls.model):
            return f"the editor {cls.name} has no model\n  set the name of the model on the server: model=…"
        return ""

    @classmethod
    def _url(cls, base_url: str) -> str:
        return (setting(base_url, cls.address_variable) if cls.address_variable else base_url) or cls.home

    @classmethod
    def _goes_home(cls, url: str) -> bool:
        """Whether an address is the provider's, over https."""
        parts = urlsplit(url)
        return parts.scheme == "https" and parts.hostname in (urlsplit(cls.home).hostname, *cls.hosts)

    @property
    def _is_home(self) -> bool:
        return self._goes_home(self.url)

    @property
    def url(self) -> str:
        """The address of the server."""
        return self._url(self.base_url).rstrip("/")

    @property
    def server(self) -> str:
        """The provider's host; `own` for other servers, whose names change and may be private."""
        return (urlsplit(self.url).hostname or "") if self._is_home else "own"

    def _key(self) -> Secret:
        """Return the key in `key_variable`, or the provider's, which is sent to the provider only."""
        if self.key_variable or self._is_home or not self.base_url:
            return key_from(self.key_variable or self.default_key_variable)
        return NO_KEY

    @property
    def _default_seed(self) -> str:
        """`task` for the run's seed; `none` if no seed is sent."""
        return self.default_seed

    def _seed(self, run_seed: int) -> int | None:
        rule = self._seed_rule
        return None if rule == "none" else run_seed if rule == "task" else int(rule)

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, model, server, preparation of pages, and the options sent."""
        sent = {name: str(value) for name, value in self._sent_options().items() if value != ""}
        return {
            "name": self.name,
            "version": VERSION,
            "model": self.model,
            "server": self.server,
            "input": policy(int(self.max_pixels), int(self.max_side)),
            "seed": self._seed_rule,
            "prompt_rewriting": self.rewriting,
            "watermark": self.watermark,
            **sent,
        }

    def _sent_options(self) -> Mapping[str, Any]:
        """Options of the request that change the image."""
        return {}

    def _headers(self, key: str) -> Mapping[str, str]:
        """Return the headers with the key."""
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
        """Close connections."""
        with self._opening:
            client, self._client = self._client, None
        if client:
            client.close()

    def edit(self, image: Image, instruction: str, *, seed: int = 0) -> Edit:
        """Return the edited page or the server's refusal; raise `EditorError` if there is neither."""
        sent = prepared(image, int(self.max_pixels), int(self.max_side))
        chosen, spent = self._seed(seed), EditCost(self._price)
        try:
            client = self.client()
            answer, page, metadata = client.with_retries(lambda: self._try(client, sent, instruction, chosen, spent))
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
            "watermark": self.watermark,
            **spent.record,
            **({"refusal": answer.refusal} if answer.refusal else {}),
        }
        words = f": {short(answer.words)}" if answer.words else ""
        reason = f"the model refused ({answer.refusal}){words}" if page is None else ""
        reason, parameters, metadata = self._secret.redact([reason, parameters, metadata])
        return Edit("refused" if page is None else "edited", page, reason, parameters, metadata)

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
        metadata = {"answer": without_images(reply.body), "request_id": reply.headers.get("x-request-id")}
        if reply.refusal:
            return ImageAnswer(refusal=reply.refusal.code or "policy", words=reply.refusal.words), None, metadata
        answer = self.parse_answer(reply.body)
        spent.add(answer)
        answer = checked(answer)
        if answer.refusal:
            return answer, None, metadata
        if is_address(answer.picture):
            return answer, client.fetch(answer.picture), metadata
        return answer, decoded(bytes_of(answer.picture)), metadata

    def error(self, fault: RequestError, spent: EditCost | None = None) -> EditorError:
        """Return the error of a failed request, with its cost."""
        model = f"{self.model} at " if self.model else ""
        message = self._secret.redact(f"{self.name} ({model}{redacted(self.url)}): {fault}")
        error = EditorUnusableError(message) if fault.fatal else EditorError(message)
        error.parameters = spent.record if spent else {}
        return error

    @abstractmethod
    def build_request(self, sent: SentImage, instruction: str, seed: int | None) -> tuple[str, dict[str, Any]]:
        """Return the path of the request and its content (`json=`, or `data=` and `files=`)."""

    @abstractmethod
    def parse_answer(self, body: Any) -> ImageAnswer:
        """Parse an answer without an error message."""


@dataclass(kw_only=True, eq=False)
class DiffusionServerEditor(ServerEditor):
    """A server that accepts diffusion settings.

    The seed is sent to servers other than the provider's. Without a negative prompt `true_cfg_scale` has no effect on
    Qwen's models, so a blank one is sent with it.
    """

    negative_prompt: str = ""
    true_cfg_scale: str | float = ""
    num_inference_steps: str | int = ""

    def __post_init__(self) -> None:
        """Check the options before anything is sent."""
        super().__post_init__()
        self.true_cfg_scale = number_or_nothing(self.name, "true_cfg_scale", self.true_cfg_scale)
        if self.num_inference_steps != "":
            self.num_inference_steps = whole(self.name, "num_inference_steps", self.num_inference_steps, least=1)

    @property
    def _default_seed(self) -> str:
        return "none" if self._is_home else "task"

    @property
    def _negative(self) -> str:
        return self.negative_prompt or (" " if self.true_cfg_scale != "" else "")
