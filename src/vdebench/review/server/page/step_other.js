/* A sample of which nothing is asked now, or that is not ready yet. */

import { h } from "./elements.js";
import { roundsPainter } from "./step_conflict.js";
import { lookAtBoxes, outline } from "./step_screen.js";
import { words } from "./words.js";

export function otherStep({ sample, me, stage }) {
  const t = words.sample,
    final = t.finals[sample.step];
  const mine = sample.votes.some((vote) => vote.who === me.name && vote.round === sample.round);
  const removers = [];
  if (sample.boxes.length) removers.push(outline(stage, sample, true));
  else if (sample.votes.some((vote) => vote.kind === "drawn")) {
    const painter = roundsPainter(sample, me.options);
    stage.viewer.painters.unshift(painter);
    removers.push(() => {
      stage.viewer.painters = stage.viewer.painters.filter((other) => other !== painter);
    });
  }
  return {
    title: words.steps[sample.step],
    help: [],
    element: h(
      "div",
      { class: "step" },
      h("p", { class: "state" }, final || (mine ? t.yourVoteIn : t.groupVoteIn)),
      final || mine || me.role !== "annotator" ? null : h("p", { class: "soft" }, t.groupVoteMore),
      sample.readings?.length
        ? h(
            "ol",
            { class: "readings" },
            sample.readings.map((text) => h("li", { class: "letters", dir: "auto" }, text || words.ocr.empty)),
          )
        : null,
    ),
    focus: () => stage.element.focus({ preventScroll: true, focusVisible: false }),
    key: (event, name) => name === "x" && lookAtBoxes(stage, sample),
    close: () => removers.forEach((remove) => remove()),
  };
}

export function preparingStep({ sample, stage }) {
  return {
    title: words.steps[sample.step],
    help: [],
    preparing: true,
    element: h(
      "div",
      { class: "step preparing", role: "status" },
      h("p", { class: "state" }, h("span", { class: "spinner", "aria-hidden": "true" }), words.sample.preparing),
      h("p", { class: "soft" }, sample.step === "ocr" ? words.sample.preparingOcr : words.sample.preparingScreen),
    ),
    focus: () => stage.element.focus({ preventScroll: true, focusVisible: false }),
    key: () => false,
    close() {},
  };
}
