/* The steps of the review, as the server describes them (`Step.to_json`), and their widgets. */

import { drawnByRound, roundPanes } from "./rounds.js";
import { otherStep, preparingStep } from "./step_other.js";
import { words } from "./words.js";

const FINAL = ["passed", "rejected", "withdrawn"];
let workflow = [];
const widgets = new Map();

/** Store the steps and load the script of each; called once after signing in. */
export async function loadSteps(steps) {
  if (workflow.length) return;
  const scripts = [...new Set(steps.map((step) => step.widget))];
  const modules = await Promise.all(scripts.map((script) => import(`./${script}`)));
  scripts.forEach((script, index) => widgets.set(script, modules[index].widget));
  workflow = steps;
}

export const allSteps = () => workflow;
export const stepNamed = (name) => workflow.find((step) => step.name === name);
export const stepNames = () => workflow.map((step) => step.name);
export const isFinal = (name) => FINAL.includes(name);

/** The title of a step or of a final state. */
export const stepTitle = (name) => stepNamed(name)?.title || words.finalStates[name] || name;

/** The name of the step of a vote, by the kind of its event or command. */
export const stepOf = (kind) => workflow.find((step) => step.event === kind || step.command === kind)?.name;

/** The image shown next to the original: "after" or "reference". */
export function imageOf(sample) {
  const finished = (isFinal(sample.step) || stepNamed(sample.step)?.image === "reference") && sample.boxes.length;
  return finished && sample.images.reference && sample.ready ? "reference" : "after";
}

/** The image next to the original, and panes with the boxes of each round if those are to be compared. */
export function picturesFor(sample, me) {
  const image = imageOf(sample);
  const compared = drawnByRound(sample).length && (sample.step === "conflict" || me.role !== "annotator");
  return [image, image === "after" && compared ? roundPanes(sample, me.options) : null];
}

/** Create the widget for a sample: an object with `element`, `key(event, name)`, `close()`, and `send()` if the member
    can vote. A widget script exports a function `widget` with these arguments. */
export function createWidget(sample, context) {
  const step = stepNamed(sample.step);
  const voting = sample.ready === false ? preparingStep : widgets.get(step?.widget);
  const create = sample.asked && step ? voting : otherStep;
  return create({ step, title: stepTitle(sample.step), sample, ...context });
}
