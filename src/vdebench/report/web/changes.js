"use strict";
/* Changes between two images of a page, for the page of one edit and the report: an entry of their list, a box on an image. */
Object.assign(Vde, (() => {
  const { h, s, number, words } = Vde;

  /* The words of a change: before → after, and its note. */
  function changeText(change) {
    const { before, after } = change, tag = ["replaced", "lost"].includes(change.kind) ? "del" : "span";
    const parts = [before && h(tag, { lang: "" }, before), before && after && before !== after && [" → ", h("ins", { lang: "" }, after)], !before && after && h("ins", { lang: "" }, after)];
    return h("span", { class: "words" }, parts, change.note && h("span", { class: "note" }, (before || after) && " ", change.note), !before && !after && !change.note && h("i", null, "no text"));
  }
  /* Kind, fact, `more` and confidence of a change. */
  const changeHead = (change, ...more) => h("span", { class: "head" }, h("b", null, words(change.kind)), change.fact_kind && h("span", { class: "tag fact" }, change.fact_kind), more,
    h("span", { class: "confidence", title: "Confidence" }, number(change.confidence, 2)));

  /* A change as a button of the list; `asked` has the words for true, false and null. */
  function changeButton(change, asked, press, attributes) {
    const evidence = Object.entries(change.evidence).map(([name, value]) => `${words(name)} ${value}`).join(" · ");
    return h("button", { type: "button", onclick: press, class: "change", "data-kind": change.kind, ...attributes },
      changeHead(change, h("span", { class: change.asked === false ? "tag unasked" : "tag" }, asked[change.asked])),
      changeText(change), evidence && h("span", { class: "evidence" }, evidence));
  }

  /* The box of a change, in percent of an image. */
  function changeBox(change, [x, y, width, height], index, chosen) {
    const classes = [change.asked ? "asked" : "", change.fact ? "fact" : "", chosen ? "chosen" : ""];
    return s("rect", { x: x - 0.4, y: y - 0.3, width: width + 0.8, height: height + 0.6, class: classes.filter(Boolean).join(" ") || null, "data-kind": change.kind, "data-change": index });
  }

  /* A toggle for every kind of change, with the number of changes. */
  function kindToggles(kinds, changes, toggle, hidden, redraw) {
    return h("div", { class: "set", role: "group", "aria-label": "Kinds of changes" }, kinds.map((kind) => toggle(
      [h("span", { class: "swatch", "data-kind": kind }), words(kind), h("span", { class: "many" }, changes.filter((change) => change.kind === kind).length)],
      !hidden.has(kind), (on) => { on ? hidden.delete(kind) : hidden.add(kind); redraw(); }, { "data-filter": kind })));
  }
  return { changeText, changeHead, changeButton, changeBox, kindToggles };
})());
