/* The lease of a sample, renewed while it is open and the person is active. */

import { api, Refused } from "./api.js";
import { clock, h } from "./widgets.js";
import { words } from "./words.js";

const LOOK = 15000,
  THERE = 180000;
let lastSign = Date.now();
for (const kind of ["pointermove", "keydown", "wheel", "pointerdown"]) {
  addEventListener(
    kind,
    () => {
      lastSign = Date.now();
    },
    { passive: true, capture: true },
  );
}

/** Whether the page is visible and was used recently. */
export const isThere = () => !document.hidden && Date.now() - lastSign <= THERE;

export class Lease {
  /** Calls `lost(words)` when somebody else has the sample. */
  constructor(minutes, lost) {
    this.minutes = minutes;
    this.lost = lost;
    this.id = "";
    this.settled = Promise.resolve(); // the requests sent so far are answered
    this.element = h("span", { class: "lease", title: words.lease.title });
    this.timer = setInterval(() => this.look(), LOOK);
  }

  close() {
    clearInterval(this.timer);
  }

  /** Hold the sample until it is released. */
  has(id, until) {
    this.id = id;
    this.until = until ? Date.parse(until) : 0;
    this.element.textContent = id && until ? words.lease.mine(clock(until)) : "";
  }

  async hold(id) {
    const held = this.settled.then(() => api.post("/api/hold", { id }));
    this.settled = held.catch(() => {});
    const { until } = await held;
    this.has(id, until);
  }

  /** Release the sample. A late release would also free what was taken since, so requests go one after another. */
  release() {
    const id = this.id;
    this.has("", null);
    if (id) this.settled = this.settled.then(() => api.post("/api/release", { id })).catch(() => {});
  }

  async look() {
    const left = this.until - Date.now(),
      half = (this.minutes * 60000) / 2;
    if (!this.id || left > half || !isThere()) return;
    const id = this.id;
    try {
      await this.hold(id);
    } catch (error) {
      if (this.id !== id || !(error instanceof Refused)) return;
      this.has("", null);
      if (error.reason === "leased") this.lost(error.message);
    }
  }
}
