/* Conflict: what the groups drew, by round and in colours; an adjudicator decides. */

import { around, fault, touching } from "./boxes.js";
import { boxPanel } from "./box_panel.js";
import { Drawing } from "./drawing.js";
import { button, field, h } from "./elements.js";
import { agreement, pairIou } from "./matching.js";
import { colour, drawBox, drawLabels } from "./painting.js";
import { verdictSet } from "./verdict.js";
import { words } from "./words.js";

/** The boxes of every round, by group: [{round, groups: {"1": boxes}}, …]. */
export function drawnByRound(sample) {
  const rounds = new Map();
  for (const vote of sample.votes) {
    if (vote.kind !== "drawn") continue;
    if (!rounds.has(vote.round)) rounds.set(vote.round, { round: vote.round, groups: {} });
    rounds.get(vote.round).groups[vote.group] = vote.boxes;
  }
  return [...rounds.values()].sort((a, b) => a.round - b.round);
}

export const groupColour = (groups, group) => colour(`group-${(groups.indexOf(group) % 6) + 1}`);

/** The pairs of groups in a round with their IoU: [[one, other, value], …]. */
export function pairs({ groups }) {
  const names = Object.keys(groups);
  return names.flatMap((one, index) =>
    names.slice(index + 1).map((other) => [one, other, pairIou(groups[one], groups[other])]),
  );
}

/** A heading for a round: the agreement, the pairs, and the groups in their colours. */
export function roundCaption(round, options) {
  const t = words.conflict,
    sets = Object.values(round.groups),
    numbers = new Set(sets.map((boxes) => boxes.length));
  return h(
    "span",
    { class: "round-caption" },
    h("b", null, t.round(round.round)),
    ` ${t.agreement(agreement(sets).toFixed(3))}`,
    numbers.size > 1 ? ` (${t.numbers})` : null,
    pairs(round).map(([one, other, value]) =>
      h(
        "span",
        { class: `pair ${value > options.agreement ? "good" : "bad"}` },
        `${t.pair(one, other)} ${value.toFixed(3)}`,
      ),
    ),
  );
}

/** Panes for the stage, one of every round. */
export function roundPanes(sample, options) {
  return drawnByRound(sample).map((round) => ({
    id: `round-${round.round}`,
    round,
    title: words.conflict.round(round.round),
    caption: roundCaption(round, options),
  }));
}

/** Paints the groups' boxes on the panes of the rounds; in other panes those of the last round. */
export function roundsPainter(sample, options) {
  const last = drawnByRound(sample).at(-1),
    known = new Map();
  const regionsOf = (round) => {
    if (!known.has(round.round)) known.set(round.round, touching(Object.values(round.groups).flat()));
    return known.get(round.round);
  };
  return (context, place) => {
    const round = place.pane.round || (place.pane.id === "own" ? null : last);
    if (!round) return;
    const drawn = options.groups.map((group) => round.groups[group] || []);
    drawn.forEach((boxes, index) =>
      boxes.forEach((box) =>
        drawBox(context, box, place, {
          ink: groupColour(options.groups, options.groups[index]),
          line: 2,
          dash: index ? [9 - 2 * index, 3 + index] : [],
        }),
      ),
    );
    for (const region of regionsOf(round)) {
      const there = options.groups.filter((_, index) => drawn[index].some((box) => region.includes(box)));
      const labels = there.map((group) => [group, groupColour(options.groups, group)]);
      drawLabels(context, labels, around(region), place);
    }
  };
}

export function conflictStep({ sample, me, stage, draft, save, send, say }) {
  const t = words.conflict,
    given = { verdict: "", note: "", boxes: [], ...draft },
    rounds = drawnByRound(sample);
  const keep = () => save(given);
  let drawing = null;
  const panel = boxPanel(() => drawing);
  drawing = new Drawing(stage.viewer, given.boxes, {
    shows: (pane) => !pane.round,
    changed: (boxes) => {
      if (!drawing) return;
      if (boxes !== given.boxes && boxes.length && given.verdict !== "boxes") {
        given.verdict = "boxes";
        verdict.set("boxes");
      }
      given.boxes = boxes;
      keep();
      panel.update();
    },
  });
  const verdict = verdictSet(
    "conflict",
    [
      ["boxes", t.verdicts.boxes, "Y", "good"],
      ["again", t.verdicts.again, "A", ""],
      ["reject", t.verdicts.reject, "N", "bad"],
    ],
    given.verdict,
    (value) => {
      given.verdict = value;
      keep();
    },
  );
  const note = h("textarea", {
    rows: "2",
    maxlength: "20000",
    value: given.note,
    oninput: () => {
      given.note = note.value;
      keep();
    },
  });
  const painter = roundsPainter(sample, me.options);
  stage.viewer.painters.unshift(painter);
  panel.update();
  const drawn = rounds.flatMap((round) => Object.values(round.groups).flat());
  const look = () => {
    if (drawn.length) stage.viewer.lookAt(around(drawn), 0.5);
    return drawn.length > 0;
  };
  look();
  const take = (round, group) => {
    drawing.set(round.groups[group], 0);
  };
  return {
    title: words.steps.conflict,
    help: [...t.keys, ...words.boxes.keys],
    draws: true,
    drawing,
    verdict: verdict.element,
    element: h(
      "div",
      { class: "step" },
      h("p", { class: "why" }, t.why),
      rounds.length ? null : h("p", { class: "soft" }, t.empty),
      rounds.map((round) =>
        h(
          "section",
          { class: "round" },
          roundCaption(round, me.options),
          h(
            "div",
            { class: "row tight" },
            Object.keys(round.groups).map((group) => groupButton(round, group, me, take)),
          ),
        ),
      ),
      panel.element,
      h("p", { class: "soft" }, `${t.verdicts.again}: ${t.again}.`),
      field(words.also.note, note),
    ),
    focus: () => stage.element.focus({ preventScroll: true, focusVisible: false }),
    key(event, name) {
      const chosen = { y: "boxes", a: "again", n: "reject" }[name];
      if (chosen) verdict.choose(chosen);
      else return drawing.key(event, name) || (name === "x" && look());
      return true;
    },
    close() {
      drawing.close();
      stage.viewer.painters = stage.viewer.painters.filter((other) => other !== painter);
    },
    send() {
      if (!given.verdict) return say(t.missing, "warn");
      const wrong = given.verdict === "boxes" && fault(drawing.boxes);
      if (wrong) return say(words.boxes.faults[wrong], "warn");
      if (given.verdict === "reject" && !given.note.trim()) return say(t.noteMissing, "warn");
      const boxes = given.verdict === "boxes" ? drawing.boxes : [];
      return send(
        {
          kind: "adjudicate",
          sample: sample.sample,
          round: sample.round,
          verdict: given.verdict,
          boxes,
          note: given.note.trim(),
        },
        t.verdicts[given.verdict],
      );
    },
  };
}

function groupButton(round, group, me, take) {
  const dot = h("span", { class: "dot" });
  dot.style.background = groupColour(me.options.groups, group);
  return button([dot, " ", words.conflict.take(group)], () => take(round, group), {
    title: words.conflict.takeTitle(group, round.round),
  });
}
