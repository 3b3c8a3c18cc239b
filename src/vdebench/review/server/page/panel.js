/* What stands beside the pictures: the step, the button that sends it, marks, what was said, where the sample is from. */

import { button, clock, h } from "./widgets.js";
import { details, said } from "./sample_facts.js";
import { stepTitle } from "./steps.js";
import { words } from "./words.js";

const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:\d\d)?/g;

export class Panel {
  /** `take()` goes to the next sample, `again()` opens this one anew. */
  constructor({ take, again, say }) {
    Object.assign(this, { take, again, say });
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
      ? button(words.send.button, () => this.send(), { class: "main send", key: "Enter", title: words.send.final })
      : null;
    const next = step.send ? null : button(words.list.nextTodo, this.take, { class: "main", key: "T" });
    this.element.replaceChildren(
      h(
        "div",
        { class: "step-head" },
        h("h2", null, stepTitle(sample.step)),
        h("span", { class: "badge" }, round),
      ),
      this.notice,
      step.element,
      h("div", { class: "send-row" }, step.verdict || "", this.sender || next),
      marks.element,
      said(sample) || "",
      details(sample, me),
    );
    this.step = step;
    this.element.scrollTop = 0;
  }

  /** Send what is seen: a number that is still being typed too, and nothing while one of them is wrong. */
  send() {
    if (!this.sender || this.locked) return;
    const typing = document.activeElement;
    if (typing?.matches("input[type=number]") && this.element.contains(typing)) typing.blur(); // its box changes now
    const wrong = this.element.querySelector("input:invalid");
    if (!wrong) {
      this.step.send();
      return;
    }
    this.say(words.boxes.wrong, "warn");
    wrong.reportValidity(); // which goes there
  }

  /** Whether it can be changed and sent, and what the button says meanwhile. */
  lock(locked, says = words.send.button) {
    if (!this.sender) return;
    for (const part of [this.step.element, this.step.verdict]) if (part) part.inert = locked;
    this.sender.disabled = locked;
    this.sender.firstChild.textContent = says;
  }

  /** Why it was refused, and what to do. */
  tell(text, says) {
    this.notice.replaceChildren(
      h("p", null, text),
      says ? h("p", { class: "soft" }, words.refusedBy(says.replace(MOMENT, clock))) : "",
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
