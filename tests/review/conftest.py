"""What tests of the review share."""

from tests.review.tiny_workspace import edited_workspace, workspace

__all__ = ["edited_workspace", "workspace"]
