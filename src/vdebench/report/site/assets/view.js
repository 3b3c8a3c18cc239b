"use strict";
/* One sample: its images with overlays, its numbers, its text by block. */
(() => {
  const { h, s, scroll, choose, load, number, words, views, link } = Vde;
  const KINDS = { pages: { region: "Regions", matched: "Matched", missed: "Missed", invented: "Invented", unread: "Not read", change: "Changes" }, pixels: { mask: "Masks" } };
  const PAGES = {
    pages: { source: "Source", prediction: "Prediction", reference: "Reference", difference: "Difference" },
    pixels: { source: "Source", prediction: "Prediction", reference: "Reference", difference: "Raw difference", aligned: "Aligned difference" },
  };
  const AMPLIFY = [1, 4, 16];
  const show = { source: true, prediction: true, reference: true, difference: false, aligned: false };
  const over = { mask: true, region: true, matched: true, missed: true, invented: true, unread: true, change: true };
  const narrow = window.matchMedia("(max-width: 860px)");
  if (narrow.matches) show.source = false;
  let graded = true, setting = "local", amplify = 4, last = null;

  function toggle(label, on, change, attributes) {
    const button = h("button", { type: "button", "aria-pressed": String(on), ...attributes, onclick: () => {
      const now = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(now));
      change(now);
    } }, label);
    return button;
  }
  const rect = ([x, y, width, height], cls, unit) => s("rect", { x, y, width: Math.max(width, 0.1), height: Math.max(height, 0.1), class: cls, "data-unit": unit });

  function drawOver(panes, sample, units, track, unread = []) {
    for (const pane of panes.panes) {
      pane.drawing.replaceChildren();
      if (track === "pixels") { // over differences too: those outside the masks count
        if (over.mask && sample.mask && sample.mask.image) pane.drawing.append(s("image", { href: sample.mask.image, class: "mask", width: 100, height: 100, preserveAspectRatio: "none" }));
        continue;
      }
      const onto = (box, cls, unit) => pane.drawing.append(rect(box, cls, unit));
      units.forEach((unit, at) => {
        if (!over[unit.state]) return;
        const differs = unit.state === "matched" && unit.text.some(([sign]) => sign !== "=") ? " differs" : "";
        if (pane.name === "reference") for (const box of unit.truth) onto(box, unit.state + differs + (unit.state === "missed" ? " there" : ""), at);
        if (pane.name === "prediction") for (const box of unit.state === "missed" ? unit.truth : unit.prediction) onto(box, unit.state + differs, at);
      });
      if (over.unread && pane.name === "prediction") for (const line of unread) onto(line.box, "unread");
      if (over.region && pane.name !== "difference") for (const [x, y, w, tall] of sample.regions) { // a little larger, so that it does not cover the text
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
    const doubt = (text, percent) => percent === undefined ? text : h("span", { class: "doubtful", title: `read with a probability of ${percent} %` }, text);
    return h("p", { lang: "" }, pieces.map(([sign, text, percent]) => sign === "=" ? doubt(text, percent) : h(sign === "-" ? "del" : "ins", null, doubt(text, percent))));
  }
  function unreadNote(lines) {
    if (!lines.length) return "";
    const heights = lines.map((line) => line.height), reasons = [...new Set(lines.map((line) => line.reason))].join(", ");
    const subject = lines.length === 1 ? "1 line was" : `${lines.length} lines were`;
    return h("p", { class: "warning", id: "unread" }, `${subject} found but not read (${reasons}; ${Math.min(...heights)} to ${Math.max(...heights)} pixels high): their text is unknown.`);
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
    if (row.outcomes.length && row.state === "scored") fact(protocol.track === "pixels" ? protocol.filters.outcome : "Regions", row.outcomes.map((outcome) => h("span", { class: Vde.good(outcome) ? "tag good" : "tag" }, words(outcome))));
    for (const [key, title] of Object.entries(protocol.filters)) if (key in sample) fact(title, words(sample[key]));
    if (typeof detail.seconds === "number") fact("Edit took", `${number(detail.seconds, 1)} s`);
    for (const [key, value] of Object.entries(detail.parameters)) fact(key, typeof value === "string" ? value : JSON.stringify(value));
    return h("dl", { class: "facts" }, rows);
  }
  const MARKS = [["?", "tag", "unknown"], ["✓", "tag good", "passes"], ["✗", "tag bad", "fails"]];
  function verdict({ usable, properties }) {
    if (!properties) return null;
    return [h("h3", null, usable === "usable" ? "A usable edit" : usable === "unknown" ? "Usable? Unknown" : "Not usable"),
      h("dl", { class: "facts", id: "properties" }, properties.map(([name, passed, why]) => {
        const [mark, cls, word] = MARKS[passed === null ? 0 : passed ? 1 : 2];
        return [h("dt", null, name), h("dd", null, h("span", { class: cls, title: word }, `${mark} ${word}`), ` ${why}`)];
      }))];
  }
  function numbers(row, protocol, sample) {
    const columns = protocol.columns.map(([title, setting, ending]) => [title, (metric) => (row.scores[setting] || {})[metric.key + ending]]);
    const metrics = protocol.metrics.filter((metric) => !protocol.columns.some(([, , ending]) => ending && metric.key.endsWith(ending)));
    const used = columns.filter(([, value]) => metrics.some((metric) => value(metric) !== undefined));
    const left = Object.entries(row.left_out).map(([name, why]) => h("p", { class: "hint" }, `${name}: left out: ${why}`));
    if (!used.length) return h("div", null, h("p", { class: "hint" }, sample.unreferenced ? "No numbers: the sample has no reference. Its edit is judged by the instruction and the changes of the page." : "No numbers: this sample was not scored."), sample.unreferenced ? null : left);
    return h("div", null, scroll("Numbers of this sample", h("table", { id: "numbers" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Metric"), used.map(([title]) => h("th", { scope: "col" }, title)))),
      h("tbody", null, metrics.filter((metric) => used.some(([, value]) => value(metric) !== undefined)).map((metric) => h("tr", null,
        h("th", { scope: "row" }, metric.title + (metric.best === "lower" ? " (low)" : "")), used.map(([, value]) => h("td", null, number(value(metric), metric.digits)))))))), left);
  }

  /* Lists of facts that mask protocols add. */
  const factLists = (facts) => Object.entries(facts).map(([title, list]) => list.length ? [h("h3", null, title), h("dl", { class: "facts" }, list.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]))] : null);
  const UNALIGNED = { in_place: "in place: the raw output is closer to the page than the aligned one, and was measured", none: "not aligned" };

  views.sample = async (address, protocol, board) => {
    const items = await Vde.rows(protocol, board);
    const editors = [...new Set(items.map((item) => item.editor))], editor = editors.includes(address.editor) ? address.editor : editors[0];
    const item = items.find((one) => one.sample.key === address.sample && one.editor === editor);
    if (!item) return h("p", { class: "empty" }, `This report has no sample ${address.sample}.`);
    const chunk = await load(Vde.place(board, protocol.name, editor, Math.floor(item.at / board.chunk)));
    const detail = chunk[item.at % board.chunk], { sample, row } = item, grades = await Vde.judgedPanel(board, item);
    const around = Vde.filtered(items, { ...address, editor: address.only }, protocol), here = around.indexOf(item);
    const to = (other, extra) => link({ ...Vde.filters(address, protocol), only: address.only, sample: other.sample.key, editor: other.editor, ...extra });
    const [before, after] = [around[here - 1], here < 0 ? around[0] : around[here + 1]];
    const { track } = protocol, pixels = track === "pixels";
    const settings = Object.keys(protocol.settings).filter((name) => (detail.units[name] || []).length);
    if (!settings.includes(setting) && settings.length) setting = settings[0];

    let region = 0;
    const zoomed = h("output", { id: "zoom" }, "100 %");
    const panes = new Vde.Panes((zoom) => { zoomed.textContent = `${Math.round(zoom * 100)} %`; });
    if (last && last.sample === sample.key) panes.view = last.panes.view; // another editor, the same view
    if (last) last.panes.watcher.disconnect();
    last = { sample: sample.key, panes };
    const page = h("section", { id: "sample" }), list = h("div", { id: "units" });
    const units = () => detail.units[setting] || [];
    const [source, reference] = sample.images, prediction = row.image, against = row.against === "input" || sample.unreferenced ? source : reference;
    const areas = pixels ? (sample.mask && sample.mask.areas) || [] : sample.regions, area = pixels ? "masked area" : "region";
    const shown = (picture) => picture && picture.image ? [picture.image] : [];
    const why = (picture) => picture && picture.reason ? `cannot be shown: ${picture.reason}` : "the suite has no such image";

    const changes = detail.changes ? new Vde.SampleChanges(detail.changes, panes, toggle, () => overlay()) : null;
    function overlay() {
      drawOver(panes, sample, units(), track, detail.unread_lines);
      if (changes && over.change) changes.draw();
    }
    function drawPanes() {
      panes.clear();
      const add = (name, title, picture, reason) => show[name] && panes.add(name, title, shown(picture), picture && picture.size, reason);
      add("source", "Source", source, why(source));
      const bare = (name, title, size) => show[name] && panes.add(name, `${title} (no image: boxes alone)`, [], size, "", true); // scored from existing OCR output
      const [right, given] = row.state === "scored" && units().length && !prediction ? detail.sizes || [] : [];
      if (given || right) bare("prediction", `Prediction: ${editor}`, given || right);
      else add("prediction", `Prediction: ${editor}`, prediction, prediction && prediction.reason ? why(prediction) : `${row.state}: ${row.reason || "no image"}`);
      if (sample.unreferenced) { /* the source is what the output is compared with */ }
      else if (!reference && right) bare("reference", "Reference", right);
      else add("reference", "Reference", reference, why(reference));
      const both = [...shown(against), ...shown(prediction)], than = pixels ? ` (${row.against || "reference"})` : "";
      for (const name of ["difference", "aligned"]) {
        if (!show[name] || !PAGES[track][name]) continue;
        const there = both.length === 2 && (name === "difference" || row.transform);
        const pane = panes.add(name, PAGES[track][name] + than, there ? both : [], against && against.size, both.length < 2 ? "needs both images" : UNALIGNED[row.alignment] || `not aligned: ${words(row.alignment)}`);
        if (there) pane.layers.style.filter = `brightness(${amplify})`;
        if (there && name === "aligned") panes.lay(pane, row.transform, prediction.size);
      }
      overlay();
      panes.place();
    }
    function drawList() {
      overlay();
      list.replaceChildren(unreadNote(detail.unread_lines || []), detail.unread ? h("p", { class: "warning" }, `The blocks cannot be shown: ${detail.unread}`)
        : units().length ? blockList(page, panes, units(), protocol.metrics) : h("p", { class: "hint" }, "No blocks here."));
    }
    const amplifier = choose("", AMPLIFY.map((by) => [String(by), `× ${by}`]), String(amplify), (by) => { amplify = Number(by); drawPanes(); }, { id: "amplify", "aria-label": "Amplify the difference" });
    const differs = () => show.difference || (pixels && show.aligned);
    amplifier.hidden = !differs();
    if (grades) grades.hidden = !graded;
    page.append(
      h("div", { class: "topline" }, h("h2", null, sample.key),
        h("a", { href: link({ tab: "samples", ...Vde.filters(address, protocol), editor: address.only }), id: "back" }, "All samples"),
        choose("", editors, editor, (name) => Vde.go({ ...Vde.read(), editor: name }), { id: "sample-editor", "aria-label": "Editor" }),
        h("span", { class: "set" },
          h("button", { type: "button", id: "previous", disabled: !before, onclick: () => { location.hash = to(before); } }, "← Previous"),
          h("output", null, here < 0 ? "" : `${here + 1} / ${around.length}`),
          h("button", { type: "button", id: "next", disabled: !after, onclick: () => { location.hash = to(after); } }, "Next →"))),
      h("p", { class: "instruction", lang: "" }, sample.instruction || "no instruction"),
      row.state === "scored" ? "" : h("p", { class: "warning" }, `${row.state}: ${row.reason}`),
      pixels && sample.mask && sample.mask.reason ? h("p", { class: "warning" }, `The masks cannot be shown: ${sample.mask.reason}`) : "",
      h("div", { class: "controls" },
        h("div", { class: "set", role: "group", "aria-label": "Pages" }, Object.entries(PAGES[track]).filter(([name]) => name !== "reference" || !sample.unreferenced).map(([name, title]) => toggle(title, show[name], (on) => { show[name] = on; amplifier.hidden = !differs(); drawPanes(); }, { "data-show": name })), amplifier, grades ? toggle("Grades", graded, (on) => { graded = on; grades.hidden = !on; }, { id: "show-grades" }) : null),
        h("div", { class: "set", role: "group", "aria-label": "Overlays" }, Object.entries(KINDS[track]).filter(([kind]) => kind !== "change" || (changes && detail.changes.changes.length)).map(([kind, title]) => toggle([h("span", { class: `swatch ${kind}` }), title], over[kind], (on) => { over[kind] = on; overlay(); }, { "data-over": kind }))),
        h("div", { class: "set", role: "group", "aria-label": "Zoom" },
          h("button", { type: "button", "aria-label": "Zoom out", onclick: () => panes.zoom(1 / 1.5) }, "−"), zoomed,
          h("button", { type: "button", "aria-label": "Zoom in", id: "zoom-in", onclick: () => panes.zoom(1.5) }, "+"),
          h("button", { type: "button", onclick: () => panes.reset() }, "Whole page"),
          areas.length ? h("button", { type: "button", id: "to-region", onclick: () => panes.show(areas[region++ % areas.length]) }, areas.length > 1 ? `Next ${area}` : area[0].toUpperCase() + area.slice(1)) : null)),
      grades ? h("div", { class: "beside" }, panes.element, grades) : panes.element,
      h("p", { class: "hint" }, "Zoom by wheel or two fingers, move by dragging; with the focus on an image also by ", h("kbd", null, "+"), " ", h("kbd", null, "−"), " ", h("kbd", null, "0"), " and arrows. ", h("kbd", null, "["), " ", h("kbd", null, "]"), " previous and next."),
      h("div", { class: "two" },
        h("div", null, verdict(row), h("h3", null, "Numbers"), numbers(row, protocol, sample), h("h3", null, "About"), facts(sample, item, detail, protocol)),
        pixels ? h("div", null, factLists(detail.facts)) : sample.unreferenced ? h("div", null, changes && changes.element) : h("div", null, changes && changes.element,
          h("div", { class: "topline" }, h("h3", null, "Text by block"),
            settings.length > 1 ? choose("", [["local", "edited regions (local)"], ["global", "whole page (global)"]], setting, (name) => { setting = name; drawList(); }, { id: "sample-setting", "aria-label": "Setting" }) : null),
          h("p", { class: "hint" }, "Missing text is ", h("del", null, "struck through"), ", unexpected text is ", h("ins", null, "underlined"), ", ", h("span", { class: "doubtful" }, "dotted"), " characters are doubtful in the OCR output."),
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
