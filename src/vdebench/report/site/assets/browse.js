"use strict";
/* The sample browser: filters, order, pages of thumbnails. */
(() => {
  const { h, choose, go, load, number, words, views } = Vde;
  const PAGE = 48;

  /* Every sample with every editor's row, of a protocol. */
  Vde.rows = async (protocol, board) => {
    const samples = await load("samples");
    const names = protocol.rows.filter((row) => !row.reference).map((row) => row.editor);
    const indices = await Promise.all(names.map((name) => load(Vde.place(board, protocol.name, name, "index"))));
    return samples.flatMap((sample, at) => names.map((editor, e) => ({ sample, at, editor, row: indices[e][at] })));
  };
  Vde.place = (board, protocol, editor, file) => `${board.slugs[protocol]}/${board.slugs[editor]}/${file}`;
  Vde.value = (item, order) => {
    const [setting, key] = order.split(".");
    const value = (item.row.scores[setting] || {})[key];
    return value === "∞" ? Infinity : value ?? null;
  };

  /* What the filters of an address leave, in its order; also what "next" means in the view of a sample. */
  Vde.chosen = (items, address, protocol) => {
    const text = (address.text || "").toLowerCase();
    const kept = items.filter(({ sample, editor, row }) =>
      (!address.editor || editor === address.editor) && (!address.operation || sample.operation === address.operation) &&
      (!address.language || sample.language === address.language) && (!address.source || sample.source === address.source) &&
      (!address.state || row.state === address.state) && (!address.outcome || row.outcomes.includes(address.outcome)) &&
      (!text || sample.instruction.toLowerCase().includes(text) || sample.key.toLowerCase().includes(text)));
    if (address.sort) {
      const key = address.sort.split(".")[1], metric = protocol.metrics.find((one) => one.key === key);
      const sign = metric && metric.best === "lower" ? -1 : 1;
      kept.sort((a, b) => {
        const [x, y] = [Vde.value(a, address.sort), Vde.value(b, address.sort)];
        if (x === null || y === null) return (x === null) - (y === null);
        return x === y ? a.at - b.at : (x < y ? -1 : 1) * sign;
      });
    }
    return kept;
  };
  Vde.good = (outcome) => outcome === "done" || outcome === "success";
  Vde.filters = (address) => {
    const { protocol, text, operation, language, source, state, outcome, sort } = address;
    return { protocol, text, operation, language, source, state, outcome, sort };
  };

  function card({ sample, editor, row }, address, protocol) {
    const metric = protocol.metrics[0];
    const numbers = ["local", "global"].filter((setting) => row.scores[setting])
      .map((setting) => h("span", null, `${setting} ${number(row.scores[setting][metric.key], metric.digits)}`));
    const picture = row.image && row.image.thumb
      ? h("img", { src: row.image.thumb, alt: "", loading: "lazy", decoding: "async" })
      : h("span", { class: "why" }, row.reason || (row.image && row.image.reason) || "no image");
    const to = Vde.link({ sample: sample.key, editor, ...Vde.filters(address), only: address.editor });
    return h("li", null, h("a", { class: "card", href: to },
      h("span", { class: "thumb" }, picture),
      h("span", { class: "body" },
        h("span", { class: "name" }, h("span", null, sample.key), h("span", null, editor)),
        h("span", { class: "ask" }, sample.instruction || "no instruction"),
        h("span", { class: "numbers" }, numbers.length ? [h("span", null, metric.title), numbers] : h("span", null, "no score")),
        h("span", { class: "tags" },
          row.state === "scored" ? null : h("span", { class: "tag bad" }, row.state),
          row.state === "scored" && [...new Set(row.outcomes)].map((outcome) => h("span", { class: Vde.good(outcome) ? "tag good" : "tag" }, words(outcome))),
          h("span", { class: "tag" }, words(sample.operation))))));
  }

  views.samples = async (address, protocol, board) => {
    const items = await Vde.rows(protocol, board), old = document.getElementById("browser");
    const distinct = (of) => [...new Set(items.flatMap(of))].sort();
    const change = (part) => go({ ...Vde.read(), tab: "samples", page: "", ...part }, true);
    const filter = (label, key, values) => choose(label, [["", "all"], ...values.map((value) => [value, words(value)])], address[key] || "", (value) => change({ [key]: value }), { id: "filter-" + key });
    const orders = ["local", "global"].flatMap((setting) => protocol.metrics.map((metric) => [`${setting}.${metric.key}`, `worst ${setting} ${metric.title}`]));

    const list = h("div", { id: "results" }), kept = Vde.chosen(items, address, protocol);
    const pages = Math.max(1, Math.ceil(kept.length / PAGE)), page = Math.min(Math.max(1, parseInt(address.page, 10) || 1), pages);
    const turn = (to) => () => { go({ ...Vde.read(), page: to }); window.scrollTo(0, 0); };
    list.append(
      h("p", { class: "say", id: "count", role: "status" }, `${kept.length} of ${items.length} edits`),
      kept.length ? h("ul", { class: "cards" }, kept.slice((page - 1) * PAGE, page * PAGE).map((item) => card(item, address, protocol)))
        : h("p", { class: "empty" }, "Nothing has all of this. Take a filter away."),
      pages > 1 ? h("nav", { class: "pager", "aria-label": "Pages" },
        h("button", { type: "button", disabled: page === 1, onclick: turn(page - 1) }, "← Previous"), `${page} / ${pages}`,
        h("button", { type: "button", disabled: page === pages, onclick: turn(page + 1) }, "Next →")) : "");
    if (old && old.dataset.protocol === protocol.name) { // the filters stay as they are: who types keeps the cursor
      for (const key of ["editor", "operation", "language", "source", "state", "outcome"]) old.querySelector("#filter-" + key).value = address[key] || "";
      old.querySelector("#sort").value = address.sort || "";
      const box = old.querySelector("#text");
      if (document.activeElement !== box) box.value = address.text || "";
      old.querySelector("#results").replaceWith(list);
      return old;
    }
    const text = h("input", { type: "search", id: "text", value: address.text || "", placeholder: "words of an instruction", oninput: () => change({ text: text.value }) });
    return h("section", { id: "browser", "data-protocol": protocol.name },
      h("h2", null, "Samples"),
      h("div", { class: "row" },
        filter("Editor", "editor", [...new Set(items.map((item) => item.editor))]), filter("Operation", "operation", distinct((item) => item.sample.operation)),
        filter("Language", "language", distinct((item) => item.sample.language)), filter("Source", "source", distinct((item) => item.sample.source)),
        filter("State", "state", distinct((item) => item.row.state)), filter("Region outcome", "outcome", distinct((item) => item.row.outcomes)),
        choose("Order", [["", "as in the suite"], ...orders], address.sort || "", (sort) => change({ sort }), { id: "sort" }),
        h("label", { class: "wide" }, "Search", text)),
      list);
  };
})();
