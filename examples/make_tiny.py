"""Make `examples/tiny`: eight editing tasks with readings, and the readings of three editors' outputs.

Everything in it is written by hand below; nothing comes from any benchmark. Run it again after a change:

    python examples/make_tiny.py
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent / "tiny"
WIDTH, HEIGHT = 1240, 1754

Blocks = list[tuple[str, str]]  # label and content, top to bottom


def table(*rows: list[str]) -> str:
    return "<table>" + "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows) + "</table>"


REPORT = [
    ("paragraph_title", "Quarterly report of the harbour office"),
    ("text", "In the third quarter 412 vessels called at the harbour, 31 more than a year before. Dwell time fell."),
    ("text", "Fees brought in 8.4 million; repairs of the eastern mole took 2.1 million of that."),
    ("text", "The office expects a quiet winter. Dredging resumes in March."),
    ("footer", "Page 3 of 12"),
]
NOTICE = [
    ("doc_title", "关于调整图书馆开放时间的通知"),
    ("text", "自十月一日起，图书馆每日开放时间调整为上午八时至晚上九时，周末照常开放。"),
    ("text", "读者可在一楼服务台办理借阅证，办理时请携带有效证件。"),
    ("text", "图书馆办公室 二〇二四年九月二十日"),
]
MIXED = [
    ("paragraph_title", "3.2 实验设置 Experimental setup"),
    ("text", "我们使用 Adam 优化器，学习率为 0.001，batch size 为 64，共训练 30 个 epoch。"),
    ("text", "All runs share one seed; 误差线表示三次运行的标准差。"),
]
SLIDE = [
    ("doc_title", "Roadmap 2025"),
    ("text", "Ship the reader"),
    ("text", "Open the beta"),
    ("text", "Hire two engineers"),
]
PRICES = table(["Item", "Unit", "Price"], ["Rope 12 mm", "metre", "1.80"], ["Shackle", "piece", "4.25"])
SCORES = table(["班级", "人数", "平均分"], ["一班", "42", "86.5"], ["二班", "40", "84.0"])

# id, group, stem, operation, language, source, instruction, page before, index of the edited block, block after
# (None: the block goes)
TASKS: list[tuple[str, str, str, str, str, str, str, Blocks, int, str | None]] = [
    ("1", "text", "harbour_1", "text replacement", "english", "research_report",
     "Replace '412 vessels' with '418 vessels'.", REPORT, 1, REPORT[1][1].replace("412", "418")),
    ("2", "text", "harbour_2", "text deletion", "english", "research_report",
     "Delete the sentence 'Dredging resumes in March.'", REPORT, 3, "The office expects a quiet winter."),
    ("3", "text", "notice_1", "text replacement", "simplified_chinese", "note",
     "把“晚上九时”改为“晚上十时”。", NOTICE, 1, NOTICE[1][1].replace("九时", "十时")),
    ("4", "text", "notice_2", "text addition", "simplified_chinese", "note",
     "在“有效证件”后面加上“和一寸照片”。", NOTICE, 2, NOTICE[2][1].replace("有效证件", "有效证件和一寸照片")),
    ("5", "text", "setup_1", "text replacement", "en_ch_mixed", "academic_literature",
     "把学习率 0.001 改为 0.0005。", MIXED, 1, MIXED[1][1].replace("0.001", "0.0005")),
    ("6", "text", "slide_1", "text deletion", "english", "PPT2PDF",
     "Delete the line 'Open the beta'.", SLIDE, 2, None),
    ("7", "table", "prices_1", "table text replacement", "english", "book",
     "In the table change the price of the shackle to 4.75.",
     [("text", "Prices from 1 May, without tax."), ("table", PRICES)], 1, PRICES.replace("4.25", "4.75")),
    ("8", "table", "scores_1", "table structure edit", "simplified_chinese", "exam_paper",
     "删除表格的最后一行。",
     [("paragraph_title", "期中考试成绩"), ("table", SCORES)], 1,
     table(["班级", "人数", "平均分"], ["一班", "42", "86.5"])),
]  # fmt: skip


def layout(blocks: Blocks, *, width: int = WIDTH, height: int = HEIGHT) -> dict[str, Any]:
    """Blocks one below the other, as tall as their text needs."""
    top, found = 120, []
    for index, (label, content) in enumerate(blocks):
        parts = content.split("\n")  # a block of several paragraphs is as tall as these with their gaps
        lines = sum(1 + (part.count("<tr>") if label == "table" else len(part) // 60) for part in parts)
        box = [110, top, WIDTH - 110, top + 46 * lines + 30 * (len(parts) - 1)]
        top = box[3] + 30
        scaled = [round(side * by, 1) for side, by in zip(box, [width / WIDTH, height / HEIGHT] * 2, strict=True)]
        found.append({"block_bbox": scaled, "block_label": label, "block_content": content,
                      "block_id": index, "block_order": None if label == "table" else index})  # fmt: skip
    return {"width": width, "height": height, "parsing_res_list": found}


def crop(reading: dict[str, Any], region: list[float]) -> dict[str, Any]:
    """What is read in a region (left, top, right, bottom as shares of the page), in pixels of the crop."""
    width, height = reading["width"], reading["height"]
    left, top, right, bottom = (share * by for share, by in zip(region, [width, height] * 2, strict=True))
    found = []
    for block in reading["parsing_res_list"]:
        x1, y1, x2, y2 = block["block_bbox"]
        box = [max(x1, left) - left, max(y1, top) - top, min(x2, right) - left, min(y2, bottom) - top]
        if box[2] - box[0] > 1 and box[3] - box[1] > 20 * height / HEIGHT:  # less than half a line is not read
            found.append({**block, "block_bbox": [round(side, 1) for side in box], "block_id": len(found)})
    return {"width": round(right - left), "height": round(bottom - top), "parsing_res_list": found}


def edited(blocks: Blocks, at: int, content: str | None) -> Blocks:
    if content is None:
        return blocks[:at] + blocks[at + 1 :]
    return [*blocks[:at], (blocks[at][0], content), *blocks[at + 1 :]]


def careful(after: Blocks, before: Blocks, stem: str) -> Blocks:
    """Right nearly everywhere: one misread character, and one pair of paragraphs that the reader took for one."""
    if stem == "harbour_2":
        return [*after[:1], ("text", after[1][1] + "\n" + after[2][1]), *after[3:]]
    if stem == "setup_1":
        return edited(after, 2, after[2][1].replace("标准差", "标谁差"))
    return after


def sloppy(after: Blocks, before: Blocks, stem: str) -> Blocks | None:
    """One output missing, edits not done, a block lost, text invented."""
    if stem == "slide_1":
        return None
    if stem == "harbour_1":
        return [*after[:2], *after[3:]]
    if stem == "notice_1":
        return edited(before, 1, before[1][1].replace("晚上九时", "晚上二时"))
    if stem == "prices_1":
        return [*before, ("text", "Lorem ipsum dolor sit amet")]
    return before if stem in ("setup_1", "scores_1") else after


def write(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    shutil.rmtree(ROOT, ignore_errors=True)
    entries: dict[str, list[dict[str, object]]] = {"text": [], "table": []}
    for number, group, stem, operation, language, source, instruction, before, at, content in TASKS:
        after = edited(before, at, content)
        box = layout(before)["parsing_res_list"][at]["block_bbox"]
        entries[group].append({
            "id": int(number), "image_input": f"inputs/{stem}.png", "image_output": f"outputs/{stem}.png",
            "instruction": instruction, "instruction type": operation, "language": language, "data_source": source,
            "label_output": [{"x": box[0] / WIDTH * 100, "y": box[1] / HEIGHT * 100,
                              "width": (box[2] - box[0]) / WIDTH * 100, "height": (box[3] - box[1]) / HEIGHT * 100,
                              "original_width": WIDTH, "original_height": HEIGHT}],
        })  # fmt: skip
        readings = {
            ROOT / f"{group}_gt_ocr": layout(after),
            ROOT / f"{group}_source_ocr": layout(before),
            ROOT / "editors/careful": layout(careful(after, before, stem)),
            # the page given back untouched, at half the resolution
            ROOT / "editors/copy": layout(before, width=WIDTH // 2, height=HEIGHT // 2),
        }
        if (blocks := sloppy(after, before, stem)) is not None:
            readings[ROOT / "editors/sloppy"] = layout(blocks)
        region = [box[0] / WIDTH, box[1] / HEIGHT, box[2] / WIDTH, box[3] / HEIGHT]
        for folder, reading in readings.items():
            write(folder / f"{stem}.json", reading)
            if "source" not in folder.name:
                write(folder / "regions" / f"{stem}_region_0.json", crop(reading, region))
    for group, found in entries.items():
        write(ROOT / f"{group}_info.json", found)
    groups = "".join(
        f'\n[groups.{group}]\ninfo = "{group}_info.json"\nreadings = "{group}_gt_ocr"\n'
        f'source_readings = "{group}_source_ocr"\n'
        for group in entries
    )
    (ROOT / "suite.toml").write_text(f'format = "vde-release"\nname = "tiny"\n{groups}', encoding="utf-8")


if __name__ == "__main__":
    main()
