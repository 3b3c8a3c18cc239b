"""The published data sets that `vde suite get` knows, and how to place their files without it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from vdebench.suites.hub.errors import HubError


class DataSet(NamedTuple):
    """A data set: its repository on the hub, its form, what of it no suite needs, and how its folder looks."""

    name: str
    repo: str
    title: str
    form: str
    """Who makes a suite of it: `vde`, `textedit` or `omnidoc`."""
    leave_out: tuple[str, ...]
    """Patterns of files that are not fetched unless `--only` names them."""
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
text_output_all_ocr/              readings of them: JSON of the same names
merged_with_label_output.json     the list of entries of the group table
table_output/, table_ocr/         the same of that group""",
            remark="Other names will do: files are found by what they hold. Pages before the edit are looked for too.",
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
            remark="The two folders may stand deeper (`data/`, as in the published archive). No suite.toml is needed.",
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
    """The data set of a name.

    >>> data_set("textedit").repo
    'CSU-JPG/TextEditBench'
    """
    if name not in SETS:
        raise HubError(f"{name!r}: no data set of that name, expected one of {', '.join(SETS)}")
    return SETS[name]


def home(name: str) -> Path:
    """The folder into which a data set is put where none is named."""
    return Path("data", name)


def placed(name: str) -> str:
    """A data set as suites are named, where it is at home; an error that says how to get it where it is not."""
    if not (folder := home(name)).is_dir():
        raise HubError(f"{name}: is not in {folder} yet\n  `vde suite get {name}` fetches it, or name its folder")
    return f"textedit:{folder}" if data_set(name).form == "textedit" else str(folder)


def by_hand(one: DataSet, folder: Path, endpoint: str = "") -> str:
    """How to place a data set's files without us, in words and as a tree."""
    page = f"{endpoint}/datasets/{one.repo}" if endpoint else f"its page on the Hugging Face hub ({one.repo})"
    shown = "\n".join(f"    {line}" for line in one.tree.splitlines())
    return f"""\
To place {one.title} by hand:
1. Where there is a network, open {page}, read the licence, note the revision, and take the files:
     hf download {one.repo} --repo-type dataset --revision REVISION --local-dir FILES
2. Bring them here, as they are or with their archives unpacked, so that the folder looks like this:
   {folder}/
{shown}
   {one.remark}
3. Let us unpack what is packed, write what is missing, and do what `vde suite check` does:
     vde suite get {one.name} -o {folder} --placed"""
