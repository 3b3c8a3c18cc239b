"""Run folders for the tests of the leaderboard, with summaries worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PINS = {
    "p": "strict",
    "v": "0.1.0",
    "match": "assign",
    "reader": "r@1",
    "images": "mse-1",
    "suite": "s@sha256:0f",
    "n": "8",
}
MEANS = {
    "cdm": 0.8,
    "iou": 0.6,
    "psnr": 20.0,
    "images": 8,
    "identical": 0,
    "intervals": {"cdm": [0.7, 0.9], "iou": [0.5, 0.75]},
}
STEPS = [
    ("completeness", 1, 7),
    ("textual_correctness", 2, 5),
    ("spatial_precision", 0, 5),
    ("visual_fidelity", 1, 4),
    ("preservation", 0, 4),
]
USABLE = {
    "rate": 0.5,
    "interval": [0.2, 0.8],
    "n": 8,
    "unknown": 0,
    "waterfall": [{"property": name, "failed": failed, "left": left} for name, failed, left in STEPS],
    "thresholds": {"text": 0.9},
    "signature": "usable:traces-1|text:0.9",
    "by": {"operation": {"text_insert": {"rate": 0.25, "interval": [0.1, 0.5], "n": 4, "unknown": 1}}},
}


def signature(**pins: str) -> str:
    return "vde|" + "|".join(f"{key}:{value}" for key, value in {**PINS, **pins}.items())


def summary(editor: str | None, pins: dict[str, str] | None = None, **parts: Any) -> dict[str, Any]:
    """A summary with numbers in both settings, and for one operation; parts given replace its own, None takes them out."""
    found = {
        "signature": signature(**(pins or {})),
        "protocol": (pins or {}).get("p", "strict"),
        "suite": "s",
        "editor": editor,
        "coverage": {"samples": 8, "scored": 7, "missing": 1, "failed": 0},
        "overall": {"local": MEANS, "global": {**MEANS, "cdm": 0.9, "intervals": {}}},
        "by": {"operation": {"text_insert": {"local": {**MEANS, "cdm": 0.4, "intervals": {"cdm": [0.3, 0.5]}}}}},
        "notes": [],
        **parts,
    }
    return {key: value for key, value in found.items() if value is not None}


def write_run(folder: Path, about: Any) -> Path:
    """A run folder; its rows are never looked at."""
    folder.mkdir(parents=True)
    text = about if isinstance(about, str) else json.dumps(about, ensure_ascii=False)
    (folder / "summary.json").write_text(text, encoding="utf-8")
    (folder / "scores.parquet").write_bytes(b"")
    return folder


def shown(out: Path, name: str = "leaderboard") -> Any:
    """What a data script hands to the page."""
    text = (out / "data" / f"{name}.js").read_text(encoding="utf-8")
    assert text.startswith(f'Vde.take("{name}", ')
    return json.loads(text.partition(", ")[2].rpartition(")")[0])
