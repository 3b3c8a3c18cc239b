"""Files of lines to which several processes add at once: a stage that is at work, and a review beside it."""

from __future__ import annotations

import pytest

from vdebench.io import journal as lines

fcntl = pytest.importorskip("fcntl")


def test_others_wait_until_a_line_is_whole(tmp_path, monkeypatch):
    """Else a line that another is just writing is taken for unfinished, and away: 11 to 77 of 400 in an experiment."""
    file, mended, asked = tmp_path / "lines.jsonl", lines._mended, []

    def looking(handle):
        with file.open("rb") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        asked.append(handle)
        return mended(handle)

    monkeypatch.setattr(lines, "_mended", looking)
    for number in range(2):  # the second does not wait for the first
        lines.add_line(file, {"number": number})
    assert [line for _, line in lines.read_lines(file)] == [{"number": 0}, {"number": 1}]
    assert len(asked) == 2
