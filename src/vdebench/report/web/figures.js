"use strict";
/* Figures as SVG, drawn from plain numbers: {name, value, low, high, title}. The `label` of a figure describes it in words. */
Vde.figures = (() => {
  const { h, s } = Vde;

  const width = () => Math.max(280, Math.min(1560, document.getElementById("main").clientWidth - (window.innerWidth > 560 ? 84 : 42)));
  const canvas = (wide, tall, label, ...children) => s("svg", { class: "plot", width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": label }, ...children);
  const nameRoom = (names, wide) => Math.min(240, wide * .34, 12 + 7.4 * Math.max(...names.map((name) => name.length)));
  const short = (text, room) => text.length > room ? text.slice(0, room - 1) + "…" : text;
  const named = (text, room) => [short(text, room), s("title", null, text)];

  /* About five round numbers that span a range. */
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
  const mark = (kind, x, y, r) => s("path", { class: `dot k${kind}`, d: shapes[kind % shapes.length](x, y, r) });

  /* Dots with whiskers on one scale, in the order given. */
  function intervals(items, label) {
    const wide = width(), name = nameRoom(items.map((item) => item.name), wide), right = 18, line = 26, top = 24;
    const values = items.flatMap((item) => [item.value, item.low ?? item.value, item.high ?? item.value]);
    const marks = ticks(Math.min(...values), Math.max(...values)), [low, high] = [marks[0], marks.at(-1)];
    const x = (value) => name + 8 + (wide - name - 8 - right) * (value - low) / (high - low || 1);
    return canvas(wide, top + items.length * line + 6, label,
      items.map((item, at) => at % 2 ? null : s("rect", { class: "stripe", x: 0, y: top + at * line, width: wide, height: line })),
      marks.map((value) => [s("path", { class: "grid", d: `M${x(value)} ${top}V${top + items.length * line}` }), s("text", { class: "soft", x: x(value), y: 14, "text-anchor": "middle" }, tidy(value))]),
      items.map((item, at) => {
        const y = top + (at + .5) * line;
        return s("g", null, s("title", null, item.title), s("text", { x: name, y: y + 4, "text-anchor": "end" }, short(item.name, Math.floor(name / 7))),
          item.low === undefined ? null : s("path", { class: "whisker", d: `M${x(item.low)} ${y}H${x(item.high)}M${x(item.low)} ${y - 5}v10M${x(item.high)} ${y - 5}v10` }),
          s("path", { class: "dot", d: shapes[0](x(item.value), y, 5.5) }));
      }));
  }

  /* Bars side by side in groups; the k-th of a group has the k-th colour. */
  function bars(groups, label) {
    const wide = width(), name = nameRoom(groups.map((group) => group.name), wide), line = 18, gap = 14, top = 24, right = 56;
    const all = groups.flatMap((group) => group.items.filter((item) => item.value !== null));
    const marks = ticks(0, Math.max(...all.map((item) => item.high ?? item.value), 1e-9)), high = marks.at(-1);
    const x = (value) => name + 8 + (wide - name - 8 - right) * value / high;
    let y = top;
    const drawn = groups.map((group) => {
      const start = y, made = group.items.map((item) => {
        const at = y;
        y += line;
        if (item.value === null) return s("text", { class: "soft", x: name + 12, y: at + 13 }, "–");
        return s("g", null, s("title", null, item.title), s("rect", { class: `bar k${item.kind}`, x: name + 8, y: at + 2, width: Math.max(1, x(item.value) - name - 8), height: line - 4, rx: 2 }),
          item.low === undefined ? null : s("path", { class: "error", d: `M${x(item.low)} ${at + line / 2}H${x(item.high)}M${x(item.low)} ${at + 6}v${line - 12}M${x(item.high)} ${at + 6}v${line - 12}` }),
          s("text", { class: "soft", x: x(item.high ?? item.value) + 5, y: at + 13 }, item.short));
      });
      y += gap;
      return [s("text", { x: name, y: start + group.items.length * line / 2 + 4, "text-anchor": "end" }, named(group.name, Math.floor(name / 7))), made];
    });
    return canvas(wide, y, label, marks.map((value) => [s("path", { class: "grid", d: `M${x(value)} ${top - 4}V${y - gap}` }), s("text", { class: "soft", x: x(value), y: 14, "text-anchor": "middle" }, tidy(value))]), drawn);
  }

  /* A spoke for each metric, 1 outside; an outline for each editor that has all numbers. */
  function radar(axes, lines, label) {
    const wide = Math.min(width(), 680), tall = Math.min(wide * .82, 540), cx = wide / 2, cy = tall / 2 + 4, radius = Math.min(tall / 2 - 34, wide / 2 - 78);
    const at = (k, value) => { const turn = 2 * Math.PI * k / axes.length - Math.PI / 2; return [cx + radius * value * Math.cos(turn), cy + radius * value * Math.sin(turn)]; };
    const path = (points) => points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    const rings = [.25, .5, .75, 1].map((ring) => [s("path", { class: "grid", d: path(axes.map((_, k) => at(k, ring))) + "z" }), s("text", { class: "soft", x: cx + 4, y: cy - radius * ring + 11 }, String(ring))]);
    const spokes = axes.map((axis, k) => {
      const [x, y] = at(k, 1), [tx, ty] = at(k, 1 + 16 / radius), side = Math.abs(tx - cx) < 8 ? "middle" : tx < cx ? "end" : "start";
      return [s("path", { class: "grid", d: `M${cx} ${cy}L${x} ${y}` }), s("text", { x: tx, y: ty + 4, "text-anchor": side }, axis)];
    });
    const outlines = lines.map((line) => {
      const points = line.values.map((value, k) => value === null ? null : at(k, value)), whole = points.every(Boolean);
      return s("g", null, s("title", null, line.title), whole ? s("path", { class: `area k${line.kind} d${line.kind}`, d: path(points) + "z" }) : null, points.filter(Boolean).map(([x, y]) => mark(line.kind, x, y, 4)));
    });
    return canvas(wide, tall, label, rings, spokes, outlines);
  }

  /* Shares of a whole, part after part. */
  function stacked(items, parts, label) {
    const wide = width(), name = nameRoom(items.map((item) => item.name), wide), line = 32, top = 24, right = 26;
    const x = (share) => name + 8 + (wide - name - 8 - right) * share;
    return canvas(wide, top + items.length * line + 6, label,
      [0, .25, .5, .75, 1].map((share) => [s("path", { class: "grid", d: `M${x(share)} ${top}V${top + items.length * line}` }), s("text", { class: "soft", x: x(share), y: 14, "text-anchor": "middle" }, `${100 * share} %`)]),
      items.map((item, row) => {
        let from = 0;
        return [s("text", { x: name, y: top + row * line + 21, "text-anchor": "end" }, named(item.name, Math.floor(name / 7))), parts.map((part) => {
          const count = item.counts[part.key] || 0, share = count / item.total, start = from;
          from += share;
          const room = x(from) - x(start);
          return !count ? null : s("g", null, s("title", null, `${item.name}: ${part.title}: ${count} of ${item.total}`),
            s("rect", { class: `part ${part.look}`, x: x(start), y: top + row * line + 4, width: Math.max(1, room - 1.5), height: line - 9, rx: 2 }),
            room > 26 ? s("text", { class: part.dark ? "on" : "", x: x(start) + room / 2, y: top + row * line + 20, "text-anchor": "middle" }, String(count)) : null);
        })];
      }));
  }
  const legend = (entries) => h("ul", { class: "legend" }, entries.map(([title, kind, look]) => h("li", null,
    s("svg", { class: "plot-key plot", width: 14, height: 14, "aria-hidden": "true" }, look ? s("rect", { class: `part ${look}`, x: 0, y: 1, width: 13, height: 12, rx: 2 }) : mark(kind, 7, 7, 5)), title)));

  /* A whisker on a scale, below a number of a table. */
  function whisker({ low, value, high }, [from, to]) {
    const at = (number) => (to > from ? 2 + (96 * (number - from)) / (to - from) : 50).toFixed(1);
    const line = (x1, x2, y1, y2) => s("line", { x1: at(x1), x2: at(x2), y1, y2, "vector-effect": "non-scaling-stroke" });
    return s("svg", { class: "whisker", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      line(low, high, 4, 4), line(low, low, 2, 6), line(high, high, 2, 6), line(value, value, 0, 8));
  }

  /* Lines over days, at most 1 high, with intervals: {kind, title, points: [{x, value, low, high}]}. */
  function course(days, series, label) {
    const wide = 720, tall = 240, left = 40, bottom = 24, least = Math.min(0, ...series.flatMap(({ points }) => points.map((point) => point.low ?? point.value)));
    const x = (day) => left + 16 + (days.indexOf(day) * (wide - left - 32)) / Math.max(1, days.length - 1);
    const y = (value) => 10 + ((1 - Math.max(value, least)) * (tall - bottom - 10)) / (1 - least);
    const step = Math.ceil(days.length / 8);
    return s("svg", { class: "plot course", viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": label },
      [0, .25, .5, .75, 1, ...(least < -.1 ? [least] : [])].map((tick) => [s("path", { class: "grid", d: `M${left} ${y(tick)}H${wide}` }), s("text", { class: "soft", x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(2))]),
      days.filter((_, at) => at % step === 0).map((day) => s("text", { class: "soft", x: x(day), y: tall - 6, "text-anchor": "middle" }, day)),
      series.map(({ kind, title, points }, at) => s("g", { class: `k${kind}` }, s("title", null, title),
        s("path", { class: "line", d: points.map((point, n) => `${n ? "L" : "M"}${x(point.x)} ${y(point.value)}`).join("") }),
        points.map((point) => [typeof point.low === "number" ? s("path", { class: "whisker", d: `M${x(point.x) + 3 * at} ${y(point.low)}V${y(point.high)}` }) : null, s("circle", { class: "dot", cx: x(point.x), cy: y(point.value), r: 4 })]))));
  }
  return { intervals, bars, radar, stacked, legend, whisker, course };
})();
