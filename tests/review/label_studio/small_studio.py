"""As much of Label Studio's REST API as the bridge uses, in memory: what `make test` runs without the real one.

`test_real_server.py` takes the real one on the same walk, so this one cannot drift unseen.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock, Thread
from urllib.parse import parse_qs, urlsplit

from tests.review.label_studio.accounts import ADMIN, Accounts

JWT = "head.body.tail"
"""A personal token of root's; it gives access once in a while."""


class SmallStudio(Accounts):
    """Accounts, projects, tasks and annotations."""

    def __init__(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.server.studio, self.lock = self, Lock()
        super().__init__(f"http://127.0.0.1:{self.server.server_port}")
        self.users, self.made, self.jobs, self.files = {ADMIN: (1, "root@vde.example")}, {}, {}, []
        self.version, self.failing, self.asked, self.ids = "1.23.2", [], [], count(1)
        self.access, self.clock = "", datetime(2026, 11, 16, 9, tzinfo=UTC)
        Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.client.close()
        self.server.shutdown()
        self.server.server_close()

    def account(self, name):
        self.keys[name] = f"key-of-{name}"
        self.users[self.keys[name]] = (len(self.users) + 1, f"{name}@vde.example")

    def now(self):
        self.clock += timedelta(seconds=100)
        return self.clock.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def answer(self, method, path, query, key, content, files):
        """Status and JSON."""
        self.asked.append((method, path))
        if self.failing and re.search(self.failing[0][0], path):
            return self.failing.pop(0)[1], {"detail": "as told"}
        if path == "/api/version/":
            return 200, {"release": self.version}
        if path == "/api/token/refresh/":
            self.access = f"access-{next(self.ids)}"
            return (200, {"access": self.access}) if content["refresh"] == JWT else (401, {"detail": "no"})
        if key == f"Bearer {self.access}" and self.access:
            user = 1
        elif key.removeprefix("Token ") in self.users:
            user = self.users[key.removeprefix("Token ")][0]
        else:
            return 401, {"detail": f"Invalid token {key}"}
        parts = path.strip("/").split("/")[1:]
        return getattr(self, f"_{parts[0].replace('-', '_')}_{method.lower()}")(parts[1:], query, content, files, user)

    def _current_user_get(self, *_):
        return 200, {}

    def _users_get(self, *_):
        return 200, [{"id": id, "email": email.title()} for id, email in self.users.values()]

    def _projects_get(self, parts, query, *_):
        if parts:
            chosen = json.loads(query.get("ids", "[]")) if "all" not in query else [each["id"] for each in self.files]
            return 200, [each for each in self.files if each["id"] in chosen]
        found = [{**each, "task_number": len(self.jobs[each["id"]])} for each in self.made.values()]
        return 200, {"count": len(found), "results": found[::-1]}

    def _projects_post(self, parts, query, content, files, _):
        if not parts:
            assert 3 <= len(content["title"]) <= 50
            id = next(self.ids)
            self.made[id], self.jobs[id] = {**content, "id": id}, {}
            return 201, {"id": id}
        project = int(parts[0])
        if files:
            new = [{"id": next(self.ids), "file": f"upload/{project}/0a1b2c3d-{name}"} for name in files]
            self.files += new
            return 201, {"file_upload_ids": [each["id"] for each in new]}
        for task in content:
            id = next(self.ids)
            self.jobs[project][id] = {**task, "id": id, "annotations": [], "updated_at": self.now()}
        return 201, {"task_count": len(content)}

    def _tasks_get(self, _, query, *__):
        asked = json.loads(query.get("query", "{}")).get("filters", {}).get("items", [{"value": ""}])[0]["value"]
        found = [task for task in self.jobs[int(query["project"])].values() if task["updated_at"] > asked]
        size = int(query["page_size"])
        start = (int(query.get("page", 1)) - 1) * size
        return 200, {"total": len(found), "tasks": found[start : start + size]}

    def _tasks_post(self, parts, _, content, __, user):
        task = next(tasks[int(parts[0])] for tasks in self.jobs.values() if int(parts[0]) in tasks)
        id, task["updated_at"] = next(self.ids), self.now()
        told = {"completed_by": user, "was_cancelled": False, **content, "id": id, "updated_by": user}
        task["annotations"].insert(0, told)
        return 201, {"id": id}

    def _annotations_patch(self, parts, _, content, __, user):
        tasks = [task for each in self.jobs.values() for task in each.values()]
        for task in tasks:
            for annotation in task["annotations"]:
                if annotation["id"] == int(parts[0]):
                    annotation |= content | {"updated_by": user}
                    task["updated_at"] = self.now()
        return 200, {}


class _Handler(BaseHTTPRequestHandler):
    def _do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind, files, content = self.headers.get("Content-Type", ""), {}, None
        if kind.startswith("multipart/"):
            parts = message_from_bytes(f"Content-Type: {kind}\n\n".encode() + body).get_payload()
            files = {part.get_filename(): part.get_payload(decode=True) for part in parts}
        elif body:
            content = json.loads(body)
        at = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(at.query).items()}
        studio = self.server.studio
        with studio.lock:
            key = self.headers.get("Authorization", "")
            status, told = studio.answer(self.command, at.path, query, key, content, files)
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", "https://elsewhere.example/")
        sent = json.dumps(told).encode()
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    do_GET = do_POST = do_PATCH = _do  # noqa: N815

    def log_message(self, *_):
        pass
