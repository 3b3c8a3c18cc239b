/* Conflict: the boxes of all rounds in the groups' colours; an adjudicator decides. */

import { around, fault } from "./boxes.js";
import { boxPanel } from "./box_panel.js";
import { Drawing } from "./drawing.js";
import { button, field, h } from "./widgets.js";
import { drawnByRound, groupColour, roundCaption, roundsPainter } from "./rounds.js";
import { verdictSet } from "./verdict.js";
import { words } from "./words.js";

export function widget({ step, sample, me, stage, draft, save, send, say }) {
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
    title: step.title,
    help: [...t.keys, ...words.boxes.keys],
    draws: true,
    drawing,
    verdict: verdict.element,
    element: h(
      "div",
      { class: "step" },
      h("p", { class: "why" }, step.hint),
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
          kind: step.command,
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
