"""A suite: a folder with a `suite.toml` that says its format, its name and where its groups stand.

format = "vde-release"          # or "omnidoc"
name = "vde-v3"
[groups.text]
info = "text_info.json"         # the list of entries
readings = "text_gt_ocr"        # folder of ground-truth readings
source_readings = "text_in_ocr" # optional: readings of the pages before the edit
images = "text_gt_images"       # optional: folder of ground-truth images
source_images = "text_in"       # optional: folder of the pages before the edit
masks = "text_masks"            # optional: folder of masks, white where an edit may change pixels

The folder may be in a store: `s3://bucket/folder`. A suite can also be an order: `typeset:n=60,seed=1` is made when its
samples are first asked for; `textedit:DIR` is TextEditBench as it was published, without a `suite.toml`.
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
ORDERS = {
    "typeset": "vdebench.suites.typeset.suite:lazy_suite",
    "textedit": "vdebench.suites.textedit:textedit_suite",
}
"""Suites made to order: what stands before the colon, and who understands what stands behind it."""


class Fault(NamedTuple):
    """Something wrong with a suite: in which sample and file, what was found and expected.

    An error makes the sample, or a part of it, unusable; a warning is for people to look at.
    """

    severity: Literal["error", "warning"]
    sample: str
    file: str
    what: str


@dataclass(frozen=True, slots=True)
class SuiteGroup:
    """One part of a suite, as `suite.toml` describes it."""

    name: str
    info: Path
    readings: Path | None = None
    source_readings: Path | None = None
    images: Path | None = None
    source_images: Path | None = None
    masks: Path | None = None


class ImageFiles(NamedTuple):
    """Files of a sample's images, as far as the suite has them."""

    source: Path | None = None
    reference: Path | None = None
    mask: Path | None = None


class Suite(ABC):
    """Samples with their ground truth. Subclasses know a format."""

    track: Literal["pages", "pixels"] = "pages"
    """What outputs are held against: readings of whole pages, or pixels outside a mask."""

    def __init__(self, root: Path, name: str, groups: list[SuiteGroup] | Callable[[], list[SuiteGroup]]) -> None:
        self.root = root
        self.name = name
        self.origin = address(root)
        """What `load_suite` makes it from again: its folder, its URL, or its order."""
        self._groups = groups

    @cached_property
    def groups(self) -> list[SuiteGroup]:
        """Its groups; a suite made to order is made when they are first asked for."""
        return self._groups() if callable(self._groups) else self._groups

    @property
    @abstractmethod
    def samples(self) -> list[Sample]:
        """All samples, in the order of their files."""

    @abstractmethod
    def truth(self, sample: Sample) -> PageText:
        """What the edited page should read."""

    @abstractmethod
    def digest(self, sample: Sample) -> str:
        """Hash of all the suite says of a sample: a change of it is a new sample."""

    def digested(self) -> Iterator[Path]:
        """Files that all digests together are made from, as far as they can be told: stores give many at once."""
        return iter(())

    @abstractmethod
    def faults(self) -> Iterator[Fault]:
        """Everything wrong with the suite."""

    @property
    def left_out(self) -> dict[str, str]:
        """What stands where samples do and cannot be used, by its key, and why: `samples` go without it."""
        return {}

    def source(self, sample: Sample) -> PageText | None:
        """What the page read before the edit, where the suite has it."""
        return None

    def means_to_read(self, sample: Sample) -> bool:
        """Whether the suite brings readings of such samples' pages: where not, a reader may read its images."""
        return True

    def truth_regions(self, sample: Sample) -> list[PageText] | None:
        """What each region's crop should read, where the suite has it."""
        return None

    @property
    def has_region_readings(self) -> bool:
        """Whether ground truth for crops exists at all."""
        return False

    def has_regions_of(self, sample: Sample) -> bool:
        """Whether the ground truth of all the sample's crops exists."""
        return False

    def image_size(self, sample: Sample) -> Size | None:
        """Size of the reference image, where the suite has it."""
        return None

    def prepare(self, progress: Callable[[int, int], Any] | None = None) -> None:  # noqa: B027 (most are there)
        """Make what is not there yet, for suites that are made to order."""

    def image_files(self, sample: Sample) -> ImageFiles:
        """Where the sample's images are."""
        return ImageFiles()

    def reference_image(self, sample: Sample) -> Path | None:
        """File of the page after the edit, where the suite has it."""
        return self.image_files(sample).reference

    def mask_files(self, sample: Sample) -> tuple[Path, ...]:
        """Files of all masks: what is white in any of them may change."""
        mask = self.image_files(sample).mask
        return () if mask is None else (mask,)

    def output_name(self, sample: Sample) -> str:
        """Under which an editor's image of the sample is written: a relative path without ending."""
        return f"{sample.group}/{names_of(sample)[0]}"

    def outputs(self, root: Path) -> Outputs:
        """An editor's images in a folder, found by the names that this suite's editors use."""
        return NamedFiles(root, self.samples, "image")

    def require_distinct_keys(self) -> None:
        """Refuse a suite in which two samples bear one name."""
        seen: set[str] = set()
        for sample in self.samples:
            if sample.key in seen:
                raise SuiteError(
                    f"suite {self.name}: two samples are called {sample.key}: scores could not be told apart\n"
                    f"  run `vde suite check {self.origin}` for all faults, and give each sample its own id"
                )
            seen.add(sample.key)

    @cached_property
    def revision(self) -> str:
        """Hash of the whole suite, the same wherever it lies and in whatever order it is listed."""
        bring(self.digested())
        digests = sorted(f"{sample.key} {self.digest(sample)}" for sample in self.samples)
        return hashlib.sha256("\n".join(digests).encode("utf-8", "surrogatepass")).hexdigest()  # names may be no text

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.samples)

    def __iter__(self) -> Iterator[Sample]:
        """The samples, in the order of their files."""
        return iter(self.samples)


def load_suite(path: str | Path) -> Suite:
    """Suite in a folder (or at a URL) with a `suite.toml`, or of an order: `typeset:n=60,seed=1`, `textedit:DIR`.

    The name of a published suite is that of the folder into which `vde suite get` puts it.
    """
    order, colon, _ = str(path).partition(":")
    if colon and order in ORDERS:
        ordered: Suite = find("orders", order, ORDERS)(str(path))
        if not ordered.origin.startswith(f"{order}:"):  # it may say it better: `textedit:` with the whole path
            ordered.origin = str(path)
        return ordered
    given = Path(path)
    folder = place(given.parent if given.name == "suite.toml" else given)
    file = folder / "suite.toml"
    if not is_file(file):
        from vdebench.suites.hub.sets import SETS, placed  # here: it loads suites itself

        if str(path) in SETS:
            return load_suite(placed(str(path)))
        raise SuiteError(
            f"{address(folder) if is_url(given) else given}: no suite.toml here\n"
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
    """The groups of a `suite.toml`."""
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
    known = {field.name for field in fields(SuiteGroup)} - {"name"}
    for key, value in parts.items():
        if key not in known:
            raise SuiteError(f"{file}: [groups.{name}] has {key!r}, expected only {', '.join(sorted(known))}")
        if not isinstance(value, str):
            raise SuiteError(f"{file}: [groups.{name}] {key} is not text, expected a path relative to suite.toml")
    if "info" not in parts:
        raise SuiteError(f"{file}: [groups.{name}] has no 'info', expected the path of its JSON file")
    return SuiteGroup(name, **{key: file.parent / value for key, value in parts.items()})
