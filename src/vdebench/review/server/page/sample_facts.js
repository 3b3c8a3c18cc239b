/* Facts about a sample: instruction, votes, source. */

import { day, foreign, h } from "./widgets.js";
import { highlighted } from "./letters.js";
import { stepOf, stepTitle } from "./steps.js";
import { words } from "./words.js";

/** The instruction with target and replacement highlighted; those that it does not quote are listed below. */
export function instruction(about) {
  const { instruction: text = "", target = "", replacement = "" } = about || {};
  const parts = highlighted(text, target, replacement),
    seen = new Set(parts.map(([kind]) => kind));
  const line = h(
    "p",
    { class: "instruction", dir: "auto" },
    text
      ? parts.map(([kind, part]) =>
          kind === "plain" ? part : h("mark", { class: kind, title: words.sample[kind] }, h("bdi", null, part)),
        )
      : words.sample.none,
  );
  const rest = [
    ["target", target],
    ["replacement", replacement],
  ].filter(([kind, value]) => value && !seen.has(kind));
  return h(
    "header",
    { class: "asks" },
    line,
    rest.length
      ? h(
          "p",
          { class: "asks-more" },
          rest.map(([kind, value]) =>
            h("span", null, `${words.sample[kind]}: `, h("mark", { class: kind }, foreign(value)), " "),
          ),
        )
      : null,
  );
}

/** The source of a sample; annotators do not see the editor. */
export function details(sample, me) {
  const t = words.sample,
    about = sample.about || {};
  const rows = [
    [t.id, sample.sample],
    [t.size, `${sample.width} × ${sample.height}`],
    [t.document, about.document],
    [t.operation, about.operation],
    [t.language, about.language],
  ];
  if (me.role !== "annotator") rows.push([t.editor, about.editor]);
  return h(
    "details",
    { class: "facts" },
    h("summary", null, t.details),
    h(
      "dl",
      null,
      rows.filter(([, value]) => value).map(([name, value]) => [h("dt", null, name), h("dd", null, foreign(value))]),
    ),
  );
}

/** The votes that the member may see. */
export function said(sample) {
  const t = words.sample;
  if (!sample.votes.length && !sample.outcomes.length) return null;
  const votes = sample.votes.map((vote) =>
    h(
      "li",
      null,
      h("b", null, stepTitle(stepOf(vote.kind))),
      " ",
      foreign(summary(vote)),
      h("div", { class: "soft" }, foreign(t.by(vote.who, vote.group, vote.round)), ` · ${day(vote.when)}`),
      vote.note ? foreign(vote.note, { class: "foreign note" }) : null,
    ),
  );
  const ends = sample.outcomes.map((end) =>
    h(
      "li",
      { class: "end-of-step" },
      h("b", null, stepTitle(end.step)),
      ` → ${end.outcome}`,
      end.reason ? ` (${end.reason})` : null,
      typeof end.agreement === "number" ? ` ${end.agreement.toFixed(3)}` : null,
      end.words ? foreign(end.words, { class: "foreign note" }) : null,
    ),
  );
  return h(
    "details",
    { class: "facts", open: true },
    h("summary", null, t.votes),
    h("ul", { class: "votes" }, votes, ends),
  );
}

function summary(vote) {
  const t = words.sample;
  if (vote.ratings) {
    const values = Object.values(vote.ratings);
    return `${values.join(" + ")}, ${t.total(values.reduce((a, b) => a + b, 0))}`;
  }
  if (typeof vote.yes === "boolean") return vote.yes ? t.yes : t.no;
  if (vote.boxes && !vote.verdict) return t.boxes(vote.boxes.length);
  return `${vote.verdict || ""} ${(vote.texts || []).join(" / ")}`.trim();
}
