"use strict";
/* Data that arrives, elements made without HTML (so that no text can become markup), and the address. */
const Vde = (() => {
  const data = new Map(), waiting = new Map();

  function take(name, value) { data.set(name, value); }

  /* Data is in scripts: a page that was opened from a file may load those, and nothing else. */
  function load(name) {
    if (data.has(name)) return Promise.resolve(data.get(name));
    if (!waiting.has(name)) {
      waiting.set(name, new Promise((done, fail) => {
        const script = document.createElement("script");
        script.src = `data/${name}.js`;
        script.onload = () => { script.remove(); data.has(name) ? done(data.get(name)) : fail(new Error(`${name}: empty`)); };
        script.onerror = () => { waiting.delete(name); fail(new Error(`data/${name}.js is missing: make the report anew`)); };
        document.head.append(script);
      }));
    }
    return waiting.get(name);
  }

  function add(element, children) {
    for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
    return element;
  }
  function set(element, key, value) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) set(element, key, value);
    return add(element, children);
  }
  function s(tag, attributes) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) set(element, key, value);
    return element;
  }
  function choose(label, options, value, change, attributes) {
    const select = h("select", { onchange: () => change(select.value), ...attributes });
    for (const option of options) {
      const [key, title] = Array.isArray(option) ? option : [option, option];
      select.append(h("option", { value: key, selected: key === value }, title));
    }
    return h("label", null, label, select);
  }

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
    const kept = Object.entries(parts).filter(([, value]) => value !== "" && value !== null && value !== undefined);
    return "#" + kept.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2F", "/")}`).join("&");
  }
  /* The address as it should be: an entry of its own in the history, or in place of the last. */
  function go(parts, replace) {
    if (replace) { history.replaceState(null, "", link(parts)); draw(); } else location.hash = link(parts);
  }

  const kept = {
    get(key) { try { return localStorage.getItem("vde-" + key); } catch { return null; } },
    put(key, value) { try { localStorage.setItem("vde-" + key, value); } catch { /* a browser that keeps nothing */ } },
  };
  function number(value, digits) {
    if (value === null || value === undefined) return "–";
    return typeof value === "number" ? value.toFixed(digits) : String(value);
  }
  const words = (name) => String(name).replaceAll("_", " ");

  const views = {};
  let turn = 0;
  async function draw() {
    const board = data.get("board"), address = read(), main = document.getElementById("main");
    const view = address.sample ? "sample" : views[address.tab] ? address.tab : "board";
    const protocol = board.protocols.find((one) => one.name === address.protocol) || board.protocols[0];
    document.getElementById("protocol").value = protocol.name;
    for (const tab of ["board", "slices", "samples"]) {
      const link = document.getElementById("tab-" + tab), here = tab === (view === "sample" ? "samples" : view);
      link.href = Vde.link({ tab, protocol: address.protocol });
      here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    }
    const mine = ++turn;
    try {
      const made = await views[view]({ ...address, protocol: protocol.name }, protocol, board);
      if (mine !== turn || !made) return;
      const focus = document.activeElement && document.activeElement.id; // who went on by a button wants it again
      if (made !== main.firstChild) {
        const other = main.dataset.view !== view;
        main.dataset.view = view;
        main.replaceChildren(made);
        if (other) window.scrollTo(0, 0);
      }
      if (focus && document.activeElement === document.body) document.getElementById(focus)?.focus({ preventScroll: true });
      if (made.ready) made.ready();
    } catch (error) {
      if (mine === turn) main.replaceChildren(h("p", { class: "empty", role: "alert" }, String(error.message || error)));
    }
  }

  function theme(wanted) {
    if (wanted) document.documentElement.dataset.theme = wanted;
  }
  theme(kept.get("theme"));
  document.addEventListener("DOMContentLoaded", () => {
    if (!document.getElementById("tab-board")) return;  // not the report: other pages draw themselves
    const board = data.get("board");
    if (!board) { document.getElementById("main").append(h("p", { class: "empty" }, "data/board.js is missing: make the report anew")); return; }
    document.title = `${board.suite} · vdebench report`;
    document.getElementById("suite").textContent = `${board.suite} · ${board.samples} samples`;
    document.getElementById("foot").textContent = `Made by vdebench ${board.version}. All numbers are those of the runs: means from their summaries, samples from their tables.`;
    const select = document.getElementById("protocol");
    for (const one of board.protocols) select.append(h("option", { value: one.name }, one.name));
    select.addEventListener("change", () => go({ ...read(), protocol: select.value }));
    document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); document.getElementById("main").focus(); });
    document.getElementById("theme").addEventListener("click", () => {
      const dark = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() !== "#ffffff";
      theme(dark ? "light" : "dark");
      kept.put("theme", dark ? "light" : "dark");
    });
    window.addEventListener("hashchange", draw);
    draw();
  });
  return { take, load, h, s, choose, read, link, go, number, words, views, kept };
})();
