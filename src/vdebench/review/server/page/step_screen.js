/* Screening: the reference image next to the original; yes or no. Any step with a `yes` field can use it. */

import { lookAtBoxes, outline } from "./agreed_boxes.js";
import { field, h } from "./widgets.js";
import { words } from "./words.js";
import { verdictSet } from "./verdict.js";

export function widget({ step, sample, me, stage, draft, save, send, say }) {
  const t = words.screen,
    given = { yes: null, note: "", ...draft };
  const keep = () => save(given);
  const verdict = verdictSet(
    step.name,
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
    title: step.title,
    help: t.keys,
    verdict: verdict.element,
    element: h(
      "div",
      { class: "step" },
      h("p", { class: "why" }, step.hint),
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
        kind: step.command,
        sample: sample.sample,
        round: sample.round,
        group: me.group,
        yes: given.yes,
        note: given.note.trim(),
      };
      return send(command, `${step.title}: ${given.yes ? t.yes : t.no}`);
    },
  };
}
