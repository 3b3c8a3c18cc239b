"""The real Label Studio: started on a free port with a data folder of its own, killed, started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx2

from tests.review.label_studio.accounts import ADMIN, Accounts

PROGRAM = "VDE_LABEL_STUDIO"
"""The environment variable with the program, or the folder of its virtual environment."""
SECONDS = 240
PASSWORD = "a-password-for-tests"


def program() -> Path | None:
    told = os.environ.get(PROGRAM)
    if not told:
        return None
    found = Path(told).absolute()
    return found / "bin" / "label-studio" if found.is_dir() else found


class RealStudio(Accounts):
    """A server whose admin is root@vde.example."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        super().__init__(f"http://127.0.0.1:{self.port}")
        self.folder = folder
        self.start()

    def start(self) -> None:
        quiet = {
            "COLLECT_ANALYTICS": "false",
            "SENTRY_DSN": "",
            "FRONTEND_SENTRY_DSN": "",
            "LATEST_VERSION_CHECK": "false",
            "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
        }
        admin = {
            "LABEL_STUDIO_BASE_DATA_DIR": str(self.folder),
            "LABEL_STUDIO_USERNAME": "root@vde.example",
            "LABEL_STUDIO_PASSWORD": PASSWORD,
            "LABEL_STUDIO_USER_TOKEN": ADMIN,
            "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        }
        command = [str(program()), "start", "--no-browser", "--internal-host", "127.0.0.1", "-p", str(self.port)]
        self.log = (self.folder / "server.log").open("ab")
        self.process = subprocess.Popen(
            command, env={**os.environ, **quiet, **admin}, stdout=self.log, stderr=self.log, start_new_session=True
        )
        end = time.monotonic() + SECONDS
        while not self._answers():
            assert self.process.poll() is None, (self.folder / "server.log").read_text()[-3000:]
            assert time.monotonic() < end, "Label Studio did not start"
            time.sleep(0.3)

    def _answers(self) -> bool:
        try:
            return httpx2.get(f"{self.url}/api/version/", timeout=10).is_success
        except httpx2.TransportError:
            return False

    def kill(self) -> None:
        """As if the power had gone: no time to tidy up."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def close(self) -> None:
        self.client.close()
        if self.process.poll() is None:
            self.kill()

    def account(self, name: str) -> None:
        """Sign up by the invite link, as people do."""
        link = self.ask("root", "GET", "/api/invite")["invite_url"]
        with httpx2.Client(base_url=self.url, follow_redirects=True, timeout=60, verify=False) as browser:
            browser.get(link)
            told = {"email": f"{name}@vde.example", "password": PASSWORD}
            token = {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}
            assert browser.post(link, data={**told, **token}, headers={"Referer": self.url}).is_success
            self.keys[name] = browser.get("/api/current-user/token").json()["token"]

    def personal_token(self) -> str:
        """A personal access token of root's, the kind that new installations accept."""
        return self.ask("root", "POST", "/api/token/")["token"]
