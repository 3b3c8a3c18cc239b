"""Errors of the hub.

HubError              something about the hub, the repository or the files that the user can fix
  ├── HubAwayError      the hub cannot be reached
  ├── HubBusyError      a temporary failure of the hub or the connection: worth another attempt
  └── WrongBytesError   a file differs from what the hub announces
"""

from __future__ import annotations

from vdebench.errors import VdeError


class HubError(VdeError):
    """An error of the hub, a repository or its files that the user can fix."""


class HubAwayError(HubError):
    """The hub cannot be reached: no network, a wrong endpoint, or offline mode."""


class HubBusyError(HubError):
    """A temporary failure; `wait` is the delay requested by the hub in seconds."""

    retryable = True

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait

    def noted(self, note: str) -> HubBusyError:
        """Return a copy with a note appended to the reason."""
        return HubBusyError(f"{self} ({note})", self.wait)


class WrongBytesError(HubError):
    """A file differs from what the hub announces."""
