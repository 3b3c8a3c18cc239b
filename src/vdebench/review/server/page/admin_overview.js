/* The funnel, the samples that passed each step, the rounds. */

import { api } from "./api.js";
import { bar, count, foreign, h, percent, table } from "./widgets.js";
import { funnelTable } from "./funnel.js";
import { stepTitle } from "./steps.js";
import { words } from "./words_admin.js";

const MOST_STUCK = 20;

export async function overviewPart() {
  const t = words.funnel,
    data = await api.get("/api/admin/overview"),
    { total } = data.funnel;
  const rounds = Object.entries(data.rounds);
  return [
    h("h1", null, words.admin.parts.overview),
    data.stuck.length ? stuckCard(data.stuck) : "",
    h(
      "div",
      { class: "cards wide" },
      h("section", { class: "card" }, h("h2", null, t.title), funnelTable(data.funnel)),
      h(
        "section",
        { class: "card" },
        h("h2", null, t.through),
        h("p", { class: "soft" }, t.throughWhy),
        table(
          t.through,
          [t.step, t.samples, t.share, ""],
          Object.entries(data.through).map(([step, number]) => [
            stepTitle(step),
            number,
            total ? percent(number / total) : "–",
            bar(number, total, `${stepTitle(step)}: ${count(number)}`),
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

/** Samples that could not be prepared, with the reasons. */
function stuckCard(stuck) {
  const t = words.funnel,
    more = stuck.length - MOST_STUCK;
  return h(
    "section",
    { class: "card stuck" },
    h("h2", null, t.stuck),
    h("p", { class: "soft" }, t.stuckWhy),
    table(
      t.stuck,
      [t.sample, t.why],
      stuck
        .slice(0, MOST_STUCK)
        .map(({ id, words: why }) => [h("a", { href: `#work/${encodeURIComponent(id)}` }, foreign(id)), foreign(why)]),
    ),
    more > 0 ? h("p", { class: "soft" }, t.stuckMore(more)) : "",
  );
}
