/* The page: the person, the current view, votes that are being sent. */

import { joinView, passwordDialog, signInDialog, signInView } from "./account.js";
import { AdminView } from "./admin.js";
import { api, Lost, Refused } from "./api.js";
import { dropDraft } from "./drafts.js";
import { button, count, foreign, h } from "./widgets.js";
import { listen, showHelp } from "./keys.js";
import { Outbox } from "./outbox.js";
import { ProgressView } from "./progress.js";
import { loadSteps, stepOf } from "./steps.js";
import { words } from "./words.js";
import { Work } from "./work.js";

const place = (id) => document.getElementById(id);
const SHOWN = 5000;

const app = {
  me: null,
  view: null,
  outbox: new Outbox({ changed: connection, settled }),

  /** Show a message; screen readers announce it. */
  say(text, kind = "") {
    clearTimeout(app.timer);
    place("say").textContent = text;
    place("say").className = `say ${kind}`;
    app.timer = setTimeout(() => {
      place("say").textContent = "";
      place("say").className = "say";
    }, SHOWN);
  },

  failed(error) {
    if (error instanceof Lost) app.say(words.connection.failed, "bad");
    else if (error instanceof Refused) app.say(words.refused[error.reason] || error.message, "bad");
    else {
      app.say(words.connection.wrong, "bad");
      throw error;
    }
  },

  /** Set the address, so that the browser's history works. */
  at(address) {
    if (location.hash !== `#${address}`) history.replaceState(null, "", `#${address}`);
  },

  go(address) {
    if (location.hash === `#${address}`) route();
    else location.hash = address;
  },

  async counts() {
    try {
      await entered(await api.get("/api/me"));
    } catch {
      return;
    }
    head();
  },
};

async function enter() {
  return entered(await api.plain("GET", "/api/me"));
}

/** Set the person and the token by the server's answer: tabs share a session, and another person may have signed in
    in another tab. */
async function entered(me) {
  await loadSteps(me.workflow);
  const before = app.me?.name;
  if (before && before !== me.name) return startAnew();
  app.me = me;
  api.csrf = me.csrf;
  if (before) return undefined;
  api.signInAgain = again;
  api.renew = enter;
  head();
  return app.outbox.start(me.name);
}

/** Another person has signed in: nothing of the previous person may be sent in their name. */
function startAnew() {
  app.outbox.who = "";
  history.replaceState(null, "", location.pathname);
  location.reload();
  return new Promise(() => {});
}

let asking = null;
/** One dialog for all requests that find the session expired. */
function again() {
  asking ||= signInDialog(app.me.name, enter).finally(() => {
    asking = null;
  });
  return asking;
}

async function start() {
  document.title = words.title;
  place("skip").textContent = words.skip;
  place("skip").addEventListener("click", (event) => {
    event.preventDefault();
    (document.querySelector(".stage") || place("main")).focus();
  });
  const token = new URLSearchParams(location.hash.slice(1)).get("join");
  if (token) {
    history.replaceState(null, "", location.pathname);
    return show(await joinView(token, signedIn, start));
  }
  try {
    await signedIn();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) show(signInView(signedIn));
    else
      show(
        h(
          "section",
          { class: "card narrow" },
          h("h1", null, words.title),
          h("p", { class: "problem" }, words.connection.failed),
          button(words.connection.now, start, { class: "main" }),
        ),
      );
  }
  return undefined;
}

async function signedIn() {
  if (app.me) return;
  await enter();
  route();
}

function show(...elements) {
  place("main").replaceChildren(...elements);
  (place("main").querySelector("input:not([readonly])") || place("main")).focus({ preventScroll: true });
}

/** The view that the address names. */
function route() {
  if (new URLSearchParams(location.hash.slice(1)).get("join")) {
    location.reload();
    return;
  }
  if (!app.me) return;
  const home = app.me.role === "admin" ? "admin" : "work";
  const [name, ...rest] = (location.hash.slice(1) || home).split("/"),
    wanted = rest.join("/");
  const kind = name === "progress" ? ProgressView : name === "admin" && app.me.role === "admin" ? AdminView : Work;
  if (!(app.view instanceof kind)) {
    app.view?.close?.();
    app.view = new kind(app);
    place("main").replaceChildren(app.view.element);
  }
  head();
  document.body.dataset.view = kind === Work ? "work" : "pages";
  if (kind !== Work) app.view.open(wanted);
  else if (wanted) app.view.open(decodeURIComponent(wanted), false);
  else app.view.take();
}

function head() {
  const t = words.nav,
    me = app.me,
    view = app.view instanceof AdminView ? "admin" : app.view instanceof ProgressView ? "progress" : "work";
  const waiting = Object.values(me.steps || {}).reduce((sum, step) => sum + step.waiting, 0);
  const link = (name, label, more) => {
    const here = view === name ? "page" : null;
    return h("a", { href: `#${name}`, "aria-current": here }, label, more ? h("span", { class: "count" }, more) : null);
  };
  place("views").setAttribute("aria-label", t.label);
  place("views").replaceChildren(
    link("work", t.work, waiting ? count(waiting) : ""),
    link("progress", t.progress),
    me.role === "admin" ? link("admin", t.admin) : "",
  );
  place("who").replaceChildren(
    button(words.help.button, showHelp, { key: "?" }),
    h(
      "button",
      { type: "button", class: "me", title: words.account.change, onclick: changePassword },
      foreign(me.name),
      h("small", null, words.asWho(words.roles[me.role], me.group)),
    ),
    button(words.account.signOut, signOut),
  );
  place("top").hidden = false;
}

function changePassword() {
  passwordDialog(app.me.name, async () => {
    await enter();
    app.say(words.account.changed, "good");
  });
}

async function signOut() {
  if (app.outbox.mine().length && !confirm(words.account.unsent)) return;
  await api.plain("POST", "/api/logout", {}).catch(() => {});
  startAnew();
}

/** Votes that are not sent yet; leaving the page asks for confirmation. */
function connection({ waiting, tries }) {
  const bar = place("unsent");
  bar.hidden = !waiting || !tries;
  if (!bar.hidden)
    bar.replaceChildren(
      h("span", null, words.connection.lost(waiting)),
      " ",
      button(words.connection.now, () => app.outbox.hurry()),
    );
}

/** Report the result of a vote; `old` if it was sent by an earlier load of the page. */
function settled(entry, answer, refusal, old) {
  const { command } = entry,
    step = stepOf(command.kind);
  if (!old) {
    if (refusal && !step) app.say(refusal.message, "bad"); // not a vote: the messages for votes would mislead
    return;
  }
  if (answer && step) dropDraft(entry.who, { sample: command.sample, step, round: command.round });
  if (answer) app.say(words.connection.later, "good");
  else app.say(`${command.sample || ""}: ${words.refused[refusal.reason] || refusal.message}`, "bad");
  if (app.view instanceof Work && app.view.sample?.sample === command.sample) app.view.take();
}

listen({
  title: words.help.everywhere,
  help: [
    ["?", words.help.this],
    ["Esc", words.help.close],
  ],
  inFields: false,
  handle(event, name) {
    if (name === "?") showHelp();
    else return false;
    return true;
  },
});
addEventListener("hashchange", route);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches?.("input, textarea, select")) event.target.blur();
});
start();
