/* Evidence: marked regions of either image, with notes. They do not affect decisions. */

import { Drawing } from "./drawing.js";
import { button, foreign, h, sign } from "./widgets.js";
import { newKey } from "./outbox.js";
import { colour, drawBox } from "./painting.js";
import { words } from "./words.js";

export class Marks {
  /** `ask(command)` sends a command and returns {answer, refusal}. */
  constructor({ sample, me, stage, ask, say, open }) {
    Object.assign(this, { sample, me, stage, ask, say, open });
    this.marks = sample.marks;
    this.list = h("ul", { class: "mark-list" });
    this.form = h("div", { class: "mark-form", hidden: true });
    this.starter = button(words.marks.start, () => this.toggle(), { key: "M", "aria-pressed": "false" });
    this.element = h(
      "section",
      { class: "marks-section" },
      h("div", { class: "row spread" }, h("h3", null, words.marks.title), open ? this.starter : null),
      this.form,
      this.list,
    );
    this.painter = (context, place) => this.paint(context, place);
    stage.viewer.painters.unshift(this.painter);
    this.show();
  }

  close() {
    this.stop();
    this.stage.viewer.painters = this.stage.viewer.painters.filter((painter) => painter !== this.painter);
  }

  show() {
    const t = words.marks;
    this.list.replaceChildren(
      ...this.marks.map((mark, index) =>
        h(
          "li",
          null,
          h("div", null, h("b", null, `M${index + 1}`), ` ${t.sides[mark.side]}, `, foreign(mark.who)),
          mark.note ? foreign(mark.note, { class: "foreign note" }) : null,
          h(
            "span",
            { class: "row tight" },
            button(sign("look"), () => this.stage.viewer.lookAt(mark.boxes[0]), {
              title: words.boxes.look,
              "aria-label": words.boxes.look,
            }),
            mark.who === this.me.name ? button(t.remove, () => this.remove(mark.mark)) : null,
          ),
        ),
      ),
    );
    if (!this.marks.length) this.list.replaceChildren(h("li", { class: "none" }, t.none));
    this.stage.viewer.redraw(false);
  }

  toggle() {
    if (this.drawing) this.stop();
    else if (this.open) this.start();
  }

  start() {
    const t = words.marks,
      viewer = this.stage.viewer;
    this.before = viewer.tool;
    this.side = "after";
    this.stage.bothSides = true;
    this.stage.show();
    this.drawing = new Drawing(viewer, [], {
      changed: () => {},
      shows: (pane) => pane.side === this.side,
      onPane: (pane) => {
        if (pane.side !== this.side && this.drawing.boxes.length) this.drawing.put([], -1);
        this.side = pane.side;
      },
    });
    this.note = h("textarea", { rows: "2", maxlength: "20000", "aria-label": t.note, placeholder: t.note });
    this.form.replaceChildren(
      h("p", { class: "why" }, t.hint),
      this.note,
      h(
        "div",
        { class: "row tight end" },
        button(words.cancel, () => this.stop()),
        button(t.save, () => this.keep(), { class: "main" }),
      ),
    );
    this.form.hidden = false;
    this.starter.setAttribute("aria-pressed", "true");
    this.form.scrollIntoView({ block: "nearest" });
    this.stage.element.focus({ preventScroll: true });
  }

  stop() {
    if (!this.drawing) return;
    this.drawing.close();
    this.drawing = null;
    this.stage.viewer.tool = this.before;
    this.stage.bothSides = false;
    this.stage.show();
    this.form.hidden = true;
    this.starter.setAttribute("aria-pressed", "false");
  }

  async keep() {
    const drawing = this.drawing,
      boxes = drawing.boxes,
      note = this.note.value.trim();
    if (drawing.sent) return;
    if (!boxes.length) {
      this.say(words.marks.empty, "warn");
      return;
    }
    drawing.sent = true;
    const command = { kind: "mark", sample: this.sample.sample, mark: newKey(), side: this.side, boxes, note };
    const { answer } = await this.ask(command);
    drawing.sent = Boolean(answer);
    if (!answer) return;
    if (this.drawing === drawing) this.stop();
    this.say(words.marks.kept);
    this.marks = answer.sample.marks;
    this.show();
  }

  async remove(mark) {
    const { answer } = await this.ask({ kind: "unmark", sample: this.sample.sample, mark });
    if (!answer) return;
    this.say(words.marks.gone);
    this.marks = answer.sample.marks;
    this.show();
  }

  /** Handle a key; return whether it was handled. */
  key(event, name) {
    if (name === "m" && this.open) this.toggle();
    else if (!this.drawing) return false;
    else if (name === "Escape" && !this.drawing.current) this.stop();
    else if (name === "Enter" || name === "Ctrl+Enter") this.keep(); // saves the mark, does not send the vote
    else return this.drawing.key(event, name);
    return true;
  }

  paint(context, place) {
    this.marks.forEach((mark, index) => {
      if (place.pane.side !== mark.side) return;
      for (const box of mark.boxes)
        drawBox(context, box, place, { ink: colour("mark"), line: 2, dash: [2, 3], label: `M${index + 1}` });
    });
  }
}
