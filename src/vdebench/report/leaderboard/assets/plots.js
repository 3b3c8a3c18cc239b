"use strict";
/* The plots: their numbers, order, captions and tables. */
(() => {
  const { h, scroll, choose, number, words, figures } = Vde, { change } = Board;
  const KINDS = { intervals: "Intervals", bars: "Bars", radar: "Radar", falls: "Usable edits" };
  const MOST = 6; // distinguishable editors of a plot

  const value = (cell) => !cell || cell[0] === "∞" ? null : cell[0];
  function describe(name, cell, digits) {
    if (!cell) return `${name}: none`;
    return `${name}: ${number(cell[0], digits)}${cell.length > 2 && cell[1] !== null ? ` (interval ${number(cell[1], digits)} to ${number(cell[2], digits)})` : ""}`;
  }
  const bounds = (cell) => cell && cell.length > 2 && cell[1] !== null ? { low: cell[1], high: cell[2] } : {};
  const infinite = (rows, metric) => rows.filter((row) => (metric.cell(row) || [])[0] === "∞").map((row) => row.editor);

  /* Columns that can be plotted: the metrics and the rate of usable edits. */
  const metricsOf = (table, rows, setting) => Board.columns(table, rows, setting, true).filter((one) => rows.some((row) => value(one.cell(row)) !== null)).map((one) => ({ ...one, digits: one.digits ?? 3 }));
  function figure(title, caption, drawing, legend, head, lines) {
    return h("figure", { class: "plot" }, h("figcaption", null, h("b", null, title), caption), drawing, legend,
      h("details", null, h("summary", null, "The same as a table"), scroll(title, h("table", null,
        h("thead", null, h("tr", null, head.map((one) => h("th", { scope: "col" }, one)))),
        h("tbody", null, lines.map(([name, ...cells]) => h("tr", null, h("th", { scope: "row" }, name), cells.map((cell) => h("td", null, cell)))))))));
  }
  const withInterval = (cell, digits) => !cell ? "–" : `${number(cell[0], digits)}${cell.length > 2 && cell[1] !== null ? ` (${number(cell[1], digits)}–${number(cell[2], digits)})` : ""}`;
  const none = (text) => h("p", { class: "empty" }, text);

  function intervals({ table, rows, metric, where }) {
    const order = Board.ordered(rows, [metric], {}).rows.filter((row) => value(metric.cell(row)) !== null);
    if (!order.length) return none("No editor has this number here.");
    const items = order.map((row) => ({ name: row.editor, value: value(metric.cell(row)), ...bounds(metric.cell(row)), title: describe(row.editor, metric.cell(row), metric.digits) }));
    const missing = items.filter((item) => item.low === undefined).length, beyond = infinite(rows, metric);
    const caption = [`${where}; ${metric.best} is better, best first. Whiskers: ${table.level} intervals.`, missing ? ` ${missing} without one.` : "", beyond.length ? ` Infinite, not drawn: ${beyond.join(", ")}.` : "", " Intervals that overlap do not decide which editor is better: vde compare tests that pair by pair."].join("");
    return figure(metric.title, caption, figures.intervals(items, `Intervals of ${metric.title}: ${items.slice(0, 5).map((item) => item.title).join("; ")}`), null,
      ["Editor", metric.title], order.map((row) => [row.editor, withInterval(metric.cell(row), metric.digits)]));
  }
  async function bars({ table, address, setting, chosen, metric, where }) {
    const values = address.by ? table.values[address.by][1] : [""];
    const groups = await Promise.all(values.map(async (slice) => {
      const view = await Board.sliced(table, { ...address, value: slice });
      const found = Board.columns(table, view.rows, setting, true).find((one) => one.id === metric.id);
      return { name: slice ? words(slice) : "all samples", items: chosen.map((name, kind) => {
        const row = view.rows.find((one) => one.editor === name), cell = found && row ? found.cell(row) : null;
        return { kind, value: value(cell), ...bounds(cell), cell, short: number(value(cell), metric.digits), title: describe(name, cell, metric.digits) };
      }) };
    }));
    const title = address.by ? `${metric.title} by ${table.slices[address.by]}` : metric.title;
    return figure(title, `${where.split(",")[0]}; ${metric.best} is better. Lines: ${table.level} intervals.`,
      figures.bars(groups, `Bars of ${title} for ${chosen.join(", ")}; the numbers are in the table below`), figures.legend(chosen.map((name, kind) => [name, kind, `k${kind}`])),
      ["", ...chosen], groups.map((group) => [group.name, ...group.items.map((item) => withInterval(item.cell, metric.digits))]));
  }
  /* A metric from 0 (worst) to 1 (best), as the caption says. */
  function scaled(metric, found) {
    if (found === null) return null;
    const share = metric.id.startsWith("psnr") ? found / 50 : found, kept = Math.max(0, Math.min(1, share));
    return metric.best === "lower" ? 1 - kept : kept;
  }
  function radar({ table, rows, metrics, chosen, where }) {
    const counts = table.metrics.filter((one) => one.count).map((one) => one.key);
    const axes = metrics.filter((metric) => !metric.id.startsWith("mse") && !counts.includes(metric.id));
    if (axes.length < 3) return none("A radar needs at least three metrics.");
    const lines = chosen.map((name, kind) => {
      const row = rows.find((one) => one.editor === name), raw = axes.map((metric) => metric.cell(row));
      return { kind, values: axes.map((metric, at) => raw[at] && raw[at][0] === "∞" ? 1 : scaled(metric, value(raw[at]))), title: `${name}: ${axes.map((metric, at) => `${metric.title} ${number(raw[at] && raw[at][0], 2)}`).join(", ")}`, raw };
    });
    const lower = axes.filter((metric) => metric.best === "lower").map((metric) => metric.title), decibel = axes.some((metric) => metric.id.startsWith("psnr"));
    const caption = [where, ". Outside is better. ", lower.length ? `Lower is better for ${lower.join(", ")}: shown as 1 minus the number. ` : "", decibel ? "PSNR is divided by 50 dB, identical images are 1. " : "", "MSE and counts have no bounds and are left out. No outline where a number is missing."].join("");
    return figure("All metrics", caption, figures.radar(axes.map((metric) => metric.title + (metric.best === "lower" ? " (flipped)" : "")), lines, `Radar of ${chosen.length} editors: ${lines.map((line) => line.title).join("; ")}`),
      figures.legend(chosen.map((name, kind) => [name, kind])), ["", ...axes.map((metric) => metric.title)], lines.map((line, at) => [chosen[at], ...line.raw.map((cell, k) => withInterval(cell, axes[k].digits))]));
  }
  function falls({ table, data, address }) {
    const rows = table.rows.filter((row) => row.falls && Board.matches(row.editor, address)).sort((a, b) => b.falls.usable - a.falls.usable);
    if (!rows.length) return none("No verdicts on usable edits in this table: score by strict with images.");
    const steps = Object.keys(data.properties).filter((key) => rows.some((row) => key in row.falls));
    const looks = ["k1", "k4", "k3", "k2", "k5"];
    const parts = [{ key: "usable", title: "usable", look: "k0", dark: true }, ...steps.map((key, at) => ({ key, title: `fails first at ${data.properties[key].toLowerCase()}`, look: looks[at % looks.length], dark: true })), { key: "unknown", title: "no verdict", look: "none" }];
    const items = rows.map((row) => ({ name: row.editor, counts: row.falls, total: parts.reduce((sum, part) => sum + (row.falls[part.key] || 0), 0) })).filter((item) => item.total);
    const order = steps.map((key) => data.properties[key].toLowerCase()).join(", then ");
    return figure("Usable edits, and where the others fail first", `All samples, as counts of edits. Properties are checked in this order: ${order}.${address.by ? " Counts are of all samples: slices have none." : ""}`,
      figures.stacked(items, parts, `Usable edits: ${items.slice(0, 6).map((item) => `${item.name} ${item.counts.usable} of ${item.total}`).join("; ")}`),
      figures.legend(parts.filter((part) => items.some((item) => item.counts[part.key])).map((part) => [part.title, 0, part.look])),
      ["Editor", ...parts.map((part) => part.title)], items.map((item) => [item.name, ...parts.map((part) => item.counts[part.key] || 0)]));
  }
  const DRAWERS = { intervals, bars, radar, falls };

  Board.views.plots = async (address, data) => {
    const tables = Board.chosenTables(address), table = tables.find((one) => String(one.number) === address.table) || tables[0];
    const kind = KINDS[address.plot] ? address.plot : "intervals", setting = Board.settingOf(table, address);
    const picker = [tables.length > 1 ? choose("Table", tables.map((one) => [String(one.number), `Table ${one.number}: ${one.protocol} on ${one.suite}`.slice(0, 80)]), String(table.number), (number) => change({ table: number, who: "" }), { id: "plot-table" }) : null];
    Board.controls(address, picker);
    const page = (...parts) => h("div", null, h("div", { class: "row" }, Board.switcher("Plot", KINDS, kind, (plot) => change({ plot })), parts[0]), parts.slice(1));
    const view = await Board.sliced(table, address);
    if (!view) return page(null, none("This table does not have the chosen slice."));
    const metrics = metricsOf(table, view.rows, setting), rows = view.rows.filter((row) => Board.matches(row.editor, address));
    if (!metrics.length) return page(null, none("No numbers here."));
    const metric = metrics.find((one) => one.id === address.metric) || metrics[0];
    const names = Board.ordered(rows, [metric], {}).rows.map((row) => row.editor);
    const asked = (address.who || "").split("\n").filter((name) => names.includes(name));
    const chosen = (asked.length ? asked : names.slice(0, 4)).slice(0, MOST);
    const toggle = (name) => change({ who: (chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name].slice(-MOST)).join("\n") });
    const pick = kind === "intervals" || kind === "bars" ? choose("Metric", metrics.map((one) => [one.id, one.title]), metric.id, (id) => change({ metric: id }), { id: "plot-metric" }) : null;
    const who = kind === "bars" || kind === "radar" ? h("fieldset", { class: "who" }, h("legend", null, `Editors, up to ${MOST}`), names.map((name, at) => h("button", { type: "button", id: `who-${at}`, "aria-pressed": String(chosen.includes(name)), onclick: () => toggle(name) }, name))) : null;
    const where = `Table ${table.number}, ${table.settings[setting].toLowerCase()}, ${address.by ? `${table.slices[address.by]} ${words(address.value)}` : "all samples"}`;
    const main = metrics.filter((one) => one.id === "usable" || one.id === "regions" || table.metrics.some((other) => other.key === one.id && other.main));
    return page(pick, who, chosen.length || kind === "falls" || kind === "intervals" ? await DRAWERS[kind]({ table, data, address, setting, rows, metric, metrics: main, chosen, where }) : none("Choose an editor."),
      h("p", { class: "hint" }, h("code", null, table.signature)));
  };
})();
