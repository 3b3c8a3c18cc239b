"""Answers to a sheet: ranks, scores, ties, gaps, and files that are none."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from vdebench.core.sample import Operation, Sample
from vdebench.errors import InputError
from vdebench.studies.human.answers import annotator_agreement, read_answers
from vdebench.studies.human.sheet import Key, SheetSample, draw_samples, make_key, read_key

# of annotator 1: A is two, B is one, C is three; of annotator 2: A is one, …
ORDERS = {"1": ["two", "one", "three"], "2": ["one", "two", "three"]}


@pytest.fixture
def key():
    samples = [SheetSample("1", "text/7", {}, ORDERS), SheetSample("2", "text/9", {"three": "refused"}, ORDERS)]
    return Key("abc", "suite", 0, ["box alignment"], ["one", "two", "three"], ["1", "2"], samples)


@pytest.fixture
def write(tmp_path):
    def write(*lines, head="annotator,sample,candidate,criterion,rank", name="a.csv"):
        file = tmp_path / name
        file.write_text("\n".join([head, *lines]), encoding="utf-8")
        return file

    return write


def box(person, sample, ranks):
    return [
        f"{person},{sample},{candidate},box alignment,{rank}" for candidate, rank in zip("ABC", ranks, strict=False)
    ]


def test_letters_become_editors(key, write):
    found = read_answers([write(*box(1, 1, "123"), *box(1, 2, "12"))], key)
    assert found.people == ["1"]
    assert found.ranks["box alignment"][0].tolist() == [[2, 1, 3], [2, 1, 3]]  # three is absent in the second: last
    assert (found.cells, found.missing, found.incomplete) == (5, 0, 0)


def test_equals_share_the_middle_whatever_comes_after(key, write):
    for given in ("113", "112"):
        found = read_answers([write(*box(2, 1, given))], key)
        assert found.ranks["box alignment"][0, 0].tolist() == [1.5, 1.5, 3]
    assert (found.missing, found.incomplete) == (2, 1)  # the second sample


def test_scores_are_turned(key, write):
    as_rank = read_answers([write(*box(1, 1, "321"))], key, scores=True)
    as_score = read_answers(
        [write(*box(1, 1, "321"), head="Annotator;sample;candidate;criterion;Score".replace(";", ","))], key
    )
    for found in (as_rank, as_score):
        assert found.ranks["box alignment"][0, 0].tolist() == [2, 1, 3]


def test_a_ranking_that_is_not_whole_is_left_out(key, write):
    found = read_answers(
        [write(*box(1, 1, ["1", "", "2"]), *box(1, 2, "12"), *box(2, 1, "123"), *box(2, 2, "21"))], key
    )
    assert np.isnan(found.ranks["box alignment"][0, 0]).all()
    assert (found.cells, found.missing, found.incomplete) == (10, 1, 1)
    assert found.missing_by == {"1": 1, "2": 0}
    assert found.first_missing == "annotator 1, sample 1, box alignment"


def test_files_of_several_people_as_spreadsheets_save_them(key, write, tmp_path):
    one = write(*box(1, 1, "123"))
    text = "\r\n".join(
        ["annotator;sample;candidate;criterion;rank", *(line.replace(",", ";") for line in box(2, 1, "321")), ";;;;"]
    )
    (tmp_path / "b.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    found = read_answers([one, tmp_path / "b.csv"], key)
    assert found.people == ["1", "2"]
    assert found.ranks["box alignment"][1, 0].tolist() == [3, 2, 1]


def test_case_of_letters_and_criteria_does_not_matter(key, write):
    found = read_answers([write("1,1,a,Box Alignment,1", "1,1,b,BOX ALIGNMENT,2", "1,1,c,box alignment,3")], key)
    assert found.missing == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3,1,A,box alignment,1", r"a.csv: line 3: annotator '3', the sheet has 1, 2"),
        ("1,9,A,box alignment,1", "line 3: sample '9', the sheet has 1, 2"),
        ("1,1,D,box alignment,1", "line 3: candidate 'D', the sheet has A, B, C"),
        ("1,1,A,beauty,1", "line 3: criterion 'beauty', the sheet has box alignment"),
        ("1,1,A,box alignment,first", "line 3: rank 'first', expected 1 .best. to 3"),
        ("1,1,A,box alignment,4", "line 3: rank '4'"),
        ("1,1,A,box alignment,0", "line 3: rank '0'"),
        ("1,1,A,box alignment,nan", "line 3: rank 'nan'"),
        ("1,1,A,box alignment", "line 3: 4 cells, expected 5"),
        ("1,1,B,box alignment,2", r"line 3: annotator 1 has a different answer in .*a.csv: line 2"),
    ],
)
def test_lines_that_are_wrong_are_named(key, write, line, message):
    with pytest.raises(InputError, match=message):
        read_answers([write("1,1,B,box alignment,1", line)], key)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "0 columns 'annotator' .its columns: none"),
        (b"annotator,sample,candidate,criterion\n", "expected one column rank"),
        (b"annotator,sample,candidate,criterion,rank,score\n", "expected one column rank"),
        (b"annotator,sample,candidate,criterion,rank\n", "contains no ranks"),
        (b"annotator,sample,candidate,criterion,rank\n1,1,A,box alignment,\n", "contains no ranks"),
        (b"annotator,sample,candidate,criterion,rank\n\xff", "not UTF-8 at byte 42"),
        (b"annotator,sample,candidate,criterion,rank\n" + b'"' + b"x" * 200_000, "line .*: not CSV"),
        (
            b"annotator,sample,candidate,criterion,rank,sheet\n1,1,A,box alignment,1,zzz\n",
            "answer to sheet zzz, but the key is for sheet abc",
        ),
    ],
)
def test_files_that_are_no_answers_are_named(key, tmp_path, content, message):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_answers([tmp_path / "a.csv"], key)


def test_how_far_people_agree(key, write):
    """Sample 1: ranks 2 1 3 and 2 1 3: the same. Sample 2: only one and two were there; opposite ranks."""
    lines = [*box(1, 1, "123"), *box(2, 1, "213"), *box(1, 2, "12"), *box(2, 2, "12")]
    found = annotator_agreement(key, read_answers([write(*lines)], key).ranks["box alignment"])
    assert (found["annotators"], found["samples"]) == (2, 2)
    assert found["kendall_w"] == pytest.approx((1 + 0) / 2)
    assert found["pairwise_spearman"] == pytest.approx((1 - 1) / 2)
    # over models only sample 1, of which all were there
    assert found["models"] == {"samples": 1, "kendall_w": pytest.approx(1), "pairwise_spearman": pytest.approx(1)}
    alone = annotator_agreement(key, read_answers([write(*box(1, 1, "123"))], key).ranks["box alignment"])
    assert (alone["annotators"], alone["kendall_w"], alone["models"]["kendall_w"]) == (0, None, None)


def test_outputs_that_are_not_there_are_no_agreement_over_models(key, write):
    """Opposite ranks of what was there; that three is last in sample 2, for all, makes nobody agree."""
    lines = [*box(1, 1, "123"), *box(2, 1, "231"), *box(1, 2, "12"), *box(2, 2, "12")]
    found = annotator_agreement(key, read_answers([write(*lines)], key).ranks["box alignment"])
    # sample 1: ranks 2 1 3 and 2 3 1: sums 4 4 4
    assert found["models"] == {"samples": 1, "kendall_w": pytest.approx(0), "pairwise_spearman": pytest.approx(-1)}
    none = annotator_agreement(
        key, read_answers([write(*box(1, 2, "12"), *box(2, 2, "12"))], key).ranks["box alignment"]
    )
    assert (none["samples"], none["kendall_w"]) == (1, pytest.approx(0))
    assert none["models"] == {"samples": 0, "kendall_w": None, "pairwise_spearman": None}


def test_a_sample_without_any_output_has_no_ranking(key, write):
    gone = SheetSample("2", "text/9", dict.fromkeys(key.editors, "missing"), ORDERS)
    found = read_answers([write(*box(1, 1, "123"))], replace(key, samples=[key.samples[0], gone]))
    assert np.isnan(found.ranks["box alignment"][0, 1]).all()
    assert (found.cells, found.missing, found.incomplete) == (3, 0, 0)


def test_files_that_do_not_name_their_sheet_are_told(key, write):
    head = "annotator,sample,candidate,criterion,rank,sheet"
    named = write(*(f"{line},abc" for line in box(1, 1, "123")), head=head, name="named.csv")
    empty = write(*(f"{line}," for line in box(1, 2, "12")), head=head, name="empty.csv")
    without = write(*box(2, 1, "123"), name="without.csv")
    blank = write("2,2,A,box alignment,", name="blank.csv")  # nothing in it that could be wrong
    assert read_answers([named, empty, without, blank], key).unchecked == ["empty.csv", "without.csv"]
    assert read_answers([named], key).unchecked == []


# The sheet's samples, orders and key.


def suite(count):
    kinds, languages = list(Operation)[:4], ("english", "simplified_chinese")
    return [Sample(str(at), "text", operation=kinds[at % 4], language=languages[at // 4 % 2]) for at in range(count)]


def test_samples_are_spread_and_the_same_for_a_seed():
    samples = suite(80)
    chosen = draw_samples(samples, 16, seed=3)
    assert {(one.operation, one.language) for one in chosen} == {(one.operation, one.language) for one in samples}
    assert len({one.key for one in chosen}) == 16
    assert draw_samples(list(reversed(samples)), 16, seed=3) == chosen
    assert draw_samples(samples, 16, seed=4) != chosen
    assert len(draw_samples(samples, 500)) == 80


def test_orders_are_shuffled_anew_by_sample_and_person():
    key = make_key("s", suite(30), ["one", "two", "three", "four"], {}, annotators=2)
    orders = [tuple(sample.orders[person]) for sample in key.samples for person in key.annotators]
    assert len(set(orders)) > 15
    assert all(sorted(order) == ["four", "one", "three", "two"] for order in orders)
    first = [order.index("one") for order in orders]
    assert 5 < sum(place == 0 for place in first) < 25  # of 60
    assert key == make_key("s", suite(30), ["one", "two", "three", "four"], {}, annotators=2)
    assert key.sheet[0].isalpha()  # a spreadsheet saves 123e45678901 as another number
    assert key.sheet != make_key("s", suite(30), ["one", "two", "three", "four"], {}, annotators=2, seed=1).sheet


def test_keys_that_make_no_sense_are_refused():
    for editors, criteria, message in (
        (["one"], ["c"], "1 editors"),
        ([str(at) for at in range(27)], ["c"], "at most 26"),
        (["one", "two"], [], "criteria"),
        (["one", "two"], ["Same", "same"], "each once"),
    ):
        with pytest.raises(InputError, match=message):
            make_key("s", suite(2), editors, {}, criteria=criteria)


def test_a_key_is_read_as_it_was_written(tmp_path):
    key = make_key("s", suite(3), ["one", "two"], {"text/0": {"two": "refused"}}, annotators=2)
    (tmp_path / "key.json").write_text(json.dumps(key.to_json()))
    assert read_key(tmp_path / "key.json") == key


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("made_by"),
        lambda data: data.pop("criteria"),
        lambda data: data.update(samples=3),
        lambda data: data["samples"][0].update(orders={}),
        lambda data: data["samples"][0].update(orders=[1]),
        lambda data: data["samples"][0]["orders"].update({"1": ["one", "one"]}),
        lambda data: data["samples"][0].update(more=1),
        lambda data: data.update(editors=[1, "two"]),
        lambda data: data["samples"][0].update(absent={"nobody": "refused"}),
        lambda data: data["samples"][0].update(absent=["one"]),
        lambda data: data.update(criteria=3),
        lambda data: data.update(criteria="legibility"),
        lambda data: data.update(criteria=[]),
        lambda data: data.update(criteria=["legible", 2]),
        lambda data: data.update(annotators=[1]),
        lambda data: data.update(annotators=["1", "1"]),
        lambda data: data.update(sheet=None),
        lambda data: data["samples"][0].update(number=1),
        lambda data: data["samples"][0].update(number=""),
        lambda data: data["samples"][0].update(number=["1"]),
        lambda data: data["samples"][0].update(number="2"),
    ],
)
def test_keys_that_were_changed_are_refused(tmp_path, change):
    data = json.loads(json.dumps(make_key("s", suite(2), ["one", "two"], {}).to_json()))
    change(data)
    (tmp_path / "key.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match=r"key\.json: is "):
        read_key(tmp_path / "key.json")
