/* The keys of the review view: first the step, then the images, then the samples. */

import { FIELDS, listen } from "./keys.js";
import { words } from "./words.js";

/** Listen for a view; returns a function that stops. */
export function workKeys(work) {
  const { stage, panel } = work;
  const stops = [
    listen({
      title: words.stage.keysTitle,
      help: words.stage.keys,
      handle: (event, name) => stageKey(work, event, name),
    }),
    listen({
      title: words.navKeys.title,
      help: words.navKeys.rows,
      handle: (event, name) => work.navigation.key(name, !work.step?.draws && !work.marks?.drawing),
    }),
  ];
  stage.element.addEventListener("keydown", (event) => {
    const inside = work.marks?.drawing || work.step?.drawing || (work.step?.tab && work.step);
    if (event.key !== "Tab" || !inside || event.target !== stage.element) return;
    if (inside.tab(event.shiftKey)) event.preventDefault();
  });
  work.element.addEventListener("click", (event) => leave(work, event));
  panel.element.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.matches("textarea, input")) stage.element.focus();
  });
  return () => stops.forEach((stop) => stop());
}

/** Blur buttons after a click: Enter, Space and arrows apply to the sample. */
function leave(work, event) {
  const pressed = event.detail > 0 && event.target.closest("button, summary, input[type=radio]");
  if (pressed && !document.activeElement?.matches(FIELDS)) work.focus();
}

function stageKey({ stage, step, marks, sample }, event, name) {
  if (!sample) return false;
  if (stage.key(event, name, !step?.digits)) return true;
  const free = step?.draws || marks?.drawing || name === "ArrowUp" || name === "ArrowDown";
  return Boolean(free) && stage.arrow(name);
}

/** Listen for the keys of a step and its marks; returns a function that stops. */
export function stepKeys(step, marks, panel) {
  return listen({
    title: step.title,
    help: [...step.help, ...(marks.open ? words.marks.keys : [])],
    handle(event, name) {
      if (marks.key(event, name) || (!panel.locked && step.key(event, name))) return true;
      if (!step.send || (name !== "Enter" && name !== "Ctrl+Enter")) return false;
      panel.send();
      return true;
    },
  });
}
