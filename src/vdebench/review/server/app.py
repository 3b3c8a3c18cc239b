"""The application: routes, authorisation of requests, and thread pools for the handlers."""

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
"""Requests waiting for a thread pool; beyond it the answer is 503."""


class ThreadPools:
    """Thread pools by purpose, so that slow requests do not delay votes."""

    def __init__(self) -> None:
        self._threads = {name: ThreadPoolExecutor(number, f"review-{name}") for name, number in THREADS.items()}
        self._inside = dict.fromkeys(THREADS, 0)

    async def run(self, pool: str, work: Any, *arguments: Any) -> Any:
        """Run a function in a pool; answer `busy` if too many requests wait."""
        if self._inside[pool] >= LONGEST_QUEUE:
            fail(503, "busy", "the server is busy; try again", Retry_After="2")
        self._inside[pool] += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads[pool], work, *arguments)
        finally:
            self._inside[pool] -= 1

    def close(self) -> None:
        """Wait for running requests."""
        for threads in self._threads.values():
            threads.shutdown(wait=True, cancel_futures=True)


def create_app(store: Store, pool: Any, settings: ServerSettings, accounts: Accounts | None = None) -> Any:
    """Create the FastAPI application of a review; the caller closes the store."""
    try:
        from fastapi import FastAPI
        from starlette.exceptions import HTTPException
    except ImportError:
        raise MissingPartError(f"the server of a review needs FastAPI: {INSTALL}") from None
    context, pools = AppContext(store, pool, settings, accounts), ThreadPools()

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        yield
        pools.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False, lifespan=lifespan)
    app.state.context = context
    app.add_middleware(SafetyMiddleware, settings=settings)
    for route in ROUTES:
        app.add_route(route.path, _endpoint(route, context, pools), methods=[route.method])
    files = page_files()
    app.add_route("/", _file(files, "index.html"), methods=["GET"])
    app.add_route("/page/{name}", _file(files), methods=["GET"])

    async def http_error(_: Any, error: Any) -> Any:
        if error.status_code == 405:
            return _response(problem(405, "wrong_method", "this path expects another method", **_allow(error.headers)))
        return _response(NOT_FOUND)

    app.add_exception_handler(HTTPException, http_error)
    return app


def _allow(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {"Allow": headers["Allow"]} if headers and "Allow" in headers else {}


def _endpoint(route: Route, context: AppContext, pools: ThreadPools) -> Any:
    from starlette.requests import ClientDisconnect

    exc = sqlalchemy().exc
    database_errors = (exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.TimeoutError)

    async def endpoint(request: Any) -> Any:
        try:
            return _response(await _handle(route, context, pools, request))
        except ReplyError as error:
            return _response(error.reply)
        except BusyError as error:
            return _response(refused(Refusal(Reason.BUSY, str(error))))
        except database_errors as error:
            log.error("the database is not reachable: %s", getattr(error, "orig", error))
            return _response(refused(Refusal(Reason.BUSY, "the database is not reachable; try again later")))
        except ClientDisconnect:
            return _response(problem(400, "malformed", "the body is incomplete"))

    return endpoint


async def _handle(route: Route, context: AppContext, pools: ThreadPools, request: Any) -> ApiReply:
    """Authorise a request, read its body, run its handler."""
    headers, now = request.headers, context.settings.now()
    address, token = _address(context.settings, request), token_in(request.headers)
    member = context.cached_member(token) if token else None
    if member is None:
        context.limit_address(address)
        if token and route.access is not Access.EVERYBODY:
            member = await pools.run("votes", context.look_up, token, now)
    member = context.authorize(route, request.method, headers, token, member)
    body, content = await read_body(route.takes, request, context.settings)
    authorized = AuthorizedRequest(now, address, request.query_params, token, member, body, content, headers)
    reply: ApiReply = await pools.run(route.pool, route.handler, context, authorized)
    return reply


def _address(settings: ServerSettings, request: Any) -> str:
    """Return the address of the client; X-Forwarded-For counts only with the option `forwarded`."""
    if settings.forwarded and (told := request.headers.getlist("x-forwarded-for")):
        return str(told[-1].rpartition(",")[2].strip())[
            :100
        ]  # the last entry is set by the proxy, the others by the client
    return str(request.client.host if request.client else "")


def _response(reply: ApiReply) -> Any:
    from starlette.responses import FileResponse, Response

    if reply.file is not None:
        return FileResponse(reply.file, reply.status, dict(reply.headers), reply.kind)
    kind = reply.kind if reply.data is not None or reply.content is not None else None
    return Response(reply.body(), reply.status, dict(reply.headers), kind)


def _file(files: Mapping[str, PageFile], name: str = "") -> Any:
    async def endpoint(request: Any) -> Any:
        found = files.get(name or request.path_params["name"])
        if found is None:
            return _response(NOT_FOUND)
        headers = {"ETag": found.tag, "Cache-Control": "no-cache"}
        if found.tag in request.headers.get("if-none-match", ""):
            return _response(ApiReply(304, headers=headers))
        return _response(ApiReply(content=found.content, kind=found.kind, headers=headers))

    return endpoint
