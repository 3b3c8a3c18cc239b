/* Progress: own votes, votes of each group, and the funnel. */

import { api } from "./api.js";
import { bar, button, count, h } from "./widgets.js";
import { funnelTable } from "./funnel.js";
import { allSteps, stepTitle } from "./steps.js";
import { words as more } from "./words_admin.js";

const AGAIN = 30000;

export class ProgressView {
  constructor(app) {
    this.app = app;
    this.element = h("div", { class: "page" });
    this.timer = setInterval(() => {
      if (!document.hidden) this.open();
    }, AGAIN);
  }

  close() {
    clearInterval(this.timer);
  }

  async open() {
    try {
      await this.app.counts();
      const data = await api.get("/api/progress");
      this.element.replaceChildren(...this.shown(data));
    } catch (error) {
      this.app.failed(error);
    }
  }

  shown(data) {
    const t = more.progress,
      { me } = this.app;
    const own = Object.entries(me.steps || {}).filter(([, step]) => step.waiting || step.mine);
    return [
      h("h1", null, t.title),
      me.pilot.open ? h("p", { class: "notice" }, t.pilotOpen(me.pilot.samples)) : "",
      h(
        "section",
        { class: "card" },
        h("h2", null, t.own),
        own.length
          ? h(
              "ul",
              { class: "own" },
              own.map(([step, { waiting, mine }]) =>
                h(
                  "li",
                  null,
                  h("b", null, stepTitle(step)),
                  h("span", { class: "big" }, count(waiting)),
                  h("small", null, t.mine(mine)),
                ),
              ),
            )
          : h("p", { class: "soft" }, t.ownNone),
        h(
          "p",
          null,
          button(t.start, () => this.app.go("work"), { class: "main" }),
        ),
      ),
      h(
        "div",
        { class: "cards" },
        Object.entries(data.groups).map(([group, steps]) =>
          h(
            "section",
            { class: `card ${group === me.group ? "own-group" : ""}` },
            h("h2", null, t.group(group), group === me.group ? h("small", null, ` ${t.yours}`) : null),
            Object.entries(steps).map(([step, done]) => line(step, done)),
          ),
        ),
        h(
          "section",
          { class: "card" },
          h("h2", null, t.people),
          allSteps()
            .filter((step) => data[step.name])
            .map((step) => line(step.name, data[step.name])),
        ),
      ),
      h("p", { class: "soft" }, t.note),
      data.funnel ? h("section", { class: "card" }, h("h2", null, t.where), funnelTable(data.funnel)) : "",
    ];
  }
}

function line(step, { done, waiting }) {
  const of = more.progress.of(done, waiting);
  return h(
    "div",
    { class: "progress-line" },
    h("span", null, stepTitle(step)),
    bar(done, done + waiting, `${stepTitle(step)}: ${of}`),
    h("span", { class: "number" }, of),
  );
}
