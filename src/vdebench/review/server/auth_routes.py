"""Signing in and out, and joining by an invitation."""

from __future__ import annotations

from vdebench.review.accounts import GONE, AccountDenial, fold
from vdebench.review.passwords import LONGEST
from vdebench.review.server.app_context import AppContext, AuthorizedRequest
from vdebench.review.server.responses import ApiReply, only, problem, text_of

_STATUS = {"unknown_invitation": 404, "name_taken": 409, "bad_name": 400, "bad_password": 400, "wrong_password": 403}
_WRONG = problem(401, "wrong_password", "the name or the password is wrong")


def login(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """POST /api/login."""
    only(request.body, "name", "password")
    name, password = text_of(request.body, "name"), text_of(request.body, "password")
    key = fold(name[:LONGEST])
    context.limit_tries((context.tries_by_address, request.address), (context.tries_by_name, key))
    opened = context.accounts.sign_in(name, password[: LONGEST + 1], request.now)
    if opened is None:
        return _WRONG
    context.tries_by_name.forget(key)
    return context.signed_in(opened, request.token)


def invitation(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """POST /api/invitation."""
    only(request.body, "token")
    context.limit_tries((context.tries_by_address, request.address))
    found = context.accounts.invitation(text_of(request.body, "token"), request.now)
    if found is None:
        return _denied(GONE)
    return ApiReply(data={"role": found.role, "group": found.group, "name": found.name, "until": found.until})


def join(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """POST /api/join."""
    only(request.body, "token", "name", "password")
    token, password = text_of(request.body, "token"), text_of(request.body, "password")
    name = text_of(request.body, "name", needed=False)
    context.limit_tries((context.tries_by_address, request.address))
    opened = context.accounts.accept(token, name, password, request.now)
    if isinstance(opened, AccountDenial):
        return _denied(opened)
    context.forget(opened.session.name)
    return context.signed_in(opened, request.token)


def password(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """POST /api/password."""
    only(request.body, "old", "new")
    old, new = text_of(request.body, "old"), text_of(request.body, "new")
    context.limit_tries((context.tries_by_address, request.address), (context.tries_by_name, fold(request.member.name)))
    opened = context.accounts.change_password(request.member.name, old[: LONGEST + 1], new, request.now)
    if isinstance(opened, AccountDenial):
        return _denied(opened)
    context.forget(request.member.name)
    return context.signed_in(opened, "")


def logout(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """POST /api/logout."""
    context.accounts.sign_out(request.token)
    context.forget_token(request.token)
    return ApiReply(204, headers={"Set-Cookie": context.cookie("", 0)})


def _denied(denied: AccountDenial) -> ApiReply:
    return problem(_STATUS.get(denied.error, 409), denied.error, denied.words)
