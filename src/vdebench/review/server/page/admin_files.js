/* Downloads; upload of an edit; withdrawal of a sample; a link to any sample. */

import { api } from "./api.js";
import { field, h } from "./widgets.js";
import { words } from "./words_admin.js";

export function filesPart(app) {
  const t = words.files,
    link = (href, label) => h("li", null, h("a", { href, download: "" }, label));
  return [
    h("h1", null, words.admin.parts.files),
    h(
      "div",
      { class: "cards wide" },
      h(
        "section",
        { class: "card" },
        h("h2", null, t.downloads),
        h(
          "ul",
          null,
          link("/api/admin/events.jsonl", t.events),
          link("/api/admin/ratings.csv?of=pool", t.ratingsPool),
          link("/api/admin/ratings.csv?of=pilot", t.ratingsPilot),
        ),
      ),
      uploadForm(app),
      lookForm(app),
      withdrawForm(app),
    ),
  ];
}

const idField = () => h("input", { maxlength: "200", spellcheck: "false", autocomplete: "off" });

function form(title, why, fields, label, run) {
  const send = h("button", { class: "main", type: "submit" }, label);
  return h(
    "section",
    { class: "card" },
    h("h2", null, title),
    why ? h("p", { class: "soft" }, why) : null,
    h(
      "form",
      {
        class: "stack",
        async onsubmit(event) {
          event.preventDefault();
          send.disabled = true;
          try {
            await run();
          } finally {
            send.disabled = false;
          }
        },
      },
      fields,
      h("div", null, send),
    ),
  );
}

function uploadForm(app) {
  const t = words.files,
    id = idField(),
    file = h("input", { type: "file", accept: "image/png,image/jpeg,image/webp" });
  return form(t.upload, t.uploadWhy, [field(t.id, id), field(t.file, file)], t.send, async () => {
    const name = id.value.trim();
    if (!name || !file.files.length) {
      app.say(t.missing, "warn");
      return;
    }
    try {
      await api.upload(`/api/admin/upload?id=${encodeURIComponent(name)}`, file.files[0]);
      app.say(t.sent(name), "good");
      id.value = file.value = "";
    } catch (error) {
      app.failed(error);
    }
  });
}

function lookForm(app) {
  const t = words.files,
    id = idField();
  return form(t.look, "", [field(words.rounds.sample, id)], t.lookSend, async () => {
    if (id.value.trim()) app.go(`work/${encodeURIComponent(id.value.trim())}`);
  });
}

function withdrawForm(app) {
  const t = words.files,
    id = idField(),
    reason = h("input", { maxlength: "2000" });
  return form(
    t.withdraw,
    t.withdrawWhy,
    [field(words.rounds.sample, id), field(t.reason, reason)],
    t.withdrawSend,
    async () => {
      if (!id.value.trim() || !reason.value.trim()) {
        app.say(t.withdrawMissing, "warn");
        return;
      }
      const { answer } = await app.outbox.ask({
        kind: "withdraw",
        sample: id.value.trim(),
        reason: reason.value.trim(),
      });
      if (answer) {
        app.say(t.withdrawn(id.value.trim()), "good");
        id.value = reason.value = "";
      }
    },
  );
}
