"""How well each matching strategy finds which block came from which, on 360 perturbed real pages.

    python benchmarks/matching.py

A strategy's pairs are compared with the true ones; a block that was split or merged has several. `assign` stands beside
what it would be without text in its cost and without joining.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from perturbed import Perturbation, real_pages  # noqa: E402

from vdebench.metrics import matching  # noqa: E402
from vdebench.protocols.pages.strict import block_text  # noqa: E402


def page(reading):
    return matching.PageBlocks([block.box for block in reading.blocks], [block_text(block) for block in reading.blocks])


def without_texts(truth, prediction):
    blank = [matching.PageBlocks(side.boxes, [""] * len(side.boxes)) for side in (truth, prediction)]
    return matching.assign(*blank)


def without_joining(truth, prediction):
    links, matching._links = matching._links, lambda first, second: []
    try:
        return matching.assign(truth, prediction)
    finally:
        matching._links = links


def main() -> None:
    cases = [(truth, Perturbation(truth, seed)) for truth in real_pages() for seed in range(20)]
    strategies = {
        "nearest centres (vde-v3)": matching.greedy_by_centre,
        "largest IoU (vde-release)": matching.greedy_by_iou,
        "assign, boxes only": without_texts,
        "assign, no joining": without_joining,
        "assign (strict)": matching.assign,
    }
    for name, strategy in strategies.items():
        right = wrong = missed = 0
        for truth, made in cases:
            units = strategy(page(truth), page(made.reading))
            found = {(g, p) for unit in units for g in unit.truth for p in unit.prediction}
            right += len(found & made.pairs)
            wrong += len(found - made.pairs)
            missed += len(made.pairs - found)
        score = 2 * right / (2 * right + wrong + missed)
        print(f"{name:<26} F1 {score:.3f}  {wrong:>4} wrong pairs, {missed:>4} missed, of {right + missed}")


if __name__ == "__main__":
    main()
