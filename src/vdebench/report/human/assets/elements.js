"use strict";
/* Elements made without HTML, so that no text can become markup. */
const Vde = (() => {
  function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value === true) element.setAttribute(key, "");
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
    }
    for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
    return element;
  }
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const s = (tag, attributes) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, []);
  return { h, s };
})();
