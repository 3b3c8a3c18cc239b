/* The agreed boxes of a sample on the stage. */

import { around } from "./boxes.js";
import { colour, drawBox } from "./painting.js";

/** Zoom in on the agreed boxes with some margin; return false if there are none. */
export function lookAtBoxes(stage, { boxes }) {
  if (boxes.length) stage.viewer.lookAt(around(boxes), 0.5);
  return boxes.length > 0;
}

/** Draw the agreed boxes as thin lines; return a function that removes them. */
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
