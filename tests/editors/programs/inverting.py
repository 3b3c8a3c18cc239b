"""Inverts the left half of a page; the instruction selects further behaviour."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "src/vdebench/editors/shims"))

from shim import Refused, parser, run

options = parser("tests/inverting")
options.add_argument("--steps", type=int, default=1)
options.add_argument("--once", default="", help="a file: at the third edit, where it is not there, make it and die")
options.add_argument("--token", default=None)
options.add_argument("--broken", action="store_true", help="the model cannot be loaded")


def load(chosen):
    print("a library that prints to stdout", flush=True)
    if chosen.broken:
        raise RuntimeError("no such weights")
    edits = []
    card = {"card": os.environ["CUDA_VISIBLE_DEVICES"]} if "CUDA_VISIBLE_DEVICES" in os.environ else {}

    def edit(image, instruction, seed):
        from PIL import ImageOps

        edits.append(instruction)
        if "refuse" in instruction.split():
            raise Refused("I would rather not")
        if "fail" in instruction.split():
            raise ValueError("cannot do that")
        if "die" in instruction.split() or (chosen.once and len(edits) == 3 and not Path(chosen.once).exists()):
            Path(chosen.once or os.devnull).touch()
            print("the GPU is on fire", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        if "hang" in instruction.split():
            time.sleep(60)
        if "wait" in instruction.split():
            time.sleep(0.3)
        left = (0, 0, image.width // 2, image.height)
        image.paste(ImageOps.invert(image.crop(left)), left)
        return image, {"steps": chosen.steps, "seed": seed, "edits": len(edits), "process": os.getpid(), **card}

    return edit


if __name__ == "__main__":
    run("inverting", "7", options, load, ("pillow",))
