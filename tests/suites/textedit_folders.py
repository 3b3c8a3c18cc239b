"""Folders in TextEditBench's layout for tests."""

from __future__ import annotations

import json
from pathlib import Path

from PIL import Image, ImageDraw

from vdebench.suites.suite import load_suite

MANUAL, WEB = "data_manual_production", "data_web-sourced_instances"


def entry(topic="Packaging & Logistics", number="019", operation="text_insert", **changes):
    """A right entry with changes; a field of None is left out."""
    short = int(number)
    fields = {
        "id": f"TextEditing_{topic}_{number}",
        "topic": topic,
        "prompt": "Insert 'NEW' after 'BRAND'",
        "editing_method": operation,
        "difficulty": "easy",
        "difficulty_score": "2(0,0,0,0,0,0,0,2,0,0)",
        "input_image": f"{short}.jpg",
        "output_image": f"{operation}_{short}.jpg",
        "source_tag": "human_annotation",
        **changes,
    }
    return {name: value for name, value in fields.items() if value is not None}


def picture(file: Path, size=(64, 48), colour="grey", box=None):
    file.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", size, colour)
    if box:
        ImageDraw.Draw(image).rectangle(box, fill="white")
    image.save(file)


def mask(file: Path, size=(64, 48)):
    picture(file, size, "black", (8, 8, 31, 23))


def write(root: Path, split=MANUAL, within="Packaging_Logistics", number="019", *, raw=None, **changes) -> Path:
    """A sample's folder within its topic's: right, but for the changes of its entry, or for other bytes of JSON (`raw`)."""
    folder = root / split / within / number
    told = changes.pop("topic", within.replace("_", " & ", 1))
    one = entry(told, Path(number).name, **changes)
    short = int(Path(number).name)
    operation = one.get("editing_method", "text_insert")
    picture(folder / f"{short}.jpg")
    mask(folder / f"{short}_mask.jpg")
    if split in (MANUAL, "canva"):
        picture(folder / f"{operation}_{short}.jpg")
        mask(folder / f"{operation}_{short}_mask.jpg")
    else:
        if "output_image" not in changes:
            one.pop("output_image", None)
        mask(folder / f"{short}_edited_mask.jpg")
    content = raw if raw is not None else json.dumps([one]).encode()
    (folder / f"{told}_{Path(number).name}.json").write_bytes(content)
    return folder


def load(root):
    return load_suite(f"textedit:{root}")


def told(root):
    """Everything that is wrong: severity, sample, file and what, in short."""
    return [(fault.severity, fault.sample, fault.file, fault.what) for fault in load(root).faults()]


def only(root):
    """The only fault."""
    (fault,) = told(root)
    return fault


def only_sample(root):
    (sample,) = load(root).samples
    return sample
