/* Navigation over the samples to do, those I voted on, or all. */

import { api } from "./api.js";
import { button, count, h, select, sign } from "./widgets.js";
import { fetchAhead } from "./pictures.js";
import { allSteps, imageOf } from "./steps.js";
import { words } from "./words.js";

const FRESH = 60000,
  AHEAD = 700;

export class Navigation {
  /** `open(id)` opens a sample, `take()` the next to do, `say(text)` shows a message, `focus()` moves the focus to the
      sample, `fetched()` is called when a list is fetched. */
  constructor({ open, take, say, role, focus, fetched }) {
    Object.assign(this, { open, take, say, focus, fetched });
    this.which = role === "annotator" ? "todo" : role === "admin" ? "all" : "todo";
    this.step = "";
    this.ids = [];
    this.at = -1;
    this.asked = 0;
    const t = words.list,
      small = (shape, label, run, key) =>
        button(sign(shape), run, { title: `${label} (${key})`, "aria-label": label, "data-go": shape });
    this.jumpField = h("input", {
      class: "jump",
      "aria-label": t.jump,
      placeholder: t.jump,
      spellcheck: "false",
      autocomplete: "off",
    });
    this.place = h("output", { class: "place" });
    const jump = h(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          this.jump(this.jumpField.value.trim());
        },
      },
      this.jumpField,
    );
    this.stepChoice = select(
      [["", words.allSteps], ...allSteps().map((step) => [step.name, step.title])],
      "",
      (step) => this.chosen({ step }),
      { "aria-label": t.step },
    );
    this.whichChoice = select(
      [
        ["todo", t.todo],
        ["mine", t.mine],
        ["all", t.all],
      ],
      this.which,
      (which) => this.chosen({ which }),
      { "aria-label": t.which },
    );
    for (const select of [this.stepChoice, this.whichChoice]) {
      select.addEventListener("keydown", (event) => {
        this.stepping = event.key.startsWith("Arrow") && !event.altKey;
      });
      for (const kind of ["pointerdown", "focus"])
        select.addEventListener(kind, () => {
          this.stepping = false;
        });
    }
    this.element = h(
      "nav",
      { class: "samples", "aria-label": t.label },
      this.whichChoice,
      this.stepChoice,
      h(
        "span",
        { class: "row tight" },
        small("first", t.first, () => this.go("first"), "Home"),
        small("previous", t.previous, () => this.go("previous"), "PgUp"),
        this.place,
        small("next", t.next, () => this.go("next"), "PgDn"),
        small("last", t.last, () => this.go("last"), "End"),
      ),
      jump,
      button(t.nextTodo, () => this.take(), { key: "T", "data-go": "take" }),
    );
  }

  /** The steps that `take` is limited to. */
  get steps() {
    return this.step ? [this.step] : null;
  }

  async change(wanted) {
    Object.assign(this, wanted);
    this.stepChoice.value = this.step;
    this.asked = 0;
    await this.list();
    this.show(this.id);
  }

  /** The person changed a choice: focus the sample again, unless they step through the options by arrow keys. */
  chosen(wanted) {
    if (!this.stepping) this.focus();
    this.change(wanted).catch(this.failed);
  }

  /** A to-do list without the current sample is out of date. */
  expect({ sample, step, asked }) {
    const listed = this.which === "todo" && (!this.step || this.step === step);
    if (asked && listed && !this.places?.has(sample)) this.asked = 0;
  }

  async list() {
    if (Date.now() - this.asked < FRESH) return this.ids;
    const step = this.step ? `&step=${this.step}` : "";
    const [answer] = await Promise.all([api.get(`/api/samples?which=${this.which}${step}`), this.fetched()]);
    this.asked = Date.now();
    this.ids = answer.ids;
    this.places = new Map(answer.ids.map((id, index) => [id, index]));
    return this.ids;
  }

  /** The current sample. */
  show(id) {
    this.id = id;
    const at = this.places?.get(id) ?? -1;
    if (at >= 0) this.at = at;
    this.known = at >= 0;
    const total = count(this.ids.length);
    this.place.textContent = at >= 0 ? words.list.place(count(at + 1), total) : words.list.outside(total);
  }

  /** Remove a sample from the list after its vote. */
  done(id) {
    const at = this.places?.get(id) ?? -1;
    if (this.which !== "todo" || at < 0) {
      this.asked = 0;
      return;
    }
    this.ids = this.ids.filter((other) => other !== id);
    this.places = new Map(this.ids.map((other, index) => [other, index]));
    this.at = at - 1;
  }

  /** Prefetch the images of the next sample. */
  ahead(stillHere) {
    const next = this.ids[this.at + 1];
    if (!this.known || next === undefined) return;
    setTimeout(async () => {
      if (!stillHere() || document.hidden) return;
      const found = await api.sampleAhead(next).catch(() => null);
      if (found) fetchAhead([found.images.before, found.images[imageOf(found)]]);
    }, AHEAD);
  }

  neighbour(where) {
    const last = this.ids.length - 1;
    return { first: 0, last, previous: this.at - 1, next: this.at + 1 }[where];
  }

  async go(where) {
    await this.list();
    const to = this.neighbour(where);
    if (this.ids[to] === undefined) {
      this.say(words.list.end);
      return;
    }
    this.at = to; // before the answer: another key press continues from here
    await this.open(this.ids[to]);
  }

  async jump(text) {
    if (!text) return;
    await this.list();
    const number = /^\d+$/.test(text) ? Number(text) - 1 : -1;
    const id = this.places.has(text) ? text : this.ids[number];
    if (id === undefined && !/^\d+$/.test(text)) return this.tryId(text);
    if (id === undefined) return this.say(words.list.unknown(text));
    this.jumpField.value = "";
    this.jumpField.blur();
    return this.open(id);
  }

  /** An id that is not in this list may still exist. */
  async tryId(id) {
    if (await this.open(id, true)) {
      this.jumpField.value = "";
      this.jumpField.blur();
    } else this.say(words.list.unknown(id));
  }

  /** Handle a key; `arrows` says whether ← and → are free. */
  key(name, arrows) {
    const where =
      { Home: "first", End: "last", PageUp: "previous", PageDown: "next" }[name] ||
      (arrows && { ArrowLeft: "previous", ArrowRight: "next" }[name]);
    if (where) this.go(where).catch(this.failed);
    else if (name === "t") this.take();
    else if (name === "g") this.jumpField.focus();
    else return false;
    return true;
  }
}
