"""All that can be asked for, and by whom."""

from __future__ import annotations

from vdebench.review.server import admin, samples, work
from vdebench.review.server import auth_routes as doors
from vdebench.review.server.app_context import Access, Route

EVERYBODY, MEMBERS, JUDGES, ADMINS = Access
ROUTES = (
    Route("POST", "/api/login", EVERYBODY, doors.login, hall="passwords"),
    Route("POST", "/api/invitation", EVERYBODY, doors.invitation),
    Route("POST", "/api/join", EVERYBODY, doors.join, hall="passwords"),
    Route("POST", "/api/password", MEMBERS, doors.password, hall="passwords"),
    Route("POST", "/api/logout", MEMBERS, doors.logout),
    Route("GET", "/api/me", MEMBERS, work.me),
    Route("GET", "/api/progress", MEMBERS, work.progress),
    Route("POST", "/api/take", MEMBERS, work.take),
    Route("GET", "/api/samples", MEMBERS, work.samples),
    Route("GET", "/api/sample", MEMBERS, samples.sample),
    Route("GET", "/api/image", MEMBERS, samples.image, hall="images"),
    Route("POST", "/api/hold", MEMBERS, work.hold),
    Route("POST", "/api/release", MEMBERS, work.release),
    Route("POST", "/api/commands", MEMBERS, work.commands),
    Route("GET", "/api/conflicts", JUDGES, work.conflicts),
    Route("GET", "/api/admin/overview", ADMINS, admin.overview, hall="admin"),
    Route("GET", "/api/admin/agreement", ADMINS, admin.agreement, hall="admin"),
    Route("GET", "/api/admin/rounds", ADMINS, admin.rounds, hall="admin"),
    Route("POST", "/api/admin/invitations", ADMINS, admin.invite),
    Route("DELETE", "/api/admin/invitations", ADMINS, admin.take_back),
    Route("POST", "/api/admin/upload", ADMINS, admin.upload, takes="image", hall="admin"),
    Route("GET", "/api/admin/events.jsonl", ADMINS, admin.events, hall="admin"),
    Route("GET", "/api/admin/ratings.csv", ADMINS, admin.ratings, hall="admin"),
)
