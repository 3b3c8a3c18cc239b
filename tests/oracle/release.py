"""VDE Bench's released scoring, written down rule by rule with nothing but the standard library.

Works on parsed JSON and shares no code with the package.
"""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter, defaultdict
from html.parser import HTMLParser


def levenshtein(a, b):
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (x != y)))
        previous = current
    return previous[-1]


def cdm(candidate, reference):
    longest = max(len(candidate), len(reference))
    return 1.0 if longest == 0 else 1.0 - levenshtein(candidate, reference) / longest


def bleu(candidate, reference):
    c, r = candidate.split(), reference.split()
    if not c and not r:
        return 1.0
    if not c or not r:
        return 0.0
    product = 1.0
    for n in range(1, 5):
        grams = Counter(tuple(c[i : i + n]) for i in range(len(c) - n + 1))
        wanted = Counter(tuple(r[i : i + n]) for i in range(len(r) - n + 1))
        total = sum(grams.values())
        overlap = sum(min(count, wanted[gram]) for gram, count in grams.items())
        product *= (overlap + 1) / (total + 1) if total else 1e-9
    penalty = 1.0 if len(c) > len(r) else math.exp(1 - len(r) / len(c))
    return penalty * product**0.25


def similarity(candidate, reference):
    return difflib.SequenceMatcher(None, reference, candidate).ratio()


def is_table(block):
    return block.get("block_label") == "table" and (block.get("block_content") or "").strip().startswith("<")


def plain(block):
    content = block.get("block_content") or ""
    return re.sub(r"<[^>]+>", " ", content).strip() if is_table(block) else content


def iou(a, b):
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    shared = width * height
    area = [max(0.0, x[2] - x[0]) * max(0.0, x[3] - x[1]) for x in (a, b)]
    union = area[0] + area[1] - shared
    return shared / union if union > 0 else 0.0


class Tree(HTMLParser):
    def __init__(self):
        super().__init__()
        self.root, self.stack = None, []

    def handle_starttag(self, tag, attrs):
        node = {"tag": tag, "text": "", "children": []}
        if self.stack:
            self.stack[-1]["children"].append(node)
        else:
            self.root = node
        self.stack.append(node)

    def handle_endtag(self, tag):
        if self.stack:
            self.stack.pop()

    def handle_data(self, data):
        if self.stack:
            self.stack[-1]["text"] += data


def tree(html):
    parser = Tree()
    parser.feed(html)  # and never closed
    return parser.root


def size(node):
    return 1 + sum(size(child) for child in node["children"])


def tree_distance(a, b):
    x, y = a["text"].strip(), b["text"].strip()
    if a["tag"] != b["tag"]:
        own = 1.0
    elif x == y:
        own = 0.0
    else:
        own = levenshtein(x, y) / max(len(x), len(y))
    first, second = a["children"], b["children"]
    table = [[0.0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(1, len(first) + 1):
        table[i][0] = table[i - 1][0] + size(first[i - 1])
    for j in range(1, len(second) + 1):
        table[0][j] = table[0][j - 1] + size(second[j - 1])
    for i in range(1, len(first) + 1):
        for j in range(1, len(second) + 1):
            table[i][j] = min(
                table[i - 1][j] + size(first[i - 1]),
                table[i][j - 1] + size(second[j - 1]),
                table[i - 1][j - 1] + tree_distance(first[i - 1], second[j - 1]),
            )
    return own + table[-1][-1]


def teds(candidate_html, reference_html):
    if not candidate_html or not reference_html:
        return 0.0
    a, b = tree(candidate_html), tree(reference_html)
    if a is None or b is None:
        return float(a is b)
    return max(0.0, 1.0 - tree_distance(a, b) / max(size(a), size(b)))


def match(truth, prediction):
    pairs = []
    for g, gt in enumerate(truth):
        for p, pred in enumerate(prediction):
            overlap = iou(gt["block_bbox"], pred["block_bbox"])
            if overlap >= 0.1:
                pairs.append((g, p, overlap))
    pairs.sort(key=lambda pair: -pair[2])
    taken_g, taken_p, matched = set(), set(), []
    for g, p, overlap in pairs:
        if g not in taken_g and p not in taken_p:
            taken_g.add(g)
            taken_p.add(p)
            matched.append((g, p, overlap))
    return matched


def score(pages):
    """Overall and by label, from pairs of lists of blocks."""
    rows = []
    for truth, prediction in pages:
        matched = match(truth, prediction)
        for g, p, overlap in matched:
            gt, pred = truth[g], prediction[p]
            row = {"label": gt.get("block_label") or pred.get("block_label") or "unknown", "state": "matched"}
            row["iou"] = overlap
            row["cdm"] = cdm(plain(pred), plain(gt))
            row["bleu"] = bleu(plain(pred), plain(gt))
            row["text_similarity"] = similarity(plain(pred), plain(gt))
            if is_table(gt) or is_table(pred):
                htmls = [block["block_content"] if is_table(block) else "" for block in (pred, gt)]
                row["teds"] = teds(*htmls)
            rows.append(row)
        matched_g, matched_p = {g for g, _, _ in matched}, {p for _, p, _ in matched}
        rows += [
            {"label": gt.get("block_label") or "unknown", "state": "missed", "iou": 0.0}
            for g, gt in enumerate(truth)
            if g not in matched_g
        ]
        rows += [
            {"label": pred.get("block_label") or "unknown", "state": "invented"}
            for p, pred in enumerate(prediction)
            if p not in matched_p
        ]
    by_label = defaultdict(list)
    for row in rows:
        by_label[row["label"]].append(row)
    return {"overall": means(rows), "label": {label: means(found) for label, found in by_label.items()}}


def means(rows):
    found = {
        name: mean([row[name] for row in rows if name in row])
        for name in ("iou", "cdm", "bleu", "teds", "text_similarity")
    }
    found["iou_matched"] = mean([row["iou"] for row in rows if row["state"] == "matched"])
    states = [row["state"] for row in rows]
    found["matched_blocks"] = states.count("matched")
    found["unmatched_gt"] = states.count("missed")
    found["unmatched_pred"] = states.count("invented")
    return found


def mean(values):
    return sum(values) / len(values) if values else None


def local_blocks(blocks, regions):
    return [block for block in blocks if any(shares_area(block["block_bbox"], region) for region in regions)]


def shares_area(a, b):
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def region_text(blocks, box):
    """Raw contents, tags included, of the blocks with IoU 0.1 and more, largest first."""
    near = []
    for block in blocks:
        overlap = iou(block["block_bbox"], box)
        content = block.get("block_content") or ""
        if overlap >= 0.1 and content.strip():
            near.append((overlap, content))
    near.sort(key=lambda pair: pair[0], reverse=True)  # stable
    return " ".join(content for _, content in near).strip()


def region(truth, prediction, box, deletion):
    """The second script: the two texts in a region, and whether the edit succeeded."""
    wanted, found = region_text(truth, box), region_text(prediction, box)
    ratio = similarity(found, wanted)
    return {
        "success": found == "" if deletion else ratio >= 0.8,
        "text_similarity": ratio,
        "cdm": cdm(found, wanted),
        "bleu": bleu(found, wanted),
    }
