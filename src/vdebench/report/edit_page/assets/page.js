"use strict";
/* The page of one edit: verdict, images, and the list of changes with its filters. */
(() => {
  const { h, number, plural, changeButton, kindToggles, EditViews, start } = Vde, find = (id) => document.getElementById(id);
  const MODES = { side: "Side by side", blink: "Blink", swipe: "Swipe" };
  const asked = { true: "asked for", false: "not asked for", null: "asked: unknown" };
  const hidden = new Set();
  let mode = "side", lastMode = "side", chosen = -1, factsOnly = false, unaskedOnly = false, boxes = true;

  const views = new EditViews(EDIT, (zoom) => { if (find("zoom")) find("zoom").textContent = `${Math.round(zoom * 100)} %`; }, (hits) => {
    const hit = hits.find((index) => shown(EDIT.changes[index]));
    if (hit !== undefined) select(hit);
  });

  const shown = (change) => !hidden.has(change.kind) && (!factsOnly || change.fact) && (!unaskedOnly || change.asked !== true);
  const listed = () => EDIT.changes.map((_, index) => index).filter((index) => shown(EDIT.changes[index]));
  const drawBoxes = () => views.draw((change, index) => index === chosen || (boxes && shown(change)), chosen);

  const button = (label, press, attributes) => h("button", { type: "button", onclick: press, ...attributes }, label);
  function toggle(label, on, change, attributes) {
    const element = button(label, () => {
      const now = element.getAttribute("aria-pressed") !== "true";
      element.setAttribute("aria-pressed", String(now));
      change(now);
    }, { "aria-pressed": String(on), ...attributes });
    return element;
  }

  function setMode(next) {
    if (next !== "blink") lastMode = next;
    mode = next;
    for (const element of document.querySelectorAll("[data-mode]")) element.setAttribute("aria-pressed", String(element.dataset.mode === mode));
    find("blink-tools").hidden = mode !== "blink";
    find("stretched").hidden = mode === "side" || EDIT.placed;
    views.show(mode);
    drawBoxes();
    showBlink();
    if (chosen >= 0 && views.panes.view.zoom > 1) views.visit(EDIT.changes[chosen]);
  }
  function showBlink() {
    find("pause").textContent = views.paused ? "Continue" : "Pause";
    for (const [name, after] of [["hold-before", false], ["hold-after", true]]) find(name).setAttribute("aria-pressed", String(views.paused && views.after === after));
  }

  const item = (index) => h("li", null, changeButton(EDIT.changes[index], asked, () => select(index), { id: `change-${index}`, "aria-current": index === chosen ? "true" : null }));
  function drawList() {
    const indices = listed();
    if (!indices.includes(chosen)) chosen = -1;
    find("count").textContent = indices.length === EDIT.changes.length ? plural(indices.length, "change", "changes") : `${indices.length} of ${plural(EDIT.changes.length, "change", "changes")}`;
    find("changes").replaceChildren(...indices.map(item));
    find("nothing").hidden = indices.length > 0;
    drawBoxes();
  }
  function select(index) {
    for (const element of document.querySelectorAll(".change[aria-current]")) element.removeAttribute("aria-current");
    chosen = index;
    const element = find(`change-${index}`);
    element.setAttribute("aria-current", "true");
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
    drawBoxes();
    views.visit(EDIT.changes[index]);
  }
  function step(by) {
    const indices = listed(), at = indices.indexOf(chosen);
    if (indices.length) select(indices[at < 0 ? (by > 0 ? 0 : indices.length - 1) : (at + by + indices.length) % indices.length]);
  }

  const verdict = () => h("section", { class: "verdict", "aria-label": "Verdict" },
    EDIT.instruction && h("p", { class: "instruction", id: "instruction" }, EDIT.instruction),
    h("dl", { class: "facts" },
      h("dt", null, "Edit"), h("dd", { id: "edit" }, EDIT.edit),
      h("dt", null, "Usable"), h("dd", { id: "usable" }, h("b", { class: `usable ${EDIT.usable}` }, EDIT.usable), EDIT.why && `: ${EDIT.why}`),
      h("dt", null, "Geometry"), h("dd", { id: "geometry" }, EDIT.geometry),
      EDIT.notes.map((note) => [h("dt", null, "Text"), h("dd", { class: "text-note" }, note)]),
      h("dt", null, "Changes"), h("dd", { id: "counts" }, EDIT.counts)));
  const tools = () => h("div", { class: "row controls" },
    h("div", { class: "set", role: "group", "aria-label": "View" }, Object.entries(MODES).map(([name, title]) => button(title, () => setMode(name), { "data-mode": name, "aria-pressed": "false" }))),
    h("div", { class: "set", role: "group", "aria-label": "Blinking", id: "blink-tools", hidden: true },
      button("Pause", () => { views.pause(!views.paused); showBlink(); }, { id: "pause" }),
      button("Before", () => { views.hold(false); showBlink(); }, { id: "hold-before", "aria-pressed": "false" }),
      button("After", () => { views.hold(true); showBlink(); }, { id: "hold-after", "aria-pressed": "false" }),
      h("label", { class: "speed" }, "Interval", h("input", { type: "range", id: "interval", min: "350", max: "2000", step: "50", value: views.interval, oninput: (event) => {
        views.speed(Number(event.target.value));
        find("interval-text").textContent = `${number(views.interval / 1000, 2)} s`;
      } }), h("output", { id: "interval-text", for: "interval" }, `${number(views.interval / 1000, 2)} s`))),
    h("div", { class: "set", role: "group", "aria-label": "Zoom" },
      button("Whole page", () => views.panes.reset(), { id: "whole" }),
      button("−", () => views.panes.zoom(1 / 1.4), { "aria-label": "Smaller" }), h("output", { id: "zoom" }, "100 %"), button("+", () => views.panes.zoom(1.4), { "aria-label": "Larger" })),
    toggle("Boxes", true, (on) => { boxes = on; drawBoxes(); }, { id: "boxes" }));
  const filters = () => h("div", { class: "filters" },
    kindToggles(EDIT.kinds, EDIT.changes, toggle, hidden, drawList),
    h("div", { class: "set", role: "group", "aria-label": "Filters" },
      toggle("Facts only", false, (on) => { factsOnly = on; drawList(); }, { id: "facts-only" }),
      toggle("Unasked only", false, (on) => { unaskedOnly = on; drawList(); }, { id: "unasked-only" })));
  const key = (name) => h("kbd", null, name);

  document.title = `Changes: ${EDIT.images[1].name}`;
  find("suite").textContent = EDIT.images.map((image) => image.name).join(" → ");
  find("main").replaceChildren(verdict(), tools(),
    h("p", { class: "warning", id: "stretched", hidden: true }, "Where the page lies in the output is not known: the output is stretched over the page."),
    h("div", { class: "beside" },
      views.element,
      h("section", { class: "list", "aria-label": "Changes" }, filters(), h("p", { id: "count", role: "status" }),
        h("ul", { id: "changes" }), h("p", { class: "empty", id: "nothing", hidden: true }, EDIT.changes.length ? "No change matches the filters." : "No changes."))),
    h("p", { class: "hint" }, key("j"), " and ", key("k"), " next and previous change · ", key("b"), " blink on and off · on an image: arrows, ", key("+"), " ", key("−"), " and ", key("0"), ", wheel and drag"));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { j: () => step(1), k: () => step(-1), b: () => setMode(mode === "blink" ? lastMode : "blink") };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  start();
  setMode("side");
  drawList();
})();
