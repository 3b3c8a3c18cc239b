"""The application context: sessions, CSRF, roles and limits, checked before the body of a request is read."""

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
    """Who may use a route."""

    EVERYBODY = "everybody"
    MEMBERS = "members"
    JUDGES = "judges"
    ADMINS = "admins"

    def lets(self, role: str) -> bool:
        """Whether a role has access."""
        allowed = {Access.JUDGES: ("adjudicator", "admin"), Access.ADMINS: ("admin",)}
        return role in allowed.get(self, ("annotator", "adjudicator", "admin"))


@dataclass(frozen=True, slots=True)
class AuthorizedRequest:
    """An authorised request."""

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
    """A route, its access and its handler."""

    method: str
    path: str
    access: Access
    handler: Handler
    takes: str = "json"
    """Type of the body: `json` or `image`."""
    pool: str = "votes"
    """The thread pool that runs the handler."""


class AppContext:
    """Everything that handlers share."""

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
        """Samples that could not be prepared, with the error."""
        self._known: dict[str, tuple[float, Member]] = {}
        self._forgotten = 0
        """Number of calls of `forget`: a lookup that started before one is not cached."""
        self._lock = Lock()

    def cached_member(self, token: str) -> Member | None:
        """Return the member of a token if it was looked up recently."""
        known = self._known.get(token)
        return known[1] if known and known[0] > self.settings.ticks() else None

    def look_up(self, token: str, now: datetime) -> Member | None:
        """Look up the member of a token in the database."""
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
        """Drop the cached sessions of a member."""
        with self._lock:
            self._forgotten += 1
            self._known = {token: known for token, known in self._known.items() if known[1].name != name}

    def authorize(
        self, route: Route, method: str, headers: Mapping[str, str], token: str, member: Member | None
    ) -> Member:
        """Return the member who sends a request; raise `ReplyError` if they have no access."""
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
            fail(403, "wrong_csrf", "the CSRF token does not belong to this session; reload the page")
        if not route.access.lets(member.role):
            fail(403, "forbidden", f"not available for {member.role}s")
        return member

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Refuse requests from pages of other sites."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if (origin is not None and origin not in self.settings.origins) or site not in (None, "same-origin", "none"):
            fail(403, "wrong_origin", "the request comes from a page of another site")

    def limit_address(self, address: str) -> None:
        """Limit the rate of requests without a known session, by address."""
        if seconds := self.by_address.wait(address):
            fail(429, "too_many", "too many requests; wait a moment", Retry_After=str(seconds))

    def limit_tries(self, *keys: tuple[AttemptLimit, str]) -> None:
        """Limit attempts to sign in or use invitations."""
        for tries, key in keys:
            if seconds := tries.wait(key):
                fail(429, "too_many", f"too many tries; wait {seconds} seconds", Retry_After=str(seconds))

    def signed_in(self, opened: SignedIn, before: str) -> ApiReply:
        """Return the answer after signing in; an earlier session of the client ends."""
        if before:
            self.accounts.sign_out(before)
            self.forget_token(before)
        cookie = self.cookie(opened.token, int(LONGEST.total_seconds()))
        return ApiReply(data={"name": opened.session.name}, headers={"Set-Cookie": cookie})

    def forget_token(self, token: str) -> None:
        """Drop a session from the cache."""
        with self._lock:
            self._forgotten += 1
            self._known.pop(token, None)

    def cookie(self, token: str, seconds: int) -> str:
        """Return the Set-Cookie value of a session; 0 seconds deletes it."""
        secure = "; Secure" if self.settings.secure else ""
        return f"{COOKIE}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"


def csrf_of(token: str) -> str:
    """Return the CSRF token of a session, a hash of the session token."""
    return hmac.new(token.encode(), b"vde review csrf", "sha256").hexdigest()


def token_in(headers: Mapping[str, str]) -> str:
    """Return the session token in the cookie header; empty if there is none."""
    for part in headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            return value if _TOKEN.fullmatch(value) else ""
    return ""
