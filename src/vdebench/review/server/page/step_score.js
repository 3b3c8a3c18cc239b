/* Pilot and score: three scales, 1 to 3. */

import { h } from "./widgets.js";
import { words } from "./words.js";

const SCALES = ["compliance", "authenticity", "satisfaction"];

export function widget({ step, sample, me, stage, draft, save, send, say }) {
  const pilot = step.voters === "member",
    given = { ...(draft?.ratings || {}) };
  let current = SCALES.findIndex((scale) => !given[scale]);
  if (current < 0) current = 0;
  const total = h("output", { class: "total", "aria-live": "polite" });
  const sets = SCALES.map((scale, index) =>
    scaleSet(
      scale,
      given[scale],
      (value) => give(index, value),
      () => point(index),
    ),
  );

  function give(index, value) {
    given[SCALES[index]] = value;
    sets[index].inputs[value - 1].checked = true;
    save({ ratings: given });
    tell();
  }
  function point(index) {
    current = index;
    sets.forEach((set, other) => set.element.classList.toggle("current", other === index));
  }
  function press(value) {
    give(current, value);
    if (current < SCALES.length - 1) point(current + 1);
    const set = sets[current];
    if (document.activeElement?.closest(".scale")) (set.inputs.find((input) => input.checked) || set.inputs[0]).focus();
  }
  function tell() {
    const values = SCALES.map((scale) => given[scale]).filter(Boolean),
      sum = values.reduce((a, b) => a + b, 0);
    total.textContent = values.length ? `${sum}` : "–";
    total.classList.toggle("enough", values.length === 3 && sum >= me.options.needed_total);
  }
  point(current);
  tell();
  return {
    title: words.score.keysTitle,
    help: words.score.keys,
    digits: true,
    element: h(
      "div",
      { class: "step score" },
      pilot ? h("p", { class: "why" }, step.hint) : null,
      sets.map((set) => set.element),
      h(
        "p",
        { class: "total-row" },
        h("span", null, words.score.total),
        total,
        pilot ? null : h("small", null, words.score.goesOn(me.options.needed_total)),
      ),
    ),
    focus: () => stage.element.focus({ preventScroll: true, focusVisible: false }),
    /** Select the next scale; false after the last, so that Tab moves the focus. */
    tab(back) {
      const next = current + (back ? -1 : 1);
      if (next < 0 || next >= SCALES.length) return false;
      point(next);
      return true;
    },
    key(event, name) {
      if (["1", "2", "3"].includes(name)) press(Number(name));
      else if (name === "x") stage.lookAtChange() || say(words.score.alike);
      else return false;
      return true;
    },
    send() {
      if (SCALES.some((scale) => !given[scale])) return say(words.score.missing, "warn");
      const ratings = Object.fromEntries(SCALES.map((scale) => [scale, given[scale]]));
      const about = { sample: sample.sample, round: sample.round, ratings };
      return send(
        { kind: step.command, ...about, ...(pilot ? {} : { group: me.group }) },
        `${step.title} ${SCALES.map((scale) => given[scale]).join(" + ")}`,
      );
    },
  };
}

function scaleSet(scale, value, given, focused) {
  const [title, why] = words.score.scales[scale];
  const inputs = [1, 2, 3].map((mark) =>
    h("input", {
      type: "radio",
      name: `scale-${scale}`,
      value: `${mark}`,
      checked: value === mark,
      onchange: () => given(mark),
    }),
  );
  const element = h(
    "fieldset",
    { class: "scale", onfocusin: focused, onpointerdown: focused },
    h("legend", null, title),
    h("p", { class: "why" }, why),
    h(
      "div",
      { class: "marks" },
      inputs.map((input, index) =>
        h(
          "label",
          null,
          input,
          h("span", null, h("b", null, `${index + 1}`), h("small", null, words.score.marks[index + 1])),
        ),
      ),
    ),
  );
  return { element, inputs };
}
