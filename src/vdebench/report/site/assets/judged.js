"use strict";
/* Grades by judges: tables below the leaderboard, orders of samples, the grades of a sample. */
(() => {
  const { h, scroll, load, number, words } = Vde;
  const tables = (board) => board.judged ? board.judged.tables : [];
  const has = (board, editor) => tables(board).some((table) => table.rows.some((row) => row.editor === editor));
  const place = (board, editor, file) => `judged/${board.slugs[editor]}/${file}`;
  const names = (table) => table.models.join(", ") || `${table.judge} (nothing returned)`;
  const plain = (grade) => Number.isInteger(grade) ? String(grade) : number(grade, 2);

  function cell(found, digits, more) {
    if (!found || found.value === null) return h("td", null, "–");
    const spread = typeof found.spread === "number" ? h("span", { class: "interval" }, ` ± ${number(found.spread, digits)}`) : null;
    return h("td", { class: found.best ? "best" : null, title: typeof found.n === "number" ? `over ${found.n} samples` : null }, number(found.value, digits), more, spread);
  }
  function coverage({ samples, questions, graded, ...others }) {
    const parts = Object.entries(others).map(([state, n]) => `${n} ${words(state)}`);
    return h("td", null, `${graded}/${questions}`, parts.length ? h("span", { class: "under" }, parts.join(", ")) : null);
  }
  const noteList = (notes) => h("ul", { class: "notes" }, notes.map((note) => h("li", { class: note.includes(": vde|judge:") ? "signature" : null }, note)));

  function judgeTable(table, at) {
    const of = Math.max(...table.rows.map((row) => row.total.of));
    const asked = table.models.includes(table.judge.slice(table.judge.indexOf(":") + 1)) ? "" : `Requested as ${table.judge}. `;
    const drawn = table.repeat > 1 ? ` Each question was asked ${table.repeat} times; ± is the standard deviation of the means of the draws.` : "";
    return h("section", { class: "judge" },
      h("h2", null, `Judged by ${names(table)}`),
      h("p", { class: "say" }, `${asked}${table.dimensions.map((one) => `${one.key} ${one.title.toLowerCase()}`).join(", ")}; each from ${table.dimensions[0].low} to ${table.dimensions[0].high}.${drawn}`),
      scroll(`Grades by ${names(table)}`, h("table", { class: "grades" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Editor"), h("th", { scope: "col" }, "Graded"),
          table.dimensions.map((one) => h("th", { scope: "col", title: one.title }, one.key)), h("th", { scope: "col", class: "first" }, `Overall /${of}`))),
        h("tbody", null, table.rows.map((row) => h("tr", null, h("th", { scope: "row" }, h("a", { href: Vde.link({ tab: "samples", protocol: Vde.read().protocol, editor: row.editor, sort: `judge.${at}.lowest` }) }, row.editor)), coverage(row.coverage),
          table.dimensions.map((one) => cell(row.cells[one.key], 2)),
          cell(row.total, 2, row.total.of === of ? null : h("span", { class: "interval" }, ` of ${row.total.of}`))))))),
      table.canary.map(({ line, trusted, editors }) => h("p", { class: trusted === true ? "verdict" : "verdict warning" }, (editors.length ? `${editors.join(", ")}: ` : "") + line)),
      noteList(table.notes));
  }
  Vde.judgedBoard = (board) => board.judged ? h("div", { id: "judged" }, tables(board).map(judgeTable),
    board.judged.notes.length ? [h("h3", null, "Missing and excluded grades"), noteList(board.judged.notes)] : null) : "";

  /* Orders of samples: the number of a judge, and a dimension, the lowest of them, or their mean. */
  Vde.judgedOrders = (board) => tables(board).flatMap((table, at) => {
    const by = tables(board).length > 1 ? ` by ${names(table)}${tables(board).some((other, n) => n < at && names(other) === names(table)) ? ` (${at + 1})` : ""}` : "";
    const keys = [["lowest", "dimension"], ["mean", "mean grade"], ...table.dimensions.map((one) => [one.key, `${one.key} grade`])];
    return keys.map(([key, title]) => [`judge.${at}.${key}`, `worst ${title}${by}`, key === "lowest" ? "worst dimension" : title]);
  });
  Vde.judgedIndex = (board, editor) => has(board, editor) ? load(place(board, editor, "index")) : null;
  Vde.judgedValue = (item, order) => {
    const [, at, key] = order.split(".");
    return ((item.judged || [])[at] || {})[key] ?? null;
  };
  Vde.judgedScore = (item, order, board) => {
    const found = order.startsWith("judge.") ? Vde.judgedOrders(board).find(([key]) => key === order) : null;
    return found ? h("span", null, `${found[2]} ${number(Vde.judgedValue(item, order), 2)}`) : null;
  };

  function draw(answer, at, several) {
    const graded = answer.state === "graded";
    const lead = [several ? h("span", { class: "draw" }, graded ? `Draw ${at + 1}: ${answer.grade}` : `Draw ${at + 1}`) : null, graded ? null : h("span", { class: "tag bad" }, words(answer.state)),
      answer.model ? h("span", { class: "draw" }, answer.model) : null].filter(Boolean);
    return [lead.length ? h("div", { class: "head" }, lead) : null,
      answer.rationale ? h("p", { lang: "" }, answer.rationale) : graded ? h("p", { class: "hint" }, "no rationale") : null,
      answer.reason ? h("p", { class: "hint" }, answer.reason) : null];
  }
  function dimension({ key, title, high }, draws, mean) {
    const head = (...more) => h("div", { class: "head" }, h("b", null, key), h("span", null, title), more);
    if (!draws) return h("li", { class: "block unasked" }, head(h("span", null, "not asked for this sample")));
    const grade = mean === undefined ? h("span", { class: "mark none" }, "no grade") : h("span", { class: "mark" }, plain(mean), h("small", null, ` /${high}`));
    return h("li", { class: mean === undefined ? "block missed" : "block" }, head(grade), draws.map((answer, at) => draw(answer, at, draws.length > 1)));
  }
  function total(table, answers, entry) {
    const asked = table.dimensions.filter((one) => answers[one.key]), lacking = asked.filter((one) => entry[one.key] === undefined);
    const sum = asked.reduce((before, one) => before + (entry[one.key] || 0), 0), of = asked.reduce((before, one) => before + one.high, 0);
    return lacking.length ? `Overall – of ${of}: no grade in ${lacking.map((one) => one.key).join(", ")}` : `Overall ${plain(Math.round(sum * 100) / 100)} of ${of}`;
  }
  /* The grades of a sample by all judges; null if the report has no grades. */
  Vde.judgedPanel = async (board, item) => {
    if (!tables(board).length) return null;
    const panel = h("aside", { id: "grades", class: "judged", tabindex: "0", "aria-label": "Grades" });
    if (!has(board, item.editor)) { panel.append(h("p", { class: "hint" }, `${item.editor} was not judged.`)); return panel; }
    const chunk = await load(place(board, item.editor, Math.floor(item.at / board.chunk))), found = chunk[item.at % board.chunk];
    tables(board).forEach((table, at) => {
      const answers = found[at], entry = (item.judged || [])[at] || {}, doubt = table.canary.find(({ trusted, editors }) => trusted === false && (!editors.length || editors.includes(item.editor)));
      panel.append(h("h3", null, `Judged by ${names(table)}`));
      if (doubt) panel.append(h("p", { class: "warning" }, doubt.line));
      if (!answers) { panel.append(h("p", { class: "hint" }, table.rows.some((row) => row.editor === item.editor) ? "This sample was not judged." : `${item.editor} was not judged.`)); return; }
      panel.append(h("p", { class: "overall" }, total(table, answers, entry)),
        h("p", { class: "hint" }, table.dimensions.filter((one) => answers[one.key]).map((one, n) => [n ? " · " : "", `${one.key}\u00a0`, h("b", null, entry[one.key] === undefined ? "–" : plain(entry[one.key]))])),
        h("ul", { class: "blocks" }, table.dimensions.map((one) => dimension(one, answers[one.key], entry[one.key]))));
    });
    return panel;
  };
})();
