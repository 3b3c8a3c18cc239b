/* The page's geometry without a page; run by test_geometry.py, which says in PAGE where the modules are. */

import assert from "node:assert/strict";
import { test } from "node:test";

const load = (name) => import(`${process.env.PAGE}/${name}`);
const boxes = await load("boxes.js"),
  viewport = await load("viewport.js"),
  letters = await load("letters.js");
const { Past } = await load("past.js");
const page = { width: 100, height: 50 };

test("a box is snapped to whole pixels and stays on the page", () => {
  assert.deepEqual(boxes.between({ x: 20.4, y: 30.6 }, { x: 10.5, y: 10.2 }, page), [11, 10, 20, 31]);
  assert.deepEqual(boxes.between({ x: -5, y: -5 }, { x: 500, y: 500 }, page), [0, 0, 100, 50]);
});

test("a box keeps its size when it is moved to the edge", () => {
  assert.deepEqual(boxes.moved([90, 40, 98, 48], 10, 10, page), [92, 42, 100, 50]);
  assert.deepEqual(boxes.moved([3, 3, 5, 5], -10, 0, page), [0, 3, 2, 5]);
});

test("a box that is added lies on no other; where the page has no room for it, there is none", () => {
  const added = (box, count, size) => {
    const found = [];
    for (let number = 0; number < count; number++) found.push(boxes.another(box, found, size));
    return found;
  };
  assert.deepEqual(added([10, 10, 20, 20], 2, page), [
    [10, 10, 20, 20],
    [14, 14, 24, 24],
  ]);
  assert.deepEqual(added([90, 40, 100, 50], 3, page), [
    [90, 40, 100, 50], // the lower right corner: on from there up
    [86, 36, 96, 46],
    [82, 32, 92, 42],
  ]);
  assert.deepEqual(added([0, 3, 16, 13], 4, { width: 16, height: 16 }), [
    [0, 3, 16, 13],
    [0, 6, 16, 16],
    [0, 0, 16, 10],
    undefined,
  ]);
});

test("an edge that is moved leaves a pixel, and all others where they are", () => {
  assert.deepEqual(boxes.resized([10, 10, 20, 20], "left", 50, 0, page), [19, 10, 20, 20]);
  assert.deepEqual(boxes.resized([10, 10, 20, 20], "se", 3, -50, page), [10, 10, 23, 11]);
  assert.deepEqual(boxes.resized([10, 10, 20, 20], "n", 7, -3, page), [10, 7, 20, 20]);
});

test("numbers that were typed are a box, or nothing", () => {
  assert.deepEqual(boxes.typed(["1", "2", "3", "4"], page), [1, 2, 3, 4]);
  for (const wrong of [
    ["1", "2", "1", "4"],
    ["1.5", "2", "3", "4"],
    ["-1", "2", "3", "4"],
    ["1", "2", "101", "4"],
    ["x", "2", "3", "4"],
    ["", "2", "3", "4"], // not 0
  ]) {
    assert.equal(boxes.typed(wrong, page), null);
  }
});

test("a handle of the selected box comes first, then the smallest box around the point", () => {
  const drawn = [
    [0, 0, 90, 45],
    [10, 10, 40, 40],
  ];
  assert.deepEqual(boxes.hit(drawn, 0, { x: 20, y: 20 }, 1), { index: 1, part: "all" });
  assert.deepEqual(boxes.hit(drawn, 1, { x: 40.5, y: 39.5 }, 1), { index: 1, part: "se" });
  assert.deepEqual(boxes.hit(drawn, 1, { x: 10, y: 18 }, 1), { index: 1, part: "w" });
  assert.equal(boxes.hit([drawn[1]], -1, { x: 80, y: 40 }, 1), null);
});

test("what the rule asks for, on the examples of the docs", () => {
  assert.deepEqual(boxes.tolerance([0, 0, 300, 40], 0.95), {
    larger: 12000 / (302 * 42),
    passes: false,
    across: 14,
    down: 1,
    all: 1,
  });
  assert.equal(boxes.tolerance([0, 0, 300, 20], 0.95).all, 0); // one pixel cut is exactly 0.95: not above it
  assert.equal(boxes.tolerance([0, 0, 300, 21], 0.95).all, 1);
  const three = boxes.tolerance([0, 0, 300, 40], 0.95, 3); // one of three may be off by half as much again
  assert.deepEqual([three.passes, three.across, three.down, three.all], [true, 22, 2, 2]);
  assert.equal(boxes.tolerance([0, 0, 300, 13], 0.95, 3).all, 0);
  assert.equal(boxes.slack(7, 0, 3), 6); // a pixel stays
});

test("what groups drew of one place is together", () => {
  const [a, b, c, d] = [
    [0, 0, 10, 10],
    [20, 0, 30, 10],
    [10, 0, 12, 10],
    [8, 2, 22, 6],
  ];
  assert.deepEqual(boxes.touching([a, b, c]), [[a], [b], [c]]); // beside is not on
  assert.deepEqual(boxes.touching([a, b, c, d]), [[a, b, c, d]]);
});

test("a box is looked at from near, but never from farther than the whole page", () => {
  const pane = { width: 212, height: 112 };
  assert.deepEqual(viewport.around([40, 20, 50, 30], page, pane, 0.5), { scale: 5.6, x: 45, y: 25 });
  assert.deepEqual(viewport.around([0, 0, 90, 45], page, pane, 0.5), viewport.fitted(page, pane));
});

test("what cannot be sent is told", () => {
  assert.equal(boxes.fault([]), "none");
  assert.equal(
    boxes.fault([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ]),
    "twice",
  );
  assert.equal(boxes.fault([[1, 2, 3, 4]]), "");
  assert.equal(boxes.fault([[1240, 1716, 1240, 1726]]), "empty");
  assert.equal(boxes.fault([[5, 9, 6, 9]]), "empty");
});

test("zoom keeps the point under the cursor", () => {
  const pane = { width: 300, height: 200 },
    view = viewport.fitted(page, pane);
  for (const scale of [2, 3, 17.3]) {
    const before = viewport.toPage(view, pane, 71, 133),
      after = viewport.toPage(viewport.zoomed(view, page, pane, scale, { x: 71, y: 133 }), pane, 71, 133);
    assert.ok(Math.hypot(before.x - after.x, before.y - after.y) * scale < 1.5, `${scale}`);
  }
});

test("zoom beside the page keeps the page", () => {
  const pane = { width: 300, height: 200 },
    away = viewport.zoomed(viewport.fitted(page, pane), page, pane, 40, { x: 150, y: 199 });
  assert.deepEqual(away, { scale: 40, x: 50, y: 50 }); // 25 + 99 / 2.88 - 99 / 40 is below it
  assert.deepEqual(viewport.zoomed({ scale: 1, x: 50, y: 25 }, page, pane, 2), { scale: 2, x: 50, y: 25 });
});

test("a pointer is on the pixel that is drawn there, on screens with finer pixels too", () => {
  const pane = { width: 301, height: 200, ratio: 2 },
    view = { scale: 0.5, x: 50, y: 25.5 };
  assert.deepEqual(viewport.corner(view, pane), [125.5, 87.5]); // 150.5 - 25, and 100 - 12.75 in halves
  assert.deepEqual(viewport.toPage(view, pane, 125.5, 87.5), { x: 0, y: 0 });
});

test("magnified pixels begin on whole pixels of the screen; the ladder goes up and down", () => {
  const [left, top] = viewport.corner({ scale: 4, x: 12.37, y: 8.91 }, { width: 301, height: 199 });
  assert.ok(Number.isInteger(left) && Number.isInteger(top));
  assert.deepEqual([viewport.stepped(1, 1), viewport.stepped(1, -1), viewport.stepped(0.9, 1)], [1.5, 0.75, 1]);
  const lost = viewport.panned({ scale: 1, x: 50, y: 25 }, page, -9999, 9999);
  assert.deepEqual([lost.x, lost.y], [100, 0]);
});

test("nudges of one box are undone together, other changes one by one", () => {
  const past = new Past([]);
  past.add([1]);
  past.add([2], "nudge");
  past.add([3], "nudge");
  past.add([4]);
  assert.deepEqual([past.undo(), past.undo(), past.undo(), past.canUndo], [[3], [1], [], false]);
  assert.deepEqual([past.redo(), past.redo()], [[1], [3]]);
  past.add([9]);
  assert.equal(past.canRedo, false);
});

test("letters that differ, and letters that look like others", () => {
  assert.deepEqual(letters.difference("2O24", "2024"), [
    ["same", "2"],
    ["cut", "O"],
    ["new", "0"],
    ["same", "24"],
  ]);
  assert.deepEqual(letters.difference("a", "a"), [["same", "a"]]);
  assert.deepEqual(letters.difference("", "基"), [["new", "基"]]);
  assert.deepEqual(
    letters.odd("a\u0430 b\u00a0").map(([, code, kind]) => [code, kind]),
    [
      ["U+0430", "cyrillic"],
      ["U+00A0", "space"],
    ],
  );
});

test("an instruction is cut where target and replacement stand", () => {
  assert.deepEqual(letters.highlighted("put b for a.", "a", " b"), [
    ["plain", "put "],
    ["replacement", "b"],
    ["plain", " for "],
    ["target", "a"],
    ["plain", "."],
  ]);
  assert.deepEqual(letters.highlighted("nothing", "x", ""), [["plain", "nothing"]]);
});
