/* The images of a sample with their tools: side by side, stacked, flicker, difference, zoom. */

import { differencePicture, picture } from "./pictures.js";
import { Viewer } from "./viewer.js";
import { button, h, storage } from "./widgets.js";
import { words } from "./words.js";

const MODES = { beside: "s", above: "v", flicker: "f", difference: "d" },
  kept = storage("vde."),
  FAR = 60;

export class Stage {
  constructor() {
    this.viewer = new Viewer((state) => this.tell(state));
    this.mode = remembered();
    this.pictures = {};
    this.second = "after";
    this.rounds = null;
    this.bothSides = false;
    this.first = false;
    this.turn = 0;
    this.cursor = h("output", { class: "cursor" });
    this.scale = h("output", { class: "scale" });
    this.modes = h("div", { class: "row tight", role: "group", "aria-label": words.stage.mode });
    this.problem = h("div", { class: "problem", hidden: true });
    const zoom = h(
      "div",
      { class: "row tight" },
      button("−", () => this.viewer.step(-1), { title: words.stage.zoomOut, "aria-label": words.stage.zoomOut }),
      this.scale,
      button("+", () => this.viewer.step(1), { title: words.stage.zoomIn, "aria-label": words.stage.zoomIn }),
      button(words.stage.fit, () => this.viewer.fit(), { key: "0" }),
      button(words.stage.full, () => this.viewer.full(), { key: "Z" }),
    );
    this.element = h(
      "section",
      { class: "stage", "aria-label": words.stage.label, tabindex: "0" },
      h("div", { class: "tools" }, this.modes, zoom, this.cursor),
      this.problem,
      this.viewer.element,
    );
  }

  close() {
    this.viewer.close();
  }

  /** Load the images of a sample; `second` is "after" or "reference"; `rounds` are the panes of a conflict. */
  async load(sample, second = "after", rounds = null) {
    const turn = ++this.turn,
      names = ["before", second],
      another = ["sample", "step", "round"].some((name) => this.sample?.[name] !== sample[name]);
    this.sample = sample;
    this.pictures = {};
    this.second = second;
    this.rounds = rounds;
    this.first = false;
    this.bothSides = false;
    if (rounds && this.mode !== "rounds") this.usual = this.mode;
    this.mode = rounds ? "rounds" : this.usual || this.mode;
    if (this.mode === "rounds" && !rounds) this.mode = "beside";
    this.show();
    if (another) this.viewer.fit();
    this.problem.hidden = true;
    try {
      const found = await Promise.all(names.map((name) => picture(sample.images[name])));
      if (turn !== this.turn) return;
      names.forEach((name, index) => {
        this.pictures[name] = found[index];
      });
      this.show();
    } catch {
      if (turn !== this.turn) return;
      this.problem.replaceChildren(
        words.stage.failed,
        " ",
        button(words.stage.again, () => this.load(sample, second, rounds)),
      );
      this.problem.hidden = false;
    }
  }

  setMode(mode) {
    if (mode === "flicker" && this.mode === "flicker") this.first = !this.first;
    this.mode = mode;
    if (mode !== "rounds") {
      this.usual = mode;
      kept.put("mode", mode);
    }
    this.show();
  }

  source(name) {
    if (name !== "difference") return this.pictures[name] || null;
    const { before, [this.second]: after } = this.pictures;
    if (before && after) this.pictures.difference ||= differencePicture(before, after);
    return this.pictures.difference || null;
  }

  /** Zoom to the difference; return false if the images are equal. */
  lookAtChange() {
    const found = this.source("difference");
    if (found?.changed) this.viewer.lookAt(found.changed, 0.5);
    return !found || Boolean(found.changed);
  }

  pane(name, tool, more = {}) {
    const title = name === "difference" ? `${words.stage.difference}: ${words.stage.changed}` : words.stage[name];
    const label = words.stage.whole(title, this.sample.width, this.sample.height);
    return {
      id: name,
      side: name === "before" ? "before" : "after",
      title,
      label,
      source: this.source(name),
      tool,
      ...more,
    };
  }

  show() {
    if (!this.sample) return;
    const size = { width: this.sample.width, height: this.sample.height };
    const panes =
      {
        rounds: () => [
          ...(this.rounds || []).map((round) => this.pane(this.second, false, round)),
          this.pane(this.second, true, { id: "own", title: words.conflict.yours }),
        ],
        flicker: () => [this.pane(this.first ? "before" : this.second, true)],
        difference: () => [this.pane("difference", true)],
      }[this.mode] || (() => [this.pane("before", this.bothSides), this.pane(this.second, true)]);
    this.viewer.show(size, panes(), this.mode === "above" ? "above" : this.mode === "rounds" ? "grid" : "beside");
    const modes = this.rounds ? { rounds: "r", ...MODES } : MODES;
    this.modes.replaceChildren(
      ...Object.entries(modes).map(([mode, key]) =>
        button(words.stage[mode], () => this.setMode(mode), {
          key: key.toUpperCase(),
          "aria-pressed": `${mode === this.mode}`,
        }),
      ),
    );
  }

  tell({ cursor, scale }) {
    const inside =
      cursor &&
      cursor.x >= 0 &&
      cursor.y >= 0 &&
      cursor.x < this.viewer.page.width &&
      cursor.y < this.viewer.page.height;
    this.cursor.textContent = inside ? words.stage.cursor(Math.floor(cursor.x), Math.floor(cursor.y)) : "";
    this.scale.textContent = `${scale >= 0.1 ? Math.round(scale * 100) : (scale * 100).toFixed(1)} %`;
  }

  /** Handle a key; `digits` says whether 1 is free for 100 %. */
  key(event, name, digits = true) {
    const mode = Object.entries(MODES).find(([, key]) => key === name)?.[0];
    if (mode) this.setMode(mode);
    else if (name === "r" && this.rounds) this.setMode("rounds");
    else if (name === "+" || name === "=") this.viewer.step(1);
    else if (name === "-" || name === "−") this.viewer.step(-1);
    else if (name === "0") this.viewer.fit();
    else if (name === "z" || (name === "1" && digits)) this.viewer.full();
    else return false;
    return true;
  }

  /** Move the page by an arrow key; return whether it was one. */
  arrow(name) {
    const by = { ArrowLeft: [FAR, 0], ArrowRight: [-FAR, 0], ArrowUp: [0, FAR], ArrowDown: [0, -FAR] }[name];
    if (by) this.viewer.pan(...by);
    return Boolean(by);
  }
}

function remembered() {
  const mode = kept.get("mode");
  return mode in MODES ? mode : "beside";
}
