"""The `strict` protocol the plain way: loops over Python lists, textbook algorithms, nothing shared but the text rules
(tokens, folded text, rows of a table), which are definitions, not computations."""

from __future__ import annotations

import math
from collections import Counter

from tests.oracle.release import iou, levenshtein
from vdebench.metrics.folding import folded
from vdebench.metrics.teds import parse_table, table_text
from vdebench.metrics.tokens import script_tokens


def html_of(block):
    content = (block.get("block_content") or "").lstrip()
    is_table = (block.get("block_label") == "table" and content.startswith("<")) or "<table" in content
    return content if is_table else ""


def text_of(block):
    return folded(table_text(html_of(block)) if html_of(block) else block.get("block_content") or "")


def rows_of(blocks):
    rows = (row for block in blocks for row in parse_table(html_of(block)))
    return tuple(tuple(cell._replace(text=folded(cell.text)) for cell in row) for row in rows)


def join(blocks):
    """Text of blocks in their order."""
    return folded(
        "\n".join(
            table_text(html_of(block)) if html_of(block) else block.get("block_content") or "" for block in blocks
        )
    )


def nearest(blocks, reference):
    """Text of predicted blocks, as listed or from top to bottom: whichever is nearer to the reference."""
    bands = []
    for block in sorted(
        blocks, key=lambda block: (block["block_bbox"][1] + block["block_bbox"][3], block["block_bbox"][0])
    ):
        _, y1, _, y2 = block["block_bbox"]
        if bands:
            top, bottom, members = bands[-1]
            shared = min(bottom, y2) - max(top, y1)
            if shared > 0 and shared >= 0.5 * min(bottom - top, y2 - y1):
                bands[-1] = (min(top, y1), max(bottom, y2), [*members, block])
                continue
        bands.append((y1, y2, [block]))
    above = [block for _, _, members in bands for block in sorted(members, key=lambda block: block["block_bbox"][:2])]
    texts = [join(blocks), join(above)]
    return min(texts, key=lambda text: levenshtein(text, reference))


def ratio(distance, a, b):
    longest = max(len(a), len(b))
    return distance / longest if longest else 0.0


def common_subsequence(a, b):
    previous = [0] * (len(b) + 1)
    for x in a:
        current = [0]
        for j, y in enumerate(b, 1):
            current.append(previous[j - 1] + 1 if x == y else max(previous[j], current[j - 1]))
        previous = current
    return previous[-1]


def bleu(c, r):
    if not c or not r:
        return float(c == r)
    orders = min(4, len(c), len(r))
    product = 1.0
    for n in range(1, orders + 1):
        grams = Counter(tuple(c[i : i + n]) for i in range(len(c) - n + 1))
        wanted = Counter(tuple(r[i : i + n]) for i in range(len(r) - n + 1))
        overlap = sum(min(count, wanted[gram]) for gram, count in grams.items())
        add = 0 if n == 1 else 1
        product *= (overlap + add) / (sum(grams.values()) + add)
    penalty = 1.0 if len(c) > len(r) else math.exp(1 - len(r) / len(c))
    return penalty * product ** (1 / orders)


# --- trees: Zhang and Shasha, 1989 -----------------------------------------------------------------------------------


def postorder(table):
    """Nodes (tag, spans, text) in postorder with the position of each node's leftmost leaf."""
    nodes, left = [], []
    for row in table:
        start = len(nodes)
        for cell in row:
            left.append(len(nodes))
            nodes.append(("td", (cell.colspan, cell.rowspan), cell.text))
        left.append(start)
        nodes.append(("tr", None, ""))
    nodes.append(("table", None, ""))
    left.append(0)
    return nodes, left


def rename(a, b):
    if a[0] != b[0] or a[1] != b[1]:
        return 1.0
    return ratio(levenshtein(a[2], b[2]), a[2], b[2])


def tree_distance(first, second):
    (a, left_a), (b, left_b) = postorder(first), postorder(second)
    roots_a = sorted({left_a[i]: i for i in range(len(a))}.values())
    roots_b = sorted({left_b[j]: j for j in range(len(b))}.values())
    trees = [[0.0] * len(b) for _ in a]
    for x in roots_a:
        for y in roots_b:
            ia, jb = left_a[x], left_b[y]
            forest = [[0.0] * (y - jb + 2) for _ in range(x - ia + 2)]
            for i in range(1, x - ia + 2):
                forest[i][0] = forest[i - 1][0] + 1
            for j in range(1, y - jb + 2):
                forest[0][j] = forest[0][j - 1] + 1
            for i in range(1, x - ia + 2):
                for j in range(1, y - jb + 2):
                    p, q = ia + i - 1, jb + j - 1
                    beside = min(forest[i - 1][j] + 1, forest[i][j - 1] + 1)
                    if left_a[p] == ia and left_b[q] == jb:
                        forest[i][j] = min(beside, forest[i - 1][j - 1] + rename(a[p], b[q]))
                        trees[p][q] = forest[i][j]
                    else:
                        forest[i][j] = min(beside, forest[left_a[p] - ia][left_b[q] - jb] + trees[p][q])
    return trees[-1][-1], max(len(a), len(b))


def teds(candidate, reference):
    if not candidate or not reference:
        return 0.0
    distance, size = tree_distance(candidate, reference)
    return max(0.0, 1.0 - distance / size)


# --- matching --------------------------------------------------------------------------------------------------------


def cheapest(cost):
    """Minimum-cost assignment of rows to columns (Hungarian method with potentials), rows not more than columns."""
    rows, columns = len(cost), len(cost[0])
    u, v, owner, way = [0.0] * (rows + 1), [0.0] * (columns + 1), [0] * (columns + 1), [0] * (columns + 1)
    for i in range(1, rows + 1):
        owner[0], j = i, 0
        least, used = [math.inf] * (columns + 1), [False] * (columns + 1)
        while True:
            used[j] = True
            row, delta, following = owner[j], math.inf, 0
            for k in range(1, columns + 1):
                if not used[k]:
                    value = cost[row - 1][k - 1] - u[row] - v[k]
                    if value < least[k]:
                        least[k], way[k] = value, j
                    if least[k] < delta:
                        delta, following = least[k], k
            for k in range(columns + 1):
                if used[k]:
                    u[owner[k]] += delta
                    v[k] -= delta
                else:
                    least[k] -= delta
            j = following
            if owner[j] == 0:
                break
        while j:
            owner[j], j = owner[way[j]], way[j]
    return [(owner[j] - 1, j - 1) for j in range(1, columns + 1) if owner[j]]


def covered(a, b):
    shared = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    smaller = min(max(0, x[2] - x[0]) * max(0, x[3] - x[1]) for x in (a, b))
    return shared / smaller if smaller > 0 else 0.0


def match(truth, prediction, size):
    """Units of (ground-truth indices, predicted indices)."""
    if not truth or not prediction:
        return [((g,), ()) for g in range(len(truth))] + [((), (p,)) for p in range(len(prediction))]
    boxes = [[block["block_bbox"] for block in side] for side in (truth, prediction)]
    texts = [[text_of(block) for block in side] for side in (truth, prediction)]
    if size is None:
        size = [max(box[side] for box in boxes[0] + boxes[1]) for side in (2, 3)]
    diagonal = math.hypot(*size)

    def cost(g, p):
        a, b = boxes[0][g], boxes[1][p]
        overlap = iou(a, b)
        distance = math.hypot((a[0] + a[2] - b[0] - b[2]) / 2, (a[1] + a[3] - b[1] - b[3]) / 2)
        far = min(distance / (0.1 * diagonal), 1)
        if overlap == 0 and far >= 1:
            return 0.7
        c, r = texts[1][p][:200], texts[0][g][:200]
        return min(0.7, (1 - overlap) / 4 + far / 4 + ratio(levenshtein(c, r), c, r) / 2)

    order = sorted(range(len(prediction)), key=lambda p: (*boxes[1][p], texts[1][p]))  # ties do not hang on the list
    costs = [[cost(g, p) for p in order] for g in range(len(truth))]
    if len(truth) <= len(prediction):
        pairs = cheapest(costs)
    else:
        pairs = [(g, p) for p, g in cheapest([list(column) for column in zip(*costs, strict=True)])]
    pairs = [(g, order[p]) for g, p in pairs if costs[g][p] < 0.7]
    units = [((g,), (p,)) for g, p in pairs]
    units += [((g,), ()) for g in range(len(truth)) if g not in {g for g, _ in pairs}]
    units += [((), (p,)) for p in range(len(prediction)) if p not in {p for _, p in pairs}]

    links = [(covered(a, b), g, p) for g, a in enumerate(boxes[0]) for p, b in enumerate(boxes[1])]
    links = sorted(
        (link for link in links if link[0] >= 0.25), key=lambda link: (-link[0], link[1], order.index(link[2]))
    )
    known = {}

    def measured(unit):
        if unit not in known:
            r = join([truth[g] for g in unit[0]]) if unit[0] else ""
            c = nearest([prediction[p] for p in unit[1]], r) if unit[1] else ""
            edits = levenshtein(c, r)
            known[unit] = edits, edits <= 0.1 * max(len(c), len(r))
        return known[unit]

    def unit_of(side, index):
        return next(unit for unit in units if index in unit[side])

    def is_open(g, p):
        one, other = unit_of(0, g), unit_of(1, p)
        if one == other or not texts[0][g] or not texts[1][p]:
            return False
        return not (measured(one)[1] and measured(other)[1])

    def try_join(together):
        union = tuple(tuple(sorted(i for unit in together for i in unit[side])) for side in (0, 1))
        edits = measured(union)[0]
        good = edits <= 0.5 * sum(measured(unit)[0] for unit in together)
        if len(together) == 2 and not good:
            first, second = together
            for lone, rest in ((first, second), (second, first)):
                if (not lone[0] or not lone[1]) and measured(rest)[0] - edits >= 0.9 * measured(lone)[0]:
                    good = True
        if good:
            for unit in together:
                units.remove(unit)
            units.append(union)

    for _, g, p in links:
        if is_open(g, p):
            try_join({unit_of(0, g), unit_of(1, p)})
    groups = []
    for _, g, p in links:
        if is_open(g, p):
            new = {unit_of(0, g), unit_of(1, p)}
            for group in [group for group in groups if group & new]:
                groups.remove(group)
                new |= group
            groups.append(new)
    for group in groups:
        try_join(group)
    return units


def score_page(truth, prediction, size=None):
    """Sums and counts of every metric over the page's blocks."""
    sums, counts = Counter(), Counter()

    def count(name, value, weight):
        sums[name] += value * weight
        counts[name] += weight

    for truths, predictions in match(truth, prediction, size):
        weight = len(truths) or 1
        sides = [[truth[g] for g in truths], [prediction[p] for p in predictions]]
        r = join(sides[0]) if sides[0] else ""
        c = nearest(sides[1], r) if sides[1] else ""
        tables = [rows_of(side) for side in sides]
        if any(tables):  # once for each table of a group, once where its ground truth has none
            count(
                "teds", teds(tables[1], tables[0]), sum(block.get("block_label") == "table" for block in sides[0]) or 1
            )
        counts["edits"] += levenshtein(c, r)
        counts["characters"] += max(len(c), len(r))
        if truths and predictions:
            hulls = [
                [*(min(block["block_bbox"][i] for block in side) for i in (0, 1)),
                 *(max(block["block_bbox"][i] for block in side) for i in (2, 3))]
                for side in sides
            ]  # fmt: skip
            count("iou", iou(*hulls), weight)
            if c or r:
                count("cdm", 1 - ratio(levenshtein(c, r), c, r), weight)
                count("text_similarity", 2 * common_subsequence(c, r) / (len(c) + len(r)), weight)
                tokens = script_tokens(c), script_tokens(r)
                count("bleu", bleu(*tokens), weight)
                count("teds_like", 1 - ratio(levenshtein(*tokens), *tokens), weight)
        else:
            count("iou", 0, weight)
            for name in ("cdm", "text_similarity", "bleu", "teds_like") if c or r else ():
                count(name, 0, weight)
    return sums, counts


def score(pages):
    """Means over pages (macro) and over blocks (micro), from triples of ground truth, prediction and page size."""
    found = [score_page(*page) for page in pages]
    names = ("iou", "cdm", "bleu", "teds", "teds_like", "text_similarity")
    result = {"macro": {}, "micro": {}}
    for name in names:
        each = [sums[name] / counts[name] for sums, counts in found if counts[name]]
        result["macro"][name] = sum(each) / len(each) if each else None
        total = sum(counts[name] for _, counts in found)
        result["micro"][name] = sum(sums[name] for sums, _ in found) / total if total else None
    pages_text = [1 - counts["edits"] / counts["characters"] for _, counts in found if counts["characters"]]
    result["macro"]["page_text"] = sum(pages_text) / len(pages_text) if pages_text else None
    return result
