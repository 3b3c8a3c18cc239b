/* The review view: one sample at a time, its images, the step, the votes. */

import { api, Lost, Refused } from "./api.js";
import { draft, dropDraft, keepDraft } from "./drafts.js";
import { h } from "./widgets.js";
import { Lease } from "./lease.js";
import { Marks } from "./marks.js";
import { Navigation } from "./navigation.js";
import { Nothing } from "./nothing.js";
import { Panel } from "./panel.js";
import { instruction } from "./sample_facts.js";
import { Stage } from "./stage.js";
import { createWidget, isFinal, picturesFor } from "./steps.js";
import { words } from "./words.js";
import { stepKeys, workKeys } from "./work_keys.js";

const AGAIN = 4000;

export class Work {
  constructor(app) {
    this.app = app;
    this.me = app.me;
    this.turn = this.opening = 0;
    this.stage = new Stage();
    this.lease = new Lease(this.me.options.lease_minutes, () => this.taken(words.lease.over));
    this.navigation = new Navigation({
      open: (id, quiet) => this.open(id, quiet),
      take: () => this.take(),
      say: app.say,
      role: this.me.role,
      focus: () => this.focus(),
      fetched: () => app.counts(),
    });
    this.navigation.failed = (error) => app.failed(error);
    this.asks = h("div", { class: "asks-place" });
    this.panel = new Panel({ take: () => this.take(), again: () => this.open(this.sample.sample), say: app.say });
    this.body = h("div", { class: "work-body" }, this.stage.element, this.panel.element);
    this.empty = new Nothing({
      take: () => this.take(),
      takeAny: () => this.navigation.change({ step: "" }).then(() => this.take(), app.failed),
    });
    this.element = h(
      "div",
      { class: "work" },
      h("div", { class: "sample-bar" }, this.navigation.element, this.lease.element),
      this.asks,
      this.body,
      this.empty.element,
    );
    this.silence = workKeys(this);
  }

  /** Focus the images, where keys apply to the sample. */
  focus() {
    this.stage.element.focus({ preventScroll: true, focusVisible: false });
  }

  close() {
    this.leave();
    this.turn += 1;
    this.stage.close();
    this.empty.hide();
    this.lease.close();
    this.silence();
  }

  /** Leave the open sample. Its lease is released unless work on it has begun. */
  leave(next = "") {
    clearTimeout(this.timer);
    if ((this.sample && this.begun) || this.lease.id === next) this.lease.has("", null);
    else this.lease.release();
    this.marks?.close();
    this.step?.close?.();
    this.stopKeys?.();
    this.marks = this.step = this.stopKeys = this.sample = null;
    this.begun = false;
  }

  /** Open the next sample to do: the one leased to this person, else the oldest. */
  async take() {
    const turn = ++this.turn,
      shown = this.sample;
    try {
      await this.lease.settled;
      const steps = this.navigation.steps;
      const sample = await api.post("/api/take", steps ? { steps } : {});
      if (turn !== this.turn) return;
      if (!sample) {
        this.leave();
        this.nothing();
        return;
      }
      const same = shown && ["sample", "step", "round"].every((name) => shown[name] === sample[name]);
      if (same && shown.asked && !this.blocked) {
        this.lease.has(sample.sample, sample.lease?.until);
        this.app.say(shown.ready === false ? words.list.nothingElse : words.list.here);
        return;
      }
      this.leave(sample.sample);
      this.show(sample);
    } catch (error) {
      this.app.failed(error);
    }
  }

  /** Open a sample by its id; with `quiet`, return false instead of an error if there is none. */
  async open(id, quiet = false) {
    const turn = (this.opening = ++this.turn);
    try {
      const sample = await api.sample(id);
      if (turn !== this.turn) return true;
      this.leave(id);
      const leased = sample.asked ? await this.held(id) : "";
      if (turn === this.turn) this.show(sample, leased);
    } catch (error) {
      if (quiet && error instanceof Refused && [400, 404, 409].includes(error.status)) return false;
      this.app.failed(error);
    } finally {
      if (this.opening === turn) this.opening = 0;
    }
    return true;
  }

  /** Lease the sample; return the message of a refusal, or "". Without an answer the sample is shown anyway. */
  async held(id) {
    try {
      await this.lease.hold(id);
    } catch (error) {
      if (error instanceof Refused && error.reason === "leased") return error.message;
      if (!(error instanceof Refused || error instanceof Lost)) throw error;
    }
    return "";
  }

  show(sample, leased = "") {
    this.marks?.close();
    this.step?.close?.();
    this.stopKeys?.();
    this.sample = sample;
    this.begun = Boolean(sample.asked && draft(this.me.name, sample));
    this.body.hidden = false;
    this.empty.hide();
    this.app.at(`work/${encodeURIComponent(sample.sample)}`);
    if (sample.lease && !this.lease.id && sample.asked && !leased) this.lease.has(sample.sample, sample.lease.until);
    this.stage.load(sample, ...picturesFor(sample, this.me));
    this.mount(sample);
    if (leased) this.taken(words.lease.taken, leased);
    this.navigation.expect(sample);
    this.navigation
      .list()
      .then(() => {
        this.navigation.show(sample.sample);
        this.navigation.ahead(() => this.sample === sample);
      })
      .catch(() => {});
  }

  mount(sample) {
    const open = !isFinal(sample.step);
    const step = createWidget(sample, {
      me: this.me,
      stage: this.stage,
      draft: draft(this.me.name, sample),
      say: this.app.say,
      save: (value) => {
        this.begun = true;
        keepDraft(this.me.name, sample, value);
      },
      send: (command, what) => this.vote(sample, command, what),
    });
    this.step = step;
    this.blocked = false;
    this.marks = new Marks({
      sample,
      me: this.me,
      stage: this.stage,
      say: this.app.say,
      open,
      ask: (command) => this.app.outbox.ask(command),
    });
    this.asks.replaceChildren(instruction(sample.about));
    this.body.classList.toggle("wide-panel", Boolean(step.wide));
    this.panel.show(sample, step, this.marks, this.me);
    if (this.app.outbox.has(sample)) this.panel.lock(true, words.send.sending);
    this.stopKeys = stepKeys(step, this.marks, this.panel);
    if (!document.activeElement?.matches("input, select, textarea")) step.focus();
    if (step.preparing) this.timer = setTimeout(() => this.lookAgain(sample), AGAIN);
  }

  /** Somebody else has the sample: say what to do. */
  taken(text, says = "") {
    this.blocked = true;
    this.panel.tell(text, says);
    this.panel.lock(true);
  }

  async lookAgain(sample) {
    if (this.sample !== sample) return;
    try {
      const now = await api.sample(sample.sample);
      if (this.sample !== sample) return;
      if (now.ready !== false || now.step !== sample.step) {
        this.show(now);
        return;
      }
    } catch (error) {
      if (!(error instanceof Lost || error instanceof Refused)) throw error;
    }
    this.timer = setTimeout(() => this.lookAgain(sample), AGAIN);
  }

  /** Whether this sample is shown and no other one is being opened. */
  isOpen({ sample, round }) {
    return !this.opening && this.sample?.sample === sample && this.sample.round === round;
  }

  async vote(sample, command, what) {
    if (this.panel.locked) return;
    this.panel.lock(true, words.send.sending);
    const { answer, refusal } = await this.app.outbox.ask(command);
    if (answer) {
      dropDraft(this.me.name, sample);
      this.navigation.done(sample.sample);
      this.app.say(words.send.sent(what, sample.sample), "good");
      this.app.counts();
    }
    if (!this.isOpen(sample)) return;
    if (answer) {
      this.lease.has("", null);
      this.begun = false;
      await this.take();
      return;
    }
    this.panel.lock(false);
    this.panel.tell(words.refused[refusal.reason] || words.forbidden, refusal.message);
  }

  async nothing() {
    const turn = this.turn;
    this.navigation.asked = 0;
    await this.navigation.list().catch(() => {});
    if (turn !== this.turn) return;
    this.body.hidden = true;
    this.asks.replaceChildren();
    this.app.at("work");
    this.navigation.show("");
    this.empty.show(this.app.me.steps, this.navigation.step);
  }
}
