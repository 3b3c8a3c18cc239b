"use strict";
/* Tables of comparable runs, sorted by any column. */
(() => {
  const { h, scroll, number, words, percent, sorted, sortButton, ariaSort } = Vde, { change, copy } = Board;
  const opened = new Set(); // rows whose signature is shown

  const amount = (cell) => !cell ? null : cell[0] === "∞" ? Infinity : cell[0];
  function shown(cell, digits) {
    if (!cell) return "–";
    if (cell[0] === "∞") return "∞";
    if (cell.length < 3) return number(cell[0], digits);
    return [number(cell[0], digits), h("span", { class: "range" }, `${number(cell[1], digits)}–${number(cell[2], digits)}`)];
  }
  /* A rate as a bar with its interval, next to the numbers. */
  function usable(cell) {
    if (!cell) return "–";
    const [rate, low, high, n, unknown] = cell;
    const bar = h("span", { class: low === null ? "mini" : "mini bounded", "aria-hidden": "true" }); // CSS: a hundred SVGs would make sorting slow
    for (const [name, share] of Object.entries({ rate, low, high })) bar.style.setProperty(`--${name}`, 100 * share);
    return h("div", { class: "usable", title: `${n} samples with a verdict${unknown ? `, ${unknown} without` : ""}` },
      h("span", null, h("b", null, percent(rate)), low === null ? null : h("span", { class: "range" }, `${number(100 * low, 1)}–${number(100 * high, 1)}`), unknown ? h("span", { class: "range" }, `${unknown} unknown`) : null), bar);
  }
  function coverage(row) {
    if (!row.coverage && !row.whole) return "";
    const [samples, scored, missing, failed] = row.coverage || row.whole;
    return (row.coverage ? "" : "in all ") + `${scored}/${samples} scored${missing ? `, ${missing} missing` : ""}${failed ? `, ${failed} failed` : ""}`;
  }

  Board.columns = (table, rows, setting, every) => {
    const list = [{ id: "usable", title: "Usable edits", best: "higher", cell: (row) => row.usable, show: usable, help: "edits that are complete, textually correct, in place, visually faithful, and preserve the rest" }];
    for (const metric of table.metrics.filter((one) => every || one.main)) {
      const cell = (row) => (row.cells[setting] || {})[metric.key];
      if (rows.some(cell) || table.rows.some(cell)) list.push({ id: metric.key, title: metric.title, best: metric.best, digits: metric.digits, cell, show: (found) => shown(found, metric.digits) });
    }
    if (rows.some((row) => row.regions)) list.push({ id: "regions", title: "Regions done", best: "higher", cell: (row) => row.regions, show: (found) => found ? number(found[0], 3) : "–" });
    return list;
  };
  const share = (row) => { const counts = row.coverage || row.whole; return counts && counts[0] ? counts[1] / counts[0] : null; };
  /* Rows in the order of the address; by default by the first column that has numbers, best first. */
  Board.ordered = (rows, columns, address) => {
    const wanted = address.sort === "editor" || address.sort === "coverage" ? null : columns.find((one) => one.id === address.sort);
    const column = wanted || columns.find((one) => rows.some((row) => amount(one.cell(row)) !== null)) || columns[0];
    const id = wanted || !["editor", "coverage"].includes(address.sort) ? column.id : address.sort;
    const down = address.sort && address.down !== undefined ? address.down === "1" : id === "coverage" || (id !== "editor" && column.best === "higher");
    const key = { editor: (row) => row.editor, coverage: share }[id] || ((row) => amount(column.cell(row)));
    return { rows: sorted(rows, key, down), id, down };
  };
  const head = (column, order) => sortButton(column, order, ({ id, down }) => change({ sort: id, down: down ? "1" : "0" }), { id: `sort-${order.number}-${column.id}` });
  /* Values that look equal are equally good. */
  const rounded = (column, row) => { const value = amount(column.cell(row)); return value === null ? null : Number(value.toFixed(column.digits ?? 3)); };
  function bests(rows, columns) {
    const found = new Map();
    for (const column of columns) {
      const values = rows.map((row) => rounded(column, row)).filter((value) => value !== null);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      if (values.length > 1 && low < high) found.set(column.id, column.best === "lower" ? low : high);
    }
    return found;
  }

  /* Rows are reused while only their order or the search changes: sorting moves them. */
  const drawn = new Map();
  function line(row, table, columns, top, view) {
    let known = drawn.get(table.number);
    if (!known || known.view !== view) drawn.set(table.number, known = { view, rows: new Map() });
    if (!known.rows.has(row.editor)) known.rows.set(row.editor, made(row, table, columns, top));
    return known.rows.get(row.editor);
  }
  /* A row, and its signature below it once it is opened. */
  function made(row, table, columns, top) {
    const key = `${table.number}/${row.editor}`, lines = [];
    function unfold() {
      lines[1] = h("tr", { class: "signed" }, h("td", { colspan: columns.length + 2 }, h("code", null, row.signature), " ",
        h("button", { type: "button", class: "small", onclick: () => copy(row.signature, "Signature") }, "Copy")));
      opened.add(key);
    }
    function fold() {
      lines.pop().remove();
      opened.delete(key);
    }
    const toggle = h("button", { type: "button", class: "small", "aria-expanded": String(opened.has(key)), "aria-label": `Signature of ${row.editor}`, onclick: () => {
      if (lines[1]) fold(); else { unfold(); lines[0].after(lines[1]); }
      toggle.setAttribute("aria-expanded", String(lines.length > 1));
    } }, "signature");
    lines.push(h("tr", null,
      h("th", { scope: "row" }, row.link ? h("a", { href: row.link, title: "show its samples" }, row.editor) : row.editor, h("span", { class: "under" }, coverage(row))),
      columns.map((column) => {
        const cell = column.cell(row);
        return h("td", { class: cell && top.get(column.id) === rounded(column, row) ? "best" : null }, column.show(cell));
      }),
      h("td", null, toggle)));
    if (opened.has(key)) unfold();
    return lines;
  }
  function ceilings(found, setting, columns, several) {
    return found.filter((ceiling) => ceiling.cells[setting]).map((ceiling) => h("tr", { class: "reference" },
      h("th", { scope: "row" }, "(reference)", h("span", { class: "under" }, several ? `OCR ceiling, for ${ceiling.of.length > 3 ? `${ceiling.of.length} rows` : ceiling.of.join(", ")}` : "OCR ceiling")),
      columns.map((column) => h("td", null, column.id === "usable" || column.id === "regions" ? "–" : column.show(column.cell(ceiling)))), h("td")));
  }
  function printed(table, address, setting, columns) {
    const rows = table.beside && table.beside.rows[`${address.by || ""}/${address.value || ""}/${setting}`];
    if (!rows || !rows.length) return null;
    const listed = Board.ordered(rows.map((row) => ({ ...row, cells: { [setting]: row.cells } })).filter((row) => Board.matches(row.editor, address)), columns, address).rows;
    return h("tbody", { class: "printed" },
      h("tr", null, h("td", { colspan: columns.length + 2 }, h("div", { class: "warning" }, table.beside.warning))),
      listed.map((row) => h("tr", null, h("th", { scope: "row" }, row.editor, h("span", { class: "under" }, `printed, table ${row.table}`)),
        columns.map((column) => h("td", null, column.id === "usable" || column.id === "regions" ? "–" : column.show(column.cell(row)))), h("td", null, h("span", { class: "under" }, "none")))));
  }

  Board.files = (base) => h("span", { class: "files" }, [["csv", "CSV"], ["md", "Markdown"], ["tex", "LaTeX"]].map(([end, title]) => h("a", { class: "button", href: `${base}.${end}`, download: true }, title)));
  function pins(table) {
    return h("ul", { class: "pins", "aria-label": "Parts of the signature" }, table.parts.map(([title, value, apart]) =>
      h("li", { class: apart ? "apart" : null, title: apart ? "not the same in all tables" : null }, h("span", null, title), " ", h("b", null, value))));
  }
  function differs(table) {
    if (!table.differs.length) return null;
    const others = table.differs.slice(0, 4).map(([other, parts]) => `Table ${other} (${parts.map(([title]) => title).join(", ")})`).join("; ");
    return h("details", { class: "differs warning" },
      h("summary", null, `Not comparable with ${others}${table.others > 4 ? `; and ${table.others - 4} more` : ""}.`),
      h("ul", null, table.differs.map(([other, parts]) => h("li", null, `Table ${other}: `, parts.map(([title, mine, theirs], at) => [at ? "; " : "", `${title} `, h("b", null, mine), " here, ", h("b", null, theirs), " there"])))));
  }

  async function section(table, address) {
    const setting = Board.settingOf(table, address), view = await Board.sliced(table, address);
    const heading = [h("h2", { id: `table-${table.number}` }, `Table ${table.number}: ${table.protocol}`, h("span", { class: "suite" }, ` on ${table.suite}`)), h("p", { class: "say" }, table.says)];
    const foot = [pins(table), h("p", { class: "hint" }, h("button", { type: "button", class: "small", onclick: () => copy(table.signature, "Signature") }, "Copy the signature"), " ", h("code", null, table.signature))];
    if (!view) return h("section", { class: "board" }, heading, differs(table), h("p", { class: "empty" }, `Nothing here by ${words(address.by)} = ${words(address.value)}.`), foot);
    const columns = Board.columns(table, view.rows, setting, address.all === "1"), top = bests(view.rows, columns);
    const order = { ...Board.ordered(view.rows, columns, address), number: table.number };
    const rows = order.rows.filter((row) => Board.matches(row.editor, address));
    return h("section", { class: "board" }, heading, differs(table),
      scroll(`Table ${table.number}`, h("table", { "data-table": table.number },
        h("thead", null, h("tr", null,
          h("th", { scope: "col", "aria-sort": ariaSort("editor", order) || ariaSort("coverage", order) }, head({ id: "editor", title: "Editor" }, order), " ", head({ id: "coverage", title: "scored", best: "higher" }, order)),
          columns.map((column) => h("th", { scope: "col", "aria-sort": ariaSort(column.id, order) }, head(column, order))), h("th", { scope: "col" }, "Signature"))),
        h("tbody", null, rows.length ? rows.map((row) => line(row, table, columns, top, [address.by, address.value, setting, address.all].join("/"))) : h("tr", null, h("td", { colspan: columns.length + 2 }, "No editor matches.")), ceilings(view.ceilings, setting, columns, view.ceilings.length > 1)),
        printed(table, address, setting, columns))),
      h("div", { class: "row foot-row" }, h("p", { class: "hint" }, `${table.settings[setting]}${address.by ? `, ${table.slices[address.by]} ${words(address.value)}` : ", all samples"}. The best of each column is bold; small: ${table.level} intervals.`), Board.files(table.files[address.by || ""])),
      foot, table.notes.length ? h("details", null, h("summary", null, `Notes (${table.notes.length})`), h("ul", { class: "notes" }, table.notes.map((note) => h("li", null, note)))) : null);
  }

  Board.views.tables = async (address, data) => {
    const box = h("input", { type: "checkbox", id: "all-metrics", checked: address.all === "1", onchange: () => change({ all: box.checked ? "1" : "" }) });
    const tables = Board.chosenTables(address);
    const more = tables.some((table) => table.metrics.some((metric) => !metric.main)) ? h("label", { class: "check" }, box, "All metrics") : null;
    Board.controls(address, more);
    const sections = await Promise.all(tables.map((table) => section(table, address)));
    return h("div", null,
      data.tables.length > 1 ? h("p", { class: "say" }, "Runs share a table only if protocol, reader, suite and settings are the same. Numbers of different tables are not comparable.") : null,
      sections, data.notes.length ? h("ul", { class: "notes" }, data.notes.map((note) => h("li", null, note))) : null);
  };
})();
