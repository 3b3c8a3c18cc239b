"use strict";
/* Tables as printed in papers, not measured here. */
(() => {
  const { h, scroll, choose } = Vde, { change } = Board;

  function table(one) {
    const groups = [];
    for (const [group] of one.columns) groups.length && groups.at(-1)[0] === group ? groups.at(-1)[1]++ : groups.push([group, 1]);
    const width = one.columns.length + 1, lines = [];
    let section = "";
    for (const row of one.rows) {
      if (row.section !== section) lines.push(h("tr", { class: "section" }, h("td", { colspan: width }, section = row.section)));
      lines.push(h("tr", null, h("th", { scope: "row" }, row.label), row.cells.map((cell, at) => h("td", { class: row.best.includes(at) ? "best" : null }, cell))));
    }
    return h("section", { class: "board" }, h("h2", null, `${one.paper}, table ${one.number}`, h("span", { class: "suite" }, ` ${one.title.replace(/ \(shape of.*\)$/, "")}`)),
      scroll(`${one.paper}, table ${one.number}`, h("table", null,
        h("thead", null, groups.length > 1 ? h("tr", null, h("th"), groups.map(([name, n]) => h("th", { class: "group", colspan: n, scope: "colgroup" }, name))) : null,
          h("tr", null, h("th", { scope: "col" }, one.head), one.columns.map(([, name, best]) => h("th", { scope: "col" }, name + (best === "lower" ? " (low)" : ""))))),
        h("tbody", null, lines))),
      h("div", { class: "row foot-row" }, h("ul", { class: "notes" }, one.notes.map((note) => h("li", null, note))), Board.files(one.file)));
  }

  Board.views.printed = (address, data) => {
    const papers = [...new Set(data.printed.map((one) => one.paper))];
    return h("div", null,
      h("div", { class: "warning" }, "These figures are printed in papers (†), not measured by vdebench. Papers name no reader version, suite revision or settings, so there is no signature: do not rank measured runs against them."),
      h("div", { class: "row" }, choose("Paper", [["", "all"], ...papers], address.paper || "", (paper) => change({ paper }), { id: "paper" })),
      data.printed.filter((one) => !address.paper || one.paper === address.paper).map(table));
  };
})();
