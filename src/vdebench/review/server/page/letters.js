/* Differences of texts by character, and confusable characters. No DOM. */

const MOST = 2000;

/** The difference of two texts: [["same" | "cut" | "new", text], …]. */
export function difference(before, after) {
  const one = [...before],
    other = [...after];
  let start = 0,
    end = 0;
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start += 1;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const a = one.slice(start, one.length - end),
    b = other.slice(start, other.length - end);
  const middle =
    a.length * b.length > MOST * MOST
      ? [
          ["cut", a.join("")],
          ["new", b.join("")],
        ]
      : longest(a, b);
  const parts = [["same", one.slice(0, start).join("")], ...middle, ["same", one.slice(one.length - end).join("")]];
  return joined(parts.filter(([, text]) => text));
}

function longest(a, b) {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      rows[i][j] = a[i] === b[j] ? rows[i + 1][j + 1] + 1 : Math.max(rows[i + 1][j], rows[i][j + 1]);
    }
  }
  const found = [];
  let i = 0,
    j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push(["same", a[i]]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && rows[i + 1][j] >= rows[i][j + 1])) found.push(["cut", a[i++]]);
    else found.push(["new", b[j++]]);
  }
  return found;
}

function joined(parts) {
  const found = [];
  for (const [kind, text] of parts) {
    if (found.length && found.at(-1)[0] === kind) found.at(-1)[1] += text;
    else found.push([kind, text]);
  }
  return found;
}

const ODD = [
  [/[\u0400-\u04ff]/u, "cyrillic"],
  [/[\u0370-\u03ff]/u, "greek"],
  [/[\uff01-\uff5e]/u, "wide"],
  [/[\u00a0\u2000-\u200a\u202f\u3000]/u, "space"],
  [/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u, "unseen"],
  [/[\u2010-\u2015\u2212]/u, "dash"],
  [/[\u2018-\u201f]/u, "quote"],
];

/** Confusable or invisible characters: [[letter, "U+0430", kind], …], each once. */
export function odd(text) {
  const found = new Map();
  for (const letter of text) {
    const kind = ODD.find(([pattern]) => pattern.test(letter));
    if (kind)
      found.set(letter, [letter, `U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`, kind[1]]);
  }
  return [...found.values()];
}

/** An instruction split into parts: [["plain" | "target" | "replacement", text], …]; the longer is searched first. */
export function highlighted(text, target, replacement) {
  const asked = [
    ["target", target.trim()],
    ["replacement", replacement.trim()],
  ];
  const wanted = asked.filter(([, found]) => found && text.includes(found));
  wanted.sort((a, b) => b[1].length - a[1].length);
  let parts = [["plain", text]];
  for (const [kind, found] of wanted) {
    const at = parts.findIndex(([is, part]) => is === "plain" && part.includes(found));
    if (at < 0) continue;
    const part = parts[at][1],
      from = part.indexOf(found);
    const cut = [
      ["plain", part.slice(0, from)],
      [kind, found],
      ["plain", part.slice(from + found.length)],
    ];
    parts = [...parts.slice(0, at), ...cut.filter(([, rest]) => rest), ...parts.slice(at + 1)];
  }
  return parts;
}
