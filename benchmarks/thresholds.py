"""What the five properties of a usable edit see: pass rates and evidence on graded corruptions of the right answer.

    python benchmarks/thresholds.py [SAMPLES]

The defaults of `analysis.usable.Thresholds` were chosen from this table: as strict as can be while what re-saving does to a
page (JPEG of quality 60 and more, a blur of half a pixel, a move by 2 pixels) still passes. Pages are read from
their own layout, so that no reader's error stands in the way.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from vdebench.pipeline.score import score
from vdebench.stats.usable import PROPERTIES, Rows, Thresholds, verdicts
from vdebench.studies.validity.export import IMAGES, READINGS, write_corrupted
from vdebench.studies.validity.ladder import CORRUPTIONS

SUITE = "typeset:n={},seed=5,languages=en+zh,ppi=110"
EVIDENCE = {
    **{"cdm": "textual_correctness", "iou": "spatial_precision"},
    **{name: name for name in ("visual_fidelity", "preservation", "edited", "stray")},
}


def evidence(rows: Rows) -> dict[str, list[float]]:
    """Every number that a threshold is held against, of all samples."""
    local = rows.scores.filter(pl.col("setting") == "local")
    blocks = local["gt_blocks"] + local["unmatched_pred"]
    values = {
        "cdm": rows.regions.group_by("sample").agg(pl.col("cdm").min())["cdm"],
        "iou": (local["iou_sum"] / blocks).filter(blocks > 0),
        **{name: local[name] for name in ("visual_fidelity", "edited")},
        **{name: rows.scores.filter(pl.col("setting") == "global")[name] for name in ("preservation", "stray")},
    }
    return {name: found.drop_nulls().to_list() for name, found in values.items()}


def main(samples: int) -> None:
    """Print the table."""
    heads = [f"{name:>20}" for name in ("usable", *PROPERTIES)]
    print(
        f"{'corruption':<22}{'level':>6}{'n':>4}" + "".join(heads) + "   lowest tenth (highest of stray):",
        *EVIDENCE.values(),
    )
    for corruption in CORRUPTIONS.values():
        for level in corruption.depths[1:] if corruption.name != "jpeg" else corruption.depths:
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary)
                part = write_corrupted(SUITE.format(samples), corruption, level, folder)
                pages = {"images": folder / IMAGES, "metrics": ["psnr"]}
                score(part, folder / READINGS, out=folder / "run", **pages)
                rows = Rows.of(folder / "run", with_reference=False)
            found = list(verdicts(rows, Thresholds()))
            rates = [np.mean([bool(verdict.usable) for verdict in found])]
            rates += [np.mean([verdict.properties[name] is not False for verdict in found]) for name in PROPERTIES]
            seen = evidence(rows)
            tenths = [
                np.quantile(seen[name], 0.9 if name == "stray" else 0.1) if seen[name] else np.nan for name in EVIDENCE
            ]
            given = corruption.levels[level - 1] if level else 0
            print(
                f"{corruption.name:<22}{given:>6g}{len(found):>4}"
                + "".join(f"{rate:>20.2f}" for rate in rates)
                + "   "
                + " ".join(f"{value:.4f}" for value in tenths),
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 48)
