"""Small versions of the three data sets, in the layouts of their repositories."""

from __future__ import annotations

import io
import json
import random
import tarfile
import zipfile
from functools import lru_cache
from pathlib import Path

from PIL import Image

from tests.suites import textedit_folders

TINY = Path("examples/tiny")


@lru_cache
def page(size=(124, 175), colour="white") -> bytes:
    """An image that does not pack well, so that it is a large file."""
    noise = random.Random(f"{size} {colour}").randbytes(size[0] * size[1] // 8)
    out = io.BytesIO()
    Image.frombytes("1", (size[0] // 8 * 8, size[1]), noise[: size[0] // 8 * size[1]]).save(
        out, "PNG", compress_level=1
    )
    return out.getvalue()


def vde(*, with_images: bool = True) -> dict[str, bytes]:
    """VDE Bench as the released scripts name its parts, of our own example."""
    files = {"README.md": b"# VDE", ".gitattributes": b"*.png filter=lfs"}
    names = {
        "text": ("text_info_all.json", "text_output_all"),
        "table": ("merged_with_label_output.json", "table_output"),
    }
    readings = {"text": "text_output_all_ocr", "table": "table_ocr"}
    for group, (info, images) in names.items():
        content = (TINY / f"{group}_info.json").read_bytes()
        files[info] = content
        for reading in sorted((TINY / f"{group}_gt_ocr").glob("*.json")):
            files[f"{readings[group]}/{reading.name}"] = reading.read_bytes()
        for entry in json.loads(content) if with_images else []:
            name = Path(entry["image_output"]).name
            files[f"{images}/{name}"] = page((1240, 1754), f"{group} {name}")
            files[f"{group}_input/{name}"] = page((1240, 1754), f"{group} {name} before")
    return files


def textedit(folder: Path) -> dict[str, bytes]:
    """TextEditBench as its authors tell to unpack it: one archive with `data/` inside."""
    textedit_folders.write(folder / "data")
    textedit_folders.write(folder / "data", textedit_folders.WEB, "Media_Publishing", "007")
    inside = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {"README.md": b"# TextEditBench", "data.zip": zipped(inside | {"__MACOSX/data/._x": b"litter"})}


def omnidoc() -> dict[str, bytes]:
    """OmniDocBench: annotations and pages, beside much that no suite needs."""
    pages = []
    files = {"README.md": b"---\nlicense: cc-by-nc-4.0\n---\n# OmniDocBench", "ori_pdfs/a.pdf": b"%PDF" * 400}
    for name in ("a.jpg", "b.png"):
        title = {"category_type": "title", "poly": [8, 8, 90, 8, 90, 30, 8, 30], "text": name, "order": 1}
        attribute = {"data_source": "book", "language": "english"}
        info = {"image_path": name, "width": 120, "height": 175, "page_attribute": attribute}
        pages.append({"layout_dets": [title], "page_info": info})
        files[f"images/{name}"] = page(colour=name)
    return files | {"OmniDocBench.json": json.dumps(pages).encode()}


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, content in files.items():
            packed.writestr(path, content)
    return out.getvalue()


def tarred(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as packed:
        for path, content in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content))
    return out.getvalue()
