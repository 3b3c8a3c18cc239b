/* What stands beside the pictures: the step, the button that sends it, marks, what was said, where the sample is from. */

import { button, h } from "./elements.js";
import { details, said } from "./sample_facts.js";
import { words } from "./words.js";

export class Panel {
  /** `take()` goes to the next sample, `again()` opens this one anew. */
  constructor({ take, again }) {
    Object.assign(this, { take, again });
    this.element = h("aside", { class: "panel", "aria-label": words.sample.panel });
    this.notice = h("div", { class: "notice", role: "alert", hidden: true });
    this.sender = null;
  }

  get locked() {
    return Boolean(this.sender?.disabled);
  }

  show(sample, step, marks, me) {
    const round = sample.step === "pilot" ? words.pilotRound(sample.round) : words.round(sample.round, sample.rounds);
    this.notice.hidden = true;
    this.sender = step.send
      ? button(words.send.button, () => step.send(), { class: "main send", key: "Enter", title: words.send.final })
      : null;
    const next =
      step.send || step.preparing ? null : button(words.list.nextTodo, this.take, { class: "main", key: "T" });
    this.element.replaceChildren(
      h(
        "div",
        { class: "step-head" },
        h("h2", null, words.steps[sample.step] || sample.step),
        h("span", { class: "badge" }, round),
      ),
      this.notice,
      step.element,
      this.sender || next ? h("div", { class: "send-row" }, this.sender || next) : "",
      marks.element,
      said(sample) || "",
      details(sample, me),
    );
    this.step = step.element;
    this.element.scrollTop = 0;
  }

  /** Whether it can be changed and sent, and what the button says meanwhile. */
  lock(locked, says = words.send.button) {
    if (!this.sender) return;
    this.step.inert = locked;
    this.sender.disabled = locked;
    this.sender.firstChild.textContent = says;
  }

  /** Why it was refused, and what to do. */
  tell(text, says) {
    this.notice.replaceChildren(
      h("p", null, text),
      says ? h("p", { class: "soft" }, words.refusedBy(says)) : "",
      h(
        "div",
        { class: "row tight" },
        button(words.list.nextTodo, this.take, { class: "main" }),
        button(words.lease.again, this.again),
      ),
    );
    this.notice.hidden = false;
    this.notice.scrollIntoView({ block: "nearest" });
  }
}

/** What is shown when there is nothing to do. */
export function nothingLeft(take) {
  const look = button(words.list.look, take, { class: "main", key: "T" });
  return [h("h2", null, words.list.empty), h("p", null, words.list.emptyMore), h("p", null, look)];
}
