/* Images of one page in panes that zoom and move together. The pointer moves the page unless a tool uses it. */

import { h } from "./widgets.js";
import { drawCrosshair, drawPicture } from "./painting.js";
import { around, corner, fitted, panned, stepped, toPage, zoomed } from "./viewport.js";

export class Viewer {
  /** Calls `changed({cursor, scale})` when they change. */
  constructor(changed) {
    this.element = h("div", { class: "panes" });
    this.changed = changed;
    this.page = { width: 1, height: 1 };
    this.view = { scale: 1, x: 0, y: 0 };
    this.fits = true;
    this.near = null;
    this.panes = [];
    this.tool = null;
    this.painters = [];
    this.pointer = null;
    this.spaceHeld = false;
    this.touches = new Map();
    this.drag = null;
    this.frame = 0;
    this.stale = true;
    this.sizes = new ResizeObserver(() => this.resized());
    this.stopped = new AbortController();
    for (const kind of ["keydown", "keyup"]) {
      addEventListener(kind, (event) => this.space(event), { signal: this.stopped.signal });
    }
  }

  close() {
    this.sizes.disconnect();
    this.stopped.abort();
    cancelAnimationFrame(this.frame);
  }

  /** Show a page; `panes` are {id, title, source, tool}: an image, and whether the tool works on it. */
  show(page, panes, arrangement) {
    const another = page.width !== this.page.width || page.height !== this.page.height;
    this.page = { width: page.width, height: page.height };
    if (another) Object.assign(this, { fits: true, near: null });
    if (!another && panes.length === this.panes.length && this.element.dataset.arrangement === arrangement) {
      this.panes.forEach((pane, index) => update(pane, panes[index]));
      this.redraw();
      return;
    }
    this.element.dataset.arrangement = arrangement;
    this.element.dataset.count = panes.length;
    this.sizes.disconnect();
    this.panes = panes.map((pane) => this.made(pane));
    this.element.replaceChildren(...this.panes.map((pane) => pane.element));
    for (const pane of this.panes) this.sizes.observe(pane.box);
    this.pointer = null;
    this.resized();
  }

  made(pane) {
    const base = h("canvas", { "aria-hidden": "true" });
    const over = h("canvas", { class: "over", role: "img" });
    const box = h("div", { class: "pane-box" }, base, over),
      title = h("figcaption");
    const made = update(
      { base, over, box, title, width: 1, height: 1, ratio: 1, element: h("figure", { class: "pane" }, title, box) },
      pane,
    );
    over.addEventListener("pointerdown", (event) => this.down(made, event));
    over.addEventListener("pointermove", (event) => this.move(made, event));
    for (const kind of ["pointerup", "pointercancel"]) over.addEventListener(kind, (event) => this.up(made, event));
    over.addEventListener("pointerleave", () => {
      if (!this.drag) this.point(null);
    });
    over.addEventListener("wheel", (event) => this.wheel(made, event), { passive: false });
    over.addEventListener("auxclick", (event) => event.preventDefault());
    return made;
  }

  resized() {
    const ratio = devicePixelRatio || 1;
    for (const pane of this.panes) {
      pane.ratio = ratio;
      pane.width = Math.max(1, pane.box.clientWidth);
      pane.height = Math.max(1, pane.box.clientHeight);
      for (const canvas of [pane.base, pane.over]) {
        canvas.width = Math.round(pane.width * ratio);
        canvas.height = Math.round(pane.height * ratio);
      }
    }
    if (this.fits && this.panes.length) this.view = fitted(this.page, this.panes[0]);
    else if (this.near && this.panes.length)
      this.view = around(this.near.box, this.page, this.panes[0], this.near.room);
    this.redraw();
  }

  redraw(picturesToo = true) {
    this.stale ||= picturesToo;
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  /** The page's point under the pointer, for the current zoom. */
  get cursor() {
    return this.pointer && toPage(this.view, this.pointer.pane, this.pointer.x, this.pointer.y);
  }

  draw() {
    this.frame = 0;
    const cursor = this.cursor;
    for (const pane of this.panes) {
      const { ratio } = pane,
        [left, top] = corner(this.view, pane),
        place = { left, top, scale: this.view.scale, pane, page: this.page };
      if (this.stale) drawPicture(pane.base.getContext("2d"), pane.source, place, ratio);
      const context = pane.over.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, pane.width, pane.height);
      for (const paint of this.painters) paint(context, place);
      if (cursor) drawCrosshair(context, cursor, place);
    }
    this.stale = false;
    this.changed({ cursor, scale: this.view.scale });
  }

  at(pane, event) {
    const edge = pane.over.getBoundingClientRect();
    return { x: event.clientX - edge.left, y: event.clientY - edge.top };
  }

  point(pane, at) {
    this.pointer = pane && { pane, ...at };
    this.redraw(false);
  }

  down(pane, event) {
    const at = this.at(pane, event),
      point = toPage(this.view, pane, at.x, at.y);
    pane.over.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") this.touches.set(event.pointerId, at);
    if (this.touches.size === 2) {
      this.tool?.cancel();
      this.drag = { kind: "pinch" };
      return;
    }
    const tool = event.button === 0 && !this.spaceHeld && pane.tool && this.tool?.down(point, pane, event);
    this.drag = tool ? { kind: "tool" } : { kind: "pan", at };
    if (event.button === 1) event.preventDefault();
    pane.over.classList.toggle("dragged", !tool);
  }

  move(pane, event) {
    this.anchor = null;
    const at = this.at(pane, event),
      point = toPage(this.view, pane, at.x, at.y);
    if (this.drag?.kind === "pinch") this.pinch(pane, event, at);
    else if (this.drag?.kind === "pan") {
      this.look(panned(this.view, this.page, at.x - this.drag.at.x, at.y - this.drag.at.y));
      this.drag.at = at;
    } else if (this.drag) this.tool?.move(point, pane, event);
    else pane.over.style.cursor = this.spaceHeld || !pane.tool ? "grab" : this.tool?.cursor(point) || "grab";
    this.point(pane, at);
  }

  up(pane, event) {
    this.touches.delete(event.pointerId);
    if (this.drag?.kind === "tool") this.tool?.up(pane, event);
    if (!this.touches.size || this.drag?.kind !== "pinch") this.drag = null;
    pane.over.classList.remove("dragged");
  }

  pinch(pane, event, at) {
    if (!this.touches.has(event.pointerId)) return;
    const spread = () => {
      const [a, b] = [...this.touches.values()];
      return [Math.hypot(a.x - b.x, a.y - b.y), (a.x + b.x) / 2, (a.y + b.y) / 2];
    };
    if (this.touches.size < 2) return;
    const [before, x, y] = spread();
    this.touches.set(event.pointerId, at);
    const [after, nextX, nextY] = spread();
    const scale = (this.view.scale * after) / Math.max(before, 1),
      closer = zoomed(this.view, this.page, pane, scale, { x, y });
    this.look(panned(closer, this.page, nextX - x, nextY - y));
  }

  wheel(pane, event) {
    event.preventDefault();
    const at = this.at(pane, event),
      lines = event.deltaMode === 1 ? 24 : 1;
    const turned = Math.max(-120, Math.min(120, event.deltaY * lines));
    if (this.anchor?.x !== at.x || this.anchor.y !== at.y)
      this.anchor = { ...at, point: toPage(this.view, pane, at.x, at.y) };
    const scale = this.view.scale * Math.exp(-turned * (event.ctrlKey ? 0.01 : 0.0022));
    this.look(zoomed(this.view, this.page, pane, scale, at, this.anchor.point)); // always the same point: no drift
    this.point(pane, at);
  }

  space(event) {
    if (event.key !== " " || event.target.matches?.("button, input, textarea, select, a, summary")) return;
    if (document.querySelector("dialog[open]")) return;
    this.spaceHeld = event.type === "keydown";
    event.preventDefault();
  }

  /** Set a view that the person chose: resizing keeps it. */
  look(view) {
    this.fits = false;
    this.near = null;
    this.view = view;
    this.redraw();
  }

  scaleTo(scale) {
    if (this.panes.length) this.look(zoomed(this.view, this.page, this.panes[0], scale));
  }

  step(direction) {
    this.scaleTo(stepped(this.view.scale, direction));
  }

  fit() {
    this.fits = true;
    this.near = null;
    this.resized();
  }

  full() {
    this.scaleTo(1);
  }

  /** Zoom to a box. */
  lookAt(box, room) {
    this.fits = false;
    this.near = { box, room };
    this.resized();
  }

  pan(dx, dy) {
    this.look(panned(this.view, this.page, dx, dy));
  }
}

/** Replace the image or the title of a pane. */
function update(pane, { id, title, caption, label, source, tool, side, round }) {
  Object.assign(pane, { id, source, tool, side, round });
  pane.box.dataset.pane = id;
  pane.over.setAttribute("aria-label", label || title);
  pane.title.replaceChildren(caption || title);
  return pane;
}
