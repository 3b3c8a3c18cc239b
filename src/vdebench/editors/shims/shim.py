"""The protocol between an editor program and vdebench, over stdin and stdout or HTTP. Needs Python 3.10 and Pillow.

A program gives `run` its name, its options and a function that loads the model and returns the function that edits:

    def load(options):
        model = ...
        def edit(image, instruction, seed):     # a PIL image, text, an int
            return model(image, instruction), {"anything": "worth keeping"}
        return edit

    if __name__ == "__main__":
        run("mine", "1", parser("owner/model"), load, packages=("torch",))

The hello is sent before the model is loaded; the model is loaded at the first request.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import os
import random
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

PROTOCOL = 1
PLACES = ("model", "device", "host", "port", "code", "offload")
"""Options that do not affect the output, or are reported elsewhere."""
SECRET = re.compile(
    r"(api|access|secret|private|auth)[_-]?(key|token)|token(?!s|i[sz])|secret|passw|authorization|cookie|credential"
    r"|(^|[_-])(keys?|auth)$",
    re.I,
)
"""Names of options whose values are secret."""
Edit = Callable[[Any, str, int], "tuple[Any, dict[str, Any]]"]


class Refused(Exception):  # noqa: N818 - not an error: the model's decision
    """The model refuses the edit: final, unlike a failure, which is retried."""


def parser(model: str, about: str = "") -> argparse.ArgumentParser:
    """Return a parser with the options of all programs; add your own."""
    options = argparse.ArgumentParser(description=about or None)
    options.add_argument("--model", default=model, help="weights: an id or a folder (%(default)s)")
    options.add_argument("--device", default="cuda", help="%(default)s")
    options.add_argument("--host", default="127.0.0.1", help="with --port: the address to listen at (%(default)s)")
    options.add_argument("--port", type=int, default=-1, help="serve HTTP at this port; without it stdin and stdout")
    return options


def run(
    name: str, version: str, options: argparse.ArgumentParser, load: Callable[[Any], Edit], packages: Sequence[str] = ()
) -> None:
    """Send the hello and answer requests until stdin ends (or forever, over HTTP)."""
    chosen = options.parse_args()
    pin(chosen)
    hello: dict[str, Any] = {
        "name": name,
        "version": version,
        "model": named(str(chosen.model)),
        "protocol": PROTOCOL,
        "parameters": {
            key: public_value(key, value) for key, value in sorted(vars(chosen).items()) if key not in PLACES
        },
        "packages": {package: found for package in packages if (found := installed(package))},
    }
    if commit := commit_of(getattr(chosen, "code", "")):
        hello["packages"]["code"] = commit
    model = Model(lambda: load(chosen))
    if chosen.port >= 0:
        serve(hello, model, chosen.host, chosen.port)
    else:
        converse(hello, model)


def public_value(name: str, value: Any) -> Any:
    """Return an option for the hello, without secrets such as `--token`; numbers are not secrets."""
    return "[key]" if SECRET.search(name) and (value is None or isinstance(value, str)) else value


def named(model: str) -> str:
    """Return the identity of weights: an id, or a folder's name and the hash of its files' names, sizes and ends."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder)
        if file.is_file() and not any(
            part.startswith(".") for part in name.parts
        ):  # files of git and of the hub's client
            size = file.stat().st_size
            total.update(f"{name.as_posix()}\0{size}\0".encode())
            with file.open("rb") as content:
                content.seek(max(0, size - (1 << 16)))  # weights of the same shape have the same size but differ here
                total.update(content.read())
    return f"{folder.resolve().name} {total.hexdigest()[:12]}"


def pin(chosen: argparse.Namespace) -> None:
    """Replace revisions in options by commits: `--revision` of `--model`, `--x-revision` of `--x`.

    The commit is in the hello and is loaded, so that weights pushed later do not change a run.
    """
    for option, revision in list(vars(chosen).items()):
        if option == "revision" or option.endswith("_revision"):
            weights = str(getattr(chosen, option.removesuffix("revision").rstrip("_") or "model", ""))
            if revision and Path(weights).is_dir():
                raise SystemExit(f"--{option.replace('_', '-')} is for weights of the hub; {weights} is a folder")
            setattr(chosen, option, hub_commit(weights, revision or ""))


def hub_commit(weights: str, revision: str) -> str:
    """Return the commit of a revision, from the hub's cache or the hub; the revision itself if unknown."""
    is_id = re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", weights) and not Path(weights).is_dir()
    if not is_id or re.fullmatch("[0-9a-f]{40}", revision):
        return revision
    try:
        from huggingface_hub import constants, hf_hub_download
    except ImportError:
        return revision
    branch = revision or "main"
    known = Path(constants.HF_HUB_CACHE, f"models--{weights.replace('/', '--')}", "refs", branch)
    if not known.is_file():
        with suppress(Exception):  # a download writes the commit to the cache; loading reports errors
            hf_hub_download(weights, "config.json", revision=branch)
    return known.read_text().strip() if known.is_file() else revision


def installed(package: str) -> str:
    """Return the version of a package, with its commit if installed from a repository; empty if not installed."""
    import importlib.metadata

    try:
        found = importlib.metadata.distribution(package)
        origin = json.loads(found.read_text("direct_url.json") or "{}")
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return ""
    commit = origin.get("vcs_info", {}).get("commit_id", "")
    return found.version + (f" at {commit[:12]}" if commit else "")


def commit_of(code: str) -> str:
    """Return the commit of a clone of a repository; empty if there is none."""
    if not code:
        return ""
    folder = Path(code) / ".git"
    try:
        head = (folder / "HEAD").read_text().strip()
        return head if not head.startswith("ref: ") else (folder / head[5:]).read_text().strip()
    except OSError:
        return ""


def seed_all(seed: int) -> None:
    """Seed the random generators of Python, NumPy and torch, if they are loaded."""
    random.seed(seed)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(seed % 2**32)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(seed)


class Model:
    """The function that edits, loaded when it is first needed; one edit at a time."""

    def __init__(self, load: Callable[[], Edit]) -> None:
        self._load, self._lock = load, threading.Lock()
        self._edit: Edit | None = None

    def answer(self, request: dict[str, Any], image: Any, save: Callable[[Any], dict[str, str]]) -> dict[str, Any]:
        """Return the answer to a request."""
        with self._lock:
            if self._edit is None:
                try:
                    self._edit = self._load()
                except BaseException:  # exit: no request can succeed without a model
                    traceback.print_exc()
                    sys.stderr.flush()
                    os._exit(1)
            start = time.perf_counter()
            answer: dict[str, Any] = {"id": request.get("id"), "reason": "", "metadata": {}}
            try:
                output, metadata = self._edit(image, str(request["instruction"]), int(request.get("seed", 0)))
                answer.update(state="edited", metadata=metadata, **save(output))
            except Refused as refusal:
                answer.update(state="refused", reason=str(refusal))
            except Exception as error:
                traceback.print_exc()
                answer.update(state="failed", reason=f"{type(error).__name__}: {error}"[:2000])
                free_memory()
            answer["seconds"] = round(time.perf_counter() - start, 3)
            return answer


def free_memory() -> None:
    """Free GPU memory after a failed edit."""
    torch = sys.modules.get("torch")
    if torch and torch.cuda.is_available():
        torch.cuda.empty_cache()


def leave_with_parent() -> None:
    """Exit when the parent process ends, even during an edit, to free the GPU."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def converse(hello: dict[str, Any], model: Model) -> None:
    """Read requests from stdin and write answers to stdout; output of libraries goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def say(data: dict[str, Any]) -> None:
        answers.write(json.dumps(data) + "\n")
        answers.flush()

    leave_with_parent()
    say({"hello": hello})
    from PIL import Image

    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        request = json.loads(line)

        def save(made: Any, out: str = request["out"]) -> dict[str, str]:
            made.save(out, format="PNG")
            return {"out": out}

        with Image.open(request["image"]) as page:
            say(model.answer(request, page.convert("RGB"), save))


def serve(hello: dict[str, Any], model: Model, host: str, port: int) -> None:
    """Serve requests over HTTP: GET /hello, POST /edit, images as PNG in base64."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    from PIL import Image

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(200 if self.path == "/hello" else 404, {"hello": hello})

        def do_POST(self) -> None:
            try:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                page = Image.open(io.BytesIO(base64.b64decode(request["png"]))).convert("RGB")
                str(request["instruction"])
            except Exception as error:
                self._send(400, {"error": f"invalid request: {type(error).__name__}: {error}"})
                return
            self._send(200, model.answer(request, page, encoded))

        def _send(self, status: int, data: dict[str, Any]) -> None:
            body = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def encoded(made: Any) -> dict[str, str]:
        buffer = io.BytesIO()
        made.save(buffer, format="PNG")
        return {"png": base64.b64encode(buffer.getvalue()).decode()}

    server = ThreadingHTTPServer((host, port), Handler)
    print(f"listening at http://{host}:{server.server_port}", file=sys.stderr, flush=True)
    server.serve_forever()
