/* Parts of the page. The shared helpers come from vdebench/report/web/elements.js, which index.html loads first. */

export const { h, s, select, number, percent, count, plural, storage, figures } = Vde;

/** Text that a user or a file supplies: it may be right-to-left, and must not reorder the text around it. */
export const foreign = (text, attributes) =>
  h("bdi", { dir: "auto", class: "foreign", ...attributes }, `${text ?? ""}`);

export function button(label, run, attributes = {}) {
  const { key, ...rest } = attributes;
  return h("button", { type: "button", onclick: run, ...rest }, label, key ? [" ", h("kbd", null, key)] : null);
}

const SHAPES = {
  first: "M4 4v12M16 4 7 10l9 6z",
  previous: "M14 4 5 10l9 6z",
  next: "m6 4 9 6-9 6z",
  last: "M16 4v12M4 4l9 6-9 6z",
  look: "M10 2v5M10 13v5M2 10h5M13 10h5M10 5a5 5 0 1 0 0 10a5 5 0 1 0 0-10z",
  remove: "m5 5 10 10M15 5 5 15",
};

/** An icon drawn as SVG: fonts may lack it. */
export const sign = (name) =>
  s("svg", { class: `sign ${name}`, viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d: SHAPES[name] }));

let fields = 0;

export function field(label, input, hint) {
  input.id ||= `field-${++fields}`;
  if (hint) input.setAttribute("aria-describedby", `${input.id}-hint`);
  return h(
    "div",
    { class: "field" },
    h("label", { for: input.id }, label),
    input,
    hint ? h("small", { id: `${input.id}-hint` }, hint) : null,
  );
}

/** A table with a caption for screen readers and a row of heads; cells are text or elements. */
export function table(caption, heads, rows, attributes) {
  const numbers = heads.map((_, index) => rows.some((row) => typeof row[index] === "number"));
  return h(
    "div",
    { class: "scroll" },
    h(
      "table",
      attributes,
      h("caption", { class: "unseen" }, caption),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          heads.map((head, index) => h("th", { scope: "col", class: numbers[index] && "number" }, head)),
        ),
      ),
      h(
        "tbody",
        null,
        rows.map((row) =>
          h(
            "tr",
            null,
            row.map((cell, index) =>
              index
                ? h(
                    "td",
                    typeof cell === "number" ? { class: "number" } : null,
                    typeof cell === "number" ? count(cell) : cell,
                  )
                : h("th", { scope: "row" }, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

/** A share of a total as a bar. */
export function bar(part, whole, label) {
  const inner = h("span", { class: "bar-part" });
  inner.style.width = `${whole ? Math.min(100, (100 * part) / whole) : 0}%`;
  return h("span", { class: "bar-whole", role: "img", "aria-label": label }, inner);
}

export function clock(moment) {
  const when = new Date(moment);
  return Number.isNaN(when.getTime()) ? "" : when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

export function day(moment) {
  const when = new Date(moment);
  if (!moment || Number.isNaN(when.getTime())) return "";
  return when.toLocaleString([], {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
}
