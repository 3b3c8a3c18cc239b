"""What can go wrong with a program outside, as one tree. Each costs one sample: the editing stage notes it and goes on.

ExternalError
├── ProgramDiedError   it cannot be started, or ended when it should have answered
├── TimeLimitError     no answer in time
├── AnswerError        what it said is no answer of the protocol
├── ChangedError       it now says that it is another program, version or model than before
├── AwayError          the server cannot be reached, or answers with an error
├── NoImageError       it says "edited", and there is no image, or none that can be opened
└── EditFailedError    its own word: this edit failed
"""

from vdebench.errors import VdeError


class ExternalError(VdeError):
    """An edit was lost outside."""


class ProgramDiedError(ExternalError):
    """The program cannot be started, or ended when it should have answered."""


class TimeLimitError(ExternalError):
    """No answer in time."""


class AnswerError(ExternalError):
    """What was said is no answer of the protocol."""


class ChangedError(ExternalError):
    """Another program, version or model than before."""


class AwayError(ExternalError):
    """The server cannot be reached, or answers with an error."""


class NoImageError(ExternalError):
    """No image where one was promised, or none that can be opened."""


class EditFailedError(ExternalError):
    """The program's own word: this edit failed."""
