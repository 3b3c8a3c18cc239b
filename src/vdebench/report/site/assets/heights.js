"use strict";
/* The share of words that each editor loses by type height, ceilings first. */
(() => {
  const { h, scroll, count } = Vde;
  const LOSSES = [[.01, "kept"], [.05, "some"], [1, "many"]]; // up to which share of lost words a cell has a colour
  const loss = (cell) => cell.few ? "few" : LOSSES.find(([most]) => cell.value <= most + 1e-9)[1];
  const title = (cell) => `${count(cell.words)} words: ${cell.changed} changed, ${cell.illegible} illegible, ${cell.weakened} weakened`;
  const percent = ({ value, low, high }) => ({ value: 100 * value, low: 100 * low, high: 100 * high });

  /* `shown` renders a number with its interval on a scale. */
  Vde.wordsByHeight = ({ heights: found }, shown) => {
    if (!found) return [];
    const cells = found.rows.flatMap((row) => row.cells).filter(Boolean), scale = [0, Math.max(1, ...cells.map((cell) => 100 * cell.high))];
    const line = (row) => h("tr", { class: row.ceiling ? "ceiling" : null },
      h("th", { scope: "row" }, row.editor, row.ceiling ? h("span", { class: "under" }, `ceiling: ${row.ceiling}`) : null),
      row.cells.map((cell) => cell ? h("td", { class: `loss ${loss(cell)}`, title: title(cell) }, shown(percent(cell), 1, scale)) : h("td", null, "–")));
    return [h("h3", null, "Words lost by type height"),
      found.bands.length ? scroll("Words lost by type height", h("table", { id: "heights" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Editor"), found.bands.map((band) => h("th", { scope: "col" }, band.title, h("span", { class: "under" }, `${count(band.words)} words`))))),
        h("tbody", null, found.rows.map(line)))) : null,
      h("ul", { class: "notes" }, [...found.lines, ...found.notes].map((note) => h("li", null, note))),
      found.bands.length ? h("p", { class: "hint" }, `Words outside the edited regions that were replaced, lost, illegible or doubtful, in % of the words in type of this size (em, in pixels of the ${found.pixels}; hover for counts). Bands of fewer than ${found.least} words have no colour. Where a ceiling loses words, a perfect edit with its resolution or codec loses them too.`) : null].filter(Boolean);
  };
})();
