"""The commands in the README and the docs run and print what the page shows; links between pages have a target."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = [Path("README.md"), *sorted(Path("docs").glob("*.md"))]
BLOCKS = re.compile(r"```console\n(.*?)```", re.DOTALL)
CODE = re.compile(r"```.*?```", re.DOTALL)


def examples():
    root = Path(__file__).parent.parent
    for page in PAGES:
        for number, block in enumerate(BLOCKS.findall((root / page).read_text(encoding="utf-8"))):
            yield pytest.param(block, id=f"{page}-{number}")


@pytest.mark.parametrize("block", list(examples()))
def test_console_example(block, tmp_path):
    """Lines after `$ ` run in one shell; what follows is compared, `…` stands for anything."""
    shutil.copytree("examples", tmp_path / "examples")
    bin_folder = Path(sys.executable).parent
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block, re.MULTILINE):
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"PATH": f"{bin_folder}:/usr/bin:/bin"},
        )
        printed = done.stdout + done.stderr
        assert done.returncode in (0, 2), printed
        pattern = "".join(".*" if part == "…" else re.escape(part) for part in re.split("(…)", shown.strip()))
        assert re.search(pattern, printed, re.DOTALL), f"{command}\nprinted:\n{printed}"


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings as GitHub makes them: `## OCR output` is `ocr-output`."""
    headings = re.findall(r"^#+ (.*)$", CODE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_between_pages(page):
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
