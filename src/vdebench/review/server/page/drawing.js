/* Drawing boxes on a pane by pointer and keys, in whole pixels, with undo. */

import { another, between, EDGES, hit, moved, resized } from "./boxes.js";
import { drawMagnifier, pointOf } from "./magnifier.js";
import { colour, drawBox, drawHandles } from "./painting.js";
import { Past } from "./past.js";

const REACH = 7,
  GLASS = 1600;
const CURSORS = {
  nw: "nwse-resize",
  se: "nwse-resize",
  ne: "nesw-resize",
  sw: "nesw-resize",
  n: "ns-resize",
  s: "ns-resize",
  e: "ew-resize",
  w: "ew-resize",
  all: "move",
};
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const AHEAD = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "top", ArrowDown: "bottom" };
const BEHIND = { ArrowLeft: "right", ArrowRight: "left", ArrowUp: "bottom", ArrowDown: "top" };

export class Drawing {
  /** Calls `changed(boxes, selected)` after each change; `shows(pane)` says whether a pane shows the boxes. */
  constructor(viewer, boxes, { changed, shows = () => true, onPane = null }) {
    Object.assign(this, { viewer, changed, shows, onPane });
    this.past = new Past(boxes);
    this.boxes = boxes;
    this.selected = boxes.length ? 0 : -1;
    this.edge = "";
    this.action = null;
    this.glass = null;
    this.painter = (context, place) => this.paint(context, place);
    viewer.painters.push(this.painter);
    viewer.tool = this;
    viewer.redraw(false);
  }

  close() {
    this.viewer.painters = this.viewer.painters.filter((painter) => painter !== this.painter);
    if (this.viewer.tool === this) this.viewer.tool = null;
    clearTimeout(this.timer);
    this.viewer.redraw(false);
  }

  get page() {
    return this.viewer.page;
  }

  get current() {
    return this.boxes[this.selected];
  }

  /** Set the boxes; changes of the same `kind` are undone together. */
  set(boxes, selected = this.selected, kind = "") {
    this.past.add(boxes, kind);
    this.put(boxes, selected);
  }

  put(boxes, selected = this.selected) {
    this.boxes = boxes;
    this.select(Math.min(selected, boxes.length - 1));
  }

  select(index) {
    if (index !== this.selected) this.edge = "";
    this.selected = index;
    this.viewer.redraw(false);
    this.changed(this.boxes, this.selected);
  }

  replaced(box) {
    return this.boxes.map((other, index) => (index === this.selected ? box : other));
  }

  down(point, pane, event) {
    const found = hit(this.boxes, this.selected, point, REACH / this.viewer.view.scale);
    this.onPane?.(pane);
    if (found && !event.shiftKey) {
      this.select(found.index);
      this.action = { part: found.part, from: point, before: this.boxes, box: this.current, near: point };
    } else {
      this.action = { part: "new", from: point, before: this.boxes, was: this.selected };
    }
    return true;
  }

  move(point) {
    const { part, from, before, box } = this.action || {};
    if (part === "new") {
      const made = between(from, point, this.page);
      const empty = made[0] === made[2] || made[1] === made[3];
      this.put(empty ? before : [...before, made], empty ? -1 : before.length);
      this.glass = empty ? null : { point: { x: Math.round(point.x), y: Math.round(point.y) } };
    } else if (part) {
      const dx = Math.round(point.x - from.x),
        dy = Math.round(point.y - from.y);
      const next = part === "all" ? moved(box, dx, dy, this.page) : resized(box, part, dx, dy, this.page);
      this.put(this.replaced(next));
      this.glass = { point: pointOf(next, part === "all" ? "nw" : part, part.length === 1 ? point : null) };
    }
    this.viewer.redraw(false);
  }

  up() {
    const action = this.action;
    this.action = null;
    this.glass = null;
    if (action?.part === "new" && this.boxes === action.before) this.select(-1);
    else if (action) this.past.add(this.boxes);
    this.viewer.redraw(false);
    this.changed(this.boxes, this.selected);
  }

  cancel() {
    if (this.action) this.put(this.action.before, this.action.was ?? this.selected);
    this.action = null;
    this.glass = null;
  }

  cursor(point) {
    const found = hit(this.boxes, this.selected, point, REACH / this.viewer.view.scale);
    return found ? CURSORS[found.part] : "crosshair";
  }

  undo() {
    this.put(this.past.undo());
  }

  redo() {
    this.put(this.past.redo());
  }

  remove() {
    if (this.current)
      this.set(
        this.boxes.filter((_, index) => index !== this.selected),
        Math.max(0, this.selected - 1),
      );
  }

  /** Add a box in the middle of the view, for keyboard users. */
  add() {
    const { x, y, scale } = this.viewer.view,
      wide = 60 / Math.min(scale, 4),
      high = 20 / Math.min(scale, 4);
    const middle = between({ x: x - wide, y: y - high }, { x: x + wide, y: y + high }, this.page),
      box = another(middle, this.boxes, this.page);
    if (box) this.set([...this.boxes, box], this.boxes.length);
  }

  nextEdge() {
    if (!this.current) return;
    const order = ["", ...EDGES];
    this.edge = order[(order.indexOf(this.edge) + 1) % order.length];
    if (this.edge) this.showGlass(this.edge);
    this.viewer.redraw(false);
    this.changed(this.boxes, this.selected);
  }

  showGlass(part) {
    this.glass = { point: pointOf(this.current, part) };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.glass = null;
      this.viewer.redraw(false);
    }, GLASS);
  }

  nudge(event) {
    const [x, y] = ARROWS[event.key],
      far = event.shiftKey ? 10 : 1,
      box = this.current;
    const across = this.edge === "left" || this.edge === "right";
    let edge = event.altKey ? AHEAD[event.key] : event.ctrlKey || event.metaKey ? BEHIND[event.key] : "";
    if (!edge && this.edge) edge = across === (x !== 0) ? this.edge : "none";
    if (edge === "none") return;
    const next = edge ? resized(box, edge, x * far, y * far, this.page) : moved(box, x * far, y * far, this.page);
    this.set(this.replaced(next), this.selected, `nudge ${this.selected}`);
    this.showGlass(edge || AHEAD[event.key]);
  }

  /** Handle a key; return whether it was handled. */
  key(event, name) {
    if (name === "Ctrl+z") this.undo();
    else if (name === "Ctrl+y" || name === "Ctrl+Shift+z") this.redo();
    else if (name === "b") this.add();
    else if (!this.current) return false;
    else if (event.key in ARROWS) this.nudge(event);
    else if (name === "Delete" || name === "Backspace") this.remove();
    else if (name === "e") this.nextEdge();
    else if (name === "x") this.viewer.lookAt(this.current);
    else if (name === "Escape" && this.edge) {
      this.edge = "";
      this.select(this.selected);
    } else if (name === "Escape") this.select(-1);
    else return false;
    return true;
  }

  /** Select the next box; false after the last, so that Tab moves the focus. */
  tab(back) {
    const next = this.selected + (back ? -1 : 1);
    if (next < 0 || next >= this.boxes.length) return false;
    this.select(next);
    return true;
  }

  paint(context, place) {
    if (!this.shows(place.pane)) return;
    const tool = place.pane.tool && this.viewer.tool === this;
    this.boxes.forEach((box, index) =>
      drawBox(context, box, place, {
        ink: colour(index === this.selected ? "box" : "box-other"),
        line: tool ? 2 : 1,
        dash: tool ? [] : [5, 4],
        label: tool && this.boxes.length > 1 ? `${index + 1}` : "",
      }),
    );
    if (!tool || !this.current) return;
    drawHandles(context, this.current, place, this.edge);
    if (this.glass) drawMagnifier(context, place.pane.source, this.glass.point, this.current, place);
  }
}
