from __future__ import annotations

import pytest

from vdebench.core.sample import Sample
from vdebench.errors import AmbiguousNameError, InputError
from vdebench.suites.names import NamedFiles, stem


def sample(name, number="1", group="text"):
    return Sample(id=number, group=group, reference_image=f"outputs/{name}.png")


def folder(root, *names):
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    return root


@pytest.mark.parametrize(
    "name",
    ["page_12.json", "page_12_0.json", "page_12_res.json", "page_12_modified_0.json", "page_12_merged_0_0.json",
     "48234_page_12.json", "48234_page_12_res.json"],
)  # fmt: skip
def test_every_name_of_the_release_is_found(tmp_path, name):
    one = sample("page_12", "48234")
    assert NamedFiles(folder(tmp_path, name), [one]).find(one) == tmp_path / name


@pytest.mark.parametrize(
    "name", ["page_10.json", "page_12_1.json", "page_1.json", "7_page_12.json", "page_12.txt", "PAGE_12.json"]
)
def test_nothing_is_guessed(tmp_path, name):
    one = sample("page_12", "48234")
    assert NamedFiles(folder(tmp_path, name), [one]).find(one) is None


def test_two_files_for_one_sample_are_an_error_that_names_both(tmp_path):
    one = sample("page_12")
    named = NamedFiles(folder(tmp_path, "page_12.json", "page_12_res.json"), [one])
    with pytest.raises(AmbiguousNameError, match=r"page_12\.json and .*page_12_res\.json"):
        named.find(one)


def test_a_file_of_another_samples_own_name_is_that_samples(tmp_path):
    one, other = sample("page_1", "1"), sample("page_1_0", "2")
    named = NamedFiles(folder(tmp_path, "page_1.json", "page_1_0.json"), [one, other])
    assert named.find(one) == tmp_path / "page_1.json"
    assert named.find(other) == tmp_path / "page_1_0.json"
    (tmp_path / "page_1.json").unlink()
    assert NamedFiles(tmp_path, [one, other]).find(one) is None


def test_one_file_for_two_samples_is_an_error_that_names_both(tmp_path):
    one, other = sample("page_1", "1"), sample("page_1", "2", "table")
    named = NamedFiles(folder(tmp_path, "page_1.json"), [one, other])
    with pytest.raises(AmbiguousNameError, match="text/1 and table/2"):
        named.find(one)
    by_group = NamedFiles(folder(tmp_path, "text/page_1.json", "table/page_1.json"), [one, other])
    assert by_group.find(one) == tmp_path / "text/page_1.json"
    assert by_group.find(other) == tmp_path / "table/page_1.json"


def test_own_names_count_across_groups_in_one_folder(tmp_path):
    one, other = sample("p1", "1"), sample("p1_0", "2", "table")
    named = NamedFiles(folder(tmp_path, "p1.json", "p1_0.json"), [one, other])
    assert (named.find(one), named.find(other)) == (tmp_path / "p1.json", tmp_path / "p1_0.json")


def test_an_image_named_with_its_id_finds_readings_without(tmp_path):
    one = sample("7_page", "7")
    assert NamedFiles(folder(tmp_path, "page_res.json"), [one]).find(one) == tmp_path / "page_res.json"


def test_strangers_are_listed(tmp_path):
    one = sample("page_1")
    named = NamedFiles(folder(tmp_path, "page_1.json", "page_2.json", "readme.txt"), [one])
    assert named.unmatched_files([one]) == [tmp_path / "page_2.json"]


def test_a_folder_that_is_none_is_named(tmp_path):
    with pytest.raises(InputError, match="nowhere: cannot be listed"):
        NamedFiles(tmp_path / "nowhere", [])
    with pytest.raises(InputError, match="is a file, expected a folder"):
        NamedFiles(folder(tmp_path, "f.json") / "f.json", [])


def test_stem():
    assert [stem(name) for name in ("a/b.pdf_3.jpg", "c:\\d\\e.png", "f", ".g", "")] == ["b.pdf_3", "e", "f", ".g", ""]
