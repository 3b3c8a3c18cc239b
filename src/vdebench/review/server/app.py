"""The application: routes, what a request passes on its way to its handler, and threads for the handlers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from vdebench.errors import MissingPartError
from vdebench.review.accounts import Accounts
from vdebench.review.database import BusyError
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.server.app_context import Access, AppContext, AuthorizedRequest, Route, token_in
from vdebench.review.server.middleware import SafetyMiddleware
from vdebench.review.server.page_files import PageFile, page_files
from vdebench.review.server.request_body import read_body
from vdebench.review.server.responses import NOT_FOUND, ApiReply, ReplyError, fail, problem, refused
from vdebench.review.server.routes import ROUTES
from vdebench.review.server.settings import ServerSettings
from vdebench.review.store import Store
from vdebench.review.tables import INSTALL, sqlalchemy

log = logging.getLogger("vdebench.review.server")

THREADS = {"votes": 16, "images": 3, "passwords": 1, "admin": 1}
LONGEST_QUEUE = 200
"""Of requests in a hall; beyond it the answer is 503."""


class ThreadPools:
    """Threads by what they are for: what takes long never makes a vote wait for a thread."""

    def __init__(self) -> None:
        self._threads = {name: ThreadPoolExecutor(number, f"review-{name}") for name, number in THREADS.items()}
        self._inside = dict.fromkeys(THREADS, 0)

    async def run(self, hall: str, work: Any, *arguments: Any) -> Any:
        """Do something in a thread; busy where too many wait."""
        if self._inside[hall] >= LONGEST_QUEUE:
            fail(503, "busy", "the server is busy; try again", Retry_After="2")
        self._inside[hall] += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads[hall], work, *arguments)
        finally:
            self._inside[hall] -= 1

    def close(self) -> None:
        """Wait for what is under way."""
        for threads in self._threads.values():
            threads.shutdown(wait=True, cancel_futures=True)


def create_app(store: Store, pool: Any, settings: ServerSettings, accounts: Accounts | None = None) -> Any:
    """A FastAPI application for a review; the store is closed by whoever opened it."""
    try:
        from fastapi import FastAPI
        from starlette.exceptions import HTTPException
    except ImportError:
        raise MissingPartError(f"the server of a review needs FastAPI: {INSTALL}") from None
    desk, halls = AppContext(store, pool, settings, accounts), ThreadPools()

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        yield
        halls.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False, lifespan=lifespan)
    app.state.desk = desk
    app.add_middleware(SafetyMiddleware, settings=settings)
    for route in ROUTES:
        app.add_route(route.path, _endpoint(route, desk, halls), methods=[route.method])
    files = page_files()
    app.add_route("/", _file(files, "index.html"), methods=["GET"])
    app.add_route("/page/{name}", _file(files), methods=["GET"])

    async def not_there(_: Any, error: Any) -> Any:
        if error.status_code == 405:
            return _sent(problem(405, "wrong_method", "this is asked for in another way", **_allow(error.headers)))
        return _sent(NOT_FOUND)

    app.add_exception_handler(HTTPException, not_there)
    return app


def _allow(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {"Allow": headers["Allow"]} if headers and "Allow" in headers else {}


def _endpoint(route: Route, desk: AppContext, halls: ThreadPools) -> Any:
    from starlette.requests import ClientDisconnect

    exc = sqlalchemy().exc
    unanswered = (exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.TimeoutError)

    async def endpoint(request: Any) -> Any:
        try:
            return _sent(await _answered(route, desk, halls, request))
        except ReplyError as error:
            return _sent(error.reply)
        except BusyError as error:
            return _sent(refused(Refusal(Reason.BUSY, str(error))))
        except unanswered as error:
            log.error("the database does not answer: %s", getattr(error, "orig", error))
            return _sent(refused(Refusal(Reason.BUSY, "the database does not answer; try again later")))
        except ClientDisconnect:
            return _sent(problem(400, "malformed", "the body did not come to its end"))

    return endpoint


async def _answered(route: Route, desk: AppContext, halls: ThreadPools, request: Any) -> ApiReply:
    """First who asks and whether they may; then what was sent is read; then it is done."""
    headers, now = request.headers, desk.settings.now()
    address, token = _address(desk.settings, request), token_in(request.headers)
    member = desk.remembered(token) if token else None
    if member is None:
        desk.limit_address(address)
        if token and route.access is not Access.EVERYBODY:
            member = await halls.run("votes", desk.look_up, token, now)
    member = desk.let(route, request.method, headers, token, member)
    body, content = await read_body(route.takes, request, desk.settings)
    asked = AuthorizedRequest(now, address, request.query_params, token, member, body, content, headers)
    reply: ApiReply = await halls.run(route.hall, route.handler, desk, asked)
    return reply


def _address(settings: ServerSettings, request: Any) -> str:
    """Where a request comes from; a proxy's word only where we are told to take it."""
    if settings.forwarded and (told := request.headers.getlist("x-forwarded-for")):
        return str(told[-1].rpartition(",")[2].strip())[:100]  # the last is the proxy's own; the others anybody's
    return str(request.client.host if request.client else "")


def _sent(reply: ApiReply) -> Any:
    from starlette.responses import FileResponse, Response

    if reply.file is not None:
        return FileResponse(reply.file, reply.status, dict(reply.headers), reply.kind)
    kind = reply.kind if reply.data is not None or reply.content is not None else None
    return Response(reply.body(), reply.status, dict(reply.headers), kind)


def _file(files: Mapping[str, PageFile], name: str = "") -> Any:
    async def endpoint(request: Any) -> Any:
        found = files.get(name or request.path_params["name"])
        if found is None:
            return _sent(NOT_FOUND)
        headers = {"ETag": found.tag, "Cache-Control": "no-cache"}
        if found.tag in request.headers.get("if-none-match", ""):
            return _sent(ApiReply(304, headers=headers))
        return _sent(ApiReply(content=found.content, kind=found.kind, headers=headers))

    return endpoint
