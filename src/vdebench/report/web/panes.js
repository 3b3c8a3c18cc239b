"use strict";
/* Images side by side that zoom and move together: the view is the centre, as a share of the page, and a zoom factor. */
(() => {
  const { h, s } = Vde;
  const MOST = 24;

  /* Relation of a pane's image to the page, in shares of their widths and heights: position = scale × position on the page + shift. */
  Vde.SAME = { scale: [1, 1], shift: [0, 0] };

  /* Place an element of some size over a page of another by a transform (2×3, pixels to pixels). */
  Vde.overlay = ({ style }, [across, down], [[a, c, x], [b, d, y]], [width, height]) => {
    style.width = `${width / across * 100}%`;
    style.height = `${height / down * 100}%`;
    style.transformOrigin = "0 0";
    style.transform = `translate(${x / width * 100}%, ${y / height * 100}%) matrix(${a}, ${b}, ${c}, ${d}, 0, 0)`;
  };

  Vde.Panes = class {
    constructor(changed) {
      this.view = { x: 0.5, y: 0.5, zoom: 1 };
      this.panes = [];
      this.changed = changed;
      this.element = h("div", { class: "panes" });
      this.watcher = new ResizeObserver(() => this.place());
    }

    /* Add a pane: a title, one or two images (two are shown as their difference), the size of the page, the reason for a
       missing image; a bare pane is a blank page with overlays. */
    add(name, title, images, size, why, bare) {
      const there = images.length > 0 || Boolean(bare && size);
      const layers = h("div", { class: "layers" }, images.map((src) => h("img", { src, alt: "", draggable: "false" })));
      const drawing = s("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" });
      const stage = h("div", { class: images.length > 1 ? "stage difference" : "stage" }, layers, drawing);
      const frame = h("div", { class: "frame", tabindex: "0", role: "group", "aria-label": `${title}: arrows move, plus and minus zoom, 0 shows the whole page` },
        there ? stage : h("div", { class: "nothing" }, why || "no image"));
      const figure = h("figure", { class: "pane", "data-pane": name }, h("figcaption", null, h("span", null, title), size ? h("span", null, `${size[0]}×${size[1]}`) : null), frame);
      const pane = { name, figure, frame, stage, layers, drawing, size: size || [1, 1], there, map: Vde.SAME };
      this.panes.push(pane);
      this.element.append(figure);
      this.listen(frame);
      this.watcher.observe(frame);
      return pane;
    }

    /* Place a pane's last image over the page by a transform of pixel centres (2×3); the page is clipped to it. */
    lay(pane, [[a, c, e], [b, d, f]], [width, height]) {
      const [across, down] = pane.size, x = e + (1 - a - c) / 2, y = f + (1 - b - d) / 2; // centres are half a pixel inside
      const corner = (px, py) => `${(a * px + c * py + x) / across * 100}% ${(b * px + d * py + y) / down * 100}%`;
      pane.layers.style.overflow = "hidden";
      Vde.overlay(pane.layers.lastChild, pane.size, [[a, c, x], [b, d, y]], [width, height]);
      pane.layers.style.clipPath = `polygon(${[corner(0, 0), corner(width, 0), corner(width, height), corner(0, height)].join(", ")})`;
    }

    clear() { this.watcher.disconnect(); this.panes = []; this.element.replaceChildren(); }

    /* The size of the page at zoom 1: as large as the frame allows. */
    base(pane) {
      const { clientWidth: width, clientHeight: height } = pane.frame, scale = Math.min(width / pane.size[0], height / pane.size[1]);
      return { width, height, w: pane.size[0] * scale, h: pane.size[1] * scale, scale };
    }
    /* The centre of the view as a share of a pane's image, which is shown whole at zoom 1. */
    centre({ map: { scale, shift } }) {
      const { x, y, zoom } = this.view, inside = (share) => Math.min(1, Math.max(0, share));
      return zoom === 1 ? [0.5, 0.5] : [inside(x * scale[0] + shift[0]), inside(y * scale[1] + shift[1])];
    }
    place() {
      for (const pane of this.panes) {
        if (!pane.there || !pane.frame.clientWidth) continue;
        const { width, height, w, h: tall, scale } = this.base(pane), { zoom } = this.view, [x, y] = this.centre(pane);
        pane.stage.style.width = `${w * zoom}px`;
        pane.stage.style.height = `${tall * zoom}px`;
        pane.stage.style.transform = `translate(${width / 2 - x * w * zoom}px, ${height / 2 - y * tall * zoom}px)`;
        pane.stage.classList.toggle("crisp", scale * zoom > 3);
        pane.frame.classList.toggle("still", zoom === 1); // at zoom 1 a finger scrolls the document
      }
      this.changed(this.view.zoom);
    }
    look(x, y, zoom) {
      this.view = { x: Math.min(1, Math.max(0, x)), y: Math.min(1, Math.max(0, y)), zoom: Math.min(MOST, Math.max(1, zoom)) };
      if (this.view.zoom === 1) this.view.x = this.view.y = 0.5;
      this.place();
    }
    zoom(by) { this.look(this.view.x, this.view.y, this.view.zoom * by); }
    reset() { this.look(0.5, 0.5, 1); }
    /* Zoom around the pointer. */
    zoomAt(frame, px, py, by) {
      const pane = this.panes.find((one) => one.frame === frame), { width, height, w, h: tall } = this.base(pane), { x, y, zoom } = this.view;
      const [across, down] = pane.map.scale, dx = (px - width / 2) / w / across, dy = (py - height / 2) / tall / down;
      const to = Math.min(MOST, Math.max(1, zoom * by));
      this.look(x + dx / zoom - dx / to, y + dy / zoom - dy / to, to);
    }
    move(frame, dx, dy) {
      const pane = this.panes.find((one) => one.frame === frame), { w, h: tall } = this.base(pane), { x, y, zoom } = this.view;
      const [across, down] = pane.map.scale;
      this.look(x - dx / w / zoom / across, y - dy / tall / zoom / down, zoom);
    }
    /* Show a rectangle, in percent of the page, with a margin. */
    show([x, y, w, tall]) {
      const pane = this.panes.find((one) => one.there);
      if (!pane) return;
      const { width, height, w: across, h: down } = this.base(pane);
      const zoom = Math.min(8, 92 * width / (across * Math.max(w, 0.1)), 92 * height / (down * Math.max(tall, 0.1)));
      this.look((x + w / 2) / 100, (y + tall / 2) / 100, zoom);
    }

    listen(frame) {
      const at = (event) => { const box = frame.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
      const held = new Map();
      frame.addEventListener("wheel", (event) => { event.preventDefault(); this.zoomAt(frame, ...at(event), Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016))); }, { passive: false });
      frame.addEventListener("dblclick", (event) => this.zoomAt(frame, ...at(event), 2));
      frame.addEventListener("pointerdown", (event) => { held.set(event.pointerId, at(event)); frame.setPointerCapture(event.pointerId); frame.classList.add("held"); });
      frame.addEventListener("pointermove", (event) => {
        if (!held.has(event.pointerId)) return;
        const before = [...held.values()], now = at(event), last = held.get(event.pointerId);
        held.set(event.pointerId, now);
        if (held.size === 2) { // two fingers: zoom by their distance
          const after = [...held.values()], apart = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
          this.zoomAt(frame, (after[0][0] + after[1][0]) / 2, (after[0][1] + after[1][1]) / 2, apart(after) / apart(before));
          this.move(frame, (now[0] - last[0]) / 2, (now[1] - last[1]) / 2);
        } else this.move(frame, now[0] - last[0], now[1] - last[1]);
      });
      for (const name of ["pointerup", "pointercancel"]) frame.addEventListener(name, (event) => { held.delete(event.pointerId); if (!held.size) frame.classList.remove("held"); });
      frame.addEventListener("keydown", (event) => {
        const step = 60, keys = {
          ArrowLeft: () => this.move(frame, step, 0), ArrowRight: () => this.move(frame, -step, 0), ArrowUp: () => this.move(frame, 0, step), ArrowDown: () => this.move(frame, 0, -step),
          "+": () => this.zoom(1.4), "=": () => this.zoom(1.4), "-": () => this.zoom(1 / 1.4), 0: () => this.reset(),
        };
        if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
        event.preventDefault();
        event.stopPropagation();
        keys[event.key]();
      });
    }
  };
})();
