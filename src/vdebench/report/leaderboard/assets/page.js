"use strict";
/* The page: the selection (in the address), the controls, and the current tab. */
const Board = (() => {
  const { h, choose, read, link, load, words, plural, draw: show, problem, start } = Vde;
  const TABS = { tables: "Tables", plots: "Plots", printed: "Published" };
  const views = {};
  let data = null;
  const find = h("input", { type: "search", id: "find", placeholder: "part of a name", oninput: () => change({ find: find.value }) });
  /* The search box is never redrawn: it keeps the cursor and the composition of typed text. */
  const bar = h("div", { class: "row", id: "controls" }, h("label", { class: "wide" }, "Editor", find)), body = h("div");

  const all = () => data;
  function change(part) {
    history.replaceState(null, "", link({ ...read(), ...part }));
    draw();
  }
  const protocols = () => [...new Set(data.tables.map((table) => table.protocol))];
  const chosenTables = (address) => data.tables.filter((table) => !address.protocol || table.protocol === address.protocol);
  const settingOf = (table, address) => address.setting in table.settings ? address.setting : Object.keys(table.settings)[0];

  /* The slices of the selected tables, with their values. */
  function slices(tables) {
    const found = {};
    for (const table of tables) for (const [name, [, values]] of Object.entries(table.values)) {
      found[name] = found[name] || { title: table.slices[name], values: new Set() };
      for (const value of values) found[name].values.add(value);
    }
    return found;
  }
  /* The rows of a table with the numbers of a slice; null if the table lacks it. */
  async function sliced(table, address) {
    if (!address.by) return { rows: table.rows, ceilings: table.ceilings };
    if (!table.values[address.by]) return null;
    const entry = (await load(table.values[address.by][0]))[address.value];
    if (!entry) return null;
    const nothing = { cells: {}, usable: null, coverage: null, regions: null };
    return { rows: table.rows.map((row, at) => ({ ...row, whole: row.coverage, falls: null, ...(entry.rows[at] || nothing) })), ceilings: entry.ceilings };
  }
  /* The address with defaults: a slice always has a value. */
  function filled(address) {
    const there = slices(chosenTables(address))[address.by];
    if (!there) return { ...address, by: "", value: "" };
    return { ...address, value: there.values.has(address.value) ? address.value : [...there.values][0] };
  }
  const matches = (name, address) => !address.find || name.toLowerCase().includes(address.find.toLowerCase());

  function switcher(label, options, value, pick) {
    return h("div", { class: "set", role: "group", "aria-label": label }, Object.entries(options).map(([key, title]) =>
      h("button", { type: "button", id: `${label}-${key}`.replaceAll(" ", "-"), "aria-pressed": String(key === value), onclick: () => pick(key) }, title)));
  }
  function controls(address, ...more) {
    const tables = chosenTables(address), found = slices(tables), names = protocols();
    const settings = Object.assign({}, ...tables.map((table) => Object.keys(table.settings).length > 1 ? table.settings : {}));
    if (document.activeElement !== find) find.value = address.find || "";
    const shown = [
      names.length > 1 ? choose("Protocol", [["", "all"], ...names], address.protocol || "", (protocol) => change({ protocol, table: "" }), { id: "by-protocol" }) : null,
      Object.keys(found).length ? choose("Show", [["", "all samples"], ...Object.entries(found).map(([key, { title }]) => [key, `by ${title}`])], address.by || "", (by) => change({ by, value: "" }), { id: "by-slice" }) : null,
      address.by ? choose(found[address.by].title, [...found[address.by].values].map((value) => [value, words(value)]), address.value, (value) => change({ value }), { id: "by-value" }) : null,
      Object.keys(settings).length > 1 ? switcher("Setting", settings, address.setting in settings ? address.setting : Object.keys(settings)[0], (setting) => change({ setting })) : null,
      more];
    while (bar.children.length > 1) bar.lastChild.remove();
    bar.append(...shown.flat(Infinity).filter(Boolean));
  }

  /* Copy a text, also where pages from files have no clipboard. */
  async function copy(text, what) {
    try { await navigator.clipboard.writeText(text); } catch {
      const area = h("textarea", { class: "away", "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    say(`${what} copied`);
  }
  let silence = 0;
  function say(text) {
    const box = document.getElementById("said");
    box.textContent = text;
    clearTimeout(silence);
    silence = setTimeout(() => { box.textContent = ""; }, 2500);
  }

  function draw() {
    const address = filled(read()), tab = views[address.tab] ? address.tab : "tables", main = document.getElementById("main");
    document.getElementById("tabs").replaceChildren(...Object.entries(TABS).filter(([key]) => key !== "printed" || data.printed.length).map(([key, title]) =>
      h("a", { href: link({ ...read(), tab: key }), id: "tab-" + key, "aria-current": key === tab ? "page" : null }, title)));
    bar.hidden = tab === "printed";
    show(() => views[tab](address, data), (page) => {
      body.replaceChildren(page);
      if (!bar.isConnected) main.replaceChildren(bar, body);
      performance.mark("drawn");
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    start();
    load("leaderboard").then((found) => {
      data = found;
      const runs = data.tables.reduce((sum, table) => sum + table.rows.length, 0);
      document.title = `${data.title} · vdebench`;
      document.getElementById("title").textContent = data.title;
      document.getElementById("suite").textContent = `${plural(runs, "run", "runs")}, ${plural(data.tables.length, "table", "tables")}`;
      document.getElementById("foot").textContent = `Written by vdebench ${data.version}. All numbers come from the summaries of the runs.`;
      window.addEventListener("hashchange", draw);
      let width = window.innerWidth;
      window.addEventListener("resize", () => { if (read().tab === "plots" && window.innerWidth !== width) { width = window.innerWidth; draw(); } });
      draw();
    }, (error) => document.getElementById("main").replaceChildren(problem(error)));
  });
  return { all, views, change, controls, switcher, chosenTables, settingOf, sliced, matches, copy };
})();
