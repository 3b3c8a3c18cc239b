"use strict";
/* The leaderboard and the breakdowns. */
(() => {
  const { h, scroll, choose, go, number, words, views, kept, sorted, sortButton, ariaSort, figures } = Vde;
  let sort = null, all = false;

  /* Intervals: bars on one scale per column, numbers, or hidden. */
  const WAYS = [["bars", "bars"], ["numbers", "numbers"], ["none", "hidden"]];
  let way = (WAYS.find(([key]) => key === kept.get("intervals")) || WAYS[0])[0];
  const bounded = (cell) => !!cell && cell.low !== undefined;
  const intervals = (there, redraw) => !there ? null
    : choose("Intervals", WAYS, way, (key) => {
      way = key;
      kept.put("intervals", key);
      redraw();
      document.getElementById("intervals")?.focus();
    }, { id: "intervals" });

  function range(cells) {
    const ends = cells.filter(bounded).flatMap((cell) => [cell.low, cell.high, cell.value]);
    return ends.length ? [Math.min(...ends), Math.max(...ends)] : null;
  }
  function shown(cell, digits, scale) {
    if (!cell) return ["–"];
    if (cell.infinite) return ["∞"];
    const text = number(cell.value, digits);
    if (!bounded(cell) || way === "none") return [text];
    return [text, way === "bars" ? figures.whisker(cell, scale) : h("span", { class: "interval" }, `${number(cell.low, digits)}–${number(cell.high, digits)}`)];
  }
  const title = (cell, digits) => bounded(cell) ? `${number(cell.value, digits)}, 95 % interval ${number(cell.low, digits)} to ${number(cell.high, digits)}` : null;
  const amount = (cell) => !cell ? null : cell.infinite ? Infinity : cell.value ?? null;

  function columnsOf(protocol) {
    const metrics = protocol.metrics.filter((metric) => all || metric.main), columns = [];
    if (protocol.rows.some((row) => row.usable)) {
      columns.push({ id: "usable", title: "rate", best: "higher", digits: 3, first: true, group: "Usable edits", cell: (row) => row.usable });
    }
    for (const [setting, group] of Object.entries(protocol.settings)) {
      if (!protocol.rows.some((row) => row.cells[setting])) continue;
      const used = metrics.filter((metric) => !metric.share || protocol.rows.some((row) => (row.cells[setting] || {})[metric.key])); // columns of whole runs may be in one setting only
      used.forEach((metric, at) => columns.push({
        id: `${setting}.${metric.key}`, title: metric.title, best: metric.best, digits: metric.digits, first: at === 0,
        group, cell: (row) => (row.cells[setting] || {})[metric.key],
      }));
    }
    if (protocol.rows.some((row) => row.regions && row.regions.n)) {
      columns.push({ id: "regions", title: "done", best: "higher", digits: 3, first: true, group: "Regions", cell: (row) => row.regions });
    }
    return columns;
  }
  function ordered(rows, columns) {
    const column = sort && columns.find((one) => one.id === sort.id);
    const key = column ? (row) => amount(column.cell(row)) : sort && sort.id === "editor" ? (row) => row.editor : () => null;
    return [...sorted(rows.filter((row) => !row.reference), key, sort && sort.down), ...rows.filter((row) => row.reference)];
  }
  function coverage(row) {
    if (!row.coverage) return h("td", null, "–");
    const parts = Object.entries(row.states || {}).filter(([state]) => state !== "scored").map(([state, n]) => `${n} ${state}`);
    return h("td", null, `${row.coverage.scored}/${row.coverage.samples}`, parts.length ? h("span", { class: "under" }, parts.flatMap((part, at) => [at ? " " : "", h("span", null, part + (at < parts.length - 1 ? "," : ""))])) : null);
  }

  function table(protocol) {
    const columns = columnsOf(protocol), box = scroll("Leaderboard");
    function redraw(focus) {
      const groups = [];
      for (const column of columns) {
        if (groups.length && groups.at(-1).name === column.group) groups.at(-1).n += 1;
        else groups.push({ name: column.group, n: 1 });
      }
      const ceilings = protocol.rows.filter((row) => row.reference).length;
      const head = (column) => h("th", { scope: "col", "aria-sort": ariaSort(column.id, sort), class: column.first ? "first" : null },
        sortButton(column, sort, (order) => { sort = order; redraw(column.id); }));
      const scales = columns.map((column) => range(protocol.rows.map(column.cell)));
      const lines = ordered(protocol.rows, columns).map((row) => h("tr", { class: row.reference ? "reference" : null },
        h("th", { scope: "row" }, row.reference ? [row.editor, ceilings > 1 ? h("span", { class: "under" }, `for ${row.of.join(", ")}`) : null] : h("a", { href: Vde.link({ tab: "samples", protocol: protocol.name, editor: row.editor }) }, row.editor)),
        coverage(row),
        columns.map((column, at) => {
          const cell = column.cell(row);
          const attributes = { class: [cell && cell.best ? "best" : "", column.first ? "first" : ""].join(" ").trim() || null, title: title(cell, column.digits) };
          return h("td", attributes, shown(cell, column.digits, scales[at]));
        })));
      box.replaceChildren(h("table", { id: "leaderboard" },
        h("thead", null,
          h("tr", null, h("th"), h("th"), groups.map((group) => h("th", { class: "group", colspan: group.n, scope: "colgroup" }, group.name))),
          h("tr", null, head({ id: "editor", title: "Editor" }), h("th", { scope: "col" }, "Scored"), columns.map(head))),
        h("tbody", null, lines)));
      if (focus) box.querySelector(`[data-sort="${CSS.escape(focus)}"]`).focus();
    }
    redraw();
    return box;
  }

  /* Where edits fail first; counts link to their samples. */
  function failing(protocol) {
    const rows = protocol.rows.filter((row) => row.usable);
    if (!rows.length) return [];
    const to = (row, usable, n) => n ? h("a", { href: Vde.link({ tab: "samples", protocol: protocol.name, editor: row.editor, usable }) }, n) : 0;
    const steps = rows[0].usable.fails.map(([name]) => name), first = (at) => ({ class: at ? null : "first" });
    return [h("h3", null, "Usable edits, and where the others fail first"),
      scroll("Usable edits", h("table", { id: "usable" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Editor"), h("th", { scope: "col" }, "Judged"), steps.map((name, at) => h("th", { scope: "col", ...first(at) }, name)), h("th", { scope: "col", class: "first" }, "Usable"), h("th", { scope: "col" }, "Unknown"))),
        h("tbody", null, rows.map(({ usable, ...row }) => h("tr", null, h("th", { scope: "row" }, row.editor), h("td", null, usable.n),
          usable.fails.map(([name, n], at) => h("td", first(at), to(row, `fails: ${name}`, n))),
          h("td", { class: "first" }, to(row, "usable", Math.round(usable.value * usable.n))), h("td", null, to(row, "unknown", usable.unknown))))))),
      h("p", { class: "hint" }, "A usable edit passes all five properties: complete, textually correct, in the right place, visually faithful, and everything else preserved.")];
  }

  /* How many of the edits that are not usable are not usable for a ceiling either. */
  function explained({ explained: found }) {
    if (!found) return [];
    const share = (n, of) => [n, of ? h("span", { class: "interval" }, `${Math.round(100 * n / of)} %`) : null];
    return [h("h3", null, "Failures that a ceiling explains"),
      scroll("Failures that a ceiling explains", h("table", { id: "explained" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Editor"), h("th", { scope: "col" }, "Not usable"), found.ceilings.map((name, at) => h("th", { scope: "col", class: at ? null : "first" }, `also for ${name}`)))),
        h("tbody", null, found.rows.map((row) => h("tr", null, h("th", { scope: "row" }, row.editor), h("td", null, row.failed), row.explained.map((n, at) => h("td", { class: at ? null : "first" }, share(n, row.failed)))))))),
      h("p", { class: "hint" }, "A ceiling returns the reference after a loss that an editor may not be able to avoid: a resolution, a JPEG file, an autoencoder. Where it is not usable either, a perfect edit with that loss fails too.")];
  }

  const HINT = "Bars are 95 % intervals, on one scale per metric; hover for the bounds. ";
  views.board = (address, protocol, board) => {
    const page = h("section", null);
    const there = protocol.rows.some((row) => row.usable || Object.values(row.cells).some((cells) => Object.values(cells).some(bounded)));
    function redraw() {
      const box = h("input", { type: "checkbox", checked: all, onchange: () => { all = box.checked; redraw(); } });
      page.replaceChildren(
        h("h2", null, `Leaderboard by ${protocol.name}`), h("p", { class: "say" }, protocol.says),
        h("div", { class: "row" },
          intervals(there, redraw),
          protocol.metrics.some((metric) => !metric.main) ? h("label", { class: "check" }, box, "All metrics") : null),
        table(protocol),
        h("p", { class: "hint" }, "The best of each column is bold. ", there && way === "bars" ? HINT : "",
          protocol.rows.some((row) => row.reference) ? "(reference) is the OCR ceiling: the scores of the reference images. No editor can be expected to score higher." : ""),
        ...failing(protocol),
        ...explained(protocol),
        ...Vde.wordsByHeight(protocol, shown),
        h("h3", null, "Notes and signatures"),
        h("ul", { class: "notes" }, protocol.notes.map((note) => h("li", { class: note.includes(": vde|p:") ? "signature" : null }, note))),
        Vde.judgedBoard(board));
    }
    redraw();
    return page;
  };

  views.slices = (address, protocol, board) => {
    const names = Object.keys(protocol.slices);
    if (!names.length) return h("p", { class: "empty" }, "These runs have no breakdowns.");
    const titled = (name) => name.split(",").map((part) => protocol.titles[part] || part).join(" × ");
    const slice = names.includes(address.by) ? address.by : names[0];
    const settings = Object.keys(protocol.settings).filter((setting) => protocol.rows.some((row) => row.cells[setting]));
    const setting = settings.includes(address.setting) ? address.setting : settings[0];
    const bySlice = (one) => Object.values(protocol.slices[slice]).some((entry) => Object.values(entry.editors).some((found) => Object.values(found).some((cells) => cells[one.key])));
    const metrics = protocol.metrics.filter(bySlice), metric = metrics.find((one) => one.key === address.metric) || metrics[0] || protocol.metrics[0]; // some are of whole runs
    const editors = protocol.rows.filter((row) => !row.reference).map((row) => row.editor);
    const editor = editors.includes(address.editor) ? address.editor : "";
    const change = (part) => go({ ...Vde.read(), tab: "slices", ...part }, true);
    const values = Object.entries(protocol.slices[slice]);
    const of = (entry, name) => ((entry.editors[name] || {})[setting] || {});
    const columns = editor
      ? [...metrics.map((one) => [one.title, (entry) => of(entry, editor)[one.key], one.digits]), [protocol.count, (entry) => of(entry, editor)[protocol.count], 0]]
      : [...editors.map((name) => [name, (entry) => of(entry, name)[metric.key], metric.digits]), [protocol.count, (entry) => of(entry, editors.find((name) => of(entry, name)[protocol.count]))[protocol.count], 0]];
    const loss = values.some(([, entry]) => entry.loss[setting] !== undefined);
    const each = columns.map(([, cell]) => values.map(([, entry]) => cell(entry))), there = each.flat().some(bounded);
    const scales = each.map((cells) => range(editor ? cells : each.flat())); // one metric has one scale
    const lines = values.filter(([, entry]) => Object.values(entry.editors).some((found) => found[setting])).map(([value, entry]) => h("tr", null,
      h("th", { scope: "row" }, words(value)),
      columns.map(([, cell, digits], at) => h("td", { title: title(cell(entry), digits) }, shown(cell(entry), digits, scales[at]))),
      loss ? h("td", null, number(entry.loss[setting], 3)) : null));
    return h("section", null,
      h("h2", null, `By ${titled(slice)}`),
      h("p", { class: "say" }, editor ? `All metrics of ${editor}.` : `${metric.title} of all editors${metric.best === "lower" ? " (lower is better)" : ""}.`),
      h("div", { class: "row" },
        choose("Break down by", names.map((name) => [name, titled(name)]), slice, (by) => change({ by }), { id: "slice" }),
        Object.keys(protocol.settings).length > 1 ? choose("Setting", settings.map((name) => [name, protocol.settings[name]]), setting, (setting) => change({ setting }), { id: "slice-setting" }) : null,
        choose("Editor", [["", "all, one metric"], ...editors], editor, (editor) => change({ editor }), { id: "slice-editor" }),
        editor ? null : choose("Metric", metrics.map((one) => [one.key, one.title]), metric.key, (metric) => change({ metric }), { id: "slice-metric" }),
        intervals(there, () => change({}))),
      scroll("Breakdown", h("table", { id: "breakdown" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, protocol.titles[slice] || slice), columns.map(([title]) => h("th", { scope: "col" }, title)), loss ? h("th", { scope: "col" }, "CDM loss") : null)),
        h("tbody", null, lines))),
      there && way === "bars" ? h("p", { class: "hint" }, HINT) : null,
      loss ? h("p", { class: "hint" }, "CDM loss: 1 − the CDM of the reference images. Editors closer than this differ by OCR errors as much as by their edits.") : null);
  };
})();
