/* Painting on panes: the image, the crosshair, boxes and handles. */

import { handles } from "./boxes.js";

const GRID_FROM = 12;
const inks = new Map();

/** A colour of the style sheet by name, cached until light changes to dark. */
export function colour(name) {
  if (!inks.has(name)) inks.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return inks.get(name);
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => inks.clear());

/** Paint the image: smooth when reduced, with sharp pixels when magnified. */
export function drawPicture(context, source, { left, top, scale, pane, page }, ratio) {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, pane.width, pane.height);
  if (!source) return;
  context.imageSmoothingEnabled = scale < 1;
  context.imageSmoothingQuality = "high";
  const width = source.naturalWidth || source.width,
    height = source.naturalHeight || source.height;
  const x = Math.max(0, Math.floor(-left / scale)),
    y = Math.max(0, Math.floor(-top / scale));
  const right = Math.min(page.width, Math.ceil((pane.width - left) / scale));
  const bottom = Math.min(page.height, Math.ceil((pane.height - top) / scale));
  if (right <= x || bottom <= y) return;
  const across = width / page.width,
    down = height / page.height; // 1, unless the image has another size than the page
  context.drawImage(
    source,
    x * across,
    y * down,
    (right - x) * across,
    (bottom - y) * down,
    left + x * scale,
    top + y * scale,
    (right - x) * scale,
    (bottom - y) * scale,
  );
  if (scale >= GRID_FROM) drawGrid(context, { left, top, scale }, x, y, right, bottom);
}

function drawGrid(context, { left, top, scale }, x, y, right, bottom) {
  context.fillStyle = "rgba(128, 128, 128, 0.35)";
  for (let column = x; column <= right; column++)
    context.fillRect(left + column * scale, top + y * scale, 1, (bottom - y) * scale);
  for (let row = y; row <= bottom; row++) context.fillRect(left + x * scale, top + row * scale, (right - x) * scale, 1);
}

/** Paint a crosshair through the pixel under the cursor. */
export function drawCrosshair(context, point, { left, top, scale, pane }) {
  const x = left + Math.floor(point.x) * scale + scale / 2,
    y = top + Math.floor(point.y) * scale + scale / 2;
  context.fillStyle = colour("cross");
  context.fillRect(Math.round(x), 0, 1, pane.height);
  context.fillRect(0, Math.round(y), pane.width, 1);
  if (scale >= 4) {
    context.strokeStyle = colour("cross");
    context.lineWidth = 1;
    context.strokeRect(x - scale / 2 + 0.5, y - scale / 2 + 0.5, scale - 1, scale - 1);
  }
}

/** Paint a box; its line is just outside its pixels. */
export function drawBox(context, box, { left, top, scale }, { ink, line = 2, dash = [], label = "", fill = "" }) {
  const x = left + box[0] * scale,
    y = top + box[1] * scale;
  const wide = (box[2] - box[0]) * scale,
    high = (box[3] - box[1]) * scale;
  if (fill) {
    context.fillStyle = fill;
    context.fillRect(x, y, wide, high);
  }
  const half = line / 2;
  context.setLineDash([]);
  context.lineWidth = line + 2;
  context.strokeStyle = "rgba(255, 255, 255, 0.75)";
  context.strokeRect(x - half, y - half, wide + line, high + line);
  context.setLineDash(dash);
  context.lineWidth = line;
  context.strokeStyle = ink;
  context.strokeRect(x - half, y - half, wide + line, high + line);
  context.setLineDash([]);
  if (label) drawLabel(context, label, x - line, y - line, ink);
}

/** Paint labels, [text, colour], side by side above a box. */
export function drawLabels(context, labels, box, { left, top, scale }) {
  labels.reduce(
    (x, [label, ink]) => x + 1 + drawLabel(context, label, x, top + box[1] * scale - 2, ink),
    Math.max(0, left + box[0] * scale - 2),
  );
}

function drawLabel(context, label, x, y, ink) {
  context.font = "600 12px system-ui, sans-serif";
  const wide = context.measureText(label).width + 8,
    top = y - 17 < 0 ? y : y - 17;
  context.fillStyle = ink;
  context.fillRect(Math.max(0, x), top, wide, 17);
  context.fillStyle = "#ffffff";
  context.fillText(label, Math.max(0, x) + 4, top + 12.5);
  return wide;
}

/** Paint the handles of the selected box and its active edge. */
export function drawHandles(context, box, { left, top, scale }, edge) {
  const wide = (box[2] - box[0]) * scale,
    high = (box[3] - box[1]) * scale;
  const ink = colour("box");
  for (const [part, [x, y]] of Object.entries(handles(box))) {
    if ((part === "n" || part === "s") && wide < 36) continue;
    if ((part === "e" || part === "w") && high < 36) continue;
    const out = 1,
      dx = part.includes("w") ? -out : part.includes("e") ? out : 0,
      dy = part.includes("n") ? -out : part.includes("s") ? out : 0;
    context.fillStyle = "#ffffff";
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.rect(left + x * scale + dx - 4, top + y * scale + dy - 4, 8, 8);
    context.fill();
    context.stroke();
  }
  if (!edge) return;
  const sides = {
    left: [box[0], box[1], box[0], box[3]],
    right: [box[2], box[1], box[2], box[3]],
    top: [box[0], box[1], box[2], box[1]],
    bottom: [box[0], box[3], box[2], box[3]],
  };
  const [x1, y1, x2, y2] = sides[edge];
  context.strokeStyle = colour("edge");
  context.lineWidth = 4;
  context.beginPath();
  context.moveTo(left + x1 * scale, top + y1 * scale);
  context.lineTo(left + x2 * scale, top + y2 * scale);
  context.stroke();
}
