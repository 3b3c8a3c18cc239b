"""Signing in and out, and joining by an invitation."""

from __future__ import annotations

from vdebench.review.accounts import GONE, AccountDenial, fold
from vdebench.review.passwords import LONGEST
from vdebench.review.server.app_context import AppContext, AuthorizedRequest
from vdebench.review.server.responses import ApiReply, only, problem, text_of

_STATUS = {"unknown_invitation": 404, "name_taken": 409, "bad_name": 400, "bad_password": 400, "wrong_password": 403}
_WRONG = problem(401, "wrong_password", "the name or the password is wrong")


def login(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """POST /api/login."""
    only(asked.body, "name", "password")
    name, password = text_of(asked.body, "name"), text_of(asked.body, "password")
    key = fold(name[:LONGEST])
    desk.limit_tries((desk.tries_by_address, asked.address), (desk.tries_by_name, key))
    opened = desk.accounts.sign_in(name, password[: LONGEST + 1], asked.now)
    if opened is None:
        return _WRONG
    desk.tries_by_name.forget(key)
    return desk.signed_in(opened, asked.token)


def invitation(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """POST /api/invitation."""
    only(asked.body, "token")
    desk.limit_tries((desk.tries_by_address, asked.address))
    found = desk.accounts.invitation(text_of(asked.body, "token"), asked.now)
    if found is None:
        return _denied(GONE)
    return ApiReply(data={"role": found.role, "group": found.group, "name": found.name, "until": found.until})


def join(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """POST /api/join."""
    only(asked.body, "token", "name", "password")
    token, password = text_of(asked.body, "token"), text_of(asked.body, "password")
    name = text_of(asked.body, "name", needed=False)
    desk.limit_tries((desk.tries_by_address, asked.address))
    opened = desk.accounts.accept(token, name, password, asked.now)
    if isinstance(opened, AccountDenial):
        return _denied(opened)
    desk.forget(opened.session.name)
    return desk.signed_in(opened, asked.token)


def password(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """POST /api/password."""
    only(asked.body, "old", "new")
    old, new = text_of(asked.body, "old"), text_of(asked.body, "new")
    desk.limit_tries((desk.tries_by_address, asked.address), (desk.tries_by_name, fold(asked.member.name)))
    opened = desk.accounts.change_password(asked.member.name, old[: LONGEST + 1], new, asked.now)
    if isinstance(opened, AccountDenial):
        return _denied(opened)
    desk.forget(asked.member.name)
    return desk.signed_in(opened, "")


def logout(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """POST /api/logout."""
    desk.accounts.sign_out(asked.token)
    desk.forget_token(asked.token)
    return ApiReply(204, headers={"Set-Cookie": desk.cookie("", 0)})


def _denied(denied: AccountDenial) -> ApiReply:
    return problem(_STATUS.get(denied.error, 409), denied.error, denied.words)
