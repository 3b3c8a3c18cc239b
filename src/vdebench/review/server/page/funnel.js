/* The funnel as bars. */

import { bar, count, h, percent } from "./widgets.js";
import { allSteps } from "./steps.js";
import { words } from "./words_admin.js";

export function funnelTable(funnel) {
  const t = words.funnel,
    { places, total, rejected } = funnel,
    passed = allSteps().filter((step) => step.in_pool).at(-1)?.done;
  if (!total) return h("p", { class: "soft" }, t.empty);
  const row = (name, number, kind = "") =>
    h(
      "tr",
      { class: kind },
      h("th", { scope: "row" }, name),
      h("td", { class: "bar-cell" }, bar(number, total, `${name}: ${count(number)}`)),
      h("td", { class: "number" }, count(number)),
      h("td", { class: "number soft" }, percent(number / total)),
    );
  return h(
    "table",
    { class: "funnel" },
    h("caption", { class: "unseen" }, t.title),
    h(
      "tbody",
      null,
      Object.entries(places)
        .filter(([name, number]) => number || !["pilot", "withdrawn", "in adjudication"].includes(name))
        .flatMap(([name, number]) => [
          row(t.places[name] || name, number, name === passed ? "passed" : name),
          ...(name === "rejected"
            ? Object.entries(rejected || {}).map(([reason, many]) => row(t.reasons[reason] || reason, many, "reason"))
            : []),
        ]),
    ),
    h(
      "tfoot",
      null,
      h(
        "tr",
        null,
        h("th", { scope: "row" }, t.total),
        h(
          "td",
          { class: `soft ${funnel.adds_up === false ? "bad" : ""}` },
          funnel.adds_up === false ? t.doesNot : t.addsUp,
        ),
        h("td", { class: "number" }, count(total)),
        h("td"),
      ),
    ),
  );
}
