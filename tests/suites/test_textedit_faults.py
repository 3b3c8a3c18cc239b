"""Every fault of TextEditBench's folders is reported."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.suites.textedit_folders import MANUAL, WEB, entry, load, mask, only, only_sample, picture, told, write
from vdebench.core.sample import Operation

KEY = "manual/Packaging_Logistics/019"


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
        ({"input_image": "23.jpg"}, "input_image '23.jpg' is not in the folder, using 19.jpg"),
        ({"input_image": None}, "no 'input_image', using 19.jpg"),
        ({"output_image": "text_insert_91.jpg"}, "output_image 'text_insert_91.jpg' is not in the folder, using text_insert_19.jpg"),
        ({"output_image": None}, "no 'output_image', using text_insert_19.jpg"),
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
    assert only(tmp_path) == ("warning", KEY, next(folder.glob("*.json")).name, "starts with a byte order mark")
    assert only_sample(tmp_path).operation is Operation.TEXT_INSERT


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u2028", "\u2003", "\u0085", "\u000b", "\u200b", "\ufeff"])
def test_odd_white_space_between_tokens_is_read_with_a_warning(tmp_path, space):
    prompt = f'Write "a{space}b"\\{space}there'
    prompt = prompt.replace("\u000b", "")  # JSON strings hold no control characters
    text = json.dumps([entry(prompt=prompt)], ensure_ascii=False, indent=4)
    odd = f"{space}{text}{space}".replace('",\n', f'",{space} \n').replace('": "', f'"{space}:{space}"')
    folder = write(tmp_path, raw=odd.encode())
    name = next(folder.glob("*.json")).name
    what = f"invalid white space in JSON: U+{ord(space):04X}; replaced by spaces"
    faults = told(tmp_path)
    assert ("warning", KEY, name, what) in faults
    assert [fault for fault in faults if fault[3] not in (what, "starts with a byte order mark")] == []
    assert only_sample(tmp_path).instruction == prompt  # inside strings it stays


def test_odd_white_space_does_not_hide_what_is_broken(tmp_path):
    write(tmp_path, raw='[{"id": "1",\u00a0 "prompt": }]'.encode())
    severity, _, _, what = only(tmp_path)
    assert severity == "error"
    assert "not JSON: Expecting value at line 1, column 25" in what


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
    assert only(tmp_path) == ("warning", "", f"{MANUAL}/Cats", "is not one of the fourteen topics; kept as it is")
    (tmp_path / MANUAL / "Data_Analytics").mkdir()
    assert ("warning", "", f"{MANUAL}/Data_Analytics", "contains no sample folders") in told(tmp_path)


def test_a_folder_inside_another_samples_folder_is_a_sample(tmp_path):
    write(tmp_path, number="048")
    write(tmp_path, number="048/049", id="x_049")
    suite = load(tmp_path)
    assert [sample.key for sample in suite] == [f"{KEY[:-3]}048", f"{KEY[:-3]}049"]
    assert only(tmp_path) == ("warning", f"{KEY[:-3]}049", "", "is inside another sample's folder (048/049)")
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
        (json.dumps([entry(), entry()]).encode(), "contains a list of 2, expected an object or a list of one object"),
        (b"[]", "contains a list of 0, expected"),
        (b"[7]", "contains int, expected"),
        (json.dumps(entry(editing_method="rotate")).encode(), "editing_method 'rotate', expected one of text_delete"),
        (json.dumps(entry(editing_method=None)).encode(), "editing_method '', expected one of"),
        (json.dumps(entry(prompt="  ")).encode(), "no 'prompt'"),
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
    assert "input_image '23.jpg' is not in the folder; found: 19.jpg, 20.jpg, text_insert_19.jpg" in only(tmp_path)[3]
    (folder / "19.jpg").unlink()
    (folder / "20.jpg").unlink()
    assert only(tmp_path)[3].endswith("found: text_insert_19.jpg")
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
    assert only(tmp_path)[0::3] == ("error", "no readable mask: the region that may change is unknown")
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
        ("warning", KEY, "19_mask.jpg", "mask is black: no pixel may change"),
        ("warning", KEY, "text_insert_19_mask.jpg", "mask is white: every pixel may change"),
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
    assert "and there is no other reference" in only(tmp_path)[3]
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
