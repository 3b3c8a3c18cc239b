"""What tests of the review share."""

from tests.review.tiny_workspace import edited_workspace, workspace
from tests.review.typed import store

__all__ = ["edited_workspace", "store", "workspace"]
