"""A server that simulates the Hugging Face hub for datasets, with optional errors."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

PAGE = 3
"""So few entries on a page of a listing that every test turns pages."""


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    host: str


def commit_of(files: dict[str, bytes]) -> str:
    told = "".join(f"{path} {hashlib.sha1(content).hexdigest()}\n" for path, content in sorted(files.items()))
    return hashlib.sha1(told.encode()).hexdigest()


class Hub:
    """One dataset repository; `url` is the hub's address. Large files come from another host, as they do there."""

    def __init__(self, repo: str, files: dict[str, bytes], card: dict | None = None, large: int = 1000) -> None:
        self.repo, self.card, self.large = repo, card, large
        self.commits: dict[str, dict[str, bytes]] = {}
        self.refs: dict[str, str] = {}
        self.push(files)
        self.asked: list[Asked] = []
        self.cuts: dict[str, list[int]] = {}  # path: after how many bytes the next answers break off
        self.swaps: dict[str, int] = {}  # path: how many of the next answers have a wrong byte
        self.statuses: dict[str, list[tuple[int, dict[str, str]]]] = {}  # start of a path: the next answers
        self.gated_for: str | None = None  # the token that opens the files
        self.slow = 0.0  # seconds for each 4 KB
        self.ignores_ranges = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def push(self, files: dict[str, bytes], name: str = "main") -> str:
        commit = commit_of(files)
        self.commits[commit] = files
        self.refs[name] = commit
        return commit

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def ranges(self, path: str) -> list[str]:
        """The ranges asked for of a large file."""
        sent = [one.headers for one in self.asked if one.path.startswith("/store/") and one.path.endswith(path)]
        return [headers["range"] for headers in sent if "range" in headers]

    def is_large(self, content: bytes) -> bool:
        return len(content) > self.large

    def tree(self, commit: str) -> list[dict]:
        files = self.commits[commit]
        folders = {path.rsplit("/", count)[0] for path in files for count in range(1, path.count("/") + 1)}
        entries: list[dict] = [{"type": "directory", "path": one, "size": 0, "oid": "0" * 40} for one in folders]
        for path, content in files.items():
            blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            entry: dict = {"type": "file", "path": path, "size": len(content), "oid": blob}
            if self.is_large(content):
                entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
                entry["oid"] = "1" * 40  # of the pointer, not of the content
            entries.append(entry)
        return sorted(entries, key=lambda entry: entry["path"])


def _handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *told) -> None:
            pass

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            headers = {key.lower(): value for key, value in self.headers.items()}
            hub.asked.append(Asked(self.command, path, headers, headers["host"].partition(":")[0]))
            for start, answers in hub.statuses.items():
                if path.startswith(start) and answers:
                    status, extra = answers.pop(0)
                    return self.answer(status, b"", extra)
            parts = path.split("/")
            api, plain, store = f"/api/datasets/{hub.repo}/", f"/datasets/{hub.repo}/resolve/", "/store/"
            if path.startswith(f"{api}revision/"):
                return self.info("/".join(parts[6:]))
            if path.startswith(f"{api}tree/"):
                return self.listing(parts[6])
            if path.startswith(plain):
                return self.resolve(*path.removeprefix(plain).split("/", 1))
            if path.startswith(store):
                return self.send(*path.removeprefix(store).split("/", 1))
            return self.answer(401, b"", {"X-Error-Code": "RepoNotFound"})

        def info(self, revision: str) -> None:
            commit = hub.refs.get(revision, revision)
            if commit not in hub.commits:
                return self.answer(404, b"", {"X-Error-Code": "RevisionNotFound"})
            siblings = [{"rfilename": path} for path in hub.commits[commit]]
            gated = "auto" if hub.gated_for else False
            told = {"_id": "0", "id": hub.repo, "sha": commit, "private": False, "gated": gated, "disabled": False}
            told |= {"tags": [], "downloads": 0, "likes": 0, "siblings": siblings}
            return self.answer(200, json.dumps(told | ({"cardData": hub.card} if hub.card else {})).encode())

        def listing(self, commit: str) -> None:
            begin = int(parse_qs(urlsplit(self.path).query).get("cursor", ["0"])[0])
            entries = hub.tree(commit)
            more = begin + PAGE < len(entries)
            link = f'<https://hub.invalid/api/datasets/{hub.repo}/tree/{commit}?recursive=true&cursor={begin + PAGE}>; rel="next"'
            body = json.dumps(entries[begin : begin + PAGE]).encode()
            return self.answer(200, body, {"Link": link} if more else {})

        def resolve(self, revision: str, path: str) -> None:
            commit = hub.refs.get(revision, revision)
            if hub.gated_for and self.headers.get("Authorization") != f"Bearer {hub.gated_for}":
                status = 403 if self.headers.get("Authorization") else 401
                return self.answer(status, b"", {"X-Error-Code": "GatedRepo"})
            if path not in hub.commits.get(commit, {}):
                return self.answer(404, b"", {"X-Error-Code": "EntryNotFound"})
            content = hub.commits[commit][path]
            if not hub.is_large(content):
                return self.send(commit, path)
            extra = {"X-Repo-Commit": commit, "X-Linked-Size": str(len(content))}
            extra["X-Linked-ETag"] = f'"{hashlib.sha256(content).hexdigest()}"'
            return self.answer(302, b"", {**extra, "Location": f"http://localhost:{hub.port}/store/{commit}/{path}"})

        def send(self, commit: str, path: str) -> None:
            content = hub.commits[commit][path]
            if hub.swaps.get(path, 0) > 0:
                hub.swaps[path] -= 1
                content = bytes([content[0] ^ 1]) + content[1:]
            start = int(self.headers.get("Range", "bytes=0-")[6:-1])
            if hub.ignores_ranges:
                start = 0
            if start >= len(content) > 0:
                return self.answer(416, b"")
            extra = {"X-Repo-Commit": commit, "ETag": f'"{hashlib.sha1(content).hexdigest()}"'}
            if start:
                extra["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            cut = hub.cuts[path].pop(0) if hub.cuts.get(path) else None
            return self.answer(206 if start else 200, content[start:], extra, cut)

        def answer(self, status: int, body: bytes, extra: dict[str, str] | None = None, cut: int | None = None) -> None:
            self.send_response(status)
            for key, value in {"Content-Length": str(len(body)), **(extra or {})}.items():
                self.send_header(key, value)
            self.end_headers()
            try:
                for begin in range(0, len(body[:cut]), 4096):
                    self.wfile.write(body[:cut][begin : begin + 4096])
                    time.sleep(hub.slow)
            except OSError:  # the other side was killed
                cut = 0
            self.close_connection = cut is not None

    return Handler
