"""TextEditBench's folders: what is read in spite of a fault, what is not, and that every fault is named."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from tests.suites.textedit_folders import MANUAL, WEB, entry, mask, picture, write
from vdebench.cli.suite import app
from vdebench.errors import InputError, SuiteError
from vdebench.sample import Operation
from vdebench.suites.suite import load_suite
from vdebench.suites.textedit_words import TOPICS

KEY = "manual/Packaging_Logistics/019"


def load(root):
    return load_suite(f"textedit:{root}")


def told(root):
    """Everything that is wrong: severity, sample, file and what, in short."""
    return [(fault.severity, fault.sample, fault.file, fault.what) for fault in load(root).faults()]


def only(root):
    """The only fault."""
    (fault,) = told(root)
    return fault


def only_sample(root):
    (sample,) = load(root).samples
    return sample


def test_a_right_sample_has_no_faults(tmp_path):
    folder = write(tmp_path, knowledge_prompt="Brands are spelt in capitals.")
    suite = load(tmp_path)
    assert list(suite.faults()) == []
    (sample,) = suite
    assert (sample.key, sample.group, sample.id) == (KEY, "manual", "Packaging_Logistics/019")
    assert (sample.source, sample.operation) == ("Packaging & Logistics", Operation.TEXT_INSERT)
    assert sample.instruction == "Insert 'NEW' after 'BRAND'"
    assert (sample.source_image, sample.reference_image) == ("19.jpg", "text_insert_19.jpg")
    extra = dict(sample.extra)
    assert extra.pop("difficulty")["background_clutter"] == 2
    assert extra == {
        "id": "TextEditing_Packaging & Logistics_019",
        "tier": "easy",
        "difficulty_total": 2,
        "knowledge": "Brands are spelt in capitals.",
        "source_tag": "human_annotation",
    }
    files = suite.image_files(sample)
    assert (files.source, files.reference, files.mask) == (folder / "19.jpg", folder / "text_insert_19.jpg", None)
    assert suite.mask_files(sample) == (folder / "19_mask.jpg", folder / "text_insert_19_mask.jpg")
    assert tuple(suite.image_size(sample)) == (64, 48)
    assert suite.output_name(sample) == f"{KEY}_edited"
    assert (suite.name, suite.track, suite.left_out) == ("textedit", "pixels", {})
    assert not suite.means_to_read(sample)
    with pytest.raises(SuiteError, match="no readings"):
        suite.truth(sample)


def test_a_web_sample_needs_no_reference(tmp_path):
    write(tmp_path, WEB)
    suite = load(tmp_path)
    assert list(suite.faults()) == []
    (sample,) = suite
    assert (sample.key, sample.reference_image) == ("web/Packaging_Logistics/019", "")
    assert suite.image_files(sample).reference is None
    assert tuple(suite.image_size(sample)) == (64, 48)


@pytest.mark.parametrize(("split", "group"), [("canva", "manual"), ("real", "web"), (MANUAL, "manual"), (WEB, "web")])
def test_splits_under_all_their_names(tmp_path, split, group):
    write(tmp_path, split)
    assert [one.name for one in load(tmp_path).groups] == [group]
    assert only_sample(tmp_path).group == group
    assert told(tmp_path) == []


def test_ids_repeat_and_keys_do_not(tmp_path):
    for split in (MANUAL, WEB):
        for topic in ("Packaging_Logistics", "Data_Analytics"):
            write(tmp_path, split, topic)
    suite = load(tmp_path)
    suite.require_distinct_keys()
    assert len(suite) == 4
    assert told(tmp_path) == []


def test_one_split_under_two_names_is_refused(tmp_path):
    write(tmp_path, "canva")
    write(tmp_path, MANUAL)
    with pytest.raises(SuiteError, match="canva and data_manual_production are both the manual split"):
        load(tmp_path)


def test_a_folder_without_a_split_is_refused(tmp_path):
    (tmp_path / "TextEditBench").mkdir()
    with pytest.raises(
        SuiteError, match=r"found TextEditBench\n.*data_manual_production or data_web-sourced_instances"
    ):
        load(tmp_path)
    with pytest.raises(InputError, match="cannot be listed"):
        load(tmp_path / "nowhere")
    with pytest.raises(SuiteError, match="no folder given"):
        load_suite("textedit:")
    with pytest.raises(SuiteError, match="no such home folder"):
        load_suite("textedit:~nobody_here/x")


def test_paths_with_spaces_relative_ones_and_home(tmp_path, monkeypatch):
    write(tmp_path / "my data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in ("my data", "./my data", "~/my data", tmp_path / "my data"):
        suite = load(path)
        assert len(suite) == 1
        assert suite.origin == f"textedit:{tmp_path}/my data"  # also from another folder it is the same suite
    assert load_suite(Path("textedit:my data")).revision == suite.revision


# What is clear is read with a warning.


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"editing_method": "scalling"}, "editing_method 'scalling', taken as scaling"),
        ({"editing_method": "Text Insert"}, "editing_method 'Text Insert', taken as text_insert"),
        ({"difficulty": " easy"}, "difficulty ' easy', taken as easy"),
        ({"difficulty": "esay"}, "difficulty 'esay', taken as easy"),
        ({"difficulty": "so so"}, "difficulty 'so so', expected easy, medium or hard"),
        ({"difficulty": None}, "no 'difficulty'"),
        ({"difficulty_score": None}, "no 'difficulty_score'"),
        ({"difficulty_score": "2"}, "difficulty_score '2': expected a total and ten parts such as '2(0,0,0,0,0,0,0,2,0,0)'"),
        ({"difficulty_score": "3(0,0,0,0,0,0,0,2,0,0)"}, "difficulty_score '3(0,0,0,0,0,0,0,2,0,0)': its parts add up to 2, not to 3"),
        ({"difficulty_score": "2(0,0,0,0,0,0,0,2,0)"}, "difficulty_score '2(0,0,0,0,0,0,0,2,0)': 9 parts, expected 10"),
        ({"difficulty_score": "(0,0,0,0,0,0,0,2,0,0)"}, "difficulty_score '(0,0,0,0,0,0,0,2,0,0)': no total before the parts"),
        ({"difficulty_score": "3(0,0,0,0,0,0,0,3,0,0)"}, "difficulty_score '3(0,0,0,0,0,0,0,3,0,0)': parts of 3, expected 0, 1 or 2"),
        ({"difficulty": "hard"}, "difficulty 'hard', but a sum of 2 is easy; taken as easy"),
        ({"id": "TextEditing_Packaging & Logistics_013"}, "id 'TextEditing_Packaging & Logistics_013', but the folder is 019"),
        ({"id": "TextEditing_Packaging & Logistics"}, "id 'TextEditing_Packaging & Logistics', but the folder is 019"),
        ({"id": None}, "no 'id'"),
        ({"topic": "Package & Logistics"}, "topic 'Package & Logistics', expected 'Packaging & Logistics' (the folder's)"),
        ({"topic": "Media & Publishing"}, "topic 'Media & Publishing', expected 'Packaging & Logistics' (the folder's)"),
        ({"input_image": "19.jpg "}, "input_image '19.jpg ' has spaces around it"),
        ({"input_image": "23.jpg"}, "input_image '23.jpg' is not in the folder, 19.jpg is taken"),
        ({"input_image": None}, "no 'input_image', 19.jpg is taken"),
        ({"output_image": "text_insert_91.jpg"}, "output_image 'text_insert_91.jpg' is not in the folder, text_insert_19.jpg is taken"),
        ({"output_image": None}, "no 'output_image', text_insert_19.jpg is taken"),
        ({"source_tag": ["a"]}, "source_tag is list, expected text"),
    ],
)  # fmt: skip
def test_a_fault_of_the_json_is_a_warning_and_the_sample_is_there(tmp_path, changes, what):
    folder = write(tmp_path, **{key: value for key, value in changes.items() if key != "editing_method"})
    (file,) = folder.glob("*.json")
    if "editing_method" in changes:
        file.write_text(json.dumps(entry(editing_method=changes["editing_method"])))
    assert only(tmp_path) == ("warning", KEY, file.name, what)
    sample = only_sample(tmp_path)
    assert (sample.source, sample.source_image, sample.reference_image) == (
        "Packaging & Logistics",
        "19.jpg",
        "text_insert_19.jpg",
    )


@pytest.mark.parametrize(
    "key", ["knowledge prompt", "Knowledge_prompt", "knowlege_prompt", "knowledge_prompt ", "knowledge"]
)
def test_the_knowledge_prompt_is_found_under_misspelt_keys(tmp_path, key):
    write(tmp_path, **{key: "It must rhyme."})
    assert only(tmp_path)[::3] == ("warning", f"field {key!r}, taken as 'knowledge_prompt'")
    assert only_sample(tmp_path).extra["knowledge"] == "It must rhyme."


def test_the_right_key_counts_where_both_are_there(tmp_path):
    write(tmp_path, **{"knowledge_prompt": "right", "knowledge prompt": "wrong"})
    assert only_sample(tmp_path).extra["knowledge"] == "right"


@pytest.mark.parametrize(
    ("word", "score", "tier", "total"),
    [
        ("easy", "4(1,0,0,2,0,0,0,1,2,0)", "medium", 6),  # ten parts count, not the word nor the total
        ("easy", "7(0,2,1,2,0,0,1,1,0)", "easy", 7),  # nine do not: the word counts
        ("?", "7(0,2,1,2,0,0,1,1,0)", "medium", 7),  # no word: the total
        ("?", "", "unknown", None),
        ("hard", "", "hard", None),
        ("hard", "11(2,2,2,0,0,0,2,1,0,2)", "hard", 11),
    ],
)
def test_which_tier_counts(tmp_path, word, score, tier, total):
    write(tmp_path, difficulty=word, difficulty_score=score)
    extra = only_sample(tmp_path).extra
    assert (extra["tier"], extra["difficulty_total"]) == (tier, total)
    assert (extra["difficulty"] is not None) == (score.count(",") == 9)


def test_a_byte_order_mark_and_an_object_without_a_list(tmp_path):
    folder = write(tmp_path, raw=b"\xef\xbb\xbf" + json.dumps(entry()).encode())
    assert only(tmp_path) == ("warning", KEY, next(folder.glob("*.json")).name, "begins with a byte order mark")
    assert only_sample(tmp_path).operation is Operation.TEXT_INSERT


def test_a_misspelt_topic_is_named_once_and_its_samples_counted_right(tmp_path):
    for number in ("005", "041"):
        write(tmp_path, MANUAL, "Digtial_Interfaces_Reports", number, topic="Digital Interfaces & Interaction")
    suite = load(tmp_path)
    assert {sample.source for sample in suite} == {"Digital Interfaces & Interaction"}
    assert [sample.id for sample in suite] == ["Digtial_Interfaces_Reports/005", "Digtial_Interfaces_Reports/041"]
    fault = only(tmp_path)
    assert fault[2] == f"{MANUAL}/Digtial_Interfaces_Reports"
    assert "taken as 'Digital Interfaces & Interaction'" in fault[3]


def test_an_unknown_topic_stays_as_it_is(tmp_path):
    write(tmp_path, MANUAL, "Cats", topic="Cats")
    assert only_sample(tmp_path).source == "Cats"
    assert only(tmp_path) == ("warning", "", f"{MANUAL}/Cats", "is none of the fourteen topics; kept as it is")
    (tmp_path / MANUAL / "Data_Analytics").mkdir()
    assert ("warning", "", f"{MANUAL}/Data_Analytics", "holds no folders of samples") in told(tmp_path)


def test_a_folder_inside_another_samples_folder_is_a_sample(tmp_path):
    write(tmp_path, number="048")
    write(tmp_path, number="048/049", id="x_049")
    suite = load(tmp_path)
    assert [sample.key for sample in suite] == [f"{KEY[:-3]}048", f"{KEY[:-3]}049"]
    assert only(tmp_path) == ("warning", f"{KEY[:-3]}049", "", "stands inside another sample's folder (048/049)")
    write(tmp_path, number="049", id="y_049")
    fault = only(tmp_path)
    assert fault[0::3] == ("error", "folders 049 and 048/049 have the same name; the second is left out")
    assert [sample.extra["id"] for sample in load(tmp_path)][1] == "y_049"


def test_one_id_twice_in_a_topic(tmp_path):
    write(tmp_path, number="019")
    write(tmp_path, number="119", id="TextEditing_Packaging & Logistics_019 ")
    faults = told(tmp_path)
    assert (
        "warning",
        f"{KEY[:-3]}119",
        "",
        f"id 'TextEditing_Packaging & Logistics_019' is also that of {KEY}",
    ) in faults
    assert len(faults) == 2  # and the number is not the folder's
    write(tmp_path, WEB, number="019")  # the other split has its own
    assert len(told(tmp_path)) == 2


# What is not clear is an error, and no sample.


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b'{"id": }', "not JSON: Expecting value at line 1, column 8"),
        (b'{"prompt": "\xff"}', "not UTF-8 at byte 12"),
        (json.dumps([entry(), entry()]).encode(), "holds a list of 2, expected an object or a list of one object"),
        (b"[]", "holds a list of 0, expected"),
        (b"[7]", "holds int, expected"),
        (json.dumps(entry(editing_method="rotate")).encode(), "editing_method 'rotate', expected one of text_delete"),
        (json.dumps(entry(editing_method=None)).encode(), "editing_method '', expected one of"),
        (json.dumps(entry(prompt="  ")).encode(), "no 'prompt': nothing is asked"),
    ],
)
def test_a_json_that_is_not_clear_is_an_error(tmp_path, raw, what):
    folder = write(tmp_path, raw=raw)
    severity, sample, file, said = only(tmp_path)
    assert (severity, sample, file) == ("error", KEY, next(folder.glob("*.json")).name)
    assert what in said
    assert load(tmp_path).samples == []
    assert load(tmp_path).left_out == {KEY: said}


def test_no_json_and_two(tmp_path):
    folder = write(tmp_path)
    (file,) = folder.glob("*.json")
    shutil.copy(file, folder / "copy.json")
    assert only(tmp_path)[0::3] == ("error", f"2 JSON files ({file.name}, copy.json), expected one")
    file.unlink()
    (folder / "copy.json").unlink()
    assert only(tmp_path)[0::3] == ("error", "no JSON file, expected one")
    assert load(tmp_path).samples == []


def test_no_input_and_two_that_could_be_it(tmp_path):
    folder = write(tmp_path, input_image="23.jpg")
    picture(folder / "20.jpg")
    assert only(tmp_path)[0] == "error"
    assert (
        "input_image '23.jpg' is not in the folder; there is: 19.jpg, 20.jpg, text_insert_19.jpg" in only(tmp_path)[3]
    )
    (folder / "19.jpg").unlink()
    (folder / "20.jpg").unlink()
    assert only(tmp_path)[3].endswith("there is: text_insert_19.jpg")
    assert load(tmp_path).samples == []


# Images.


def test_masks(tmp_path):
    folder = write(tmp_path)
    (folder / "19_mask.jpg").unlink()
    assert only(tmp_path) == ("warning", KEY, "", "1 mask (text_insert_19_mask.jpg), expected 2")
    (folder / "19_mask.jpg").write_bytes(b"no image")
    assert only(tmp_path)[::2] == ("warning", "19_mask.jpg")
    assert len(load(tmp_path).mask_files(only_sample(tmp_path))) == 1
    (folder / "text_insert_19_mask.jpg").unlink()
    assert [fault[0] for fault in told(tmp_path)] == ["warning", "error"]
    (folder / "19_mask.jpg").unlink()
    assert only(tmp_path)[0::3] == ("error", "no mask that can be read: what may change is not known")
    assert load(tmp_path).samples == []


def test_other_sizes(tmp_path):
    folder = write(tmp_path)
    picture(folder / "text_insert_19.jpg", (64, 50))
    mask(folder / "19_mask.jpg", (32, 48))
    assert told(tmp_path) == [
        ("warning", KEY, "text_insert_19.jpg", "64×50 pixels, the input has 64×48"),
        ("warning", KEY, "19_mask.jpg", "32×48 pixels, the input has 64×48"),
    ]
    assert tuple(load(tmp_path).image_size(only_sample(tmp_path))) == (64, 50)


def test_masks_that_allow_nothing_or_everything(tmp_path):
    folder = write(tmp_path)
    picture(folder / "19_mask.jpg", colour="black")
    picture(folder / "text_insert_19_mask.jpg", colour="white")
    assert told(tmp_path) == [
        ("warning", KEY, "19_mask.jpg", "mask is black: it lets nothing change"),
        ("warning", KEY, "text_insert_19_mask.jpg", "mask is white: it lets everything change"),
    ]
    for name in ("19", "text_insert_19"):
        picture(folder / f"{name}.jpg", (1024, 1024))
        picture(folder / f"{name}_mask.jpg", (1024, 1024), "black", (30, 0, 31, 1023))  # a thin line is not nothing
    assert told(tmp_path) == []


def test_a_manual_sample_without_reference(tmp_path):
    folder = write(tmp_path, output_image=None)
    (folder / "text_insert_19.jpg").unlink()
    assert only(tmp_path) == ("warning", KEY, "", "no reference, expected one in the manual split")
    assert only_sample(tmp_path).reference_image == ""


def test_a_reference_that_is_named_and_not_there(tmp_path):
    folder = write(tmp_path)
    (folder / "text_insert_19.jpg").unlink()
    assert "no other reference is there" in only(tmp_path)[3]
    picture(folder / "19_edited.jpg")  # an editor's output is no reference
    assert [fault[2] for fault in told(tmp_path)][1] == "19_edited.jpg"
    assert only_sample(tmp_path).reference_image == ""


@pytest.mark.parametrize("name", ["19.jpg", "text_insert_19.jpg"])
def test_images_that_cannot_be_read(tmp_path, name):
    folder = write(tmp_path)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(b"no image")
    assert only(tmp_path)[:3] == ("error", KEY, name)
    assert load(tmp_path).samples == []
    (folder / name).write_bytes(whole[: len(whole) - 40])  # a whole header, half a picture
    severity, _, file, what = only(tmp_path)
    assert (severity, file) == ("error", name)
    assert "truncated" in what


def test_the_revision_follows_content_not_place_or_order(tmp_path):
    write(tmp_path / "a")
    folder = write(tmp_path / "b", "canva")
    assert load(tmp_path / "a").revision == load(tmp_path / "b").revision
    for name, changed in (("19_mask.jpg", "mask"), ("19.jpg", "input"), ("text_insert_19.jpg", "reference")):
        before = load(tmp_path / "b").revision
        Image.new("RGB", (64, 48), "red").save(folder / name)
        assert load(tmp_path / "b").revision != before, changed


def test_commands(tmp_path):
    write(tmp_path)
    write(tmp_path, WEB, difficulty="hard")
    write(tmp_path, WEB, number="020", raw=b"{")
    order = f"textedit:{tmp_path}"
    done = CliRunner().invoke(app, ["check", order])
    assert done.exit_code == 2
    assert "textedit: 2 samples, 1 errors, 1 warnings" in done.output
    shown = CliRunner().invoke(app, ["show", order]).output
    assert re.search(r"text_insert +1 +1 +2", shown)
    assert re.search(r"tier\neasy +1 +1 +2", shown)
    assert "left out: web/Packaging_Logistics/020" in shown
    counts = json.loads(CliRunner().invoke(app, ["show", order, "--json"]).output)
    assert counts["topic"] == {"Packaging & Logistics": 2}
    assert list(counts["left_out"]) == ["web/Packaging_Logistics/020"]
    found = json.loads(CliRunner().invoke(app, ["difficulty", order, "--json"]).output)
    assert [one["sample"] for one in found["samples"]] == [KEY, "web/Packaging_Logistics/019"]
    assert found["samples"][0]["stated"]["background_clutter"] == 2
    assert found["samples"][0]["estimated"]["num_text_regions"] == 0
    assert found["agreement"]["num_text_regions"]["samples"] == 2
    assert "num_text_regions" in CliRunner().invoke(app, ["difficulty", order]).output


# The real data: each kind of fault, found by looking through the 79 folders.

MANUAL_FAULTS = {
    "field 'knowledge prompt'": {"manual/Art_Creative_Expression/016", "manual/Art_Creative_Expression/019"},
    "has spaces around it": {"manual/Art_Creative_Expression/016", "manual/Art_Creative_Expression/019"},
    "input_image '23.jpg' is not in the folder": {"web/Merchandise_Apparel/048"},
    "but the folder is": {"web/Merchandise_Apparel/048"},
    "expected 'Business & Advertising'": {f"manual/Business_Advertising/{number}" for number in ("006", "016", "038")},
    "expected 'Digital": {f"manual/Digtial_Interfaces_Reports/{number}" for number in ("005", "041", "047")},
    "expected 'Crafts": {"web/Crafts_Personal_Creations/026"},
    "topic is misspelt": {""},
    "editing_method 'scalling'": {"web/Environmental_Spatial_Signage/018"},
    "', taken as medium": {"manual/Digtial_Interfaces_Reports/047", "manual/Professional_Documents_Reports/015"},
    "'esay', taken as easy": {"web/Art_Creative_Expression/014", "web/Art_Creative_Expression/015"},
    "; taken as": {"manual/Crafts_Personal_Creations/003", "web/Media_Publishing/005"},
    "not JSON": {"manual/Packaging_Logistics/004"},
}


@pytest.fixture
def real(shared):
    root = shared / "data/textedit"
    if not root.exists():
        pytest.skip(f"no {root}: set VDE_SHARED to a folder with TextEditBench's sample")
    return root


def test_the_real_faults_are_named_and_no_others(real):
    suite = load(real)
    faults = list(suite.faults())
    assert len(suite) == 78
    assert [fault.sample for fault in faults if fault.severity == "error"] == ["manual/Packaging_Logistics/004"]
    for what, samples in MANUAL_FAULTS.items():
        assert {fault.sample for fault in faults if what in fault.what} == samples, what
    scores = _plain_score_faults(real)
    assert len(scores) == 7
    assert {
        (fault.sample, _kind(fault.what)) for fault in faults if fault.what.startswith("difficulty_score")
    } == scores
    assert len(faults) == sum(map(len, MANUAL_FAULTS.values())) + len(scores)


def _kind(what):
    return next(kind for kind in ("add up", "no total", "expected 10", "parts of") if kind in what)


def _plain_score_faults(root):
    """What is wrong with the scores, the plain way: by the text of the files."""
    found = set()
    for file in root.glob("*/*/*/*.json"):
        written = re.search(r'"difficulty_score"\s*:\s*"(\d*)\(([^)]*)\)"', file.read_text(encoding="utf-8-sig"))
        total, parts = written[1], [int(part) for part in written[2].split(",")]
        split = "manual" if file.parts[-4] == MANUAL else "web"
        key = "/".join((split, *file.parts[-3:-1]))
        found |= {(key, "no total")} if not total else set()
        found |= {(key, "expected 10")} if len(parts) != 10 else set()
        found |= {(key, "parts of")} if set(parts) - {0, 1, 2} else set()
        found |= {(key, "add up")} if total and sum(parts) != int(total) else set()
    return found


def test_the_real_samples(real):
    suite = load(real)
    suite.require_distinct_keys()
    assert {sample.source for sample in suite} == set(TOPICS)
    assert len(TOPICS) == 14
    assert {sample.operation.value for sample in suite} == {
        "text_delete", "text_insert", "text_replace", "text_relocation", "scaling", "text_attribute",
    }  # fmt: skip
    tiers = [sample.extra["tier"] for sample in suite]
    assert [tiers.count(tier) for tier in ("easy", "medium", "hard", "unknown")] == [48, 28, 2, 0]
    assert (
        sum(bool(sample.reference_image) for sample in suite) == sum(sample.group == "manual" for sample in suite) == 39
    )
    assert all(len(suite.mask_files(sample)) == 2 for sample in suite)
    assert sum(sample.extra["difficulty"] is None for sample in suite) == 4
