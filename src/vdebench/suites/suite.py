"""A suite: a folder with a `suite.toml` that states its format, its name and the files of its groups.

format = "vde-release"          # or "omnidoc"
  name = "vde-v3"
  [groups.text]
  info = "text_info.json"         # list of entries
  readings = "text_gt_ocr"        # folder of ground-truth OCR output
  source_readings = "text_in_ocr" # optional: OCR output of the pages before the edit
  images = "text_gt_images"       # optional: folder of reference images
  source_images = "text_in"       # optional: folder of the pages before the edit
  masks = "text_masks"            # optional: folder of masks, white where an edit may change pixels

A group of `vde-release` with `source_images` and neither `readings` nor `images` has samples without references.

The folder may be in an object store: `s3://bucket/folder`. `typeset:n=60,seed=1` is a generated suite, made when its
samples are first used; `textedit:DIR` is TextEditBench as published, without a `suite.toml`.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vdebench.core.box import Size
from vdebench.core.page_text import PageText
from vdebench.core.sample import Sample
from vdebench.errors import SuiteError
from vdebench.io.files import is_file, read_bytes
from vdebench.io.stores import address, bring, is_url, place
from vdebench.registry import find
from vdebench.suites.names import NamedFiles, Outputs, names_of

FORMATS = {
    "vde-release": "vdebench.suites.vde:VdeSuite",
    "omnidoc": "vdebench.suites.omnidoc:OmniDocSuite",
}
SCHEMES = {
    "typeset": "vdebench.suites.typeset.suite:generated_suite",
    "textedit": "vdebench.suites.textedit:textedit_suite",
}
"""Suites named by a prefix and a colon: the function that parses the rest."""


class Fault(NamedTuple):
    """A fault of a suite: sample, file, and what was found and expected.

    An error makes the sample, or part of it, unusable; a warning should be inspected.
    """

    severity: Literal["error", "warning"]
    sample: str
    file: str
    what: str


@dataclass(frozen=True, slots=True)
class SuiteGroup:
    """One group of a suite, as described in `suite.toml`."""

    name: str
    info: Path
    readings: Path | None = None
    source_readings: Path | None = None
    images: Path | None = None
    source_images: Path | None = None
    masks: Path | None = None

    @property
    def has_references(self) -> bool:
        """Whether it has images or texts of the edited pages."""
        return self.readings is not None or self.images is not None


class ImageFiles(NamedTuple):
    """Image files of a sample; None for those the suite does not have."""

    source: Path | None = None
    reference: Path | None = None
    mask: Path | None = None


class Suite(ABC):
    """Samples with ground truth; subclasses implement a format."""

    track: Literal["pages", "pixels"] = "pages"
    """What outputs are compared with: text of whole pages, or pixels outside a mask."""

    def __init__(self, root: Path, name: str, groups: list[SuiteGroup] | Callable[[], list[SuiteGroup]]) -> None:
        self.root = root
        self.name = name
        self.origin = address(root)
        """Argument of `load_suite` for this suite: folder, URL or specification."""
        self._groups = groups

    @cached_property
    def groups(self) -> list[SuiteGroup]:
        """The groups; a generated suite is made when they are first accessed."""
        return self._groups() if callable(self._groups) else self._groups

    @property
    @abstractmethod
    def samples(self) -> list[Sample]:
        """All samples, in the order of their files."""

    @abstractmethod
    def ground_truth(self, sample: Sample) -> PageText:
        """Return the ground-truth text of the edited page."""

    @abstractmethod
    def digest(self, sample: Sample) -> str:
        """Return a hash of all data of a sample; if it changes, the sample is a new one."""

    def digest_files(self) -> Iterator[Path]:
        """Yield the files that the digests are made from, as far as known, so that a store can fetch them together."""
        return iter(())

    @abstractmethod
    def faults(self) -> Iterator[Fault]:
        """Yield all faults of the suite."""

    @property
    def left_out(self) -> dict[str, str]:
        """Entries that cannot be used, by key, with the reason; `samples` does not include them."""
        return {}

    def source(self, sample: Sample) -> PageText | None:
        """Return the ground-truth text of the page before the edit; None if the suite does not have it."""
        return None

    def provides_text(self, sample: Sample) -> bool:
        """Whether the suite provides ground-truth text for the sample; if not, a reader may read its images."""
        return True

    def has_reference(self, sample: Sample) -> bool:
        """Whether the suite provides a reference: an image or text of the edited page.

        A sample without one is judged by its instruction and its target text.
        """
        return True

    def ground_truth_regions(self, sample: Sample) -> list[PageText] | None:
        """Return the ground-truth text of each region; None if the suite does not have it."""
        return None

    @property
    def has_region_ground_truth(self) -> bool:
        """Whether the suite has ground-truth text of regions."""
        return False

    def has_regions_of(self, sample: Sample) -> bool:
        """Whether ground-truth text exists for all regions of the sample."""
        return False

    def image_size(self, sample: Sample) -> Size | None:
        """Return the size of the reference image; None if the suite does not have it."""
        return None

    def prepare(self, progress: Callable[[int, int], Any] | None = None) -> None:  # noqa: B027 (optional)
        """Make the files of a generated suite if they do not exist."""

    def image_files(self, sample: Sample) -> ImageFiles:
        """Return the files of the sample's images."""
        return ImageFiles()

    def reference_image(self, sample: Sample) -> Path | None:
        """Return the reference image; None if the suite does not have it."""
        return self.image_files(sample).reference

    def mask_files(self, sample: Sample) -> tuple[Path, ...]:
        """Return all mask files; pixels that are white in any of them may change."""
        mask = self.image_files(sample).mask
        return () if mask is None else (mask,)

    def output_name(self, sample: Sample) -> str:
        """Return the relative path, without suffix, of an editor's image of the sample."""
        return f"{sample.group}/{names_of(sample)[0]}"

    def outputs(self, root: Path) -> Outputs:
        """Return an editor's images in a folder, by the naming rules of this suite."""
        return NamedFiles(root, self.samples, "image")

    def require_distinct_keys(self) -> None:
        """Raise `SuiteError` if two samples have the same key."""
        seen: set[str] = set()
        for sample in self.samples:
            if sample.key in seen:
                raise SuiteError(
                    f"suite {self.name}: two samples have the key {sample.key}, so scores are ambiguous\n"
                    f"  run `vde suite check {self.origin}` for all faults, and give each sample its own id"
                )
            seen.add(sample.key)

    @cached_property
    def revision(self) -> str:
        """Hash of the whole suite; independent of its location and the order of samples."""
        bring(self.digest_files())
        digests = sorted(f"{sample.key} {self.digest(sample)}" for sample in self.samples)
        return hashlib.sha256(
            "\n".join(digests).encode("utf-8", "surrogatepass")
        ).hexdigest()  # names may not be valid UTF-8

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.samples)

    def __iter__(self) -> Iterator[Sample]:
        """The samples, in the order of their files."""
        return iter(self.samples)


def load_suite(path: str | Path) -> Suite:
    """Load a suite from a folder or URL with a `suite.toml`, or by specification: `typeset:n=60,seed=1`,
    `textedit:DIR`.

    The name of a published suite refers to the folder that `vde suite get` downloads to.
    """
    scheme, colon, _ = str(path).partition(":")
    if colon and scheme in SCHEMES:
        suite: Suite = find("schemes", scheme, SCHEMES)(str(path))
        if not suite.origin.startswith(f"{scheme}:"):  # keep a more complete one: `textedit:` with the whole path
            suite.origin = str(path)
        return suite
    location = Path(path)
    folder = place(location.parent if location.name == "suite.toml" else location)
    file = folder / "suite.toml"
    if not is_file(file):
        from vdebench.suites.hub.sets import SETS, placed  # imported here because it imports this module

        if str(path) in SETS:
            return load_suite(placed(str(path)))
        raise SuiteError(
            f"{address(folder) if is_url(location) else location}: no suite.toml here\n"
            "  a suite is a folder with a suite.toml that names its format and groups; see docs/formats.md"
        )
    settings = _settings(file)
    kind = settings.get("format")
    if not isinstance(kind, str):
        raise SuiteError(f"{file}: 'format' is missing, expected one of {', '.join(FORMATS)}")
    suite_class: type[Suite] = find("suites", kind, FORMATS)
    name = settings.get("name")
    return suite_class(
        folder,
        name if isinstance(name, str) and name else Path(os.path.abspath(folder)).name,
        read_groups(file),
    )


def read_groups(file: Path) -> list[SuiteGroup]:
    """Return the groups of a `suite.toml`."""
    groups = _settings(file).get("groups")
    if not isinstance(groups, dict) or not groups or not all(isinstance(group, dict) for group in groups.values()):
        raise SuiteError(f"{file}: no [groups.NAME] section, expected one per group with at least 'info'")
    return [_group(file, name, parts) for name, parts in groups.items()]


def _settings(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_bytes(file).decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SuiteError(f"{file}: not TOML: {error}") from None


def _group(file: Path, name: str, parts: dict[str, Any]) -> SuiteGroup:
    allowed = {field.name for field in fields(SuiteGroup)} - {"name"}
    for key, value in parts.items():
        if key not in allowed:
            raise SuiteError(f"{file}: [groups.{name}] has {key!r}, expected only {', '.join(sorted(allowed))}")
        if not isinstance(value, str):
            raise SuiteError(f"{file}: [groups.{name}] {key} is not text, expected a path relative to suite.toml")
    if "info" not in parts:
        raise SuiteError(f"{file}: [groups.{name}] has no 'info', expected the path of its JSON file")
    return SuiteGroup(name, **{key: file.parent / value for key, value in parts.items()})
