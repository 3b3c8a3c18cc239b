/* Boxes: draw boxes around the changes. */

import { fault } from "./boxes.js";
import { Drawing } from "./drawing.js";
import { h } from "./widgets.js";
import { words } from "./words.js";
import { boxPanel } from "./box_panel.js";

export function widget({ step, sample, me, stage, draft, save, send, say }) {
  let drawing = null;
  const panel = boxPanel(() => drawing, me.options);
  drawing = new Drawing(stage.viewer, draft?.boxes || [], {
    changed: (boxes) => {
      if (drawing) {
        save({ boxes });
        panel.update();
      }
    },
  });
  panel.update();
  return {
    title: words.boxes.keysTitle,
    help: words.boxes.keys,
    draws: true,
    drawing,
    element: h(
      "div",
      { class: "step" },
      h("p", { class: "why" }, step.hint),
      panel.element,
      h("p", { class: "soft" }, words.boxes.needed(me.options.agreement)),
      sample.agreements.length
        ? h(
            "p",
            { class: "soft" },
            words.sample.agreements(sample.agreements.map((value) => value.toFixed(3)).join(", ")),
          )
        : null,
    ),
    focus: () => stage.element.focus({ preventScroll: true, focusVisible: false }),
    key: (event, name) => drawing.key(event, name),
    close: () => drawing.close(),
    send() {
      const wrong = fault(drawing.boxes);
      if (wrong) return say(words.boxes.faults[wrong], "warn");
      return send(
        { kind: step.command, sample: sample.sample, round: sample.round, group: me.group, boxes: drawing.boxes },
        words.sample.boxes(drawing.boxes.length),
      );
    },
  };
}
