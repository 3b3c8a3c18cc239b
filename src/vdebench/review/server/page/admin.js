/* The admin view: tabs, each loaded when it is opened. */

import { agreementPart } from "./admin_agreement.js";
import { conflictsPart, roundsPart } from "./admin_rounds.js";
import { filesPart } from "./admin_files.js";
import { overviewPart } from "./admin_overview.js";
import { peoplePart } from "./admin_people.js";
import { pilotPart } from "./admin_pilot.js";
import { h } from "./widgets.js";
import { words as base } from "./words.js";
import { words } from "./words_admin.js";

const PARTS = {
  overview: overviewPart,
  people: peoplePart,
  pilot: pilotPart,
  agreement: agreementPart,
  conflicts: conflictsPart,
  rounds: roundsPart,
  files: filesPart,
};

export class AdminView {
  constructor(app) {
    this.app = app;
    this.turn = 0;
    this.tabs = h("nav", { class: "tabs", "aria-label": words.admin.title });
    this.place = h("div", { class: "page" });
    this.element = h("div", { class: "admin" }, this.tabs, this.place);
  }

  close() {
    this.turn += 1;
  }

  async open(wanted) {
    const name = wanted in PARTS ? wanted : "overview",
      turn = ++this.turn;
    this.tabs.replaceChildren(
      ...Object.keys(PARTS).map((part) =>
        h("a", { href: `#admin/${part}`, "aria-current": part === name ? "page" : null }, words.admin.parts[part]),
      ),
    );
    this.app.at(`admin/${name}`);
    if (this.shown !== name) this.place.replaceChildren(h("p", { class: "soft" }, base.loading));
    this.shown = name;
    try {
      const elements = await PARTS[name](this.app, () => this.open(name));
      if (turn === this.turn) this.place.replaceChildren(...elements.filter(Boolean));
    } catch (error) {
      this.app.failed(error);
    }
  }
}
