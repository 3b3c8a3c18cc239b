/* The list of boxes with their coordinates, and the tolerance of the selected box. */

import { height, tolerance, typed, width } from "./boxes.js";
import { button, h, sign } from "./widgets.js";
import { words } from "./words.js";

const SIDES = ["left", "top", "right", "bottom"];

/** An element that follows a drawing; call `update()` after each change. With `options` it shows the tolerance. */
export function boxPanel(drawing, options = null) {
  const t = words.boxes,
    list = h("ol", { class: "box-list" }),
    exact = h("div", { class: "exact" });
  const undo = button(t.undo, () => drawing().undo(), { title: "Ctrl+Z" }),
    redo = button(t.redo, () => drawing().redo(), { title: "Ctrl+Y" });
  const element = h(
    "section",
    { class: "box-panel", "aria-label": t.list },
    h(
      "div",
      { class: "row tight" },
      button(t.add, () => drawing().add(), { key: "B" }),
      undo,
      redo,
    ),
    list,
    exact,
  );

  function update() {
    const now = drawing();
    if (!now) return;
    undo.disabled = !now.past.canUndo;
    redo.disabled = !now.past.canRedo;
    while (list.children.length > now.boxes.length || list.querySelector(".none")) list.lastChild.remove();
    now.boxes.forEach((box, index) => {
      if (!list.children[index]) list.append(row(drawing, index));
      list.children[index].show(box, index === now.selected);
    });
    if (!now.boxes.length) list.replaceChildren(h("li", { class: "none" }, t.none, " ", t.hint));
    tellExact(exact, now, options);
  }
  return { element, update };
}

function row(drawing, index) {
  const t = words.boxes;
  const inputs = SIDES.map((side, place) =>
    h("input", {
      type: "number",
      step: "1",
      min: "0",
      "aria-label": `${t.number(index + 1)}: ${t.sides[side]}`,
      title: t.sides[side],
      onfocus: () => {
        if (drawing().selected !== index) drawing().select(index);
      },
      onchange: () => take(place),
      "data-side": place,
    }),
  );
  const size = h("span", { class: "size" });
  const name = button(t.number(index + 1), () => drawing().select(index), { class: "plain" });
  const element = h(
    "li",
    null,
    h(
      "div",
      { class: "row tight spread" },
      name,
      size,
      h(
        "span",
        { class: "row tight" },
        button(
          sign("look"),
          () => {
            drawing().select(index);
            drawing().viewer.lookAt(drawing().boxes[index]);
          },
          { title: `${t.look} (X)`, "aria-label": t.look },
        ),
        button(
          sign("remove"),
          () => {
            drawing().select(index);
            drawing().remove();
          },
          { title: t.remove, "aria-label": `${t.remove}: ${t.number(index + 1)}` },
        ),
      ),
    ),
    h(
      "div",
      { class: "numbers" },
      inputs.map((input, place) =>
        h("label", null, h("span", { "aria-hidden": "true" }, t.sides[SIDES[place]]), input),
      ),
    ),
  );

  function take(place) {
    const now = drawing(),
      box = typed(
        inputs.map((input) => input.value),
        now.page,
      );
    inputs.forEach((input, other) => input.setCustomValidity(box || other !== place ? "" : t.wrong));
    if (box)
      now.set(
        now.boxes.map((other, at) => (at === index ? box : other)),
        index,
      );
    else inputs[place].reportValidity();
  }
  element.show = (box, selected) => {
    element.classList.toggle("selected", selected);
    name.setAttribute("aria-pressed", `${selected}`);
    inputs.forEach((input, place) => {
      if (input.value !== `${box[place]}`) input.value = box[place];
      input.setCustomValidity("");
    });
    size.textContent = t.size(width(box), height(box));
  };
  return element;
}

function tellExact(exact, now, options) {
  const t = words.boxes,
    box = now.current,
    edge = box && now.edge ? h("p", { class: "edge" }, t.edge(t.edges[now.edge])) : "";
  if (!box || !options) {
    exact.className = "exact";
    exact.replaceChildren(...[edge].filter(Boolean));
    return;
  }
  const found = tolerance(box, options.agreement, options.groups.length),
    level = found.all === 0 ? "bad" : found.all < 3 ? "warn" : "good";
  exact.className = `exact ${level}`;
  exact.replaceChildren(
    h("p", { class: "room" }, h("strong", null, t.room(found.all))),
    h(
      "p",
      null,
      t.larger((Math.floor(found.larger * 1000) / 1000).toFixed(3)),
      " ",
      h("span", { class: found.passes ? "good" : "bad" }, found.passes ? "✓" : "✗"),
    ),
    h("p", { class: "soft" }, t.roomMore(found.across, found.down)),
    found.all < 3 ? h("p", { class: "small-box" }, t.small) : "",
    edge,
  );
}
