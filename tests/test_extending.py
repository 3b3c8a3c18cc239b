"""Every example of docs/extending.md works: its files are installed as a package, and the commands show the extension."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import cv2
import numpy as np
import polars as pl
import pytest
from PIL import Image

from tests import pages
from tests.colours import write_colours
from tests.editors.server import Reply, coded, png, serving
from tests.judges.server import grade, judging
from tests.judges.suites import write_suite
from vdebench.suites import load_suite

ROOT = Path(__file__).parent.parent
TINY = ROOT / "examples/tiny"
PAGE = (ROOT / "docs/extending.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n)*)", PAGE, re.MULTILINE))
FILES = re.compile(r"^`([^`]+)`[^`\n]*:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)


class House:
    """The package `house` with the files of one section, installed in a folder; commands run in new processes."""

    def __init__(self, root: Path, section: str) -> None:
        self.root, self.files = root, dict(FILES.findall(SECTIONS[section]))
        for name in [name for name in self.files if name.startswith("house/")]:
            file = root / "site" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.files[name], "utf-8")
        (root / "site/house/__init__.py").touch()
        package = root / "site/house-1.dist-info"
        package.mkdir()
        (package / "METADATA").write_text("Metadata-Version: 2.1\nName: house\nVersion: 1\n")
        groups = tomllib.loads(self.files["pyproject.toml"])["project"]["entry-points"]
        assert [len(points) for points in groups.values()] == [1]  # one line
        lines = [f"[{group}]\n{name} = {place}\n" for group, points in groups.items() for name, place in points.items()]
        (package / "entry_points.txt").write_text("".join(lines))

    def python(self, *arguments: object) -> str:
        places = os.pathsep.join(map(str, (self.root / "site", ROOT)))
        environment = {**os.environ, "PYTHONPATH": places, "COLUMNS": "200"}
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def vde(self, *commands: tuple[object, ...]) -> list[str]:
        """What each command prints; all run in one new process."""
        given = json.dumps([list(map(str, command)) for command in commands])
        script = "import json, sys; from tests.commands import vde\n"
        script += "print(json.dumps([vde(*each).stdout for each in json.loads(sys.argv[1])]))"
        return json.loads(self.python("-c", script, given))

    def summary(self, run: str = "run") -> dict:
        return json.loads((self.root / run / "summary.json").read_text("utf-8"))

    def site_data(self, folder: str) -> str:
        """The data of a report or a leaderboard."""
        files = (self.root / folder / "data").rglob("*.js")
        return "".join(file.read_text("utf-8") for file in files).replace('": ', '":').replace(", ", ",")


SCORE = ("score", TINY, "--ocr-output", TINY / "editors/sloppy", "--out", "run")
SITES = [("report", "run", "-o", "report"), ("leaderboard", "run", "-o", "leaderboard")]


@pytest.fixture
def house(request, tmp_path):
    return House(tmp_path, request.param)


def section(name: str):
    return pytest.mark.parametrize("house", [name], indirect=True, ids=[name.replace(" ", "-")])


@section("A metric")
def test_metric(house):
    table, csv, *_ = house.vde(SCORE, (*SCORE, "--format", "csv"), *SITES)
    assert "Vowels ↓" in table
    assert "Vowels" in csv
    summary = house.summary()
    assert summary["overall"]["global"]["vowels"] > 0
    assert summary["overall"]["global"]["intervals"]["vowels"]
    assert "|metrics:vowels-1|" in summary["signature"]
    for site in ("report", "leaderboard"):
        assert '"key":"vowels","title":"Vowels","best":"lower","digits":4' in house.site_data(site)


@section("An image metric")
def test_image_metric(house):
    suite, editor = write_colours(house.root)  # all pages are dark; the lower half of each output is white
    for file in (suite / "images").iterdir():
        page = np.array(Image.open(file))
        page[len(page) // 2 :] = 255
        Image.fromarray(page).save(editor / file.name)
    score = ("score", suite, editor, "--ocr-output", suite / "readings", "--metrics", "ink", "--format", "csv")
    csv, doctor = house.vde((*score, "--out", "run"), ("doctor",))
    assert "Ink" in csv
    overall = house.summary()["overall"]
    assert (overall["global"]["ink"], overall["local"]["ink"]) == (0.5, 0)  # the regions are the upper left quarters
    assert "|images:ink-1," in house.summary()["signature"]
    assert re.search(r"\bink\b", doctor)


@section("A reader")
def test_reader(house):
    code = cv2.QRCodeEncoder.create().encode("invoice 4711")
    code = cv2.resize(code, None, fx=6, fy=6, interpolation=cv2.INTER_NEAREST)
    page = np.full((500, 400), 255, np.uint8)
    page[100 : 100 + code.shape[0], 80 : 80 + code.shape[1]] = code
    Image.fromarray(page).convert("RGB").save(house.root / "page.png")
    Image.new("RGB", (90, 90), "white").save(house.root / "empty.png")
    _, doctor = house.vde(("read", "page.png", "empty.png", "--reader", "qr", "-o", "ocr"), ("doctor",))
    (block,) = json.loads((house.root / "ocr/page.json").read_text("utf-8"))["parsing_res_list"]
    assert block["block_content"] == "invoice 4711"
    assert 80 <= block["block_bbox"][0] < 120
    assert 100 <= block["block_bbox"][1] < 140
    assert json.loads((house.root / "ocr/empty.json").read_text("utf-8"))["parsing_res_list"] == []
    assert re.search(r"\bqr\b", doctor)


@section("An editor behind an HTTP API")
def test_editor(house):
    pytest.importorskip("httpx2")
    Image.new("RGB", (60, 80), "white").save(house.root / "page.png")
    with serving(
        Reply({"error": "busy"}, status=503, headers={"Retry-After": "0"}), Reply({"result": {"image": coded(png())}})
    ) as server:
        edit = ("edit", "page.png", "Replace 'a' with 'b'", "-e", "acme", "-o", "edited.png")
        _, editors = house.vde((*edit, "--editor-option", f"base_url={server.url}/v2"), ("editors", "--json"))
    assert [ask.path for ask in server.asks] == ["/v2/edit", "/v2/edit"]  # the first answer is retried
    assert server.asks[1].body["prompt"] == "Replace 'a' with 'b'"
    assert np.array_equal(np.array(Image.open(house.root / "edited.png"))[0, 0], (10, 120, 200))
    (listed,) = [each for each in json.loads(editors) if each["name"] == "acme"]
    assert "ACME_API_KEY" in listed["missing"]


@section("A protocol")
def test_protocol(house):
    for file in TINY.glob("*_gt_ocr/*.json"):  # as the ground truth, in capitals
        page = json.loads(file.read_text("utf-8"))
        for block in page["parsing_res_list"]:
            if block["block_label"] != "table":
                block["block_content"] = block["block_content"].upper()
        pages.write_json(house.root / "editor" / file.name, page)
    score = ("score", TINY, "--ocr-output", "editor", "-p", "caseless", "-p", "strict", "--out", "run")
    table, listed, explained = house.vde(score, ("protocols",), ("protocols", "explain", "caseless"))
    assert "caseless on tiny" in table
    assert re.search(r"^caseless +strict, with upper and lower case equal$", listed, re.MULTILINE)
    assert "- Text: upper and lower case are equal." in explained
    caseless, strict = (house.summary(f"run/{name}") for name in ("caseless", "strict"))
    assert caseless["overall"]["global"]["cdm"] == 1
    assert strict["overall"]["global"]["cdm"] < 0.9
    assert "|p:caseless|" in caseless["signature"]
    rules = [re.search(r"\|rules:(\w+)\|", summary["signature"])[1] for summary in (caseless, strict)]
    assert rules[0] != rules[1]


@section("A suite format")
def test_suite_format(house):
    suite, block = house.root / "demo", {"block_bbox": [0, 0, 90, 20], "block_label": "text"}
    after = {"width": 100, "height": 100, "parsing_res_list": [{**block, "block_content": "two"}]}
    suite.mkdir()
    (suite / "suite.toml").write_text(house.files["suite.toml"])
    entry = {"name": "one", "instruction": "Replace 'one' with 'two'", "after": after}
    (suite / "pages.jsonl").write_text(json.dumps(entry) + "\n")
    pages.write_json(house.root / "editor/one.json", after)
    checked, _ = house.vde(("suite", "check", "demo"), ("score", "demo", "--ocr-output", "editor", "-o", "run"))
    assert "1 samples" in checked
    assert house.summary()["suite"] == "demo"
    assert house.summary()["overall"]["global"]["cdm"] == 1


@section("A typeset language")
def test_language(house):
    make = ("typeset", "make", "--n", 12, "--languages", "en-gb", "--kinds", "newspaper,research_report", "--ppi", 60)
    checked = house.vde((*make, "--out", "suite"), ("suite", "check", "suite"))[1]
    assert "12 samples" in checked
    suite = load_suite(house.root / "suite")
    assert {sample.language for sample in suite} == {"british_english"}
    texts = [block.content for sample in suite for block in suite.ground_truth(sample).blocks]
    text = " ".join([*texts, *(sample.instruction for sample in suite)])
    assert "£" in text
    assert "$" not in text
    assert any(place in text for place in ("Aberdeen", "Bath", "Cardiff", "Durham", "Exeter", "Leeds", "Truro", "York"))
    assert not any(place in text for place in ("Lisbon", "Nairobi", "Osaka", "Toronto", "Melbourne", "Hamburg"))
    made_with = json.loads((house.root / "suite/make.json").read_text("utf-8"))["made_with"]
    assert re.fullmatch("[0-9a-f]{16}", made_with["en-gb"])


@section("A typeset language")
def test_language_without_a_base(house):
    folder, source = house.root / "site/house/british", ROOT / "src/vdebench"
    shutil.copytree(source / "suites/typeset/content/en", folder, dirs_exist_ok=True)
    phrasings = (source / "instructions/phrasings/en.toml").read_text("utf-8")
    (folder / "phrasings.toml").write_text(phrasings.replace("""quote = ['"', '"']""", 'quote = ["«", "»"]'), "utf-8")
    code = house.files["house/british.py"].replace('base="en"', 'base=""').replace('code="en-gb"', 'code="br"')
    (house.root / "site/house/british.py").write_text(code, "utf-8")
    house.vde(("typeset", "make", "--n", 4, "--languages", "br", "--kinds", "book", "--ppi", 60, "--out", "suite"))
    instructions = [sample.instruction for sample in load_suite(house.root / "suite")]
    assert all("«" in instruction for instruction in instructions)


@section("A judge dimension")
def test_judge_dimension(house):
    pytest.importorskip("httpx2")
    _, editor = write_suite(house.root, 2)
    with judging(lambda ask: grade(4 if "legibility (LG)" in ask.prompt else 2)) as server:
        judge = ("judge", "suite", editor, "--judge", "judge-1", "--base-url", server.url, "-o", "judged")
        (csv,) = house.vde((*judge, "--dimensions", "IF,LG", "--format", "csv"))
    prompts = [ask.prompt for ask in server.asks if "legibility (LG)" in ask.prompt]
    assert len(prompts) >= 2
    assert "{instruction}" not in prompts[0]
    assert "LG" in csv
    summary = json.loads((house.root / "judged/summary.json").read_text("utf-8"))
    assert summary["overall"]["dimensions"]["LG"]["mean"] == 4
    assert (summary["overall"]["total"], summary["overall"]["total_of"]) == (6, 10)
    assert set(pl.read_parquet(house.root / "judged/grades.parquet")["dimension"]) == {"IF", "LG"}


VOTES = """
import sys
from pathlib import Path
from tests.review.server import serving

root = Path(sys.argv[1])
site = serving.Site(serving.template(root), root)
people = {group: site.signed_in(name) for group, name in zip("123", ("anna1", "cora2", "eve3"))}
fields = {"rate": {"ratings": serving.NINE}, "draw": {"boxes": [[10, 10, 310, 50]]}}
for kind in ("rate", "draw", "screen", "screen_fonts"):
    if kind == "screen_fonts":
        print("waits for", site.store.view("root", "s0").step)
    for group, person in people.items():
        person.must(kind, sample="s0", round=1, group=group, **fields.get(kind, {"yes": True}))
print("then for", site.store.view("root", "s0").step)
print("steps", *(step["name"] for step in people["1"].get("/api/me").json()["workflow"]))
print("progress", people["1"].get("/api/progress").json()["groups"]["1"]["fonts"])
print("faults", site.store.check())
site.store.close()
"""


@section("A review step")
def test_review_step(house):
    pytest.importorskip("tests.review.server.serving")
    told = house.python("-c", VOTES, house.root)
    assert told.splitlines() == [
        "waits for fonts",
        "then for ocr",
        "steps pilot score boxes screen fonts ocr conflict",
        "progress {'done': 1, 'waiting': 0}",
        "faults []",
    ]


@section("A report column")
def test_report_column(house):
    printed, *_ = house.vde(SCORE, *SITES)
    assert re.search(r"Missing ↓$", printed, re.MULTILINE)
    assert re.search(r"^sloppy .* 0\.125$", printed, re.MULTILINE)  # one of eight
    for site in ("report", "leaderboard"):
        data = house.site_data(site)
        assert '"key":"missing_share","title":"Missing","best":"lower"' in data
        assert '"missing_share":{"value":0.125' in data or '"missing_share":[0.125]' in data


def test_each_section_has_a_test():
    tested = re.findall(r'^@section\("(.+)"\)', Path(__file__).read_text("utf-8"), re.MULTILINE)
    assert list(dict.fromkeys(tested)) == list(SECTIONS)
