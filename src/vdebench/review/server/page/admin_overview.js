/* The funnel, what came through each step, the rounds. */

import { api } from "./api.js";
import { bar, count, h, table } from "./elements.js";
import { funnelTable } from "./funnel.js";
import { words as base } from "./words.js";
import { words } from "./words_admin.js";

export async function overviewPart() {
  const t = words.funnel,
    told = await api.get("/api/admin/overview"),
    { total } = told.funnel;
  const rounds = Object.entries(told.rounds);
  return [
    h("h1", null, words.admin.parts.overview),
    h(
      "div",
      { class: "cards wide" },
      h("section", { class: "card" }, h("h2", null, t.title), funnelTable(told.funnel)),
      h(
        "section",
        { class: "card" },
        h("h2", null, t.through),
        h("p", { class: "soft" }, t.throughWhy),
        table(
          t.through,
          [t.step, t.samples, t.share, ""],
          Object.entries(told.through).map(([step, number]) => [
            base.steps[step],
            number,
            total ? `${((100 * number) / total).toFixed(1)} %` : "–",
            bar(number, total, `${base.steps[step]}: ${count(number)}`),
          ]),
          { class: "bars" },
        ),
      ),
      h(
        "section",
        { class: "card" },
        h("h2", null, t.rounds),
        table(
          t.rounds,
          [t.rounds, t.samples, ""],
          rounds.map(([round, number]) => [
            t.round(round),
            number,
            bar(number, total, `${t.round(round)}: ${count(number)}`),
          ]),
          { class: "bars" },
        ),
      ),
    ),
  ];
}
