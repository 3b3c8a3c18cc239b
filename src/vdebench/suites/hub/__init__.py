"""Download of published suites from the Hugging Face hub: pinned, resumable, verified, and arranged as suites."""

from vdebench.suites.hub.download import DownloadRequest, get_suite, take_placed
from vdebench.suites.hub.errors import HubAwayError, HubError
from vdebench.suites.hub.result import DownloadResult
from vdebench.suites.hub.sets import SETS, DataSet, data_set

__all__ = [
    "SETS",
    "DataSet",
    "DownloadRequest",
    "DownloadResult",
    "HubAwayError",
    "HubError",
    "data_set",
    "get_suite",
    "take_placed",
]
