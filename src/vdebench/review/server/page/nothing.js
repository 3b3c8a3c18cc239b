/* Nothing to do: samples that others have open, and other steps. Polls for new samples. */

import { button, h } from "./widgets.js";
import { isThere } from "./lease.js";
import { stepTitle } from "./steps.js";
import { words } from "./words.js";

const AGAIN = 30000;

export class Nothing {
  /** `take()` opens the next sample to do, `takeAny()` one of any step. */
  constructor({ take, takeAny }) {
    Object.assign(this, { take, takeAny });
    this.element = h("div", { class: "empty", hidden: true });
  }

  /** `steps` has the counts per step; `step` is the selected one, if any. */
  show(steps, step) {
    const t = words.list,
      all = Object.values(steps).reduce((sum, { waiting }) => sum + waiting, 0),
      held = step ? steps[step]?.waiting || 0 : all;
    this.element.replaceChildren(
      h("h2", null, step ? t.emptyStep(stepTitle(step)) : t.empty),
      h("p", null, held ? t.heldByOthers(held) : t.emptyMore),
      h(
        "p",
        { class: "row centre" },
        button(t.look, this.take, { class: "main", key: "T" }),
        step && all > held ? button(t.anyStep(all), this.takeAny) : null,
      ),
    );
    this.element.hidden = false;
    this.wait();
  }

  hide() {
    this.element.hidden = true;
    clearTimeout(this.timer);
  }

  /** Open a new sample automatically, unless the person is away. */
  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (isThere() ? this.take() : this.wait()), AGAIN);
  }
}
