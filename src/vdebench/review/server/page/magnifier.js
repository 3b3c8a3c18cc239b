/* A magnifier next to the edge that is moved: its pixels and the line of the box. */

import { colour } from "./painting.js";

const SIDE = 168,
  TIMES = 12,
  APART = 28;

/** Paint it on a pane for a point of the page, with the edges of the boxes. */
export function drawMagnifier(context, source, point, box, { left, top, scale, pane, page }) {
  if (!source || scale >= TIMES) return;
  const x = left + point.x * scale,
    y = top + point.y * scale;
  const beside = x + APART + SIDE < pane.width ? x + APART : x - APART - SIDE;
  const above = y - APART - SIDE > 0 ? y - APART - SIDE : y + APART;
  const at = {
    x: Math.round(Math.min(Math.max(4, beside), Math.max(4, pane.width - SIDE - 4))),
    y: Math.round(Math.min(Math.max(4, above), Math.max(4, pane.height - SIDE - 4))),
  };
  const half = SIDE / TIMES / 2,
    from = { x: point.x - half, y: point.y - half };
  context.save();
  context.beginPath();
  context.rect(at.x, at.y, SIDE, SIDE);
  context.fillStyle = colour("mat");
  context.fill();
  context.clip();
  context.imageSmoothingEnabled = false;
  const across = (source.naturalWidth || source.width) / page.width,
    down = (source.naturalHeight || source.height) / page.height;
  context.drawImage(source, from.x * across, from.y * down, 2 * half * across, 2 * half * down, at.x, at.y, SIDE, SIDE);
  const inside = (value, start, place) => place + (value - start) * TIMES;
  context.strokeStyle = colour("box");
  context.fillStyle = "rgba(0, 114, 178, 0.12)";
  context.lineWidth = 2;
  const [x1, y1, x2, y2] = [
    inside(box[0], from.x, at.x),
    inside(box[1], from.y, at.y),
    inside(box[2], from.x, at.x),
    inside(box[3], from.y, at.y),
  ];
  context.fillRect(x1, y1, x2 - x1, y2 - y1);
  context.strokeRect(x1 - 1, y1 - 1, x2 - x1 + 2, y2 - y1 + 2);
  context.restore();
  context.strokeStyle = colour("ink");
  context.lineWidth = 1;
  context.strokeRect(at.x + 0.5, at.y + 0.5, SIDE - 1, SIDE - 1);
}

/** The point of a handle: the corner, or the middle of the edge. */
export function pointOf(box, part, near) {
  const has = (letter, edge) => part === edge || (part.length < 3 && part.includes(letter));
  const x = has("w", "left")
    ? box[0]
    : has("e", "right")
      ? box[2]
      : Math.min(Math.max(near?.x ?? (box[0] + box[2]) / 2, box[0]), box[2]);
  const y = has("n", "top")
    ? box[1]
    : has("s", "bottom")
      ? box[3]
      : Math.min(Math.max(near?.y ?? (box[1] + box[3]) / 2, box[1]), box[3]);
  return { x, y };
}
