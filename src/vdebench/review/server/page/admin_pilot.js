/* The pilot: start, end and progress. */

import { api } from "./api.js";
import { bar, button, field, h } from "./widgets.js";
import { words } from "./words_admin.js";

const USUAL = 50;

/** Choose `number` items, spread evenly. */
export function spread(ids, number) {
  const wanted = Math.max(0, Math.min(Math.floor(number), ids.length));
  return Array.from({ length: wanted }, (_, index) => ids[Math.floor((index * ids.length) / wanted)]);
}

export async function pilotPart(app, again) {
  const t = words.pilot;
  await app.counts();
  const { pilot } = app.me,
    heading = [h("h1", null, words.admin.parts.pilot), h("p", { class: "soft" }, t.why)];
  if (pilot.open) {
    const { pilot: counts } = await api.get("/api/progress");
    return [
      ...heading,
      h(
        "section",
        { class: "card" },
        h("p", null, h("strong", null, t.open(pilot.round, pilot.samples))),
        h(
          "p",
          null,
          bar(counts.done, counts.done + counts.waiting, t.progress(counts.done, counts.waiting)),
          " ",
          t.progress(counts.done, counts.waiting),
        ),
        h(
          "div",
          null,
          button(t.end, () => end(app, again), { class: "main" }),
        ),
      ),
    ];
  }
  const { ids } = await api.get("/api/samples?which=unvoted");
  const number = h("input", {
    type: "number",
    min: "1",
    max: `${Math.max(1, ids.length)}`,
    value: `${Math.min(USUAL, ids.length)}`,
    class: "short",
    required: true,
    oninput: () => {
      chosen.textContent = t.chosen(spread(ids, Number(number.value)).length, ids.length);
    },
  });
  const chosen = h("span", null, t.chosen(Math.min(USUAL, ids.length), ids.length));
  return [
    ...heading,
    h(
      "section",
      { class: "card" },
      h("p", null, h("strong", null, t.none)),
      ids.length
        ? h(
            "form",
            {
              class: "row form",
              onsubmit(event) {
                event.preventDefault();
                begin(app, spread(ids, Number(number.value)), again);
              },
            },
            field(t.number, number, chosen),
            h("button", { class: "main", type: "submit" }, t.start),
          )
        : h("p", { class: "soft" }, t.tooFew),
    ),
  ];
}

async function begin(app, samples, again) {
  const { answer } = await app.outbox.ask({ kind: "start_pilot", samples });
  if (answer) {
    app.say(words.pilot.started, "good");
    again();
  }
}

async function end(app, again) {
  if (!confirm(words.pilot.endAsk)) return;
  const { answer } = await app.outbox.ask({ kind: "end_pilot" });
  if (answer) {
    app.say(words.pilot.ended, "good");
    again();
  }
}
