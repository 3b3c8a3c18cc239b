"""Suites of drawn pages with instructions, with and without references, and folders of outputs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vdebench.core.images import Image
from vdebench.core.png import encode_png
from vdebench.suites.suite import Suite


def write_suite(
    root: Path, entries: Sequence[Mapping[str, Any]], pages: Mapping[str, Image], extra: str = "", group: str = "text"
) -> Path:
    """Write a suite whose group has pages and entries, and neither references nor ground-truth text."""
    save(root / "pages", pages)
    lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    (root / f"{group}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = f'format = "vde-release"\nname = "plain"\n[groups.{group}]\ninfo = "{group}.jsonl"\n'
    (root / "suite.toml").write_text(f'{settings}source_images = "pages"\n{extra}', encoding="utf-8")
    return root


def save(folder: Path, images: Mapping[str, Image]) -> Path:
    """Write images to a folder, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, image in images.items():
        (folder / f"{name}.png").write_bytes(encode_png(image))
    return folder


def stripped(suite: Suite, root: Path) -> Path:
    """Write a suite of `vde-release` again without its references and ground-truth text."""
    settings = [f'format = "vde-release"\nname = "{suite.name}"\n']
    for group in suite.groups:
        assert group.source_images is not None
        settings.append(f'[groups.{group.name}]\ninfo = "{group.info}"\nsource_images = "{group.source_images}"\n')
    root.mkdir()
    (root / "suite.toml").write_text("".join(settings), encoding="utf-8")
    return root
