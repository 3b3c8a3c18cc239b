"""Which samples of a suite start from the same page: they are not independent."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from vdebench.errors import VdeError
from vdebench.io.cache import digest_of_file
from vdebench.io.files import size_of
from vdebench.suites.suite import Suite


def pages_of(suite: Suite) -> dict[str, str]:
    """For every sample the page it starts from, by the name of the first that does: the same bytes are one page.

    Where the source image is not at hand, its name tells.
    """
    files: dict[str, Path] = {}
    names = {sample.key: f"{sample.group}/{sample.source_image or sample.id}" for sample in suite.samples}
    for sample in suite.samples:
        try:
            file = suite.image_files(sample).source
        except VdeError:  # which file is the sample's is not certain
            continue
        if file is not None:
            files[sample.key] = file
    sizes = {file: size_of(file) for file in set(files.values())}
    common = {size for size, count in Counter(sizes.values()).items() if count > 1}
    first: dict[str, str] = {}
    taken: set[str] = set()
    for key, file in files.items():  # files of different sizes need not be read to be told apart
        content = digest_of_file(file) if sizes[file] in common else str(file)
        if content not in first:  # other folders may hold another page of the same name
            first[content] = key if names[key] in taken else names[key]
            taken.add(first[content])
        names[key] = first[content]
    return names
