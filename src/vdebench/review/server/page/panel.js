/* The panel next to the images: the step, the send button, marks, votes, facts about the sample. */

import { button, clock, h } from "./widgets.js";
import { details, said } from "./sample_facts.js";
import { stepTitle } from "./steps.js";
import { words } from "./words.js";

const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:\d\d)?/g;

export class Panel {
  /** `take()` opens the next sample, `again()` reloads this one. */
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

  /** Send the vote, including a number that is being typed; nothing is sent while an input is invalid. */
  send() {
    if (!this.sender || this.locked) return;
    const typing = document.activeElement;
    if (typing?.matches("input[type=number]") && this.element.contains(typing)) typing.blur(); // sets its box
    const wrong = this.element.querySelector("input:invalid");
    if (!wrong) {
      this.step.send();
      return;
    }
    this.say(words.boxes.wrong, "warn");
    wrong.reportValidity(); // moves the focus there
  }

  /** Enable or disable the form and set the label of the button. */
  lock(locked, says = words.send.button) {
    if (!this.sender) return;
    for (const part of [this.step.element, this.step.verdict]) if (part) part.inert = locked;
    this.sender.disabled = locked;
    this.sender.firstChild.textContent = says;
  }

  /** Show why a vote was refused and what to do. */
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
