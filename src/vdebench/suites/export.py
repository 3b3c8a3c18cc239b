"""Export of suites: Hugging Face Parquet, WebDataset shards, the layout of the VDE release."""

from __future__ import annotations

import io
import json
import math
import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from vdebench.core.page_text import PageText
from vdebench.core.sample import Operation, Sample
from vdebench.errors import InputError, RunFolderError
from vdebench.io.files import (
    fetched,
    is_file,
    is_folder,
    list_folder,
    read_bytes,
    replacing,
    umask,
    write_json,
    write_text,
)
from vdebench.suites.names import REGIONS, names_of
from vdebench.suites.suite import Suite
from vdebench.suites.vde_entries import entry_of

Progress = Callable[[int, int], Any]
SAMPLES_IN_A_SHARD = 100
_NAME = re.compile(r"[\w-]+")
IMAGES = ("source", "reference", "mask")


def require_exportable(form: str, out: Path) -> None:
    """Raise an error for an unknown form or a folder that is not empty."""
    if form not in FORMS:
        raise InputError(f"unknown form {form!r}; available: {', '.join(FORMS)}")
    if is_file(out) or (is_folder(out) and list_folder(out)):
        raise RunFolderError(f"{out}: is not empty; choose another --out")


def export_suite(suite: Suite, form: str, out: Path, progress: Progress | None = None) -> None:
    """Write a suite to a new folder in one of the `FORMS`; the folder appears only when it is complete."""
    require_exportable(form, out)
    suite.require_distinct_keys()
    for group in {sample.group for sample in suite}:
        if not _NAME.fullmatch(group):
            raise InputError(
                f"suite {suite.name}: group {group!r} is used as a file name: only letters, digits, - and _ are allowed"
            )
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    except OSError as error:
        raise RunFolderError(f"{out}: cannot be created: {error.strerror}; choose another --out") from None
    try:
        FORMS[form](suite, unfinished, progress or (lambda done, total: None))
        unfinished.chmod(0o777 & ~umask())
        unfinished.replace(out)
    except OSError as error:
        raise RunFolderError(f"{out}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _to_parquet(suite: Suite, out: Path, progress: Progress) -> None:
    """Write shards of rows with embedded images, and a card that tells `datasets` which columns are images."""
    shards = math.ceil(len(suite) / SAMPLES_IN_A_SHARD)
    for number, samples in _shards(suite, progress):
        frame = pl.DataFrame([_row(suite, sample) for sample in samples], schema=_COLUMNS, orient="row")
        with replacing(out / "data" / f"test-{number:05}-of-{shards:05}.parquet") as temporary:
            frame.write_parquet(temporary, row_group_size=20)  # viewers load whole row groups
    write_text(
        out / "README.md", _CARD.format(name=suite.name, quoted=_json(suite.name), n=len(suite), features=_features())
    )


_IMAGE = pl.Struct({"bytes": pl.Binary, "path": pl.String})
_REGION = pl.Struct(dict.fromkeys(("x", "y", "width", "height"), pl.Float64))
_COLUMNS: dict[str, Any] = {
    **dict.fromkeys(IMAGES, _IMAGE),
    **dict.fromkeys(("id", "group", "instruction", "operation", "language", "data_source"), pl.String),
    "regions": pl.List(_REGION),
    **dict.fromkeys(("source_reading", "reference_reading", "details"), pl.String),
}
_CARD = """\
---
pretty_name: {quoted}
configs:
- config_name: default
  data_files:
  - split: test
    path: data/test-*.parquet
dataset_info:
  features:
{features}
---
# {name}

{n} document-editing samples. `regions` are in percent of the reference; `source_reading` and `reference_reading` are
PaddleOCR-VL JSON, null where there is no such text; `details` is JSON with all other fields of the sample.
"""


def _features() -> str:
    """Return the columns in the notation of the card."""
    lines = []
    for name in _COLUMNS:
        lines.append(f"  - name: {name}")
        if name in IMAGES:
            lines.append("    dtype: image")
        elif name == "regions":
            lines.append("    list:")
            for side in ("x", "y", "width", "height"):
                lines += [f"    - name: {side}", "      dtype: float64"]
        else:
            lines.append("    dtype: string")
    return "\n".join(lines)


def _reference(suite: Suite, sample: Sample) -> PageText | None:
    """Return the text of the edited page; None for a sample without a reference."""
    return suite.ground_truth(sample) if suite.has_reference(sample) else None


def _row(suite: Suite, sample: Sample) -> dict[str, Any]:
    files = suite.image_files(sample)
    source, reference = suite.source(sample), _reference(suite, sample)
    return {
        **{
            name: None if file is None else {"bytes": read_bytes(file), "path": file.name}
            for name, file in zip(IMAGES, files, strict=True)
        },
        "id": sample.id,
        "group": sample.group,
        "instruction": sample.instruction,
        "operation": sample.operation.value,
        "language": sample.language,
        "data_source": sample.source,
        "regions": [
            {"x": region.x, "y": region.y, "width": region.width, "height": region.height} for region in sample.regions
        ],
        "source_reading": None if source is None else _json(source.to_json()),
        "reference_reading": None if reference is None else _json(reference.to_json()),
        "details": _json(dict(sample.extra)),
    }


def _to_webdataset(suite: Suite, out: Path, progress: Progress) -> None:
    """Write tar files of `<group>_<id>.source.png`, `.reference.png`, `.mask.png`, `.json`."""
    for number, samples in _shards(suite, progress):
        with replacing(out / f"shard-{number:06}.tar") as temporary, tarfile.open(temporary, "w") as shard:
            for sample in samples:
                name = f"{sample.group}_{quote(sample.id, safe='').replace('.', '%2E')}"  # keys end at a dot
                for kind, file in zip(IMAGES, suite.image_files(sample), strict=True):
                    if file is not None:
                        _add(shard, f"{name}.{kind}{file.suffix.lower()}", read_bytes(file))
                source, reference = suite.source(sample), _reference(suite, sample)
                entry = entry_of(sample) | {
                    "operation": sample.operation.value,
                    "source_reading": None if source is None else source.to_json(),
                    "reference_reading": None if reference is None else reference.to_json(),
                }
                _add(shard, f"{name}.json", _json(entry).encode())


def _add(shard: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)  # no time and no owner: the output is reproducible
    entry.size = len(content)
    shard.addfile(entry, io.BytesIO(content))


def _to_vde_release(suite: Suite, out: Path, progress: Progress) -> None:
    """Write a folder that `load_suite` reads."""
    groups: dict[str, list[Sample]] = {}
    for _, samples in _shards(suite, progress):
        for sample in samples:
            groups.setdefault(sample.group, []).append(sample)
            _copy(suite, sample, out)
    text = f'format = "vde-release"\nname = {json.dumps(suite.name)}\n'
    for group, members in groups.items():
        write_json(out / f"{group}.json", [_entry(suite, sample) for sample in members])
        folders = {"readings": "readings", "source_readings": "source_readings", "images": "reference"}
        folders |= {"source_images": "source", "masks": "mask"}
        present = {key: f"{folder}/{group}" for key, folder in folders.items() if (out / folder / group).is_dir()}
        lines = [f"{key} = {json.dumps(place)}" for key, place in {"info": f"{group}.json", **present}.items()]
        text += f"\n[groups.{group}]\n" + "\n".join(lines) + "\n"
    write_text(out / "suite.toml", text)


def _entry(suite: Suite, sample: Sample) -> dict[str, Any]:
    """Return the entry of a sample; one without a reference does not state what is not known."""
    entry = entry_of(sample)
    if suite.has_reference(sample):
        return entry
    unknown: dict[str, Any] = {"image_output": "", "instruction type": Operation.OTHER.value, "label_output": []}
    unknown |= dict.fromkeys(("language", "data_source"), "unknown")
    return {name: value for name, value in entry.items() if name not in unknown or value != unknown[name]}


def _copy(suite: Suite, sample: Sample, out: Path) -> None:
    name = names_of(sample)[0]
    text_folder = out / "readings" / sample.group
    reference = _reference(suite, sample)
    if reference is not None:
        write_text(text_folder / f"{name}.json", _json(reference.to_json()))
    for index, region in enumerate(suite.ground_truth_regions(sample) or ()):
        write_text(text_folder / REGIONS / f"{name}_region_{index}.json", _json(region.to_json()))
    source = suite.source(sample)
    if source is not None:
        write_text(out / "source_readings" / sample.group / f"{name}.json", _json(source.to_json()))
    for kind, file in zip(IMAGES, suite.image_files(sample), strict=True):
        if file is not None:
            with replacing(out / kind / sample.group / file.name) as temporary:
                shutil.copyfile(fetched(file), temporary)


def _shards(suite: Suite, progress: Progress) -> Iterator[tuple[int, Sequence[Sample]]]:
    samples = suite.samples
    for number, start in enumerate(range(0, len(samples), SAMPLES_IN_A_SHARD)):
        shard = samples[start : start + SAMPLES_IN_A_SHARD]
        yield number, shard
        progress(start + len(shard), len(samples))


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


FORMS: dict[str, Callable[[Suite, Path, Progress], None]] = {
    "parquet": _to_parquet,
    "webdataset": _to_webdataset,
    "vde-release": _to_vde_release,
}
