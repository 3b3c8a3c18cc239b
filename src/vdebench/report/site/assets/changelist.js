"use strict";
/* The changes of a sample: their list with filters, and their boxes on the reference (without one, the source) and the prediction. */
(() => {
  const { h, plural, words, changeButton, changeBox, kindToggles } = Vde;
  const ASKED = { true: "inside a region", false: "outside the regions", null: "region not known" };
  const REQUESTED = { true: "asked for", false: "not asked for", null: "not known whether it was asked for" };
  const MARGIN = [14, 5]; // around a visited change, in percent of the page
  const hidden = new Set();
  let factsOnly = false, outsideOnly = false;

  const shown = (change) => !hidden.has(change.kind) && (!factsOnly || change.fact) && (!outsideOnly || change.asked === false);
  const middle = ([x, y, width, height]) => [(x + width / 2) / 100, (y + height / 2) / 100];

  Vde.SampleChanges = class {
    constructor(found, panes, toggle, redraw) {
      Object.assign(this, { found, panes, redraw, chosen: -1 });
      this.count = h("p", { class: "hint", id: "change-count", role: "status" });
      this.list = h("ul", { class: "blocks", id: "changes" });
      const filter = () => { this.fill(); this.redraw(); };
      const { changes, kinds, edit } = found;
      this.before = edit ? "source" : "reference"; // without a reference, the outcome of the request is given
      this.asked = edit ? REQUESTED : ASKED;
      this.element = h("div", { id: "sample-changes" }, h("h3", null, `Changes against the ${this.before}`), h("p", { class: "hint" }, `Geometry: ${found.geometry}`, edit ? `; the edit: ${words(edit)}` : ""),
        found.unknown ? h("p", { class: "warning" }, found.unknown) : null,
        changes.length ? h("div", { class: "filters" }, kindToggles(kinds, changes, toggle, hidden, filter), h("div", { class: "set", role: "group", "aria-label": "Filters" },
          toggle("Facts only", factsOnly, (on) => { factsOnly = on; filter(); }, { id: "facts-only" }),
          toggle(edit ? "Not asked for only" : "Outside the regions only", outsideOnly, (on) => { outsideOnly = on; filter(); }, { id: "outside-only" }))) : null,
        this.count, this.list);
      this.fill();
    }

    fill() {
      const { changes } = this.found, listed = changes.map((change, index) => [change, index]).filter(([change]) => shown(change));
      if (!listed.some(([, index]) => index === this.chosen)) this.chosen = -1;
      this.count.textContent = !changes.length ? "No changes." : listed.length === changes.length ? plural(changes.length, "change", "changes") : `${listed.length} of ${plural(changes.length, "change", "changes")}`;
      this.list.replaceChildren(...listed.map(([change, index]) => h("li", null, changeButton(change, this.asked, () => this.choose(index), { "data-index": index, "aria-current": index === this.chosen ? "true" : null }))));
    }

    choose(index) {
      for (const element of this.list.querySelectorAll("[aria-current]")) element.removeAttribute("aria-current");
      this.list.querySelector(`[data-index="${index}"]`).setAttribute("aria-current", "true");
      this.chosen = index;
      this.redraw();
      this.visit(this.found.changes[index]);
    }

    /* Zoom to a change; the prediction follows where the output shows the page enlarged or cropped. */
    visit({ box_before: before, box_after: after }) {
      if (!before && !after) return;
      const { scale, shift } = this.found.map;
      const onPage = ([x, y, width, height]) => [(x - 100 * shift[0]) / scale[0], (y - 100 * shift[1]) / scale[1], width / scale[0], height / scale[1]];
      const [x, y, width, height] = before || onPage(after), [atX, atY] = middle([x, y, width, height]), to = after && middle(after);
      const map = before && after ? { scale, shift: [to[0] - scale[0] * atX, to[1] - scale[1] * atY] } : { scale, shift };
      for (const pane of this.panes.panes) if (pane.name === "prediction") pane.map = map;
      this.panes.show([x - MARGIN[0], y - MARGIN[1], width + 2 * MARGIN[0], height + 2 * MARGIN[1]]);
      this.panes.element.scrollIntoView({ block: "nearest" });
    }

    draw() {
      for (const pane of this.panes.panes) {
        const side = { [this.before]: "box_before", prediction: "box_after" }[pane.name];
        if (!side) continue;
        pane.drawing.append(...this.found.changes.map((change, index) => change[side] && shown(change) ? changeBox(change, change[side], index, index === this.chosen) : null).filter(Boolean));
        pane.drawing.append(...pane.drawing.querySelectorAll("[data-change].chosen")); // above the others
      }
    }
  };
})();
