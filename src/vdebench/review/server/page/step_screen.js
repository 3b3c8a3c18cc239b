/* Screening: the finished page beside the original, yes or no. */

import { around } from "./boxes.js";
import { field, h } from "./elements.js";
import { colour, drawBox } from "./painting.js";
import { words } from "./words.js";
import { verdictSet } from "./verdict.js";

export function screenStep({ sample, me, stage, draft, save, send, say }) {
  const t = words.screen,
    given = { yes: null, note: "", ...draft };
  const keep = () => save(given);
  const verdict = verdictSet(
    "screen",
    [
      ["yes", t.yes, "Y", "good"],
      ["no", t.no, "N", "bad"],
    ],
    given.yes === null ? "" : given.yes ? "yes" : "no",
    (value) => {
      given.yes = value === "yes";
      keep();
    },
  );
  const note = h("textarea", {
    rows: "3",
    maxlength: "20000",
    value: given.note,
    oninput: () => {
      given.note = note.value;
      keep();
    },
  });
  const remove = outline(stage, sample);
  lookAtBoxes(stage, sample);
  return {
    title: t.keysTitle,
    help: t.keys,
    verdict: verdict.element,
    element: h(
      "div",
      { class: "step" },
      h("p", { class: "why" }, t.why),
      field(`${t.note} (${words.also.optional})`, note),
    ),
    focus: () => stage.element.focus({ preventScroll: true, focusVisible: false }),
    key(event, name) {
      if (name === "y") verdict.choose("yes");
      else if (name === "n") verdict.choose("no");
      else return name === "x" && lookAtBoxes(stage, sample);
      return true;
    },
    close: remove,
    send() {
      if (given.yes === null) return say(t.missing, "warn");
      const command = {
        kind: "screen",
        sample: sample.sample,
        round: sample.round,
        group: me.group,
        yes: given.yes,
        note: given.note.trim(),
      };
      return send(command, `${words.steps.screen}: ${given.yes ? t.yes : t.no}`);
    },
  };
}

/** See the agreed boxes from near, with some of the page around them; false where there are none. */
export function lookAtBoxes(stage, { boxes }) {
  if (boxes.length) stage.viewer.lookAt(around(boxes), 0.5);
  return boxes.length > 0;
}

/** The agreed boxes as thin lines; the function takes them away. */
export function outline(stage, sample, labels = false) {
  const painter = (context, place) =>
    sample.boxes.forEach((box, index) =>
      drawBox(context, box, place, {
        ink: colour("box"),
        line: 1,
        dash: [5, 4],
        label: labels && sample.boxes.length > 1 ? `${index + 1}` : "",
      }),
    );
  stage.viewer.painters.push(painter);
  stage.viewer.redraw(false);
  return () => {
    stage.viewer.painters = stage.viewer.painters.filter((other) => other !== painter);
  };
}
