/* The view of a page: `scale`, and the page's point in the middle of the pane. No DOM, so that node can test it. */

const LADDER = [0.05, 0.1, 0.17, 0.25, 0.33, 0.5, 0.67, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48];
export const LEAST = 0.03,
  MOST = 64;

/** The whole page. */
export function fitted(page, pane, edge = 6) {
  const scale = Math.min((pane.width - 2 * edge) / page.width, (pane.height - 2 * edge) / page.height, MOST);
  return { scale: Math.max(scale, LEAST), x: page.width / 2, y: page.height / 2 };
}

/** The page's point at a point of the pane. */
export function toPage(view, pane, x, y) {
  const [left, top] = corner(view, pane);
  return { x: (x - left) / view.scale, y: (y - top) / view.scale };
}

/** The page's corner in the pane, rounded to device pixels, so that magnified pixels are sharp. */
export function corner(view, { width, height, ratio = 1 }) {
  const whole = (value) => Math.round(value * ratio) / ratio;
  return [whole(width / 2 - view.x * view.scale), whole(height / 2 - view.y * view.scale)];
}

const middle = (pane) => ({ x: pane.width / 2, y: pane.height / 2 });

/** The view with its centre clamped to the page. */
function onPage({ scale, x, y }, page) {
  return { scale, x: Math.min(Math.max(x, 0), page.width), y: Math.min(Math.max(y, 0), page.height) };
}

/** Zoom to another scale; the page's point at (x, y) stays where it is, if possible. */
export function zoomed(view, page, pane, scale, { x, y } = middle(pane), at = toPage(view, pane, x, y)) {
  const next = Math.min(Math.max(scale, LEAST), MOST);
  const [dx, dy] = [(x - pane.width / 2) / next, (y - pane.height / 2) / next];
  return onPage({ scale: next, x: at.x - dx, y: at.y - dy }, page);
}

/** Move by pixels of the pane. */
export function panned(view, page, dx, dy) {
  return onPage({ ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale }, page);
}

/** The next larger or smaller scale of the ladder. */
export function stepped(scale, direction) {
  const larger = LADDER.find((step) => step > scale * 1.001);
  const smaller = LADDER.findLast((step) => step < scale * 0.999);
  return (direction > 0 ? larger : smaller) ?? scale;
}

/** Zoom to a box with a margin, or to the whole page if that is larger. */
export function around(box, page, pane, room = 0.35) {
  const wide = box[2] - box[0],
    high = box[3] - box[1];
  const scale = Math.min((pane.width * (1 - room)) / wide, (pane.height * (1 - room)) / high, 8);
  const whole = fitted(page, pane);
  return scale > whole.scale ? { scale, x: (box[0] + box[2]) / 2, y: (box[1] + box[3]) / 2 } : whole;
}
