/* Votes that are being sent. Each has an idempotency key and is stored in this tab until the server answers; retries
   use the same key, so that a vote counts once. */

import { api, Lost, Refused } from "./api.js";

const PLACE = "vde.outbox",
  WAITS = [1, 2, 4, 8, 15, 30];

/** 32 random hex digits; crypto.randomUUID needs https. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Outbox {
  /** Calls `changed` when the number of waiting votes changes, and `settled` with each answer and whether the vote was
      left by an earlier load of the page. */
  constructor({ changed, settled }) {
    this.changed = changed;
    this.settled = settled;
    this.who = "";
    this.tries = 0;
    this.sending = false;
    this.timer = 0;
    this.waiting = kept();
    this.asking = new Map();
    addEventListener("online", () => this.hurry());
    addEventListener("beforeunload", (event) => {
      if (this.mine().length) event.preventDefault();
    });
  }

  /** The unanswered votes of this person. */
  mine() {
    return this.waiting.filter((entry) => entry.who === this.who);
  }

  /** Whether a vote on this sample and round is unanswered. */
  has({ sample, round }) {
    return this.mine().some(({ command }) => command.sample === sample && command.round === round);
  }

  /** Set the person; send their unsent votes. */
  start(who) {
    this.who = who;
    this.tell();
    this.hurry();
  }

  /** Send a command; resolves to {answer, refusal}. */
  ask(command) {
    const entry = { key: newKey(), who: this.who, command };
    this.waiting.push(entry);
    this.keep();
    const answered = new Promise((done) => {
      this.asking.set(entry.key, done);
    });
    this.hurry();
    return answered;
  }

  hurry() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.send();
  }

  async send() {
    if (this.sending) return;
    this.sending = true;
    try {
      while (!this.timer && this.mine().length) await this.sendFirst(this.mine()[0]);
    } finally {
      this.sending = false;
    }
  }

  async sendFirst(entry) {
    let answer = null,
      refusal = null;
    this.tell();
    try {
      answer = await api.post("/api/commands", { key: entry.key, command: entry.command });
    } catch (error) {
      if (error instanceof Lost || (error instanceof Refused && error.passing)) return this.wait(error.wait);
      if (!(error instanceof Refused)) throw error;
      refusal = error;
    }
    this.tries = 0;
    this.waiting = this.waiting.filter((other) => other.key !== entry.key);
    this.keep();
    this.settled(entry, answer, refusal, !this.asking.has(entry.key));
    this.asking.get(entry.key)?.({ answer, refusal });
    this.asking.delete(entry.key);
    return undefined;
  }

  wait(asked) {
    const seconds = Math.max(asked || 0, WAITS[Math.min(this.tries, WAITS.length - 1)]) * (1 + Math.random() / 5);
    this.tries += 1;
    this.timer = setTimeout(() => this.hurry(), seconds * 1000);
    this.tell();
  }

  keep() {
    try {
      sessionStorage.setItem(PLACE, JSON.stringify(this.waiting));
    } catch {
      /* the page still has them */
    }
    this.tell();
  }

  tell() {
    this.changed({ waiting: this.mine().length, tries: this.tries });
  }
}

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE) || "[]");
  } catch {
    return [];
  }
}
