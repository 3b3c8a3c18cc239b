/* Members and their votes; invitation links. */

import { api } from "./api.js";
import { button, day, field, foreign, h, select, table } from "./widgets.js";
import { stepNames, stepTitle } from "./steps.js";
import { words as base } from "./words.js";
import { words } from "./words_admin.js";

export async function peoplePart(app, again) {
  const t = words.people,
    { members, invitations } = await api.get("/api/admin/overview");
  const used = stepNames().filter((step) => members.some((member) => member.votes?.[step]));
  const rows = members.map((member) => [
    foreign(member.name),
    base.roles[member.role] || member.role,
    member.group || t.noGroup,
    ...used.map((step) => member.votes?.[step] || 0),
    day(member.last) || t.never,
    member.active
      ? member.name === app.me.name
        ? ""
        : button(t.remove, () => takeOut(app, member.name, again))
      : h("span", { class: "soft" }, t.left),
  ]);
  const links = h("div", null, linkTable(app, invitations, again));
  return [
    h("h1", null, words.admin.parts.people),
    h(
      "section",
      { class: "card" },
      h("h2", null, t.members),
      table(t.members, [t.name, t.role, t.group, ...used.map((step) => stepTitle(step)), t.last, ""], rows),
    ),
    h(
      "section",
      { class: "card" },
      h("h2", null, t.invitations),
      inviteForm(app, async () => {
        const now = await api.get("/api/admin/overview");
        links.replaceChildren(linkTable(app, now.invitations, again));
      }),
      links,
    ),
  ];
}

function linkTable(app, invitations, again) {
  const t = words.people;
  if (!invitations.length) return h("p", { class: "soft" }, t.none);
  return table(
    t.invitations,
    [t.role, t.group, t.name, t.by, t.until, t.used, ""],
    invitations.map((each) => [
      base.roles[each.role] || each.role,
      each.group || t.noGroup,
      foreign(each.name || ""),
      foreign(each.by || ""),
      day(each.until),
      each.used_by ? foreign(each.used_by) : h("span", { class: "soft" }, t.open),
      each.used_by ? "" : button(t.withdraw, () => withdraw(app, each.id, again)),
    ]),
  );
}

async function takeOut(app, name, again) {
  if (!confirm(words.people.removeAsk(name))) return;
  const { answer } = await app.outbox.ask({ kind: "leave", name });
  if (answer) {
    app.say(words.people.gone(name), "good");
    again();
  }
}

async function withdraw(app, id, again) {
  try {
    await api.remove(`/api/admin/invitations?id=${encodeURIComponent(id)}`);
    app.say(words.people.deleted, "good");
    again();
  } catch (error) {
    app.failed(error);
  }
}

/** Calls `made()` after a new link, so that the list shows it. */
function inviteForm(app, made) {
  const t = words.people,
    groups = app.me.options.groups;
  const group = select(
    groups.map((name) => [name, name]),
    groups[0],
  );
  const role = select(Object.entries(base.roles), "annotator", (value) => {
    group.disabled = value !== "annotator";
  });
  const days = h("input", { type: "number", min: "1", max: "90", value: "7", class: "short" });
  const name = h("input", { maxlength: "200", autocomplete: "off" });
  const place = h("div", { class: "made-link", "aria-live": "polite" });
  return h(
    "form",
    {
      class: "row form",
      async onsubmit(event) {
        event.preventDefault();
        const known = name.value.trim();
        const wanted = {
          role: role.value,
          group: role.value === "annotator" ? group.value : "",
          days: Number(days.value),
          ...(known ? { name: known } : {}),
        };
        try {
          const { link } = await api.post("/api/admin/invitations", wanted);
          place.replaceChildren(...linkShown(link));
          place.querySelector("input").select();
          await made();
        } catch (error) {
          app.failed(error);
        }
      },
    },
    field(t.role, role),
    field(t.group, group),
    field(t.days, days),
    field(t.forName, name, t.forNameHint),
    h("button", { class: "main", type: "submit" }, t.make),
    place,
  );
}

function linkShown(link) {
  const t = words.people,
    shown = h("input", { readonly: true, value: link, class: "link", "aria-label": t.link }),
    said = h("small", { class: "soft" }, t.once);
  return [
    shown,
    button(t.copy, async () => {
      shown.select();
      try {
        await navigator.clipboard.writeText(link);
        said.textContent = t.copied;
      } catch {
        said.textContent = t.copyByHand;
      }
    }),
    said,
  ];
}
