"""The page of one edit: both images with their changes, in one HTML file."""

from vdebench.report.edit_page.page import check_page_name, write_edit_page

__all__ = ["check_page_name", "write_edit_page"]
