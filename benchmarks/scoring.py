"""CPU time of scoring 360 pages, ours against the plain way in pure Python, in one run, with equal numbers.

    python benchmarks/scoring.py                    both protocols, 18 real pages × 20 seeds (several minutes)
    python benchmarks/scoring.py --seeds 2          a quick look

Start-up is excluded: both sides have scored one page before the clock starts. Both read the same JSON files.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from perturbed import Perturbation, real_pages  # noqa: E402
from tests.oracle import exact as naive_exact  # noqa: E402
from tests.oracle import release as naive_release  # noqa: E402

from vdebench import load_suite, score  # noqa: E402


def write_suite(root: Path, seeds: range) -> int:
    """The suite and its predictions; the whole page is the region."""
    entries = []
    pages = real_pages()
    for folder in ("gt", "pred"):
        (root / folder).mkdir(parents=True)
    for seed in seeds:
        for number, truth in enumerate(pages):
            name = f"page_{number}_seed_{seed}"
            entries.append({"id": len(entries), "image_output": f"{name}.png", "instruction": "-",
                            "instruction type": "text replacement", "language": "english", "data_source": "book"})  # fmt: skip
            for folder, reading in (("gt", truth), ("pred", Perturbation(truth, seed).reading)):
                (root / folder / f"{name}.json").write_text(json.dumps(reading.to_json()), encoding="utf-8")
    (root / "info.json").write_text(json.dumps(entries), encoding="utf-8")
    toml = 'format = "vde-release"\nname = "bench"\n[groups.text]\ninfo = "info.json"\nreadings = "gt"\n'
    (root / "suite.toml").write_text(toml, encoding="utf-8")
    return len(entries)


def ours(root: Path, protocol: str) -> tuple[dict[str, float], float]:
    begin = time.process_time()
    with tempfile.TemporaryDirectory() as out:
        summary = score(
            load_suite(root), root / "pred", protocol=protocol, setting="global", out=Path(out) / "run"
        ).summary
    return summary["overall"]["global"], time.process_time() - begin


def plain(root: Path, protocol: str) -> tuple[dict[str, float], float]:
    begin = time.process_time()
    pairs = []
    for entry in json.loads((root / "info.json").read_text(encoding="utf-8")):
        name = entry["image_output"].removesuffix(".png") + ".json"
        pairs.append(
            [
                json.loads((root / side / name).read_text(encoding="utf-8"))["parsing_res_list"]
                for side in ("gt", "pred")
            ]
        )
    if protocol == "strict":
        means = naive_exact.score([(*pair, None) for pair in pairs])["macro"]
    else:
        means = naive_release.score(pairs)["overall"]
    return means, time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--protocol", action="append", choices=["vde-release", "strict"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        small, full = Path(temporary) / "small", Path(temporary) / "full"
        write_suite(small, range(1))
        count = write_suite(full, range(options.seeds))
        for protocol in options.protocol or ["vde-release", "strict"]:
            ours(small, protocol)
            fast, fast_seconds = ours(full, protocol)
            slow, slow_seconds = plain(full, protocol)
            apart = max(abs(fast[name] - value) for name, value in slow.items() if value is not None)
            print(f"{protocol}: {count} pages: plain {slow_seconds:.1f} s, ours {fast_seconds:.2f} s of CPU time, "
                  f"{slow_seconds / fast_seconds:.0f} times less; largest difference of any mean {apart:.1e}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
