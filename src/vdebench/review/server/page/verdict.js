/* A choice of a few answers: large radio buttons. */

import { h } from "./widgets.js";

/** `answers` are [value, label, key, class]; calls `chosen(value)`. */
export function verdictSet(name, answers, value, chosen) {
  const inputs = answers.map(([answer]) =>
    h("input", {
      type: "radio",
      name: `verdict-${name}`,
      value: answer,
      checked: answer === value,
      onchange: () => chosen(answer),
    }),
  );
  const element = h(
    "div",
    { class: "verdicts", role: "radiogroup" },
    answers.map(([, label, key, kind], index) =>
      h("label", { class: kind }, inputs[index], h("span", null, label, " ", key ? h("kbd", null, key) : null)),
    ),
  );
  return {
    element,
    choose(answer) {
      const input = inputs.find((each) => each.value === answer);
      input.checked = true;
      chosen(answer);
    },
    /** Set the value without calling `chosen`. */
    set(answer) {
      inputs.forEach((input) => {
        input.checked = input.value === answer;
      });
    },
  };
}
