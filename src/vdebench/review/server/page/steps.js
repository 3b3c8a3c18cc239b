/* Which step is shown for a sample. */

import { boxesStep } from "./step_boxes.js";
import { conflictStep, roundPanes } from "./step_conflict.js";
import { ocrStep } from "./step_ocr.js";
import { otherStep, preparingStep } from "./step_other.js";
import { scoreStep } from "./step_score.js";
import { screenStep } from "./step_screen.js";

const STEPS = {
  pilot: scoreStep,
  score: scoreStep,
  boxes: boxesStep,
  screen: screenStep,
  ocr: ocrStep,
  conflict: conflictStep,
};

/** What stands beside the page before: after or reference; and panes of the rounds, where those are to be compared. */
export function picturesFor(sample, me) {
  const made = ["screen", "ocr", "passed", "rejected", "withdrawn"].includes(sample.step) && sample.boxes.length;
  if (made && sample.images.reference && sample.ready) return ["reference", null];
  const drawn = sample.votes.some((vote) => vote.kind === "drawn");
  const compared = drawn && (sample.step === "conflict" || me.role !== "annotator");
  return ["after", compared ? roundPanes(sample, me.options) : null];
}

/** A function that makes it; what it makes has `element`, `key(event, name)`, `close()`, and `send()` where it asks. */
export function stepFor(sample) {
  if (!sample.asked) return otherStep;
  return sample.ready === false ? preparingStep : STEPS[sample.step] || otherStep;
}
