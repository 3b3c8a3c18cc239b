"""Who is asking, and whether they may: sessions, CSRF, roles and limits, before anything is looked at that was sent."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from re import compile as pattern
from threading import Lock
from typing import Any

from vdebench.review.accounts import Accounts
from vdebench.review.server.limits import AttemptLimit, TokenBuckets
from vdebench.review.server.pending import PendingSamples
from vdebench.review.server.responses import ApiReply, fail
from vdebench.review.server.settings import ServerSettings
from vdebench.review.server.state_cache import StateCache
from vdebench.review.sessions import LONGEST, SignedIn
from vdebench.review.state import Member
from vdebench.review.store import Store

COOKIE = "vde_session"
_TOKEN = pattern(r"[A-Za-z0-9_-]{43}")
_MOST_REMEMBERED = 10_000
SAFE = ("GET", "HEAD")


class Access(Enum):
    """Who may ask for something."""

    EVERYBODY = "everybody"
    MEMBERS = "members"
    JUDGES = "judges"
    ADMINS = "admins"

    def lets(self, role: str) -> bool:
        """Whether it lets somebody of a role."""
        allowed = {Access.JUDGES: ("adjudicator", "admin"), Access.ADMINS: ("admin",)}
        return role in allowed.get(self, ("annotator", "adjudicator", "admin"))


@dataclass(frozen=True, slots=True)
class AuthorizedRequest:
    """A request that was let through."""

    now: datetime
    address: str
    query: Mapping[str, str] = field(default_factory=dict)
    token: str = ""
    member: Member = Member("", "")  # noqa: RUF009 - frozen
    body: Mapping[str, Any] = field(default_factory=dict)
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[["AppContext", AuthorizedRequest], ApiReply]


@dataclass(frozen=True, slots=True)
class Route:
    """What is done for whom."""

    method: str
    path: str
    access: Access
    handler: Handler
    takes: str = "json"
    """What a body may be: `json` or `image`."""
    hall: str = "votes"
    """Where it is worked on: what takes long has threads of its own, and votes do not wait for it."""


class AppContext:
    """All that handlers need, and what stands before them."""

    def __init__(self, store: Store, pool: Any, settings: ServerSettings, accounts: Accounts | None = None) -> None:
        self.store, self.pool, self.settings = store, pool, settings
        self.accounts = accounts or Accounts(store)
        self.replayed = StateCache(store)
        ticks = settings.ticks
        self.by_session = TokenBuckets(settings.requests_per_second, settings.burst, ticks)
        self.by_address = TokenBuckets(5 * settings.requests_per_second, 5 * settings.burst, ticks)
        self.tries_by_name = AttemptLimit(settings.tries_by_name, ticks)
        self.tries_by_address = AttemptLimit(settings.tries_by_address, ticks)
        self.unready = PendingSamples(ticks)
        self.stuck: Callable[[], list[dict[str, str]]] = list
        """What could not be prepared, and why."""
        self._known: dict[str, tuple[float, Member]] = {}
        self._forgotten = 0
        """How often something was: a look that began before does not count."""
        self._lock = Lock()

    def remembered(self, token: str) -> Member | None:
        """Who is signed in, where that was looked up a moment ago."""
        known = self._known.get(token)
        return known[1] if known and known[0] > self.settings.ticks() else None

    def look_up(self, token: str, now: datetime) -> Member | None:
        """Who is signed in, by the database."""
        before, forgotten = self.settings.ticks(), self._forgotten
        session = self.accounts.session(token, now) if token else None
        member = self.store.study().member(session.name) if session else None
        with self._lock:
            if member is None:
                self._known.pop(token, None)
            elif forgotten == self._forgotten:
                if len(self._known) >= _MOST_REMEMBERED:
                    self._known.clear()
                self._known[token] = before + self.settings.remembered_seconds, member
        return member

    def forget(self, name: str) -> None:
        """Look somebody's sessions up again."""
        with self._lock:
            self._forgotten += 1
            self._known = {token: known for token, known in self._known.items() if known[1].name != name}

    def let(self, route: Route, method: str, headers: Mapping[str, str], token: str, member: Member | None) -> Member:
        """Whoever asks, or an error that says why not."""
        if method not in SAFE:
            self.check_origin(headers)
        if route.access is Access.EVERYBODY:
            return member or Member("", "")
        if member is None:
            fail(401, "not_signed_in", "sign in first")
        if seconds := self.by_session.wait(token):
            fail(429, "too_many", "too many requests; wait a moment", Retry_After=str(seconds))
        if method not in SAFE and not hmac.compare_digest(
            headers.get("x-csrf-token", "").encode("utf-8", "replace"), csrf_of(token).encode()
        ):
            fail(403, "wrong_csrf", "the request does not come from the page of this session; load it again")
        if not route.access.lets(member.role):
            fail(403, "forbidden", f"not for {member.role}s")
        return member

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Refuse what another site's page sends."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if (origin is not None and origin not in self.settings.origins) or site not in (None, "same-origin", "none"):
            fail(403, "wrong_origin", "the request comes from a page that is not ours")

    def limit_address(self, address: str) -> None:
        """Refuse an address without a known session that asks too often."""
        if seconds := self.by_address.wait(address):
            fail(429, "too_many", "too many requests; wait a moment", Retry_After=str(seconds))

    def limit_tries(self, *keys: tuple[AttemptLimit, str]) -> None:
        """Refuse one who tries passwords or invitations too often."""
        for tries, key in keys:
            if seconds := tries.wait(key):
                fail(429, "too_many", f"too many tries; wait {seconds} seconds", Retry_After=str(seconds))

    def signed_in(self, opened: SignedIn, before: str) -> ApiReply:
        """The answer to whoever has just signed in; the session that they came with ends."""
        if before:
            self.accounts.sign_out(before)
            self.forget_token(before)
        cookie = self.cookie(opened.token, int(LONGEST.total_seconds()))
        return ApiReply(data={"name": opened.session.name}, headers={"Set-Cookie": cookie})

    def forget_token(self, token: str) -> None:
        """Believe a session no more without a look."""
        with self._lock:
            self._forgotten += 1
            self._known.pop(token, None)

    def cookie(self, token: str, seconds: int) -> str:
        """The session's cookie; to take it away, of 0 seconds."""
        secure = "; Secure" if self.settings.secure else ""
        return f"{COOKIE}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"


def csrf_of(token: str) -> str:
    """The word that the page of a session shows with what it sends: made of its token, which it does not betray."""
    return hmac.new(token.encode(), b"vde review csrf", "sha256").hexdigest()


def token_in(headers: Mapping[str, str]) -> str:
    """The session's token in a cookie header; nothing where none is there that could be one."""
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value if _TOKEN.fullmatch(value) else ""
    return ""
