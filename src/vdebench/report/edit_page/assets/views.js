"use strict";
/* The two images of an edit: side by side, or one over the other in the page's coordinates, blinking or with a divider. */
(() => {
  const { h, s, Panes, SAME, overlay, changeBox } = Vde;
  const FASTEST = 350, SLOWEST = 2000; // milliseconds; less than three flashes in a second
  const CONTEXT = [28, 12]; // least part of the page around a change, in percent of its width and height

  /* A box of the output, in percent, as a box of the page. */
  function onPage([x, y, w, tall], { transform: [[a, b, e], [c, d, f]], sizes: [page, output] }) {
    const corners = [[x, y], [x + w, y], [x, y + tall], [x + w, y + tall]].map(([px, py]) => [px * output[0] / 100, py * output[1] / 100])
      .map(([px, py]) => [(a * px + b * py + e) / page[0] * 100, (c * px + d * py + f) / page[1] * 100]);
    return around(corners);
  }
  function around(points) {
    const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis])), x = Math.min(...xs), y = Math.min(...ys);
    return [x, y, Math.max(...xs) - x, Math.max(...ys) - y];
  }
  const corners = ([x, y, w, tall]) => [[x, y], [x + w, y + tall]];
  const middle = ([x, y, w, tall]) => [(x + w / 2) / 100, (y + tall / 2) / 100];
  function withContext([x, y, w, tall]) {
    const across = Math.max(w, CONTEXT[0]), down = Math.max(tall, CONTEXT[1]);
    return [x + (w - across) / 2, y + (tall - down) / 2, across, down];
  }

  Vde.EditViews = class {
    constructor(edit, zoomed, picked) {
      this.edit = edit;
      this.picked = picked;
      this.mode = "";
      this.after = false;
      this.paused = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.interval = 700;
      this.divider = 0.5;
      this.panes = new Panes((zoom) => {
        if (zoom === 1) this.relate(edit.map);
        this.cut();
        zoomed(zoom);
      });
      this.element = this.panes.element;
    }

    /* Show both images in a mode: side, blink or swipe. */
    show(mode) {
      const { edit, panes } = this, names = ["Before", "After"], [before] = edit.sizes;
      clearInterval(this.timer);
      this.mode = mode;
      panes.clear();
      this.drawings = [];
      if (mode === "side") names.forEach((name, at) => {
        const pane = panes.add(name.toLowerCase(), `${name}: ${edit.images[at].name}`, [edit.images[at].src], edit.sizes[at]);
        this.drawings.push(pane.drawing);
        this.pick(pane, at);
      });
      else {
        const pane = panes.add("both", "", [], before, "", true);
        this.layers = edit.images.map(({ src }, at) => {
          const drawing = s("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" });
          const image = h("div", { class: "placed" }, h("img", { src, alt: "", draggable: "false" }), drawing);
          if (at) overlay(image, before, edit.transform, edit.sizes[1]);
          this.drawings.push(drawing);
          return h("div", { class: "layer" }, image);
        });
        pane.layers.append(...this.layers);
        this.caption = pane.figure.querySelector("figcaption span");
        this.pick(pane, 0);
        if (mode === "swipe") this.addDivider(pane);
      }
      this.relate(edit.map);
      if (mode === "blink") this.start();
      panes.place();
    }

    /* Relate the output's pane to the page's. */
    relate(map) { for (const pane of this.panes.panes) pane.map = pane.name === "after" ? map : SAME; }

    start() {
      clearInterval(this.timer);
      if (this.mode === "blink" && !this.paused) this.timer = setInterval(() => { this.after = !this.after; this.cut(); }, this.interval);
    }
    pause(paused) { this.paused = paused; this.start(); }
    hold(after) { this.after = after; this.pause(true); this.cut(); }
    speed(interval) { this.interval = Math.min(SLOWEST, Math.max(FASTEST, interval)); this.start(); }

    /* Show the part of each layer that its mode asks for. */
    cut() {
      if (this.mode === "side" || !this.layers || !this.panes.panes.length) return;
      const [pane] = this.panes.panes, blink = this.mode === "blink";
      this.caption.textContent = blink ? `${this.after ? "After" : "Before"}: ${this.edit.images[Number(this.after)].name}` : "Before on the left of the divider, after on the right";
      pane.figure.dataset.shown = blink ? (this.after ? "after" : "before") : "both";
      if (blink) { this.layers.forEach((layer, at) => { layer.style.visibility = Boolean(at) === this.after ? "visible" : "hidden"; }); return; }
      const frame = pane.frame.getBoundingClientRect(), stage = pane.stage.getBoundingClientRect();
      const at = (frame.left + pane.frame.clientLeft + this.divider * pane.frame.clientWidth - stage.left) / stage.width * 100;
      this.layers[0].style.clipPath = `inset(-5000% ${100 - at}% -5000% -5000%)`;
      this.layers[1].style.clipPath = `inset(-5000% -5000% -5000% ${at}%)`;
      this.handle.style.left = `${this.divider * 100}%`;
      this.handle.setAttribute("aria-valuenow", Math.round(this.divider * 100));
    }
    addDivider(pane) {
      const move = (share) => { this.divider = Math.min(1, Math.max(0, share)); this.cut(); };
      const keys = { ArrowLeft: -0.02, ArrowRight: 0.02, PageDown: -0.2, PageUp: 0.2, Home: -1, End: 1 };
      this.handle = h("div", {
        class: "divider", role: "slider", tabindex: "0", "aria-label": "Divider between before and after", "aria-valuemin": "0", "aria-valuemax": "100",
        onpointerdown: (event) => { event.stopPropagation(); this.handle.setPointerCapture(event.pointerId); },
        onpointermove: (event) => {
          event.stopPropagation();
          if (this.handle.hasPointerCapture(event.pointerId)) move((event.clientX - pane.frame.getBoundingClientRect().left) / pane.frame.clientWidth);
        },
        onclick: (event) => event.stopPropagation(), ondblclick: (event) => event.stopPropagation(),
        onkeydown: (event) => {
          if (!(event.key in keys)) return;
          event.preventDefault();
          event.stopPropagation();
          move(this.divider + keys[event.key]);
        },
      });
      pane.frame.append(this.handle);
    }

    /* Draw the boxes of changes; `drawn` tells which, `chosen` is highlighted. */
    draw(drawn, chosen) {
      this.drawings.forEach((drawing, at) => drawing.replaceChildren(...this.edit.changes.map((change, index) => {
        const box = at ? change.box_after : change.box_before;
        if (!box || !drawn(change, index)) return null;
        return changeBox(change, box, index, index === chosen);
      }).filter(Boolean)));
      for (const drawing of this.drawings) drawing.append(...drawing.querySelectorAll(".chosen")); // above the others
    }

    /* Zoom both images to a change; where it has no box on one of them, to the same place of the page. */
    visit({ box_before: before, box_after: after }) {
      if (!before && !after) return;
      const { map } = this.edit, moved = after && onPage(after, this.edit), from = before || moved;
      if (this.mode !== "side") { this.panes.show(withContext(around([before, moved].filter(Boolean).flatMap(corners)))); return; }
      const [x, y] = middle(from), [toX, toY] = after ? middle(after) : [0, 0];
      const here = before && after ? { scale: map.scale, shift: [toX - map.scale[0] * x, toY - map.scale[1] * y] } : map;
      this.relate(here);
      this.panes.show(withContext(from));
    }

    /* A click on a box picks its change; a drag moves the page. */
    pick(pane, at) {
      let down = null;
      pane.frame.addEventListener("pointerdown", (event) => { down = [event.clientX, event.clientY]; });
      pane.frame.addEventListener("click", (event) => {
        if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
        const stage = pane.stage.getBoundingClientRect(), x = (event.clientX - stage.left) / stage.width * 100, y = (event.clientY - stage.top) / stage.height * 100;
        const boxes = this.edit.changes.map(({ box_before: before, box_after: after }) => this.mode === "side" ? [at ? after : before] : [before, after && onPage(after, this.edit)]);
        const inside = ([left, top, w, tall]) => x >= left - 0.3 && x <= left + w + 0.3 && y >= top - 0.3 && y <= top + tall + 0.3;
        const hits = boxes.flatMap((pair, index) => pair.filter((box) => box && inside(box)).map((box) => [box[2] * box[3], index])).sort((one, other) => one[0] - other[0]);
        this.picked(hits.map(([, index]) => index));
      });
    }
  };
})();
