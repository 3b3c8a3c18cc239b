"""What can go wrong, as one tree.

    VdeError                 anything the user can mend; the command line prints it and exits with code 2
    ├── InputError           a file cannot be read, or does not say what its format asks
    ├── SuiteError           a suite as a whole cannot be used
    ├── AmbiguousNameError   several files could belong to one sample, or one file to several samples
    ├── TooLargeError        an input beyond the documented limits
    ├── RunFolderError       a run folder holds something else than was asked for
    ├── MissingPartError     a package or a model is not installed
    ├── ReaderError          a reader could not read a page
    └── EditorError          an editor could not edit a page …
        └── EditorUnusableError    … and no other page either

Failures of one sample never travel as exceptions past the stage that met them: they become a state with a reason.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


class VdeError(Exception):
    """Something the user can mend: the message says what, where, what was expected and what to do."""


class InputError(VdeError):
    """A file cannot be read, or does not say what its format asks for."""


class SuiteError(VdeError):
    """A suite as a whole cannot be used."""


class AmbiguousNameError(VdeError):
    """Several files could belong to one sample, or one file to several samples."""


class TooLargeError(VdeError):
    """An input beyond the documented limits."""


class RunFolderError(VdeError):
    """A run folder holds something else than was asked for."""


class MissingPartError(VdeError):
    """A package or a model that was asked for is not installed; the message says how to get it."""


class ReaderError(VdeError):
    """A reader could not read a page: a server is away, an engine fails, or an answer is no reading."""


class EditorError(VdeError):
    """An editor could not edit a page: a server is away, a program died, or an answer is no image."""

    parameters: Mapping[str, Any] = MappingProxyType({})
    """What the attempt has cost all the same (`requests`, `input_tokens`, `output_tokens`, `dollars`), where known."""


class EditorUnusableError(EditorError):
    """No page can be edited as things are, such as with a wrong key: the others need not be tried."""
