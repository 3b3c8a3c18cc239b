"use strict";
/* The sample browser: filters, order, pages of thumbnails. */
(() => {
  const { h, choose, go, load, number, words, views } = Vde;
  const PAGE = 48;

  /* All samples with the rows of all editors, for a protocol. */
  Vde.rows = async (protocol, board) => {
    const samples = await load("samples");
    const names = protocol.rows.filter((row) => !row.reference).map((row) => row.editor);
    const indices = await Promise.all(names.map((name) => load(Vde.place(board, protocol.name, name, "index"))));
    const judged = await Promise.all(names.map((name) => Vde.judgedIndex(board, name)));
    return samples.flatMap((sample, at) => names.map((editor, e) => ({ sample, at, editor, row: indices[e][at], judged: judged[e] && judged[e][at] })));
  };
  Vde.place = (board, protocol, editor, file) => `${board.slugs[protocol]}/${board.slugs[editor]}/${file}`;
  Vde.value = (item, order) => {
    if (order.startsWith("judge.")) return Vde.judgedValue(item, order);
    const [setting, key] = order.split(".");
    const value = (item.row.scores[setting] || {})[key];
    return value === "∞" ? Infinity : value ?? null;
  };

  /* The values of a sample that a filter compares. */
  Vde.filterValues = ({ sample, row }, key) => [key === "outcome" ? row.outcomes : row[key] ?? sample[key] ?? []].flat();

  /* The samples that pass the filters of an address, in its order; "next" follows it too. */
  Vde.filtered = (items, address, protocol) => {
    const text = (address.text || "").toLowerCase();
    const kept = items.filter(({ sample, editor, row }) =>
      (!address.editor || editor === address.editor) &&
      Object.keys(protocol.filters).every((key) => !address[key] || Vde.filterValues({ sample, row }, key).includes(address[key])) &&
      (!text || sample.instruction.toLowerCase().includes(text) || sample.key.toLowerCase().includes(text)));
    if (!address.sort) return kept;
    const metric = protocol.metrics.find((one) => one.key === address.sort.split(".")[1]);
    return Vde.sorted(kept, (item) => Vde.value(item, address.sort), metric && metric.best === "lower");
  };
  Vde.good = (outcome) => outcome === "done" || outcome === "success";
  Vde.filters = (address, protocol) => Object.fromEntries(["protocol", "text", ...Object.keys(protocol.filters), "sort"].map((key) => [key, address[key]]));

  function card(item, address, protocol, board) {
    const { sample, editor, row } = item;
    const settings = Object.keys(protocol.settings).filter((setting) => row.scores[setting]), metric = protocol.metrics[0];
    const shown = (label, setting, one) => h("span", null, `${label} ${number(row.scores[setting][one.key], one.digits)}`);
    const numbers = protocol.cards.length
      ? settings.flatMap((setting) => protocol.metrics.filter((one) => protocol.cards.includes(one.key) && one.key in row.scores[setting]).map((one) => shown(one.title, setting, one)))
      : settings.map((setting) => shown(setting, setting, metric));
    const picture = row.image && row.image.thumb
      ? h("img", { src: row.image.thumb, alt: "", loading: "lazy", decoding: "async" })
      : h("span", { class: "why" }, row.reason || (row.image && row.image.reason) || "no image");
    const to = Vde.link({ sample: sample.key, editor, ...Vde.filters(address, protocol), only: address.editor });
    return h("li", null, h("a", { class: "card", href: to },
      h("span", { class: "thumb" }, picture),
      h("span", { class: "body" },
        h("span", { class: protocol.cards.length ? "name long" : "name" }, h("span", null, sample.key), h("span", null, editor)),
        h("span", { class: "ask" }, sample.instruction || "no instruction"),
        h("span", { class: "numbers" }, numbers.length ? [protocol.cards.length ? null : h("span", null, metric.title), numbers] : h("span", null, "no score"), Vde.judgedScore(item, address.sort || "", board)),
        h("span", { class: "tags" },
          row.state === "scored" ? null : h("span", { class: "tag bad" }, row.state),
          row.usable ? h("span", { class: row.usable === "usable" ? "tag good" : "tag" }, row.usable === "unknown" ? "usable?" : row.usable) : null,
          row.facts ? h("span", { class: "tag fact" }, Vde.plural(row.facts, "changed fact", "changed facts")) : null,
          row.state === "scored" && [...new Set(row.outcomes)].map((outcome) => h("span", { class: Vde.good(outcome) ? "tag good" : "tag" }, words(outcome))),
          h("span", { class: "tag" }, words(sample.operation))))));
  }

  views.samples = async (address, protocol, board) => {
    const items = await Vde.rows(protocol, board), old = document.getElementById("browser");
    const distinct = (of) => [...new Set(items.flatMap(of))].sort();
    const change = (part) => go({ ...Vde.read(), tab: "samples", page: "", ...part }, true);
    const filter = (label, key, values) => choose(label, [["", "all"], ...values.map((value) => [value, words(value)])], address[key] || "", (value) => change({ [key]: value }), { id: "filter-" + key });
    const settings = Object.keys(protocol.settings), several = settings.length > 1;
    const orders = settings.flatMap((setting) => protocol.metrics.filter((metric) => !metric.share).map((metric) => [`${setting}.${metric.key}`, `worst ${several ? setting + " " : ""}${metric.title}`])).concat(Vde.judgedOrders(board));

    const list = h("div", { id: "results" }), kept = Vde.filtered(items, address, protocol);
    const pages = Math.max(1, Math.ceil(kept.length / PAGE)), page = Math.min(Math.max(1, parseInt(address.page, 10) || 1), pages);
    const turn = (to) => () => { go({ ...Vde.read(), page: to }); window.scrollTo(0, 0); };
    list.append(
      h("p", { class: "say", id: "count", role: "status" }, `${kept.length} of ${items.length} edits`),
      kept.length ? h("ul", { class: "cards" }, kept.slice((page - 1) * PAGE, page * PAGE).map((item) => card(item, address, protocol, board)))
        : h("p", { class: "empty" }, "No sample matches all filters. Remove one."),
      pages > 1 ? h("nav", { class: "pager", "aria-label": "Pages" },
        h("button", { type: "button", disabled: page === 1, onclick: turn(page - 1) }, "← Previous"), `${page} / ${pages}`,
        h("button", { type: "button", disabled: page === pages, onclick: turn(page + 1) }, "Next →")) : "");
    if (old && old.dataset.protocol === protocol.name) { // keep the filters, so that typing keeps the cursor
      for (const key of ["editor", ...Object.keys(protocol.filters)]) (old.querySelector("#filter-" + key) || {}).value = address[key] || "";
      old.querySelector("#sort").value = address.sort || "";
      const box = old.querySelector("#text");
      if (document.activeElement !== box) box.value = address.text || "";
      old.querySelector("#results").replaceWith(list);
      return old;
    }
    const text = h("input", { type: "search", id: "text", value: address.text || "", placeholder: "text of an instruction", oninput: () => change({ text: text.value }) });
    return h("section", { id: "browser", "data-protocol": protocol.name },
      h("h2", null, "Samples"),
      h("div", { class: "row" },
        filter("Editor", "editor", [...new Set(items.map((item) => item.editor))]),
        Object.entries(protocol.filters).map(([key, title]) => [title, key, distinct((item) => Vde.filterValues(item, key))]).filter(([, , values]) => values.length).map((one) => filter(...one)),
        choose("Order", [["", "as in the suite"], ...orders], address.sort || "", (sort) => change({ sort }), { id: "sort" }),
        h("label", { class: "wide" }, "Search", text)),
      list);
  };
})();
