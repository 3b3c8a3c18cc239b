"use strict";
/* Changed facts of all samples and editors, each with the same place of the reference and of the output. */
(() => {
  const { h, s, choose, go, load, plural, words, views, changeText, changeHead } = Vde;
  const PAGE = 24;

  /* A part of an image around a box, which is in percent. */
  function crop(title, picture, box) {
    const missing = !picture || !picture.image || !box;
    const caption = h("figcaption", null, title);
    if (missing) return h("figure", { class: "crop" }, caption, h("span", { class: "hint" }, (picture && picture.reason) || "no image"));
    const [across, down] = picture.size, [x, y, width, height] = [box[0] * across, box[1] * down, box[2] * across, box[3] * down].map((part) => part / 100);
    const tall = Math.max(height * 2.4, 24), wide = Math.max(width * 1.2, tall * 5);
    return h("figure", { class: "crop" }, caption, s("svg", { viewBox: [x + width / 2 - wide / 2, y + height / 2 - tall / 2, wide, tall].join(" "), role: "img", "aria-label": title },
      s("image", { href: picture.image, width: across, height: down, preserveAspectRatio: "none" }),
      s("rect", { x: x - 2, y: y - 2, width: width + 4, height: height + 4 })));
  }

  function entry(fact, samples, indices, protocol) {
    const sample = samples[fact.at], row = indices[fact.editor][fact.at];
    const to = Vde.link({ sample: sample.key, editor: fact.editor, protocol: protocol.name, only: fact.editor, changed_facts: "yes" });
    return h("li", { class: "fact-entry", "data-kind": fact.kind },
      changeHead(fact, h("span", null, fact.editor), h("a", { href: to }, sample.key)), changeText(fact),
      h("div", { class: "crops" }, sample.unreferenced ? crop("Source", sample.images[0], fact.places[0]) : crop("Reference", sample.images[1], fact.places[0]), crop("Output", row.image, fact.places[1])));
  }

  views.facts = async (address, protocol, board) => {
    if (protocol.facts === undefined) return h("p", { class: "empty" }, "Changes were not measured in these runs: they need images that the default reader reads, and the protocol strict.");
    const facts = await load(`${board.slugs[protocol.name]}/facts`), samples = await load("samples");
    const editors = [...new Set(facts.map((fact) => fact.editor))], kinds = [...new Set(facts.map((fact) => fact.fact_kind))].sort();
    const indices = Object.fromEntries(await Promise.all(editors.map(async (name) => [name, await load(Vde.place(board, protocol.name, name, "index"))])));
    const change = (part) => go({ ...Vde.read(), tab: "facts", page: "", ...part }, true);
    const kept = facts.filter((fact) => (!address.editor || fact.editor === address.editor) && (!address.fact || fact.fact_kind === address.fact));
    const pages = Math.max(1, Math.ceil(kept.length / PAGE)), page = Math.min(Math.max(1, parseInt(address.page, 10) || 1), pages);
    const turn = (to) => () => { go({ ...Vde.read(), page: to }); window.scrollTo(0, 0); };
    const listed = kept.slice((page - 1) * PAGE, page * PAGE), groups = editors.map((name) => [name, listed.filter((fact) => fact.editor === name)]).filter(([, found]) => found.length);
    return h("section", { id: "facts" },
      h("h2", null, "Changed facts"),
      h("p", { class: "say" }, "Numbers, dates, prices, codes and names outside the edited regions that read differently on the output than on the reference, or, without a reference, that the instruction did not ask to change. The marked places show both."),
      h("div", { class: "row" },
        choose("Editor", [["", "all"], ...editors], address.editor || "", (editor) => change({ editor }), { id: "facts-editor" }),
        choose("Kind of fact", [["", "all"], ...kinds.map((kind) => [kind, words(kind)])], address.fact || "", (fact) => change({ fact }), { id: "facts-kind" })),
      h("p", { class: "say", id: "facts-count", role: "status" }, plural(kept.length, "changed fact", "changed facts")),
      groups.map(([name, found]) => [h("h3", null, `${name}: ${kept.filter((fact) => fact.editor === name).length}`), h("ul", { class: "fact-list" }, found.map((fact) => entry(fact, samples, indices, protocol)))]),
      kept.length ? null : h("p", { class: "empty" }, facts.length ? "No changed fact matches the filters." : "No fact was changed outside the edited regions."),
      pages > 1 ? h("nav", { class: "pager", "aria-label": "Pages" },
        h("button", { type: "button", disabled: page === 1, onclick: turn(page - 1) }, "← Previous"), `${page} / ${pages}`,
        h("button", { type: "button", disabled: page === pages, onclick: turn(page + 1) }, "Next →")) : "");
  };
})();
