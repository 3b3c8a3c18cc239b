/* The keyboard: handlers and their help. The last handler added is called first. */

import { button, h } from "./widgets.js";
import { words } from "./words.js";

const parts = [];
export const FIELDS = "input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]";
const PRESSED = "button, a[href], summary, [type=checkbox]";

/** Add a handler: `handle(event)` returns whether it handled the key. `help` has rows of [keys, description]. */
export function listen({ title, help = [], handle, inFields = false }) {
  const part = { title, help, handle, inFields };
  parts.push(part);
  return () => {
    const at = parts.indexOf(part);
    if (at >= 0) parts.splice(at, 1);
  };
}

/** The name of a key: `Ctrl+Shift+z`, `Alt+ArrowLeft`, `?`; Shift is omitted where the character implies it. */
export function named(event) {
  const letter = event.key.length === 1,
    key = letter && (event.ctrlKey || event.metaKey) ? event.key.toLowerCase() : event.key;
  const shift = event.shiftKey && (!letter || event.ctrlKey || event.metaKey);
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${key}`;
}

function typing(event) {
  return event.target.matches?.(FIELDS) ?? false;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  const inField = typing(event),
    name = named(event);
  if ((event.key === "Enter" || event.key === " ") && event.target.matches?.(PRESSED) && !name.includes("+")) return;
  if (event.key.startsWith("Arrow") && event.target.matches?.("[type=radio]")) return;
  for (const part of [...parts].reverse()) {
    if (inField && !part.inFields && name !== "Ctrl+Enter") continue;
    if (part.handle(event, name)) {
      event.preventDefault();
      return;
    }
  }
});

/** The help of all current handlers. */
export function showHelp(clicked) {
  const dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" });
  const groups = [...parts].reverse().filter((part) => part.help.length);
  dialog.append(
    h("h2", { id: "help-title" }, words.help.title),
    h(
      "div",
      { class: "help-groups" },
      groups.map((part) =>
        h(
          "section",
          null,
          h("h3", null, part.title),
          h(
            "dl",
            null,
            part.help.map(([keys, what]) => [
              h(
                "dt",
                null,
                keys
                  .split(" ")
                  .map((key) =>
                    key === "/" || key === "–"
                      ? ` ${key} `
                      : h("kbd", null, key.length === 1 ? key.toUpperCase() : key),
                  ),
              ),
              h("dd", null, what),
            ]),
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "row end" },
      button(words.close, () => dialog.close(), { class: "main" }),
    ),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (clicked?.detail) document.querySelector(".stage")?.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
}
