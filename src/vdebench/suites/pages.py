"""Groups of samples that start from the same page, which are not independent."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from vdebench.errors import VdeError
from vdebench.io.cache import digest_of_file
from vdebench.io.files import size_of
from vdebench.suites.suite import Suite


def pages_of(suite: Suite) -> dict[str, str]:
    """Return for every sample the name of its source page; images with equal bytes are one page.

    If the source image is not available, its name is used.
    """
    files: dict[str, Path] = {}
    names = {sample.key: f"{sample.group}/{sample.source_image or sample.id}" for sample in suite.samples}
    for sample in suite.samples:
        try:
            file = suite.image_files(sample).source
        except VdeError:  # the file is ambiguous
            continue
        if file is not None:
            files[sample.key] = file
    sizes = {file: size_of(file) for file in set(files.values())}
    common = {size for size, count in Counter(sizes.values()).items() if count > 1}
    first: dict[str, str] = {}
    taken: set[str] = set()
    for key, file in files.items():  # files of different sizes differ: no need to read them
        content = digest_of_file(file) if sizes[file] in common else str(file)
        if content not in first:  # other folders may contain a different page of the same name
            first[content] = key if names[key] in taken else names[key]
            taken.add(first[content])
        names[key] = first[content]
    return names
