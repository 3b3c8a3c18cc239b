/* Agreement per scale, of the pilot or the pool, and over time. */

import { api } from "./api.js";
import { field, figures, h, number, percent, select, table } from "./widgets.js";
import { words } from "./words_admin.js";

let chosen = "pool";

export async function agreementPart(app, again) {
  const t = words.agreement,
    data = await api.get(`/api/admin/agreement?of=${chosen}`);
  const scales = Object.entries(data.scales || {});
  const rows = scales.map(([scale, found], index) => [
    h("span", null, h("span", { class: `ink k${index}` }), scale),
    h("span", { title: found.reason || "" }, number(found.alpha)),
    found.low === null ? "–" : `${number(found.low)} – ${number(found.high)}`,
    number(found.fleiss),
    percent(found.percent),
    found.units,
    found.dropped,
  ]);
  const reasons = [...new Set(scales.map(([, found]) => found.reason).filter(Boolean))];
  return [
    h("h1", null, t.title),
    h(
      "div",
      { class: "row form" },
      field(
        t.of,
        select(
          [
            ["pilot", t.pilot],
            ["pool", t.pool],
          ],
          chosen,
          (of) => {
            chosen = of;
            again();
          },
        ),
      ),
    ),
    h(
      "section",
      { class: "card" },
      scales.length
        ? table(t.title, [t.scale, t.alpha, t.interval, t.fleiss, t.percent, t.units, t.dropped], rows)
        : h("p", { class: "soft" }, t.none),
      reasons.map((reason) => h("p", { class: "soft" }, reason)),
      h("p", { class: "soft" }, t.why),
    ),
    scales.length ? h("section", { class: "card" }, h("h2", null, t.time), course(scales)) : null,
  ];
}

/** Alpha by day with its interval, one line per scale. */
function course(scales) {
  const t = words.agreement,
    days = [...new Set(scales.flatMap(([, found]) => found.day.map((day) => day.window)))].sort();
  const series = scales.map(([scale, found], kind) => ({
    kind,
    title: t.chart(scale),
    points: found.day
      .filter((day) => typeof day.alpha === "number")
      .map(({ window: x, alpha: value, low, high }) => ({ x, value, low, high })),
  }));
  if (days.length < 2 || series.every(({ points }) => !points.length)) return h("p", { class: "soft" }, t.timeNone);
  return h("div", { class: "scroll" }, figures.course(days, series, t.time));
}
