/* Which step is shown for a sample. */

import { boxesStep } from "./step_boxes.js";
import { conflictStep } from "./step_conflict.js";
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

/** A function that makes it; what it makes has `element`, `key(event, name)`, `close()`, and `send()` where it asks. */
export function stepFor(sample) {
  if (!sample.asked) return otherStep;
  return sample.ready === false ? preparingStep : STEPS[sample.step] || otherStep;
}
