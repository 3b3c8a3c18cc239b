/* The boxes that the groups drew in each round: captions, panes and a painter. */

import { around, touching } from "./boxes.js";
import { h } from "./widgets.js";
import { agreement, pairIou } from "./matching.js";
import { colour, drawBox, drawLabels } from "./painting.js";
import { words } from "./words.js";

/** The boxes of every round, by group: [{round, groups: {"1": boxes}}, …]. */
export function drawnByRound(sample) {
  const rounds = new Map();
  for (const vote of sample.votes) {
    if (vote.kind !== "drawn") continue;
    if (!rounds.has(vote.round)) rounds.set(vote.round, { round: vote.round, groups: {} });
    rounds.get(vote.round).groups[vote.group] = vote.boxes;
  }
  return [...rounds.values()].sort((a, b) => a.round - b.round);
}

export const groupColour = (groups, group) => colour(`group-${(groups.indexOf(group) % 6) + 1}`);

/** The pairs of groups in a round with their IoU: [[one, other, value], …]. */
export function pairs({ groups }) {
  const names = Object.keys(groups);
  return names.flatMap((one, index) =>
    names.slice(index + 1).map((other) => [one, other, pairIou(groups[one], groups[other])]),
  );
}

/** A heading for a round: the agreement, the pairs, and the groups in their colours. */
export function roundCaption(round, options) {
  const t = words.conflict,
    sets = Object.values(round.groups),
    numbers = new Set(sets.map((boxes) => boxes.length));
  return h(
    "span",
    { class: "round-caption" },
    h("b", null, t.round(round.round)),
    ` ${t.agreement(agreement(sets).toFixed(3))}`,
    numbers.size > 1 ? ` (${t.numbers})` : null,
    pairs(round).map(([one, other, value]) =>
      h(
        "span",
        { class: `pair ${value > options.agreement ? "good" : "bad"}` },
        `${t.pair(one, other)} ${value.toFixed(3)}`,
      ),
    ),
  );
}

/** Panes for the stage, one of every round. */
export function roundPanes(sample, options) {
  return drawnByRound(sample).map((round) => ({
    id: `round-${round.round}`,
    round,
    title: words.conflict.round(round.round),
    caption: roundCaption(round, options),
  }));
}

/** Paints the groups' boxes on the panes of the rounds; in other panes those of the last round. */
export function roundsPainter(sample, options) {
  const last = drawnByRound(sample).at(-1),
    known = new Map();
  const regionsOf = (round) => {
    if (!known.has(round.round)) known.set(round.round, touching(Object.values(round.groups).flat()));
    return known.get(round.round);
  };
  return (context, place) => {
    const round = place.pane.round || (place.pane.id === "own" ? null : last);
    if (!round) return;
    const drawn = options.groups.map((group) => round.groups[group] || []);
    drawn.forEach((boxes, index) =>
      boxes.forEach((box) =>
        drawBox(context, box, place, {
          ink: groupColour(options.groups, options.groups[index]),
          line: 2,
          dash: index ? [9 - 2 * index, 3 + index] : [],
        }),
      ),
    );
    for (const region of regionsOf(round)) {
      const there = options.groups.filter((_, index) => drawn[index].some((box) => region.includes(box)));
      const labels = there.map((group) => [group, groupColour(options.groups, group)]);
      drawLabels(context, labels, around(region), place);
    }
  };
}
