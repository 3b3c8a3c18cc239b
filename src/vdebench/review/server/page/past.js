/* Undo and redo: past, present, future. No DOM. */

const MOST = 200;

export class Past {
  constructor(first) {
    this.states = [first];
    this.at = 0;
    this.kind = "";
  }

  get now() {
    return this.states[this.at];
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at < this.states.length - 1;
  }

  /** Set a new state. Consecutive changes of the same `kind` (nudges of one box) are undone together. */
  add(state, kind = "") {
    if (JSON.stringify(state) === JSON.stringify(this.now)) return;
    const join = kind && kind === this.kind && this.at > 0 && !this.canRedo;
    this.states.splice(join ? this.at : this.at + 1, Infinity, state);
    if (this.states.length > MOST) this.states.shift();
    this.at = this.states.length - 1;
    this.kind = kind;
  }

  undo() {
    if (this.canUndo) this.at -= 1;
    this.kind = "";
    return this.now;
  }

  redo() {
    if (this.canRedo) this.at += 1;
    this.kind = "";
    return this.now;
  }
}
