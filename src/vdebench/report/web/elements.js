"use strict";
/* Shared by the report, the leaderboard, the ranking sheet, the page of one edit and the review page. Elements are built
   without HTML, so that no text can become markup. A classic script: browsers load no modules from files. */
const Vde = (() => {
  const isNothing = (value) => value === null || value === undefined || value === false || value === "";
  function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value === null || value === undefined || value === false) continue;
      else if (key === "value" || key === "checked") element[key] = value;
      else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => !isNothing(child)));
    return element;
  }
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const s = (tag, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  /* A select element; an option is [value, title] or a title. */
  function select(options, value, change, attributes) {
    const element = h("select", { ...attributes, onchange: () => change?.(element.value) }, options.map((option) => {
      const [key, title] = Array.isArray(option) ? option : [option, option];
      return h("option", { value: key, selected: key === value }, title);
    }));
    return element;
  }
  /* A region that scrolls sideways, also by keyboard. */
  const scroll = (label, ...children) => h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, children);

  const number = (value, digits = 3) => isNothing(value) ? "–" : typeof value === "number" ? value.toFixed(digits) : String(value);
  const percent = (share) => typeof share === "number" ? `${(100 * share).toFixed(1)} %` : "–";
  const count = (value) => Number(value ?? 0).toLocaleString("en-US");
  const plural = (value, one, many) => `${count(value)} ${value === 1 ? one : many}`;
  const words = (name) => String(name).replaceAll("_", " ");

  /* Values in this browser's storage; `works` is false where the browser has none. */
  const storage = (prefix) => ({
    works: true,
    get(key) { try { return localStorage.getItem(prefix + key); } catch { this.works = false; return null; } },
    put(key, value) { try { localStorage.setItem(prefix + key, value); } catch { this.works = false; } },
  });
  return { h, s, select, scroll, number, percent, count, plural, words, storage };
})();
