"""A bridge to Label Studio: people work there, the review's store with its rules stays the truth.

A `Desk` is where one voter works on one step: a project of its own. `push` lays on every desk what waits for it,
`pull` turns annotations into commands for the store, and refuses what is none.
"""

from vdebench.review.label_studio.projects import Desk
from vdebench.review.label_studio.pull import pull
from vdebench.review.label_studio.push import push
from vdebench.review.label_studio.server import AwayError, LabelStudio, LabelStudioError

__all__ = ["AwayError", "Desk", "LabelStudio", "LabelStudioError", "pull", "push"]
