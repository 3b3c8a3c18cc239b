"""Where readings of predictions come from."""

from vdebench.readers.folder import FolderReadings

__all__ = ["FolderReadings"]
