"""Programs that violate the protocol."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

HELLO = {"name": "broken", "version": "1", "model": "none", "protocol": 1}
way = sys.argv[1]


def say(data):
    print(data if isinstance(data, str) else json.dumps(data), flush=True)


if way == "at start":
    print("no GPU here", file=sys.stderr)
    sys.exit(3)
if way == "no hello":
    time.sleep(60)
if way == "garbage first":
    say("Loading weights: 40%")
    time.sleep(60)
say({"hello": {**HELLO, "protocol": 2 if way == "protocol 2" else 1}})
for answers, line in enumerate(sys.stdin, 1):
    request = json.loads(line)
    answer = {"id": request["id"], "state": "edited", "out": request["out"]}
    if way == "third" and answers == 3:
        print("out of memory", file=sys.stderr)
        sys.exit(9)
    if way == "garbage":
        say("step 1 of 28")
    elif way == "wrong id":
        say({**answer, "id": "another"})
    elif way == "no image":
        Path(request["out"]).write_text("this is text")
        say(answer)
    elif way == "elsewhere":
        say({**answer, "out": "/tmp/elsewhere.png"})
    elif way == "state":
        say({**answer, "state": "done"})
    elif way == "flood":
        while True:
            say({"id": "flood"})
    elif way == "not a number":
        say('{"id": "1", "state": "refused", "parameters": {"loss": NaN}}')
    elif way == "third":
        Path(request["out"]).write_bytes(Path(request["image"]).read_bytes())
        say(answer)
    else:
        say(answer)  # and no file
if way == "deaf":
    time.sleep(60)
