"use strict";
/* Rank candidates for each criterion, sample by sample; answers are stored in this browser. */
(() => {
  const { h, s, plural, storage, Panes } = Vde, find = (id) => document.getElementById(id);
  const letter = (place) => String.fromCharCode(65 + place);
  const kept = storage(`vde-sheet-${SHEET.sheet}-`);

  let person = SHEET.annotators.includes(kept.get("person")) ? kept.get("person") : SHEET.annotators[0];
  let answers = {}, at = 0, panes = null;
  const cell = (sample, criterion, place) => `${sample.number}|${SHEET.criteria.indexOf(criterion)}|${letter(place)}`;
  function take() {
    try { answers = JSON.parse(kept.get("answers-" + person)) || {}; } catch { answers = {}; }
    if (typeof answers !== "object") answers = {};
  }

  const places = (sample) => sample.candidates[person].map((shown, place) => (shown ? place : -1)).filter((place) => place >= 0);
  const cells = (sample) => SHEET.criteria.flatMap((criterion) => places(sample).map((place) => cell(sample, criterion, place)));
  const missing = (sample) => cells(sample).filter((name) => !answers[name]).length;

  function answer(sample, criterion, place, rank) {
    const name = cell(sample, criterion, place);
    if (rank) answers[name] = rank; else delete answers[name];
    kept.put("answers-" + person, JSON.stringify(answers));
    showProgress();
    order(sample, criterion);
  }

  /* Show the progress and what is missing. */
  function showProgress() {
    const left = SHEET.samples.filter((sample) => missing(sample)), ranks = left.reduce((sum, sample) => sum + missing(sample), 0);
    find("progress").textContent = `${SHEET.samples.length - left.length} of ${SHEET.samples.length} samples done`;
    find("unfinished").className = left.length ? "note" : "note done";
    find("unfinished").replaceChildren(left.length
      ? `Not finished: ${plural(ranks, "rank is", "ranks are")} missing, in ${left.length === 1 ? "sample" : "samples"} ${left.map((sample) => sample.number).join(", ")}. Incomplete rankings do not count.`
      : "All samples are ranked. Download your answers and send them back.",
    kept.works ? "" : " This browser stores nothing: download your answers before you close the page.");
    SHEET.samples.forEach((sample, place) => {
      const link = find("samples").children[place], lost = missing(sample), state = !lost ? "done" : lost < cells(sample).length ? "begun" : "open";
      link.className = state;
      link.setAttribute("aria-label", `Sample ${sample.number}: ${{ done: "done", begun: "begun", open: "not begun" }[state]}`);
      place === at ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
    });
  }

  /* Show the current ranking: A > B = C. */
  function order(sample, criterion) {
    const given = places(sample).filter((place) => answers[cell(sample, criterion, place)]);
    const ranks = [...new Set(given.map((place) => answers[cell(sample, criterion, place)]))].sort((a, b) => a - b);
    const line = ranks.map((rank) => given.filter((place) => answers[cell(sample, criterion, place)] === rank).map(letter).join(" = ")).join(" > ");
    const lost = places(sample).filter((place) => !given.includes(place)).map(letter);
    const where = find(`order-${SHEET.criteria.indexOf(criterion)}`);
    if (where) where.textContent = `${line || "nothing ranked yet"}${line && lost.length ? ` · not yet: ${lost.join(", ")}` : ""}`;
  }

  function ranks(sample, criterion, place, count) {
    const group = `rank-${SHEET.criteria.indexOf(criterion)}-${letter(place)}`, chosen = answers[cell(sample, criterion, place)];
    const set = (rank) => {
      answer(sample, criterion, place, rank);
      for (const input of box.querySelectorAll("input")) input.checked = Number(input.value) === rank;
      clear.disabled = !rank;
    };
    const clear = h("button", { type: "button", class: "clear", disabled: !chosen, title: "Clear", "aria-label": `Clear ${criterion} of ${letter(place)}`, onclick: () => set(0) }, "×");
    const box = h("fieldset", { "data-criterion": criterion, "data-candidate": letter(place) }, h("legend", null, criterion),
      h("div", { class: "ranks" }, Array.from({ length: count }, (_, n) => n + 1).map((rank) => h("label", null,
        h("input", { type: "radio", name: group, value: rank, checked: chosen === rank, "aria-label": `${letter(place)}, ${criterion}: rank ${rank}`, onchange: () => set(rank) }), h("span", null, rank))), clear));
    box.addEventListener("keydown", (event) => {
      const rank = Number(event.key);
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (rank >= 1 && rank <= count) { event.preventDefault(); set(rank); box.querySelector(`input[value="${rank}"]`).focus(); }
      if (event.key === "Backspace" || event.key === "Delete") { event.preventDefault(); set(0); }
    });
    return box;
  }

  function outline(pane, regions) {
    for (const [x, y, width, height] of regions) for (const name of ["under", "region"])
      pane.drawing.append(s("rect", { x: x - 0.4, y: y - 0.3, width: width + 0.8, height: height + 0.6, class: name }));
  }

  function show(place, focus) {
    at = Math.min(SHEET.samples.length - 1, Math.max(0, place));
    kept.put("at", at);
    if (panes) panes.clear();
    const sample = SHEET.samples[at], candidates = sample.candidates[person], count = places(sample).length;
    panes = new Panes((zoom) => { find("zoom").textContent = `${Math.round(zoom * 100)} %`; });
    const pane = (title, shown) => panes.add(title, title, shown ? [shown[0]] : [], shown ? [shown[1], shown[2]] : null, "No output: ranked last by itself");
    const zoom = h("span", { id: "zoom", "aria-live": "off" }, "100 %");
    const tools = h("div", { class: "tools", role: "group", "aria-label": "What all pictures show" },
      h("button", { type: "button", onclick: () => panes.reset() }, "Whole page"),
      sample.regions.map((region, number) => h("button", { type: "button", class: "to-region", onclick: () => panes.show(region) }, sample.regions.length > 1 ? `Region ${number + 1}` : "Region")),
      h("button", { type: "button", "aria-label": "Smaller", onclick: () => panes.zoom(1 / 1.4) }, "−"), zoom,
      h("button", { type: "button", "aria-label": "Larger", onclick: () => panes.zoom(1.4) }, "+"));
    const step = (by, words) => h("button", { type: "button", id: by < 0 ? "previous" : "next", disabled: !SHEET.samples[at + by], onclick: () => show(at + by, by < 0 ? "previous" : "next") }, words);
    const source = pane("Before the edit", sample.source);
    if (!sample.source) source.frame.firstChild.textContent = "The page before the edit is missing";
    outline(source, sample.source ? sample.regions : []);
    const cards = candidates.map((shown, index) => {
      const one = pane(letter(index), shown);
      return h("section", { class: shown ? "card" : "card absent", "data-candidate": letter(index), "aria-label": `Candidate ${letter(index)}` },
        one.figure, shown ? SHEET.criteria.map((criterion) => ranks(sample, criterion, index, count)) : null);
    });
    find("main").replaceChildren(
      h("div", { class: "head" }, h("h2", null, `Sample ${sample.number} of ${SHEET.samples.length}`), step(-1, "← Previous"), step(1, "Next →")),
      h("p", { class: "instruction" }, sample.instruction || "(no instruction)"),
      h("p", { class: "say" }, "Rank the candidates for each criterion: 1 is best; equal candidates may share a rank. Keys: a letter selects its candidate, digits rank, [ and ] go to the previous and the next sample; + − 0 and arrows zoom and move an image."),
      tools,
      h("div", { class: "grid" }, h("section", { class: "card source", "aria-label": "Before the edit" }, source.figure, h("dl", { class: "orders" }, SHEET.criteria.map((criterion, number) => [h("dt", null, criterion), h("dd", { id: `order-${number}`, "aria-live": "polite" })]))), cards));
    SHEET.criteria.forEach((criterion) => order(sample, criterion));
    showProgress();
    panes.place();
    if (focus) { const button = find(focus); (button.disabled ? find("main") : button).focus({ preventScroll: true }); window.scrollTo(0, 0); }
  }

  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  function csv() {
    const lines = [["annotator", "sample", "candidate", "criterion", "rank", "sheet"]];
    for (const sample of SHEET.samples) for (const criterion of SHEET.criteria) for (const place of places(sample))
      lines.push([person, sample.number, letter(place), criterion, answers[cell(sample, criterion, place)] || "", SHEET.sheet]);
    return lines.map((line) => line.map(String).map(quoted).join(",") + "\r\n").join("");
  }
  function download() {
    const link = h("a", { href: URL.createObjectURL(new Blob([csv()], { type: "text/csv" })), download: `answers-${person}.csv` });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  const select = find("annotator");
  for (const name of SHEET.annotators) select.append(h("option", { value: name, selected: name === person }, name));
  if (SHEET.annotators.length < 2) select.parentNode.hidden = true;
  select.addEventListener("change", () => { person = select.value; kept.put("person", person); take(); show(at); });
  find("download").addEventListener("click", download);
  SHEET.samples.forEach((sample, place) => find("samples").append(h("button", { type: "button", onclick: () => show(place) }, sample.number)));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    if (event.key === "[" || event.key === "]") { show(at + (event.key === "]" ? 1 : -1)); return; }
    const boxes = [...document.querySelectorAll(`fieldset[data-candidate="${CSS.escape(event.key.toUpperCase())}"]`)];
    if (!boxes.length) return;
    const next = boxes.find((box) => !box.querySelector("input:checked")) || boxes[0];
    (next.querySelector("input:checked") || next.querySelector("input")).focus();
  });
  take();
  show(Number(kept.get("at")) || 0);
})();
