"""The published data sets, and how to place their files by hand."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from vdebench.suites.hub.errors import HubError


class DataSet(NamedTuple):
    """A data set: its repository on the hub, its format, unneeded files, and the layout of its folder."""

    name: str
    repo: str
    title: str
    form: str
    """Layout: `vde`, `textedit` or `omnidoc`."""
    leave_out: tuple[str, ...]
    """Patterns of files that are only downloaded if `--only` matches them."""
    tree: str
    remark: str


SETS = {
    one.name: one
    for one in (
        DataSet(
            name="vde-v3",
            repo="zionzionzion/vde",
            title="VDE Bench",
            form="vde",
            leave_out=(),
            tree="""\
suite.toml                        written by `--placed`; or by hand: docs/formats.md
text_info_all.json                the list of entries of the group text
text_output_all/                  its pages after the edit: images named as `image_output`
text_output_all_ocr/              their OCR output: JSON of the same names
merged_with_label_output.json     the list of entries of the group table
table_output/, table_ocr/         the same for that group""",
            remark="Other names are possible: files are found by content. Pages before the edit are used too.",
        ),
        DataSet(
            name="textedit",
            repo="CSU-JPG/TextEditBench",
            title="TextEditBench",
            form="textedit",
            leave_out=(),
            tree="""\
data_manual_production/
    Packaging_Logistics/019/      a folder for each sample: an input, a reference, two masks, one JSON file
    …
data_web-sourced_instances/
    …""",
            remark="The two folders may be deeper (`data/`, as in the published archive). No suite.toml is needed.",
        ),
        DataSet(
            name="omnidocbench",
            repo="opendatalab/OmniDocBench",
            title="OmniDocBench",
            form="omnidoc",
            leave_out=("*.pdf", "*pdfs/*", "*pdfs.*", "*_pdf_types_*.png", "*data_diversity.png"),
            tree="""\
suite.toml                        written by `--placed`; or by hand: docs/formats.md
OmniDocBench.json                 the annotations
images/                           the pages""",
            remark="The pages' PDF files are not needed.",
        ),
    )
}


def data_set(name: str) -> DataSet:
    """Return a data set by name.

    >>> data_set("textedit").repo
    'CSU-JPG/TextEditBench'
    """
    if name not in SETS:
        raise HubError(f"{name!r}: unknown data set, expected one of {', '.join(SETS)}")
    return SETS[name]


def default_folder(name: str) -> Path:
    """Return the default folder of a data set."""
    return Path("data", name)


def placed(name: str) -> str:
    """Return the argument of `load_suite` for a data set in its default folder; raise `HubError` if it is not there."""
    if not (folder := default_folder(name)).is_dir():
        raise HubError(f"{name}: not in {folder}\n  download it with `vde suite get {name}`, or pass its folder")
    return f"textedit:{folder}" if data_set(name).form == "textedit" else str(folder)


def manual_instructions(one: DataSet, folder: Path, endpoint: str = "") -> str:
    """Return instructions for placing a data set's files by hand."""
    page = f"{endpoint}/datasets/{one.repo}" if endpoint else f"its page on the Hugging Face hub ({one.repo})"
    tree = "\n".join(f"    {line}" for line in one.tree.splitlines())
    return f"""\
To place {one.title} by hand:
1. On a machine with network, open {page}, read the licence, note the revision, and download the files:
     hf download {one.repo} --repo-type dataset --revision REVISION --local-dir FILES
2. Copy them here, with archives packed or unpacked, so that the folder looks like this:
   {folder}/
{tree}
   {one.remark}
3. Unpack archives, write missing files and check the suite:
     vde suite get {one.name} -o {folder} --placed"""
