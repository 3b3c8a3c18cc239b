"use strict";
/* A site that opens from a folder (the report, the leaderboard): its data, its address, sorting, light and dark. */
Object.assign(Vde, (() => {
  const { h, select, storage } = Vde;
  const data = new Map(), waiting = new Map(), kept = storage("vde-"), find = (id) => document.getElementById(id);

  function take(name, value) { data.set(name, value); }

  /* Data is in scripts: a page that is opened from a file cannot fetch JSON. */
  function load(name) {
    if (data.has(name)) return Promise.resolve(data.get(name));
    if (!waiting.has(name)) {
      waiting.set(name, new Promise((done, fail) => {
        const script = h("script", { src: `data/${name}.js` });
        script.onload = () => { script.remove(); data.has(name) ? done(data.get(name)) : fail(new Error(`${name}: empty`)); };
        script.onerror = () => { waiting.delete(name); fail(new Error(`data/${name}.js is missing: write the pages again`)); };
        document.head.append(script);
      }));
    }
    return waiting.get(name);
  }

  const choose = (label, ...given) => h("label", null, label, select(...given));
  const problem = (error) => h("p", { class: "empty", role: "alert" }, String(error.message || error));

  /* The address: "#key=value&key=value". */
  function read() {
    const found = {};
    for (const part of location.hash.slice(1).split("&")) {
      if (!part) continue;
      const at = part.indexOf("="), key = at < 0 ? part : part.slice(0, at);
      try { found[key] = at < 0 ? "" : decodeURIComponent(part.slice(at + 1)); } catch { found[key] = ""; }
    }
    return found;
  }
  function link(parts) {
    const given = Object.entries(parts).filter(([, value]) => value !== "" && value !== null && value !== undefined);
    return "#" + given.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2F", "/")}`).join("&");
  }

  /* Rows by a key, text or number; rows without one are last. */
  function sorted(rows, key, down) {
    const compare = (x, y) => x === y ? 0 : (typeof x === "string" ? x.localeCompare(y) : x < y ? -1 : 1) * (down ? -1 : 1);
    return rows.map((row) => [key(row), row]).sort(([x], [y]) => x === null || y === null ? (x === null) - (y === null) : compare(x, y)).map(([, row]) => row);
  }
  /* The head of a column {id, title, best, help}, which sorts by it; `order` is the present {id, down}. */
  function sortButton(column, order, sort, attributes) {
    const on = order && order.id === column.id;
    return h("button", {
      type: "button", class: column.title.length > 14 ? "long" : null, "data-sort": column.id, title: column.help || (column.best ? `${column.best} is better` : null), ...attributes,
      onclick: () => sort({ id: column.id, down: on ? !order.down : column.best === "higher" }),
    }, column.title + (column.best === "lower" ? " (low)" : "") + (on ? (order.down ? " ↓" : " ↑") : ""));
  }
  const ariaSort = (id, order) => order && order.id === id ? (order.down ? "descending" : "ascending") : null;

  /* Show a view when it is ready, unless a later one was begun; the element that had the focus gets it back. */
  let turn = 0;
  async function draw(view, show) {
    const mine = ++turn, focus = document.activeElement && document.activeElement.id, main = find("main");
    let page = null;
    main.setAttribute("aria-busy", "true");
    try { page = await view(); } catch (error) { page = problem(error); }
    if (mine !== turn) return;
    main.removeAttribute("aria-busy");
    if (!page) return;
    show(page);
    if (focus && document.activeElement === document.body) find(focus)?.focus({ preventScroll: true });
  }

  const { dataset } = document.documentElement;
  if (kept.get("theme")) dataset.theme = kept.get("theme");
  function start() {
    find("skip").addEventListener("click", (event) => { event.preventDefault(); find("main").focus(); });
    find("theme").addEventListener("click", () => {
      const theme = dataset.theme || (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
      dataset.theme = theme === "dark" ? "light" : "dark";
      kept.put("theme", dataset.theme);
    });
  }
  return { take, load, choose, problem, read, link, sorted, sortButton, ariaSort, draw, start, kept };
})());
