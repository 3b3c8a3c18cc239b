"use strict";
/* Plots as SVG, drawn from plain numbers: {label, value, low, high}. Each has its text beside it, for who cannot see it. */
const Draw = (() => {
  const { h, s } = Vde;

  function g(tag, attributes, ...children) {
    const element = s(tag, attributes || {});
    for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
    return element;
  }
  const width = () => Math.max(280, Math.min(1560, document.getElementById("main").clientWidth - (window.innerWidth > 560 ? 84 : 42)));
  const canvas = (wide, tall, told, ...children) => g("svg", { class: "plot", width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": told }, ...children);
  const nameRoom = (labels, wide) => Math.min(240, wide * .34, 12 + 7.4 * Math.max(...labels.map((label) => label.length)));
  const short = (text, room) => text.length > room ? text.slice(0, room - 1) + "…" : text;
  const named = (text, room) => [short(text, room), g("title", null, text)];

  /* Round numbers that span a range, five or so. */
  function ticks(low, high) {
    const raw = (high - low || 1) / 5, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw), found = [];
    for (let at = Math.floor(low / step + 1e-9) * step; at < high + step * .999; at += step) found.push(Number(at.toFixed(10)));
    return found;
  }
  const tidy = (value) => String(Number(value.toPrecision(6)));
  const shapes = [
    (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
    (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
    (x, y, r) => `M${x} ${y - 1.2 * r}L${x + 1.1 * r} ${y + r}H${x - 1.1 * r}z`,
    (x, y, r) => `M${x} ${y - 1.3 * r}L${x + 1.3 * r} ${y}L${x} ${y + 1.3 * r}L${x - 1.3 * r} ${y}z`,
  ];
  const mark = (kind, x, y, r) => g("path", { class: `dot k${kind}`, d: shapes[kind % shapes.length](x, y, r) });

  /* Dots with whiskers on one scale, in the order given. */
  function intervals(items, told) {
    const wide = width(), name = nameRoom(items.map((item) => item.label), wide), right = 18, line = 26, top = 24;
    const values = items.flatMap((item) => [item.value, item.low ?? item.value, item.high ?? item.value]);
    const marks = ticks(Math.min(...values), Math.max(...values)), [low, high] = [marks[0], marks.at(-1)];
    const x = (value) => name + 8 + (wide - name - 8 - right) * (value - low) / (high - low || 1);
    return canvas(wide, top + items.length * line + 6, told,
      items.map((item, at) => at % 2 ? null : g("rect", { class: "stripe", x: 0, y: top + at * line, width: wide, height: line })),
      marks.map((value) => [g("path", { class: "grid", d: `M${x(value)} ${top}V${top + items.length * line}` }), g("text", { class: "soft", x: x(value), y: 14, "text-anchor": "middle" }, tidy(value))]),
      items.map((item, at) => {
        const y = top + (at + .5) * line;
        return g("g", null, g("title", null, item.told), g("text", { x: name, y: y + 4, "text-anchor": "end" }, short(item.label, Math.floor(name / 7))),
          item.low === undefined ? null : g("path", { class: "whisker", d: `M${x(item.low)} ${y}H${x(item.high)}M${x(item.low)} ${y - 5}v10M${x(item.high)} ${y - 5}v10` }),
          g("path", { class: "dot", d: shapes[0](x(item.value), y, 5.5) }));
      }));
  }

  /* Bars side by side in groups; the k-th of a group has the k-th colour. */
  function bars(groups, told) {
    const wide = width(), name = nameRoom(groups.map((group) => group.label), wide), line = 18, gap = 14, top = 24, right = 56;
    const all = groups.flatMap((group) => group.items.filter((item) => item.value !== null));
    const marks = ticks(0, Math.max(...all.map((item) => item.high ?? item.value), 1e-9)), high = marks.at(-1);
    const x = (value) => name + 8 + (wide - name - 8 - right) * value / high;
    let y = top;
    const drawn = groups.map((group) => {
      const start = y, made = group.items.map((item) => {
        const at = y;
        y += line;
        if (item.value === null) return g("text", { class: "soft", x: name + 12, y: at + 13 }, "–");
        return g("g", null, g("title", null, item.told), g("rect", { class: `bar k${item.kind}`, x: name + 8, y: at + 2, width: Math.max(1, x(item.value) - name - 8), height: line - 4, rx: 2 }),
          item.low === undefined ? null : g("path", { class: "error", d: `M${x(item.low)} ${at + line / 2}H${x(item.high)}M${x(item.low)} ${at + 6}v${line - 12}M${x(item.high)} ${at + 6}v${line - 12}` }),
          g("text", { class: "soft", x: x(item.high ?? item.value) + 5, y: at + 13 }, item.short));
      });
      y += gap;
      return [g("text", { x: name, y: start + group.items.length * line / 2 + 4, "text-anchor": "end" }, named(group.label, Math.floor(name / 7))), made];
    });
    return canvas(wide, y, told, marks.map((value) => [g("path", { class: "grid", d: `M${x(value)} ${top - 4}V${y - gap}` }), g("text", { class: "soft", x: x(value), y: 14, "text-anchor": "middle" }, tidy(value))]), drawn);
  }

  /* A spoke for every metric, 1 outside; an outline for every editor, broken where it has no number. */
  function radar(axes, lines, told) {
    const wide = Math.min(width(), 680), tall = Math.min(wide * .82, 540), cx = wide / 2, cy = tall / 2 + 4, radius = Math.min(tall / 2 - 34, wide / 2 - 78);
    const at = (k, value) => { const turn = 2 * Math.PI * k / axes.length - Math.PI / 2; return [cx + radius * value * Math.cos(turn), cy + radius * value * Math.sin(turn)]; };
    const path = (points) => points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    const rings = [.25, .5, .75, 1].map((ring) => [g("path", { class: "grid", d: path(axes.map((_, k) => at(k, ring))) + "z" }), g("text", { class: "soft", x: cx + 4, y: cy - radius * ring + 11 }, String(ring))]);
    const spokes = axes.map((axis, k) => {
      const [x, y] = at(k, 1), [tx, ty] = at(k, 1 + 16 / radius), side = Math.abs(tx - cx) < 8 ? "middle" : tx < cx ? "end" : "start";
      return [g("path", { class: "grid", d: `M${cx} ${cy}L${x} ${y}` }), g("text", { x: tx, y: ty + 4, "text-anchor": side }, axis)];
    });
    const outlines = lines.map((line) => {
      const points = line.values.map((value, k) => value === null ? null : at(k, value)), whole = points.every(Boolean);
      return g("g", null, g("title", null, line.told), whole ? g("path", { class: `area k${line.kind} d${line.kind}`, d: path(points) + "z" }) : null, points.filter(Boolean).map(([x, y]) => mark(line.kind, x, y, 4)));
    });
    return canvas(wide, tall, told, rings, spokes, outlines);
  }

  /* Shares of a whole, part after part. */
  function stacked(items, parts, told) {
    const wide = width(), name = nameRoom(items.map((item) => item.label), wide), line = 32, top = 24, right = 26;
    const x = (share) => name + 8 + (wide - name - 8 - right) * share;
    return canvas(wide, top + items.length * line + 6, told,
      [0, .25, .5, .75, 1].map((share) => [g("path", { class: "grid", d: `M${x(share)} ${top}V${top + items.length * line}` }), g("text", { class: "soft", x: x(share), y: 14, "text-anchor": "middle" }, `${100 * share} %`)]),
      items.map((item, row) => {
        let from = 0;
        return [g("text", { x: name, y: top + row * line + 21, "text-anchor": "end" }, named(item.label, Math.floor(name / 7))), parts.map((part) => {
          const count = item.counts[part.key] || 0, share = count / item.total, start = from;
          from += share;
          const room = x(from) - x(start);
          return !count ? null : g("g", null, g("title", null, `${item.label}: ${part.title}: ${count} of ${item.total}`),
            g("rect", { class: `part ${part.look}`, x: x(start), y: top + row * line + 4, width: Math.max(1, room - 1.5), height: line - 9, rx: 2 }),
            room > 26 ? g("text", { class: part.dark ? "on" : "", x: x(start) + room / 2, y: top + row * line + 20, "text-anchor": "middle" }, String(count)) : null);
        })];
      }));
  }
  const legend = (entries) => h("ul", { class: "legend" }, entries.map(([title, kind, look]) => h("li", null,
    g("svg", { class: "plot-key plot", width: 14, height: 14, "aria-hidden": "true" }, look ? g("rect", { class: `part ${look}`, x: 0, y: 1, width: 13, height: 12, rx: 2 }) : mark(kind, 7, 7, 5)), title)));
  return { intervals, bars, radar, stacked, legend };
})();
