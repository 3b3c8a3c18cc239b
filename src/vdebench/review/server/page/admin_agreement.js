/* How far people agree, per scale, of the pilot and of the pool, and over time. */

import { api } from "./api.js";
import { choose, field, h, s, table } from "./elements.js";
import { words } from "./words_admin.js";

const INKS = ["group-1", "group-2", "group-3", "group-4"];
let chosen = "pool";

export async function agreementPart(app, again) {
  const t = words.agreement,
    told = await api.get(`/api/admin/agreement?of=${chosen}`);
  const scales = Object.entries(told.scales || {});
  const number = (value, digits = 3) => (typeof value === "number" ? value.toFixed(digits) : "–");
  const rows = scales.map(([scale, found], index) => [
    h("span", null, h("span", { class: `ink ${INKS[index]}` }), scale),
    h("span", { title: found.reason || "" }, number(found.alpha)),
    found.low === null ? "–" : `${number(found.low)} – ${number(found.high)}`,
    number(found.fleiss),
    typeof found.percent === "number" ? `${(100 * found.percent).toFixed(1)} %` : "–",
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
        choose(
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
  const points = scales.map(([scale, found]) => [scale, found.day.filter((day) => typeof day.alpha === "number")]);
  if (days.length < 2 || points.every(([, found]) => !found.length)) return h("p", { class: "soft" }, t.timeNone);
  const wide = 720,
    high = 240,
    left = 40,
    bottom = 24,
    least = Math.min(0, ...points.flatMap(([, found]) => found.map((day) => day.low ?? day.alpha)));
  const x = (day) => left + 16 + (days.indexOf(day) * (wide - left - 32)) / Math.max(1, days.length - 1);
  const y = (value) => 10 + ((1 - Math.max(value, least)) * (high - bottom - 10)) / (1 - least);
  const ticks = [0, 0.25, 0.5, 0.75, 1].concat(least < -0.1 ? [least] : []);
  const few = days.length > 8 ? days.filter((_, index) => index % Math.ceil(days.length / 8) === 0) : days;
  return h(
    "div",
    { class: "scroll" },
    s(
      "svg",
      { class: "course", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": t.time },
      ticks.map((tick) => [
        s("line", { class: "grid", x1: left, x2: wide, y1: y(tick), y2: y(tick) }),
        s("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(2)),
      ]),
      few.map((day) => s("text", { x: x(day), y: high - 6, "text-anchor": "middle" }, day)),
      points.map(([scale, found], index) =>
        s(
          "g",
          { class: INKS[index] },
          s("title", null, t.chart(scale)),
          s("polyline", { points: found.map((day) => `${x(day.window)},${y(day.alpha)}`).join(" ") }),
          found.map((day) => [
            typeof day.low === "number"
              ? s("line", {
                  x1: x(day.window) + 3 * index,
                  x2: x(day.window) + 3 * index,
                  y1: y(day.low),
                  y2: y(day.high),
                })
              : null,
            s("circle", { cx: x(day.window), cy: y(day.alpha), r: 4 }),
          ]),
        ),
      ),
    ),
  );
}
