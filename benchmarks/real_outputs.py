"""Compare the check of one edit with the labels of real editors' outputs, page by page.

python benchmarks/real_outputs.py [--folder ../shared/data/real_outputs] [--pages NAME …] [--list]

The folder has one folder for each page: `labels.json`, the page before and the output of each model. Every output is
checked as by `vde diff BEFORE AFTER --instruction TEXT`, without a reference. Columns:
  edit      done, partly, not_done or wrong_text, equal to the label; unknown counts as different
  geometry  same and scaled are one kind (the whole page), and so are aspect_changed and scaled
  cropped   whether text is cut off or lost at an edge: cropped words of the check; reframed outputs are left out
  fact      whether a fact changed that nobody asked for: facts among the unasked changes of the check; outputs of which the
            check does not know what was asked are left out
  usable    true or not true
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vdebench.changes.change import EditCheck
from vdebench.changes.engine import PageComparator
from vdebench.changes.verdict import is_damage
from vdebench.io.images import open_image
from vdebench.pipeline.edit_check import check_images
from vdebench.readers.reader import get_reader

SHARED = Path(os.environ.get("VDE_SHARED", Path(__file__).parents[2] / "shared"))
WHOLE = ("same", "scaled", "aspect_changed")
COLUMNS = ("edit", "geometry", "cropped", "fact", "usable")


def main() -> None:
    """Check all outputs and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=SHARED / "data" / "real_outputs")
    parser.add_argument("--pages", nargs="+", help="names of folders (default: all)")
    parser.add_argument("--list", action="store_true", help="print every output with its verdict")
    chosen = parser.parse_args()
    comparator = PageComparator(get_reader("rapidocr"))
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for labels in sorted(chosen.folder.glob("*/labels.json")):
        if chosen.pages and labels.parent.name not in chosen.pages:
            continue
        page = json.loads(labels.read_text("utf-8"))
        before = open_image(labels.parent / page["before_file"])
        for output in page["outputs"]:
            start = time.process_time()
            after = open_image(labels.parent / output["file"])
            check = check_images(before, after, comparator, instruction=page["instruction"])
            seconds = time.process_time() - start
            pairs = compared(output, check)
            for name, (label, found) in pairs.items():
                totals[page["page"]][name] += label == found
                totals[page["page"]][f"{name} of"] += 1
            if chosen.list:
                differing = [
                    f"{name}: {found} (label: {label})" for name, (label, found) in pairs.items() if label != found
                ]
                print(
                    f"{page['page']} {output['model']}: {'; '.join(differing) or 'equal'}; {seconds:.1f} s", flush=True
                )
                print(f"    {check.why}")
    show(totals)


def compared(output: Mapping[str, Any], check: EditCheck) -> dict[str, tuple[object, object]]:
    """Return the label and the result of each column that applies to an output."""
    geometry = check.page.geometry
    changes = check.page.changes
    pairs: dict[str, tuple[object, object]] = {
        "edit": (output["edit"], check.edit),
        "geometry": (_geometry(output["geometry"]), _geometry(geometry.kind)),
        "usable": (bool(output["usable"]), check.usable is True),
    }
    if all(each.asked is not None for each in changes):
        facts = [each for each in changes if each.fact and each.asked is False and is_damage(each)]
        pairs["fact"] = (any(each.get("fact") for each in output["collateral"]), bool(facts))
    if geometry.kind != "reframed":
        pairs["cropped"] = (bool(output["cropped_text"]), bool(geometry.cropped_words))
    return pairs


def _geometry(kind: str) -> str:
    return "whole page" if kind in WHOLE else kind


def show(totals: Mapping[str, Counter[str]]) -> None:
    """Print for each page how many outputs agree with the labels."""
    print(f"\n{'page':22}" + "".join(f"{name:>12}" for name in COLUMNS))
    for page, counts in [*totals.items(), ("all", sum(totals.values(), Counter()))]:
        print(f"{page:22}" + "".join(f"{counts[name]:>7} / {counts[f'{name} of']:<2}" for name in COLUMNS))


if __name__ == "__main__":
    main()
