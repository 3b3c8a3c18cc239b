"""`--match`: assignment of files to samples by a pattern, and suggestions."""

from __future__ import annotations

import pytest

from vdebench.core.sample import Region, Sample
from vdebench.errors import AmbiguousNameError, InputError
from vdebench.suites.name_guess import likely_pattern, likely_samples
from vdebench.suites.name_pattern import MatchedFiles


def pages(*numbers: int, group: str = "text") -> list[Sample]:
    """Samples as typeset suites have them: id 7, reference image 000007.png."""
    return [Sample(id=str(n), group=group, reference_image=f"reference/{n:06}.png") for n in numbers]


def named(*stems: str) -> list[Sample]:
    return [Sample(id=f"i{at}", group="text", reference_image=f"{stem}.png") for at, stem in enumerate(stems)]


def write(root, *paths: str):
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    return root


def found(root, samples, pattern, kind="image"):
    files = MatchedFiles(root, samples, pattern, kind)
    paths = {sample.key: files.find(sample) for sample in samples}
    return {key: path.relative_to(root).as_posix() for key, path in paths.items() if path}


@pytest.mark.parametrize(
    ("pattern", "file"),
    [
        ("{stem}_edited.*", "000007_edited.png"),
        ("{stem}_edited", "000007_edited.jpeg"),
        ("{stem}_*.png", "000007_edited-2.png"),
        ("*{stem}*", "gpt_000007_v2.webp"),
        ("{id}.png", "7.png"),
        ("{id:int}", "007.png"),
        ("{stem:int}.*", "7.png"),
        ("out-{stem:int}-*", "out-0007-1.png"),
        ("run1/{id}.png", "run1/7.png"),
        ("*/{group}/{stem}.*", "run.1/text/000007.png"),
        ("{id}/result.png", "7/result.png"),
    ],
)
def test_a_pattern_finds_the_file(tmp_path, pattern, file):
    write(tmp_path, file, "notes.txt")
    assert found(tmp_path, pages(7, 70), pattern) == {"text/7": file}


@pytest.mark.parametrize(
    ("pattern", "file"),
    [
        ("{stem}_edited.*", "000007_edited_2.png"),
        ("{stem}*", "0000071.png"),  # a part of a longer number
        ("*{id}.png", "17.png"),
        ("{stem:int}.*", "70.png"),
        ("{stem}.png", "000007.jpg"),
        ("{stem}.png", "sub/000007.png"),
        ("{stem}*", "._000007.png"),
        ("{stem}*", "000007.txt"),
    ],
)
def test_what_a_pattern_does_not_take(tmp_path, pattern, file):
    assert found(write(tmp_path, file), pages(7), pattern) == {}


def test_the_longer_name_counts_and_stars_cut_no_number(tmp_path):
    write(tmp_path, "page_1_a.png", "page_10.png", "chart_a_v2.png", "chart.png")
    samples = named("page_1", "page_10", "chart", "chart_a")
    assert found(tmp_path, samples, "{stem}*") == {
        "text/i0": "page_1_a.png",
        "text/i1": "page_10.png",
        "text/i2": "chart.png",
        "text/i3": "chart_a_v2.png",
    }


def test_two_files_of_one_sample_are_an_error_that_names_both(tmp_path):
    write(tmp_path, "000007_a.png", "000007_b.png")
    with pytest.raises(AmbiguousNameError, match=r"sample text/7: .*000007_a\.png and .*000007_b\.png could both be"):
        MatchedFiles(tmp_path, pages(7), "{stem}_*")


def test_one_file_of_two_samples_is_an_error_that_names_both(tmp_path):
    write(tmp_path, "000007.png")
    samples = [*pages(7), *pages(7, group="table")]
    with pytest.raises(AmbiguousNameError, match=r"could be the image of table/7 and text/7"):
        MatchedFiles(tmp_path, samples, "{stem}.*")
    write(tmp_path, "table/000007.png")
    assert found(tmp_path, samples, "{group}/{stem}") == {"table/7": "table/000007.png"}


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("{name}.png", "expected {id}, {stem}"),
        ("{stem", "expected {id}, {stem}"),
        ("{group:int}/{id}", "expected {id}, {stem}"),
        ("{group}/*.png", "does not identify a sample"),
        ("/out/{id}.png", "expected a path below the folder"),
        ("../{id}.png", "expected a path below the folder"),
    ],
)
def test_a_bad_pattern_is_told(pattern, told, tmp_path):
    with pytest.raises(InputError) as error:
        MatchedFiles(tmp_path, pages(7), pattern)
    assert told in str(error.value)
    assert pattern in str(error.value)


def test_strangers_are_those_where_the_pattern_looks(tmp_path):
    write(tmp_path, "run1/000007.png", "run1/odd.png", "run2/000007.png", "000007.png")
    files = MatchedFiles(tmp_path, pages(7), "run1/{stem}.*")
    assert files.unmatched_files(pages(7)) == [tmp_path / "run1/odd.png"]
    nothing = MatchedFiles(tmp_path, pages(8), "run1/{stem}.*")
    assert len(nothing.unmatched_files(pages(8))) == 4


def test_readings_of_regions_stand_beside_the_file(tmp_path):
    sample = Sample(id="7", group="text", reference_image="000007.png", regions=(Region(0, 0, 9, 9),) * 2)
    write(tmp_path, "a/000007_ocr.json", "a/regions/000007_ocr_region_0.json", "a/regions/000007_region_1.json")
    files = MatchedFiles(tmp_path, [sample], "a/{stem}_ocr.*", "reading")
    assert files.has_regions
    assert [file.name for file in files.regions(sample)] == ["000007_ocr_region_0.json", "000007_region_1.json"]


def test_many_files_take_no_long_time(tmp_path):
    samples = pages(*range(3000))
    for sample in samples:
        (tmp_path / f"a_long_prefix_of_the_model_{sample.id}_edited.png").touch()
    assert len(found(tmp_path, samples, "*_{id}_edited.*")) == 3000


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("000007_edited.png", "text/7"),
        ("000007_output_0.png", "text/7"),
        ("000007-1.png", "text/7"),
        ("0007.PNG", "text/7"),
        ("7.webp", "text/7"),
        ("gpt-image-7.png", "text/7"),
        ("harbour_1.png.png", "text/i0"),
        ("edited_Harbour-01.jpg", "text/i0"),
        ("harbor_1.png", "text/i0"),
        ("harbour_2.png", None),
        ("000008.png", None),
        ("notes.png", None),
        ("7_9.png", None),  # either of two
    ],
)
def test_a_misnamed_file_is_recognised_where_it_is_certain(file, key):
    likely = likely_samples([file], [*pages(7, 9, 700), *named("harbour_1")])
    assert (likely[file].key if file in likely else None) == key


def test_the_number_of_an_attempt_is_told_from_a_page_by_its_padding():
    likely = likely_samples([f"{n:06}-1.png" for n in range(5)], pages(*range(5)))
    assert {path: sample.id for path, sample in likely.items()} == {f"{n:06}-1.png": str(n) for n in range(5)}
    assert likely_samples(["7-1.png"], named("7", "1")) == {}


def test_two_files_for_one_sample_are_no_suggestion():
    assert likely_samples(["7.png", "000007_edited.png"], pages(7)) == {}


def test_no_pattern_is_made_of_names_that_differ():
    samples = named("a", "b", "c")
    assert likely_pattern({}) == ""
    assert likely_pattern({"a_x.png": samples[0], "y_b.png": samples[1], "c.z.png": samples[2]}) == ""
    assert likely_pattern({"x/a_e.png": samples[0], "x/b_e.png": samples[1], "c.png": samples[2]}) == "x/{stem}_e.*"
