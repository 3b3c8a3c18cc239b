"""What can go wrong between here and the hub.

HubError              something about the hub, the repository or the files that the user can mend
├── HubAwayError      the hub cannot be reached at all
├── HubBusyError      the hub, or the line, failed for the moment: worth another try
└── WrongBytesError   a file is not what the hub announces
"""

from __future__ import annotations

from vdebench.errors import VdeError


class HubError(VdeError):
    """Something about the hub, a repository or its files that the user can mend."""


class HubAwayError(HubError):
    """The hub cannot be reached: no network, a wrong endpoint, or offline by order."""


class HubBusyError(HubError):
    """The hub or the line failed for the moment; `wait` is how long the hub asks for, in seconds."""

    retryable = True

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait

    def noted(self, note: str) -> HubBusyError:
        """The same with a note on how often it was tried."""
        return HubBusyError(f"{self} ({note})", self.wait)


class WrongBytesError(HubError):
    """A file is not what the hub announces."""
