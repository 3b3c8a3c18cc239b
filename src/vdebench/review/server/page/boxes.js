/* Boxes in whole pixels: [left, top, right, bottom], the last two exclusive. No DOM, so that node can test it. */

export const EDGES = ["left", "top", "right", "bottom"];
const PARTS = {
  nw: ["left", "top"],
  n: ["top"],
  ne: ["right", "top"],
  e: ["right"],
  se: ["right", "bottom"],
  s: ["bottom"],
  sw: ["left", "bottom"],
  w: ["left"],
};

export const width = (box) => box[2] - box[0];
export const height = (box) => box[3] - box[1];
export const area = (box) => width(box) * height(box);
export const same = (one, other) => one.every((side, index) => side === other[index]);
const within = (value, least, most) => Math.min(Math.max(value, least), most);

/** The IoU of two boxes. */
export function iou(one, other) {
  const wide = Math.min(one[2], other[2]) - Math.max(one[0], other[0]);
  const high = Math.min(one[3], other[3]) - Math.max(one[1], other[1]);
  const shared = Math.max(wide, 0) * Math.max(high, 0);
  return shared / (area(one) + area(other) - shared);
}

/** The box between two points, snapped to pixels and clipped to the page; it may be empty. */
export function between(from, to, page) {
  const x = [from.x, to.x].map((value) => within(Math.round(value), 0, page.width)).sort((a, b) => a - b);
  const y = [from.y, to.y].map((value) => within(Math.round(value), 0, page.height)).sort((a, b) => a - b);
  return [x[0], y[0], x[1], y[1]];
}

/** The box moved, clipped to the page. */
export function moved(box, dx, dy, page) {
  const x = within(dx, -box[0], page.width - box[2]),
    y = within(dy, -box[1], page.height - box[3]);
  return [box[0] + x, box[1] + y, box[2] + x, box[3] + y];
}

/** This box, moved a little if others equal it; undefined if the page has no room. */
export function another(box, boxes, page) {
  const steps = [0, ...boxes.flatMap((_, index) => [4 * (index + 1), -4 * (index + 1)])];
  const places = steps.map((step) => moved(box, step, step, page));
  return places.find((place) => !boxes.some((other) => same(other, place)));
}

/** The box with some edges moved; it keeps at least one pixel and stays on the page. */
export function resized(box, part, dx, dy, page) {
  const edges = PARTS[part] || [part];
  let [left, top, right, bottom] = box;
  if (edges.includes("left")) left = within(left + dx, 0, right - 1);
  if (edges.includes("right")) right = within(right + dx, left + 1, page.width);
  if (edges.includes("top")) top = within(top + dy, 0, bottom - 1);
  if (edges.includes("bottom")) bottom = within(bottom + dy, top + 1, page.height);
  return [left, top, right, bottom];
}

/** A box from typed numbers: integers, ordered, on the page; null if invalid. */
export function typed(values, page) {
  const sides = values.map((value) => (value.trim() ? Number(value) : NaN));
  if (sides.some((side) => !Number.isInteger(side))) return null;
  const [left, top, right, bottom] = sides;
  if (left < 0 || top < 0 || right > page.width || bottom > page.height || left >= right || top >= bottom) return null;
  return sides;
}

/** The handles of a box: part and position. */
export function handles(box) {
  const [left, top, right, bottom] = box,
    x = (left + right) / 2,
    y = (top + bottom) / 2;
  return {
    nw: [left, top],
    ne: [right, top],
    se: [right, bottom],
    sw: [left, bottom],
    n: [x, top],
    e: [right, y],
    s: [x, bottom],
    w: [left, y],
  };
}

/** Hit test: a handle or an edge of the selected box, else the smallest box around the point. */
export function hit(boxes, selected, point, reach) {
  const near = (x, y) => Math.abs(point.x - x) <= reach && Math.abs(point.y - y) <= reach;
  if (boxes[selected]) {
    for (const [part, [x, y]] of Object.entries(handles(boxes[selected]))) {
      if (near(x, y)) return { index: selected, part };
    }
    const edge = edgeAt(boxes[selected], point, reach);
    if (edge) return { index: selected, part: edge };
  }
  const inside = (box) =>
    point.x >= box[0] - reach && point.x <= box[2] + reach && point.y >= box[1] - reach && point.y <= box[3] + reach;
  const found = boxes.map((box, index) => ({ box, index })).filter(({ box }) => inside(box));
  found.sort((a, b) => area(a.box) - area(b.box));
  return found.length ? { index: found[0].index, part: "all" } : null;
}

function edgeAt([left, top, right, bottom], { x, y }, reach) {
  const across = x >= left - reach && x <= right + reach,
    down = y >= top - reach && y <= bottom + reach;
  if (down && Math.abs(x - left) <= reach) return "w";
  if (down && Math.abs(x - right) <= reach) return "e";
  if (across && Math.abs(y - top) <= reach) return "n";
  if (across && Math.abs(y - bottom) <= reach) return "s";
  return null;
}

/* The tolerance of the agreement rule. The mean IoU of all pairs of groups must exceed `needed`. If all groups but one
   draw the same box, the IoU of that one must exceed 1 - (1 - needed) * groups / 2: the other pairs are 1. Computed in
   integers, so that exactly 0.95 does not exceed 0.95. */
const MILLION = 1000000,
  WHOLE = 2 * MILLION;
const missing = (needed, groups) => (MILLION - Math.round(needed * MILLION)) * Math.max(2, groups);

/** The pixels by which two opposite edges together may be off, if all else is equal: in the worst case the box is too
    small, (side - n) / side. */
export function slack(side, needed, groups = 2) {
  const cut = Math.ceil((side * missing(needed, groups)) / WHOLE) - 1;
  return Math.max(0, Math.min(cut, side - 1));
}

/** The tolerance of a box, if all other groups draw the same: its IoU if theirs is one pixel larger on each side, and
    the pixels that may be off. */
export function tolerance(box, needed, groups = 2) {
  const larger = area(box) / ((width(box) + 2) * (height(box) + 2));
  const passes = WHOLE * area(box) > (WHOLE - missing(needed, groups)) * (width(box) + 2) * (height(box) + 2);
  const across = slack(width(box), needed, groups),
    down = slack(height(box), needed, groups);
  return { larger, passes, across, down, all: Math.min(across, down) };
}

/** The bounding box of these boxes. */
export function around(boxes) {
  return [0, 1, 2, 3].map((side) => (side < 2 ? Math.min : Math.max)(...boxes.map((box) => box[side])));
}

/** Boxes grouped by overlap: the boxes of all groups for one region. */
export function touching(boxes) {
  const meets = (one, other) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
  return boxes.reduce((regions, box) => {
    const near = regions.filter((region) => region.some((other) => meets(box, other)));
    return [...regions.filter((region) => !near.includes(region)), [...near.flat(), box]];
  }, []);
}

/** Why these boxes cannot be sent: "none", "empty", "twice" or "". */
export function fault(boxes) {
  if (!boxes.length) return "none";
  if (boxes.some((box) => width(box) < 1 || height(box) < 1)) return "empty";
  return boxes.some((box, index) => boxes.slice(0, index).some((other) => same(box, other))) ? "twice" : "";
}
