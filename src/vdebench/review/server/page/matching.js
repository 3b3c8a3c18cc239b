/* The agreement of groups on sets of boxes, as in review/boxes.py: boxes are matched one to one, the worst region
   counts, different numbers of boxes give 0. */

import { iou } from "./boxes.js";

/** The assignment of boxes with the largest sum of IoU (the Hungarian method). */
export function partners(boxes, others) {
  const count = boxes.length,
    cost = boxes.map((box) => others.map((other) => 1 - iou(box, other)));
  const row = new Array(count + 1).fill(0),
    column = new Array(count + 1).fill(0);
  const owner = new Array(count + 1).fill(0),
    way = new Array(count + 1).fill(0);
  for (let start = 1; start <= count; start++) {
    const least = new Array(count + 1).fill(Infinity),
      used = new Array(count + 1).fill(false);
    let at = 0;
    owner[0] = start;
    do {
      used[at] = true;
      const here = owner[at];
      let delta = Infinity,
        next = 0;
      for (let other = 1; other <= count; other++) {
        if (used[other]) continue;
        const reduced = cost[here - 1][other - 1] - row[here] - column[other];
        if (reduced < least[other]) {
          least[other] = reduced;
          way[other] = at;
        }
        if (least[other] < delta) {
          delta = least[other];
          next = other;
        }
      }
      for (let other = 0; other <= count; other++) {
        if (used[other]) {
          row[owner[other]] += delta;
          column[other] -= delta;
        } else least[other] -= delta;
      }
      at = next;
    } while (owner[at] !== 0);
    for (; at; at = way[at]) owner[at] = owner[way[at]];
  }
  const found = new Array(count);
  for (let other = 1; other <= count; other++) found[owner[other] - 1] = others[other - 1];
  return found;
}

/** The agreement of two groups: the IoU of their worst region. */
export function pairIou(boxes, others) {
  if (boxes.length !== others.length || !boxes.length) return 0;
  return Math.min(...partners(boxes, others).map((other, index) => iou(boxes[index], other)));
}

/** The agreement of all groups: the mean over their pairs. */
export function agreement(drawn) {
  const count = drawn[0]?.length || 0;
  if (!count || drawn.some((boxes) => boxes.length !== count)) return 0;
  return Math.max(
    ...drawn.map((first) => {
      const matched = drawn.map((boxes) => partners(first, boxes));
      return Math.min(...first.map((_, region) => meanIou(matched.map((boxes) => boxes[region]))));
    }),
  );
}

function meanIou(boxes) {
  let sum = 0,
    pairs = 0;
  boxes.forEach((one, index) =>
    boxes.slice(index + 1).forEach((other) => {
      sum += iou(one, other);
      pairs += 1;
    }),
  );
  return sum / pairs;
}
