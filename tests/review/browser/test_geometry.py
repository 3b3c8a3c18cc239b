"""The page's geometry, run by node, and held against the engine's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from vdebench.core.box import Box
from vdebench.review.boxes import agreement

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no node: apt-get install nodejs")
HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "src" / "vdebench" / "review" / "server" / "page"
COMPARED = """
const { iou, slack } = await import(`${process.env.PAGE}/boxes.js`);
const { agreement } = await import(`${process.env.PAGE}/matching.js`);
let text = "";
for await (const part of process.stdin) text += part;
const { drawn, sides } = JSON.parse(text);
console.log(JSON.stringify({
  ious: drawn.map((sets) => iou(sets[0][0], sets[1][0])),
  agreements: drawn.map(agreement),
  slacks: sides.map((each) => slack(...each)),
}));
"""


@pytest.fixture
def environment(tmp_path):
    for file in PAGE.glob("*.js"):  # a folder that says they are modules: older nodes do not find out by themselves
        shutil.copy(file, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    return {**os.environ, "PAGE": str(tmp_path)}


def test_geometry_by_itself(environment):
    run = subprocess.run([NODE, "--test", HERE / "geometry.test.mjs"], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_page_and_the_engine_count_alike(environment, tmp_path):
    random = Random(11)
    drawn = [_drawn(random) for _ in range(300)]
    sides = [
        (side, needed, groups)
        for side in (*range(1, 220), 400, 1000)
        for needed in (0.95, 0.9, 0.5, 0.999, 0.0)
        for groups in (2, 3, 5)
    ]
    script = tmp_path / "compared.mjs"
    script.write_text(COMPARED)
    told = json.dumps({"drawn": drawn, "sides": sides})
    run = subprocess.run([NODE, script], input=told, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["ious"] == pytest.approx([Box(*sets[0][0]).iou(Box(*sets[1][0])) for sets in drawn], abs=1e-12)
    expected = [float(agreement([[Box(*box) for box in boxes] for boxes in sets]).value) for sets in drawn]
    assert found["agreements"] == pytest.approx(expected, abs=1e-9)
    assert 0 < sum(value > 0 for value in expected) < len(expected)
    assert found["slacks"] == [_slack(side, Fraction(str(needed)), groups) for side, needed, groups in sides]
    cut = Box(0, 0, 300, 38)  # 40 px high for the two others: 1 - 0.05 × 3 / 2 < 0.95 as a pair, and the three agree
    assert agreement([[cut], [Box(0, 0, 300, 40)], [Box(0, 0, 300, 40)]]).value > Fraction("0.95")
    assert found["slacks"][sides.index((40, 0.95, 3))] == 2


def _drawn(random: Random) -> list[list[list[int]]]:
    """What three groups might draw: the same places, more or less, sometimes another number of them."""
    places = [(random.randrange(900), random.randrange(900)) for _ in range(random.randrange(1, 6))]

    def group() -> list[list[int]]:
        boxes = []
        for x, y in places:
            left, top = x + random.randrange(6), y + random.randrange(6)
            boxes.append([left, top, left + random.randrange(20, 120), top + random.randrange(8, 60)])
        random.shuffle(boxes)
        return boxes if random.random() < 0.95 else [*boxes, [1, 1, 4, 5]]

    return [group() for _ in range(3)]


def _slack(side: int, needed: Fraction, groups: int) -> int:
    """By trying: so many pixels can one group cut of a side, and the mean of all pairs is still above what is needed."""
    with_it, all_pairs = groups - 1, groups * (groups - 1) // 2

    def mean(cut: int) -> Fraction:
        return (with_it * Fraction(side - cut, side) + all_pairs - with_it) / all_pairs

    return max(cut for cut in range(side) if cut == 0 or mean(cut) > needed)
