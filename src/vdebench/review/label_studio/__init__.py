"""Bridge to Label Studio: people vote there; the review's store applies the rules and holds the result.

Every voter has one `ReviewProject` per step. `push` creates the tasks that wait for a voter; `pull` turns annotations
into commands for the store and reports those that are invalid.
"""

from vdebench.review.label_studio.projects import ReviewProject
from vdebench.review.label_studio.server import AwayError, LabelStudio, LabelStudioError

__all__ = ["AwayError", "LabelStudio", "LabelStudioError", "ReviewProject"]
