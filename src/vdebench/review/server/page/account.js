/* Sign in, join by a link, sign in again without losing work. */

import { api, Refused } from "./api.js";
import { button, day, field, h } from "./widgets.js";
import { words } from "./words.js";

const LEAST = 10;

function problem() {
  return h("p", { class: "problem", role: "alert", hidden: true });
}

function tell(place, error) {
  const slow = error instanceof Refused && error.status === 429;
  place.textContent = slow
    ? words.account.slow(error.wait)
    : error instanceof Refused
      ? error.message
      : words.connection.failed;
  place.hidden = false;
}

/** A form for name and password; calls `done()` after signing in. */
function signInForm(done, name = "") {
  const t = words.account,
    wrong = problem();
  const who = h("input", { name: "name", autocomplete: "username", required: true, maxlength: "200", value: name });
  const secret = h("input", {
    name: "password",
    type: "password",
    autocomplete: "current-password",
    required: true,
    maxlength: "200",
  });
  const send = h("button", { class: "main", type: "submit" }, t.signIn);
  return h(
    "form",
    {
      class: "sign-in",
      async onsubmit(event) {
        event.preventDefault();
        send.disabled = true;
        wrong.hidden = true;
        try {
          await api.plain("POST", "/api/login", { name: who.value.trim(), password: secret.value });
          await done();
        } catch (error) {
          tell(wrong, error);
          secret.select();
        } finally {
          send.disabled = false;
        }
      },
    },
    field(t.name, who),
    field(t.password, secret),
    wrong,
    h("div", { class: "row end" }, send),
  );
}

export function signInView(done) {
  const t = words.account;
  const form = signInForm(done);
  return h(
    "section",
    { class: "card narrow" },
    h("h1", null, words.title),
    h("h2", null, t.signIn),
    form,
    h("p", { class: "soft" }, t.noAccount),
  );
}

/** A modal dialog that cannot be closed; resolves when somebody has signed in. */
export function signInDialog(name, done) {
  const t = words.account,
    dialog = h("dialog", {
      class: "again",
      "aria-labelledby": "again-title",
      oncancel: (event) => event.preventDefault(),
    });
  return new Promise((resolve) => {
    dialog.append(
      h("h2", { id: "again-title" }, t.again),
      h("p", null, t.againWhy),
      signInForm(async () => {
        await done();
        dialog.close();
        dialog.remove();
        resolve();
      }, name),
    );
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("[type=password]").focus();
  });
}

/** An invitation and the form to accept it; `signIn()` is for people who have used it already. */
export async function joinView(token, done, signIn) {
  const t = words.account,
    wrong = problem();
  let offer;
  try {
    offer = await api.plain("POST", "/api/invitation", { token });
  } catch (error) {
    const gone = error instanceof Refused && [400, 404].includes(error.status);
    if (!gone) tell(wrong, error);
    return h(
      "section",
      { class: "card narrow" },
      h("h1", null, t.join),
      gone ? h("p", { class: "problem", role: "alert" }, t.badLink) : wrong,
      h(
        "p",
        null,
        button(t.signIn, () => signIn(), { class: "main" }),
      ),
    );
  }
  const known = Boolean(offer.name);
  const who = h("input", {
    name: "name",
    autocomplete: "username",
    required: true,
    maxlength: "200",
    value: offer.name || "",
    readonly: known,
  });
  const [first, second] = ["password", "again"].map((name) =>
    h("input", {
      name,
      type: "password",
      autocomplete: "new-password",
      required: true,
      maxlength: "200",
      minlength: `${LEAST}`,
    }),
  );
  const send = h("button", { class: "main", type: "submit" }, t.join);
  const form = h(
    "form",
    {
      class: "sign-in",
      novalidate: true,
      async onsubmit(event) {
        event.preventDefault();
        wrong.hidden = true;
        const fault = first.value.length < LEAST ? t.short : first.value !== second.value ? t.differ : "";
        if (fault) {
          wrong.textContent = fault;
          wrong.hidden = false;
          return;
        }
        send.disabled = true;
        try {
          await api.plain("POST", "/api/join", { token, name: who.value.trim(), password: first.value });
          await done();
        } catch (error) {
          tell(wrong, error);
        } finally {
          send.disabled = false;
        }
      },
    },
    field(t.name, who, known ? null : t.nameHint),
    field(t.password, first, t.passwordHint),
    field(t.passwordAgain, second),
    wrong,
    h("div", { class: "row end" }, send),
  );
  const whom = words.asWho(words.roles[offer.role] || offer.role, offer.group);
  return h(
    "section",
    { class: "card narrow" },
    h("h1", null, t.join),
    h("p", { class: "offer" }, h("strong", null, t.joinAs(whom)), known ? ` ${t.joinKnown(offer.name)}` : null),
    form,
    h("p", { class: "soft" }, t.joinUntil(day(offer.until))),
  );
}

/** A dialog to change the password; all other sessions of the person end. */
export function passwordDialog(name, done) {
  const t = words.account,
    wrong = problem(),
    dialog = h("dialog", { class: "again", "aria-labelledby": "password-title", onclose: () => dialog.remove() });
  const [old, first, second] = [
    ["old", "current-password"],
    ["new", "new-password"],
    ["again", "new-password"],
  ].map(([part, kind]) =>
    h("input", { name: part, type: "password", autocomplete: kind, required: true, maxlength: "200" }),
  );
  dialog.append(
    h("h2", { id: "password-title" }, t.change),
    h(
      "form",
      {
        class: "sign-in",
        novalidate: true,
        async onsubmit(event) {
          event.preventDefault();
          const fault = first.value.length < LEAST ? t.short : first.value !== second.value ? t.differ : "";
          wrong.textContent = fault;
          wrong.hidden = !fault;
          if (fault) return;
          try {
            await api.post("/api/password", { old: old.value, new: first.value });
            await done();
            dialog.close();
          } catch (error) {
            tell(wrong, error);
          }
        },
      },
      h("input", { hidden: true, autocomplete: "username", value: name, readonly: true }),
      field(t.oldPassword, old),
      field(t.newPassword, first, t.passwordHint),
      field(t.passwordAgain, second),
      wrong,
      h(
        "div",
        { class: "row end" },
        button(words.cancel, () => dialog.close()),
        h("button", { class: "main", type: "submit" }, t.change),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
