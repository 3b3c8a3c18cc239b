/* A sample on which the member cannot vote now, or that is not ready yet. */

import { lookAtBoxes, outline } from "./agreed_boxes.js";
import { h } from "./widgets.js";
import { drawnByRound, roundsPainter } from "./rounds.js";
import { words } from "./words.js";

export function otherStep({ title, sample, me, stage }) {
  const t = words.sample,
    final = t.finals[sample.step];
  const mine = sample.votes.some((vote) => vote.who === me.name && vote.round === sample.round);
  const removers = [];
  if (sample.boxes.length) removers.push(outline(stage, sample, true));
  else if (drawnByRound(sample).length) {
    const painter = roundsPainter(sample, me.options);
    stage.viewer.painters.unshift(painter);
    removers.push(() => {
      stage.viewer.painters = stage.viewer.painters.filter((other) => other !== painter);
    });
  }
  return {
    title,
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

export function preparingStep({ step, title, stage }) {
  return {
    title,
    help: [],
    preparing: true,
    element: h(
      "div",
      { class: "step preparing", role: "status" },
      h("p", { class: "state" }, h("span", { class: "spinner", "aria-hidden": "true" }), words.sample.preparing),
      h("p", { class: "soft" }, step.needs_text ? words.sample.preparingOcr : words.sample.preparingScreen),
    ),
    focus: () => stage.element.focus({ preventScroll: true, focusVisible: false }),
    key: () => false,
    close() {},
  };
}
