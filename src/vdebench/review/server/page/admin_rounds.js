/* Samples in later rounds, and samples that wait for an adjudicator. */

import { around } from "./boxes.js";
import { api } from "./api.js";
import { foreign, h, table } from "./widgets.js";
import { drawBox } from "./painting.js";
import { picture } from "./pictures.js";
import { drawnByRound, groupColour, roundCaption } from "./rounds.js";
import { stepTitle } from "./steps.js";
import { words as base } from "./words.js";
import { words } from "./words_admin.js";

const SHOWN = 20,
  WIDE = 320,
  HIGH = 150,
  ROOM = 24;

const link = (id, label) => h("a", { href: `#work/${encodeURIComponent(id)}` }, label);

export async function roundsPart() {
  const t = words.rounds,
    rows = await api.get("/api/admin/rounds");
  return [
    h("h1", null, t.title),
    h("p", { class: "soft" }, t.why),
    h(
      "section",
      { class: "card" },
      rows.length
        ? table(
            t.title,
            [t.sample, t.round, t.agreements, t.step],
            rows.map((row) => [
              link(row.id, foreign(row.id)),
              row.round,
              row.agreements.map((value) => value.toFixed(3)).join(" → "),
              stepTitle(row.step),
            ]),
          )
        : h("p", { class: "soft" }, t.none),
    ),
  ];
}

export async function conflictsPart(app) {
  const t = words.conflicts,
    { ids } = await api.get("/api/conflicts");
  if (!ids.length) return [h("h1", null, t.title), h("p", { class: "soft" }, t.none)];
  const samples = await Promise.all(ids.slice(0, SHOWN).map((id) => api.sample(id)));
  return [
    h("h1", null, t.title),
    h("p", null, t.number(ids.length)),
    ...samples.map((sample) => conflict(sample, app.me.options)),
  ];
}

function conflict(sample, options) {
  const rounds = drawnByRound(sample),
    boxes = rounds.flatMap((round) => Object.values(round.groups).flat());
  return h(
    "section",
    { class: "card conflict" },
    h("h2", null, link(sample.sample, foreign(sample.sample))),
    h("p", null, foreign(sample.about?.instruction)),
    h(
      "div",
      { class: "round-crops" },
      rounds.map((round) => {
        const canvas = h("canvas", {
          class: "crop",
          width: WIDE,
          height: HIGH,
          role: "img",
          "aria-label": base.conflict.round(round.round),
        });
        picture(sample.images.after).then(
          (image) => crop(canvas, image, around(boxes), round, options, sample),
          () => {},
        );
        return h(
          "a",
          { class: "round-crop", href: `#work/${encodeURIComponent(sample.sample)}` },
          canvas,
          roundCaption(round, options),
        );
      }),
    ),
  );
}

/** A crop around the boxes of all rounds, with the boxes of one round. */
function crop(canvas, image, box, round, options, page) {
  const scale = Math.min(WIDE / (box[2] - box[0] + 2 * ROOM), HIGH / (box[3] - box[1] + 2 * ROOM), 6),
    context = canvas.getContext("2d");
  const left = WIDE / 2 - ((box[0] + box[2]) / 2) * scale,
    top = HIGH / 2 - ((box[1] + box[3]) / 2) * scale;
  context.imageSmoothingEnabled = scale < 1;
  context.drawImage(image, left, top, page.width * scale, page.height * scale);
  options.groups.forEach((group, index) =>
    (round.groups[group] || []).forEach((drawn) =>
      drawBox(
        context,
        drawn,
        { left, top, scale },
        { ink: groupColour(options.groups, group), label: group, shift: 18 * index },
      ),
    ),
  );
}
