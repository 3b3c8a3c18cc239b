"""All routes of the API."""

from __future__ import annotations

from vdebench.review.server import admin, auth_routes, samples, work
from vdebench.review.server.app_context import Access, Route

EVERYBODY, MEMBERS, JUDGES, ADMINS = Access
ROUTES = (
    Route("POST", "/api/login", EVERYBODY, auth_routes.login, pool="passwords"),
    Route("POST", "/api/invitation", EVERYBODY, auth_routes.invitation),
    Route("POST", "/api/join", EVERYBODY, auth_routes.join, pool="passwords"),
    Route("POST", "/api/password", MEMBERS, auth_routes.password, pool="passwords"),
    Route("POST", "/api/logout", MEMBERS, auth_routes.logout),
    Route("GET", "/api/me", MEMBERS, work.me),
    Route("GET", "/api/progress", MEMBERS, work.progress),
    Route("POST", "/api/take", MEMBERS, work.take),
    Route("GET", "/api/samples", MEMBERS, work.samples),
    Route("GET", "/api/sample", MEMBERS, samples.sample),
    Route("GET", "/api/image", MEMBERS, samples.image, pool="images"),
    Route("POST", "/api/hold", MEMBERS, work.hold),
    Route("POST", "/api/release", MEMBERS, work.release),
    Route("POST", "/api/commands", MEMBERS, work.commands),
    Route("GET", "/api/conflicts", JUDGES, work.conflicts),
    Route("GET", "/api/admin/overview", ADMINS, admin.overview, pool="admin"),
    Route("GET", "/api/admin/agreement", ADMINS, admin.agreement, pool="admin"),
    Route("GET", "/api/admin/rounds", ADMINS, admin.rounds, pool="admin"),
    Route("POST", "/api/admin/invitations", ADMINS, admin.invite),
    Route("DELETE", "/api/admin/invitations", ADMINS, admin.take_back),
    Route("POST", "/api/admin/upload", ADMINS, admin.upload, takes="image", pool="admin"),
    Route("GET", "/api/admin/events.jsonl", ADMINS, admin.events, pool="admin"),
    Route("GET", "/api/admin/ratings.csv", ADMINS, admin.ratings, pool="admin"),
)
