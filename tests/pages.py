"""Random pages for tests: Chinese, Latin, tables, empty texts, duplicate boxes; and how a prediction spoils them."""

from __future__ import annotations

import json
import random
from pathlib import Path

WORDS = [
    "the",
    "harbour",
    "office",
    "expects",
    "a",
    "quiet",
    "winter",
    "412.7",
    "vessels",
    "and",
    "31",
    "more",
    "than",
    "before",
    "(see",
    "page",
    "3)",
]
HAN = "自十月一日起图书馆每日开放时间调整为上午八时至晚上九时周末照常。，二〇二四"
LABELS = ["text", "text", "text", "paragraph_title", "table", "image", "header", ""]
WIDTH, HEIGHT = 1000, 1400


def text(rng, kind):
    if kind == "empty":
        return ""
    if kind == "zh":
        return "".join(rng.choice(HAN) for _ in range(rng.randint(1, 60)))
    if kind == "en":
        return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 30)))
    return text(rng, "zh") + " " + text(rng, "en")


def table(rng):
    rows = []
    for _ in range(rng.randint(1, 5)):
        cells = []
        for _ in range(rng.randint(1, 4)):
            span = rng.choice(["", "", "", ' colspan="2"', ' rowspan="2"'])
            cells.append(f"<td{span}>{text(rng, rng.choice(['zh', 'en', 'empty']))[:12]}</td>")
        rows.append("<tr>" + "".join(cells) + "</tr>")
    inner = "".join(rows)
    return rng.choice(["<table>{}</table>", "<table><tbody>{}</tbody></table>", "<table>{}"]).format(inner)


def page(rng, blocks=None):
    found = []
    for index in range(rng.randint(0, 14) if blocks is None else blocks):
        x, y = rng.randint(0, WIDTH - 200), rng.randint(0, HEIGHT - 100)
        box = [x, y, x + rng.randint(5, 200), y + rng.randint(5, 100)]
        if found and rng.random() < 0.1:
            box = list(rng.choice(found)["block_bbox"])
        label = rng.choice(LABELS)
        content = table(rng) if label == "table" else text(rng, rng.choice(["zh", "en", "mixed", "empty"]))
        found.append({"block_bbox": box, "block_label": label, "block_content": content, "block_id": index})
    return found


def spoilt(rng, blocks):
    """A prediction: boxes moved, characters changed, blocks lost, doubled, invented, in another order."""
    found = []
    for block in blocks:
        luck = rng.random()
        if luck < 0.1:
            continue
        moved = [side + rng.uniform(-8, 8) for side in block["block_bbox"]] if luck < 0.8 else block["block_bbox"]
        content = list(block["block_content"])
        for _ in range(rng.choice([0, 0, 1, 3])):
            if content:
                content[rng.randrange(len(content))] = rng.choice("x中<")
        found.append({**block, "block_bbox": moved, "block_content": "".join(content)})
        if luck > 0.97:
            found.append(dict(found[-1]))
    found += page(rng, rng.choice([0, 0, 0, 2]))
    if rng.random() < 0.2:
        rng.shuffle(found)
    return found


def random_pairs(seed, count):
    rng = random.Random(seed)
    pairs = []
    for _ in range(count):
        truth = page(rng)
        pairs.append((truth, spoilt(rng, truth)))
    return pairs


def reading(blocks, size=(WIDTH, HEIGHT)):
    return {"width": size[0], "height": size[1], "parsing_res_list": blocks}


def write_json(path: Path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")


def entry(index, **changes):
    return {
        "id": index,
        "image_input": f"inputs/page_{index}.png",
        "image_output": f"outputs/page_{index}.png",
        "instruction": "Replace 'a' with 'b'.",
        "instruction type": "text replacement",
        "language": "english",
        "data_source": "book",
        "label_output": [
            {"x": 10, "y": 10, "width": 40, "height": 20, "original_width": WIDTH, "original_height": HEIGHT}
        ],
    } | changes


def write_suite(root: Path, pairs, entries=None, *, sizes=True, name="random"):
    """A suite of one group, and the predictions' readings in `root/pred`."""
    entries = entries or [entry(index) for index in range(len(pairs))]
    write_json(root / "text_info.json", entries)
    wrap = reading if sizes else (lambda blocks: {"parsing_res_list": blocks})
    (root / "gt").mkdir(parents=True, exist_ok=True)
    (root / "pred").mkdir(exist_ok=True)
    for index, (truth, prediction) in enumerate(pairs):
        if truth is not None:
            write_json(root / "gt" / f"page_{index}.json", wrap(truth))
        if prediction is not None:
            write_json(root / "pred" / f"page_{index}.json", wrap(prediction))
    (root / "suite.toml").write_text(
        f'format = "vde-release"\nname = "{name}"\n[groups.text]\ninfo = "text_info.json"\nreadings = "gt"\n',
        encoding="utf-8",
    )
    return root
