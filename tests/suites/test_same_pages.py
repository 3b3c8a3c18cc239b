"""Samples that share a page, detected by content."""

from __future__ import annotations

from types import SimpleNamespace

from vdebench.suites.pages import pages_of
from vdebench.suites.suite import ImageFiles


def test_pages_are_told_apart_by_content_and_not_by_name(tmp_path):
    contents = {"a/5.png": b"one", "b/5.png": b"two", "c/5.png": b"one", "d/7.png": b"three"}
    samples = []
    for number, (name, content) in enumerate(contents.items()):
        file = tmp_path / name
        file.parent.mkdir()
        file.write_bytes(content)
        samples.append(SimpleNamespace(key=f"manual/{number}", group="manual", id=str(number), source_image=file.name))
    files = dict(zip((sample.key for sample in samples), map(tmp_path.joinpath, contents), strict=True))
    suite = SimpleNamespace(samples=samples, image_files=lambda sample: ImageFiles(source=files[sample.key]))
    pages = pages_of(suite)
    assert pages["manual/0"] == pages["manual/2"] == "manual/5.png"
    assert pages["manual/1"] == "manual/1"
    assert pages["manual/3"] == "manual/7.png"
    assert len(set(pages.values())) == 3
