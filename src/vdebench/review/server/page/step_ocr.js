/* Text check: each region magnified next to its OCR text. */

import { button, field, h, sign } from "./widgets.js";
import { difference, odd } from "./letters.js";
import { picture } from "./pictures.js";
import { words } from "./words.js";
import { lookAtBoxes, outline } from "./agreed_boxes.js";
import { verdictSet } from "./verdict.js";

const EDGE = 6;

export function widget({ step, sample, stage, draft, save, send, say }) {
  const t = words.ocr,
    read = sample.readings || [];
  const given = { verdict: "", note: "", texts: [...read], ...draft };
  if (given.texts.length !== sample.boxes.length) given.texts = sample.boxes.map((_, index) => read[index] ?? "");
  const keep = () => save(given),
    changed = () => given.texts.some((text, index) => text !== (read[index] ?? ""));
  const verdict = verdictSet(
    "ocr",
    [
      ["correct", t.correct, "C", "good"],
      ["corrected", t.corrected, "", "good"],
      ["wrong", t.wrong, "W", "bad"],
    ],
    given.verdict,
    choose,
  );
  const regions = sample.boxes.map((box, index) =>
    region({ sample, stage, box, index, read: read[index] ?? "", text: given.texts[index], typed }),
  );
  const note = h("textarea", {
    rows: "2",
    maxlength: "20000",
    value: given.note,
    oninput: () => {
      given.note = note.value;
      keep();
    },
  });
  const remove = outline(stage, sample, true);
  lookAtBoxes(stage, sample);

  function typed(index, text) {
    given.texts[index] = text;
    if (changed()) given.verdict = "corrected";
    else if (given.verdict === "corrected") given.verdict = "";
    verdict.set(given.verdict);
    keep();
  }
  /** A verdict never discards typed text: a changed text is not "correct". */
  function choose(value) {
    given.verdict = value === "correct" && changed() ? "corrected" : value;
    if (given.verdict !== value) say(t.changed, "warn");
    verdict.set(given.verdict);
    keep();
  }
  return {
    title: t.keysTitle,
    help: t.keys,
    wide: true,
    verdict: verdict.element,
    element: h(
      "div",
      { class: "step" },
      h("p", { class: "why" }, step.hint),
      regions.map((each) => each.element),
      field(`${words.also.note} (${words.also.optional})`, note),
    ),
    focus: () => stage.element.focus({ preventScroll: true, focusVisible: false }),
    key(event, name) {
      if (name === "c") choose("correct");
      else if (name === "w") choose("wrong");
      else return name === "x" && lookAtBoxes(stage, sample);
      return true;
    },
    close: remove,
    send() {
      if (!given.verdict) return say(t.missing, "warn");
      if (given.verdict === "corrected" && !changed()) return say(t.unchanged, "warn");
      const texts = given.verdict === "corrected" ? given.texts : [];
      return send(
        {
          kind: step.command,
          sample: sample.sample,
          round: sample.round,
          verdict: given.verdict,
          texts,
          note: given.note.trim(),
        },
        `${step.title}: ${t[given.verdict]}`,
      );
    },
  };
}

function region({ sample, stage, box, index, read, text, typed }) {
  const t = words.ocr,
    canvas = h("canvas", { class: "crop", role: "img", "aria-label": t.region(index + 1) });
  const typing = h("textarea", {
    class: "letters",
    rows: `${Math.min(8, Math.max(2, read.split("\n").length + 1))}`,
    spellcheck: "false",
    dir: "auto",
    value: text,
    "aria-label": `${t.read}: ${t.region(index + 1)}`,
    oninput: () => {
      typed(index, typing.value);
      tell();
    },
  });
  const marks = h("p", { class: "letters changes", dir: "auto", "aria-live": "polite" }),
    strange = h("p", { class: "soft strange" });

  function tell() {
    const parts = difference(read, typing.value);
    const alike = parts.every(([kind]) => kind === "same");
    marks.replaceChildren(
      ...(alike
        ? [h("span", { class: "soft" }, read ? t.same : t.empty)]
        : parts.map(([kind, part]) => h({ same: "span", cut: "del", new: "ins" }[kind], null, part))),
    );
    const found = odd(typing.value);
    strange.replaceChildren(
      ...(found.length
        ? [
            t.oddTitle,
            " ",
            ...found.flatMap(([letter, code, kind]) => [
              h("bdi", { class: "letters" }, kind === "unseen" || kind === "space" ? "" : letter),
              ` ${code} ${t.odd[kind]}; `,
            ]),
          ]
        : []),
    );
  }
  function reset() {
    if (typing.value === read) return;
    typing.value = read;
    typed(index, read);
    tell();
  }
  picture(sample.images.reference || sample.images.after).then(
    (image) => magnified(canvas, image, box, sample),
    () => {},
  );
  tell();
  return {
    element: h(
      "section",
      { class: "region" },
      h(
        "div",
        { class: "row spread" },
        h("h3", null, t.region(index + 1)),
        h(
          "span",
          { class: "row tight" },
          button(sign("look"), () => stage.viewer.lookAt(box), {
            title: words.boxes.look,
            "aria-label": words.boxes.look,
          }),
          button(t.reset, reset),
        ),
      ),
      h("div", { class: "crop-box" }, canvas),
      typing,
      marks,
      strange,
    ),
  };
}

/** The region with a margin, magnified by an integer factor. */
function magnified(canvas, image, box, page) {
  const left = Math.max(0, box[0] - EDGE),
    top = Math.max(0, box[1] - EDGE);
  const wide = Math.min(page.width, box[2] + EDGE) - left,
    high = Math.min(page.height, box[3] + EDGE) - top;
  const times = Math.max(1, Math.min(4, Math.floor(560 / wide), Math.floor(400 / high) || 1));
  canvas.width = wide * times;
  canvas.height = high * times;
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.drawImage(image, left, top, wide, high, 0, 0, canvas.width, canvas.height);
}
