"use strict";
/* One sample: its pages, what is drawn over them, its numbers, its text block by block. */
(() => {
  const { h, s, choose, load, number, words, views, link } = Vde;
  const KINDS = { region: "Regions", matched: "Matched", missed: "Missed", invented: "Invented" };
  const AMPLIFY = [1, 4, 16];
  const show = { source: true, prediction: true, reference: true, difference: false };
  const over = { region: true, matched: true, missed: true, invented: true };
  const narrow = window.matchMedia("(max-width: 860px)");
  if (narrow.matches) show.source = false;
  let setting = "local", amplify = 4, last = null;

  function toggle(label, on, change, attributes) {
    const button = h("button", { type: "button", "aria-pressed": String(on), ...attributes, onclick: () => {
      const now = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(now));
      change(now);
    } }, label);
    return button;
  }
  const rect = ([x, y, width, height], cls, unit) => s("rect", { x, y, width: Math.max(width, 0.1), height: Math.max(height, 0.1), class: cls, "data-unit": unit });

  function drawOver(panes, sample, units) {
    for (const pane of panes.panes) {
      pane.drawing.replaceChildren();
      const onto = (box, cls, unit) => pane.drawing.append(rect(box, cls, unit));
      units.forEach((unit, at) => {
        if (!over[unit.state]) return;
        const differs = unit.state === "matched" && unit.text.some(([sign]) => sign !== "=") ? " differs" : "";
        if (pane.name === "reference") for (const box of unit.truth) onto(box, unit.state + differs + (unit.state === "missed" ? " there" : ""), at);
        if (pane.name === "prediction") for (const box of unit.state === "missed" ? unit.truth : unit.prediction) onto(box, unit.state + differs, at);
      });
      if (over.region && pane.name !== "difference") for (const [x, y, w, tall] of sample.regions) { // a little larger, so that its own text stays free
        const around = [x - 0.5, y - 0.4, w + 1, tall + 0.8];
        onto(around, "region-under");
        onto(around, "region");
      }
    }
  }
  function choice(root, unit) {
    for (const element of root.querySelectorAll(".chosen")) element.classList.remove("chosen");
    if (unit === null) return;
    for (const element of root.querySelectorAll(`[data-unit="${unit}"]`)) element.classList.add("chosen");
  }

  function textOf(pieces) {
    if (!pieces.length) return h("p", null, h("i", null, "no text"));
    return h("p", { lang: "" }, pieces.map(([sign, text]) => sign === "=" ? text : h(sign === "-" ? "del" : "ins", null, text)));
  }
  function blockList(root, panes, units, metrics) {
    const rank = (unit) => unit.state === "matched" ? (unit.text.every(([sign]) => sign === "=") ? 2 : 1) : 0;
    const order = units.map((unit, at) => [unit, at]).sort((a, b) => rank(a[0]) - rank(b[0]));
    return h("ul", { class: "blocks" }, order.map(([unit, at]) => h("li", {
      class: `block ${unit.state}`, "data-unit": at, onmouseenter: () => choice(root, at), onmouseleave: () => choice(root, null),
    },
    h("div", { class: "head" }, h("b", null, unit.state), h("span", null, words(unit.label)), unit.region !== null && unit.region !== undefined ? h("span", null, `region ${unit.region + 1}`) : null,
      Object.entries(unit.scores).map(([key, value]) => h("span", null, `${(metrics.find((one) => one.key === key) || { title: key }).title} ${number(value, 3)}`)),
      h("button", { type: "button", onclick: () => { choice(root, at); panes.show((unit.state === "missed" ? unit.truth : unit.prediction)[0] || unit.truth[0]); } }, "show")),
    textOf(unit.text))));
  }

  function facts(sample, item, detail, protocol) {
    const { row } = item, rows = [];
    const fact = (name, ...value) => rows.push(h("dt", null, name), h("dd", null, value));
    fact("State", h("span", { class: row.state === "scored" ? "tag good" : "tag bad" }, row.state));
    if (row.outcomes.length && row.state === "scored") fact("Regions", row.outcomes.map((outcome) => h("span", { class: Vde.good(outcome) ? "tag good" : "tag" }, words(outcome))));
    fact("Operation", words(sample.operation));
    fact("Language", words(sample.language));
    fact("Source", words(sample.source));
    if (typeof detail.seconds === "number") fact("Edit took", `${number(detail.seconds, 1)} s`);
    for (const [key, value] of Object.entries(detail.parameters)) fact(key, typeof value === "string" ? value : JSON.stringify(value));
    return h("dl", { class: "facts" }, rows);
  }
  function numbers(row, protocol) {
    const settings = ["local", "global"].filter((name) => row.scores[name]);
    const left = Object.entries(row.left_out).map(([name, why]) => h("p", { class: "hint" }, `${name}: left out: ${why}`));
    if (!settings.length) return h("div", null, h("p", { class: "hint" }, "No numbers: this sample was not scored."), left);
    return h("div", null, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Numbers of this sample" }, h("table", { id: "numbers" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Metric"), settings.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", null, protocol.metrics.filter((metric) => settings.some((name) => row.scores[name][metric.key] !== undefined)).map((metric) => h("tr", null,
        h("th", { scope: "row" }, metric.title + (metric.best === "lower" ? " (low)" : "")), settings.map((name) => h("td", null, number(row.scores[name][metric.key], metric.digits)))))))), left);
  }

  views.sample = async (address, protocol, board) => {
    const items = await Vde.rows(protocol, board);
    const editors = [...new Set(items.map((item) => item.editor))], editor = editors.includes(address.editor) ? address.editor : editors[0];
    const item = items.find((one) => one.sample.key === address.sample && one.editor === editor);
    if (!item) return h("p", { class: "empty" }, `This report has no sample ${address.sample}.`);
    const chunk = await load(Vde.place(board, protocol.name, editor, Math.floor(item.at / board.chunk)));
    const detail = chunk[item.at % board.chunk], { sample, row } = item;
    const around = Vde.chosen(items, { ...address, editor: address.only }, protocol), here = around.indexOf(item);
    const to = (other, extra) => link({ ...Vde.filters(address), only: address.only, sample: other.sample.key, editor: other.editor, ...extra });
    const [before, after] = [around[here - 1], here < 0 ? around[0] : around[here + 1]];
    const settings = ["local", "global"].filter((name) => (detail.units[name] || []).length);
    if (!settings.includes(setting) && settings.length) setting = settings[0];

    let region = 0;
    const zoomed = h("output", { id: "zoom" }, "100 %");
    const panes = new Vde.Panes((zoom) => { zoomed.textContent = `${Math.round(zoom * 100)} %`; });
    if (last && last.sample === sample.key) panes.view = last.panes.view; // other editor, same place
    if (last) last.panes.watcher.disconnect();
    last = { sample: sample.key, panes };
    const page = h("section", { id: "sample" }), list = h("div", { id: "units" });
    const units = () => detail.units[setting] || [];
    const [source, reference] = sample.images, prediction = row.image;
    const shown = (picture) => picture && picture.image ? [picture.image] : [];
    const why = (picture) => picture && picture.reason ? `cannot be shown: ${picture.reason}` : "the suite has no such image";

    function drawPanes() {
      panes.clear();
      const add = (name, title, picture, told) => show[name] && panes.add(name, title, shown(picture), picture && picture.size, told);
      add("source", "Source", source, why(source));
      add("prediction", `Prediction: ${editor}`, prediction, prediction && prediction.reason ? why(prediction) : `${row.state}: ${row.reason || "no image"}`);
      add("reference", "Reference", reference, why(reference));
      if (show.difference) {
        const both = [...shown(reference), ...shown(prediction)];
        const pane = panes.add("difference", "Difference", both.length === 2 ? both : [], reference && reference.size, "needs both images");
        if (both.length === 2) pane.stage.style.filter = `brightness(${amplify})`;
      }
      drawOver(panes, sample, units());
      panes.place();
    }
    function drawList() {
      drawOver(panes, sample, units());
      list.replaceChildren(detail.unread ? h("p", { class: "warning" }, `The blocks cannot be shown: ${detail.unread}`)
        : units().length ? blockList(page, panes, units(), protocol.metrics) : h("p", { class: "hint" }, "No blocks here."));
    }
    const amplifier = choose("", AMPLIFY.map((by) => [String(by), `× ${by}`]), String(amplify), (by) => { amplify = Number(by); drawPanes(); }, { id: "amplify", "aria-label": "Amplify the difference" });
    amplifier.hidden = !show.difference;
    page.append(
      h("div", { class: "topline" }, h("h2", null, sample.key),
        h("a", { href: link({ tab: "samples", ...Vde.filters(address), editor: address.only }), id: "back" }, "All samples"),
        choose("", editors, editor, (name) => Vde.go({ ...Vde.read(), editor: name }), { id: "sample-editor", "aria-label": "Editor" }),
        h("span", { class: "set" },
          h("button", { type: "button", id: "previous", disabled: !before, onclick: () => { location.hash = to(before); } }, "← Previous"),
          h("output", null, here < 0 ? "" : `${here + 1} / ${around.length}`),
          h("button", { type: "button", id: "next", disabled: !after, onclick: () => { location.hash = to(after); } }, "Next →"))),
      h("p", { class: "instruction", lang: "" }, sample.instruction || "no instruction"),
      row.state === "scored" ? "" : h("p", { class: "warning" }, `${row.state}: ${row.reason}`),
      h("div", { class: "controls" },
        h("div", { class: "set", role: "group", "aria-label": "Pages" }, Object.keys(show).map((name) => toggle(name[0].toUpperCase() + name.slice(1), show[name], (on) => { show[name] = on; amplifier.hidden = !show.difference; drawPanes(); }, { "data-show": name })), amplifier),
        h("div", { class: "set", role: "group", "aria-label": "Drawn over" }, Object.entries(KINDS).map(([kind, title]) => toggle([h("span", { class: `swatch ${kind}` }), title], over[kind], (on) => { over[kind] = on; drawOver(panes, sample, units()); }, { "data-over": kind }))),
        h("div", { class: "set", role: "group", "aria-label": "Zoom" },
          h("button", { type: "button", "aria-label": "Zoom out", onclick: () => panes.zoom(1 / 1.5) }, "−"), zoomed,
          h("button", { type: "button", "aria-label": "Zoom in", id: "zoom-in", onclick: () => panes.zoom(1.5) }, "+"),
          h("button", { type: "button", onclick: () => panes.reset() }, "Whole page"),
          sample.regions.length ? h("button", { type: "button", id: "to-region", onclick: () => panes.show(sample.regions[region++ % sample.regions.length]) }, sample.regions.length > 1 ? "Next region" : "Region") : null)),
      panes.element,
      h("p", { class: "hint" }, "Wheel or two fingers zoom, dragging moves; in a page also ", h("kbd", null, "+"), " ", h("kbd", null, "−"), " ", h("kbd", null, "0"), " and arrows. ", h("kbd", null, "["), " ", h("kbd", null, "]"), " previous and next."),
      h("div", { class: "two" },
        h("div", null, h("h3", null, "Numbers"), numbers(row, protocol), h("h3", null, "About"), facts(sample, item, detail, protocol)),
        h("div", null,
          h("div", { class: "topline" }, h("h3", null, "Text, block by block"),
            settings.length > 1 ? choose("", [["local", "edited regions (local)"], ["global", "whole page (global)"]], setting, (name) => { setting = name; drawList(); }, { id: "sample-setting", "aria-label": "Setting" }) : null),
          h("p", { class: "hint" }, "What should stand here and does not is ", h("del", null, "struck through"), "; what stands here and should not is ", h("ins", null, "underlined"), "."),
          list)));
    drawPanes();
    drawList();
    page.ready = () => panes.place();
    page.step = (by) => { const other = by < 0 ? before : after; if (other) location.hash = to(other); };
    return page;
  };

  document.addEventListener("keydown", (event) => {
    const page = document.getElementById("sample");
    if (!page || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "[") page.step(-1);
    if (event.key === "]") page.step(1);
  });
})();
