"""Assignment of an editor's images to samples of TextEditBench."""

from __future__ import annotations

import pytest

from tests.suites.textedit_folders import MANUAL, WEB, write
from vdebench.core.sample import Sample
from vdebench.errors import AmbiguousNameError
from vdebench.suites.suite import load_suite
from vdebench.suites.textedit_outputs import TextEditOutputs


def sample(identity="Packaging_Logistics/019", group="manual", topic="Packaging & Logistics"):
    return Sample(id=identity, group=group, source=topic, reference_image="text_insert_19.jpg")


def folder(root, *names):
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"")
    return root


@pytest.mark.parametrize(
    "name",
    [
        "data_manual_production/Packaging_Logistics/019_edited.jpg",
        "data_manual_production/Packaging_Logistics/019_edited.PNG",
        "canva/Packaging_Logistics/019_edited.png",
        "synthetic/Packaging_Logistics/019_edited.webp",
        "manual/Packaging_Logistics/019_edited.png",
        "manual/Packaging & Logistics/019_edited.png",
        "manual/Packaging_Logistics/019.png",
        "manual__Packaging_Logistics__019.png",
    ],
)
def test_every_layout_is_found(tmp_path, name):
    one = sample()
    outputs = TextEditOutputs(folder(tmp_path, name), [one])
    assert outputs.find(one) == tmp_path / name
    assert outputs.has_any(one)
    assert outputs.unmatched_files([one]) == []


@pytest.mark.parametrize(
    "name",
    [
        "data_web-sourced_instances/Packaging_Logistics/019_edited.png",  # of the other split
        "web/Packaging_Logistics/019.png",
        "real/Packaging_Logistics/019_edited.png",
        "web__Packaging_Logistics__019.png",
        "Packaging_Logistics/019_edited.png",  # of which split?
        "manual/Media_Publishing/019_edited.png",
        "manual/Packaging_Logistics/19_edited.png",
        "manual/Packaging_Logistics/0191.png",
        "manual/Packaging_Logistics/019_mask.png",
        "manual/Packaging_Logistics/019/019_edited.png",
        "019_edited.png",
    ],
)
def test_nothing_is_guessed(tmp_path, name):
    one = sample()
    outputs = TextEditOutputs(folder(tmp_path, name), [one])
    assert outputs.find(one) is None
    assert not outputs.has_any(one)
    assert outputs.unmatched_files([one]) == [tmp_path / name]


def test_a_web_image_never_stands_for_the_manual_sample_of_its_number(tmp_path):
    manual, web = sample(), sample(group="web")
    outputs = TextEditOutputs(folder(tmp_path, "real/Packaging_Logistics/019_edited.png"), [manual, web])
    assert outputs.find(manual) is None
    assert outputs.find(web) == tmp_path / "real/Packaging_Logistics/019_edited.png"


@pytest.mark.parametrize(
    "other",
    ["manual/Packaging_Logistics/019_edited.jpg", "canva/Packaging_Logistics/019_edited.png",
     "manual/Packaging_Logistics/019.png", "manual__Packaging_Logistics__019.png", "manual/Packaging & Logistics/019.png"],
)  # fmt: skip
def test_two_images_for_one_sample_are_an_error_that_names_both(tmp_path, other):
    one = sample()
    first = "manual/Packaging_Logistics/019_edited.png"
    outputs = TextEditOutputs(folder(tmp_path, first, other), [one])
    assert outputs.has_any(one)
    with pytest.raises(AmbiguousNameError, match="could both be its image") as error:
        outputs.find(one)
    assert str(tmp_path / first) in str(error.value)
    assert str(tmp_path / other) in str(error.value)


def test_a_misspelt_topic_is_found_under_both_spellings(tmp_path):
    topic = "Digital Interfaces & Interaction"
    one = sample("Digtial_Interfaces_Reports/005", topic=topic)
    for name in (
        "canva/Digtial_Interfaces_Reports/005_edited.jpg",
        "canva/Digital_Interfaces_Interaction/005_edited.jpg",
    ):
        root = folder(tmp_path / name.split("/")[1], name)
        assert TextEditOutputs(root, [one]).find(one) == root / name
    other = sample("Digital_Interfaces_Interaction/005", topic=topic)  # both folders in one split: each its own only
    outputs = TextEditOutputs(tmp_path / "Digital_Interfaces_Interaction", [one, other])
    assert outputs.find(one) is None
    assert outputs.find(other) is not None


def test_the_suite_finds_what_its_own_names_write(tmp_path):
    for split in (MANUAL, WEB):
        for number in ("001", "019"):
            write(tmp_path / "suite", split, number=number)
    suite = load_suite(f"textedit:{tmp_path / 'suite'}")
    root = folder(tmp_path / "out", *(f"{suite.output_name(one)}.png" for one in suite), "notes.txt", ".hidden.png")
    outputs = suite.outputs(root)
    assert [outputs.find(one) for one in suite] == [root / f"{one.key}_edited.png" for one in suite]
    assert outputs.unmatched_files(suite.samples) == []
    assert outputs.unmatched_files(suite.samples[1:]) == [root / f"{suite.samples[0].key}_edited.png"]
