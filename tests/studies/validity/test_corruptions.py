"""Each corruption does what it says, to pixels and to what is read."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from vdebench.core.box import Box
from vdebench.errors import InputError
from vdebench.metrics.teds import table_text
from vdebench.studies.validity.document_corruptions import has_letters
from vdebench.studies.validity.ladder import CORRUPTIONS, get_corruption, get_corruptions
from vdebench.studies.validity.moved_ink import clipped, movable_sheet, wipe
from vdebench.studies.validity.subject import CorruptionWorkspace, cached_typesetter, ladder_samples, typeset_suite
from vdebench.suites.suite import load_suite
from vdebench.suites.typeset.document import Text

ORDER = "typeset:n=4,seed=11,languages=en+zh,ppi=72,kinds=note+PPT2PDF,operations={}"


@cache
def subjects(operations="text_replace+table_replace"):
    return list(ladder_samples(typeset_suite(load_suite(ORDER.format(operations)))))


MADE = {}


def pages(name, subject, seed=0):
    """All levels of a corruption; several tests look at them."""
    key = name, id(subject), seed
    if key not in MADE:
        corruption = get_corruption(name)
        with CorruptionWorkspace(subject, cached_typesetter(72), seed) as workshop:
            MADE[key] = [corruption.page(workshop, level) for level in corruption.depths]
    return MADE[key]


def able(name, operations="text_replace+table_replace"):
    found = [subject for subject in subjects(operations) if get_corruption(name).applies(subject)]
    assert found
    return found


def text(block):
    return table_text(block.content) if block.label == "table" else block.content


def differing(one, other):
    """Blocks that do not read the same, by their number in both readings."""
    assert len(one.blocks) == len(other.blocks)
    return [k for k, (a, b) in enumerate(zip(one.blocks, other.blocks, strict=True)) if a.content != b.content]


def outside(page, boxes):
    """The page's pixels with some boxes painted over."""
    image = page.image.copy()
    for box in boxes:
        image[max(0, int(box.y1) - 3) : int(box.y2) + 3, max(0, int(box.x1) - 3) : int(box.x2) + 3] = 0
    return image


def test_level_0_is_what_the_suite_says():
    suite = typeset_suite(load_suite(ORDER.format("text_replace+table_replace")))
    suite.prepare()
    truths = {sample.key: (suite.ground_truth(sample), suite.ground_truth_regions(sample)) for sample in suite.samples}
    for subject in subjects():
        right = pages("jpeg", subject)[0]
        page, regions = truths[subject.sample.key]
        assert right.reading == page
        assert list(right.regions) == regions


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_so_many_characters_are_wrong_in_the_edited_block_and_none_elsewhere(level):
    count = get_corruption("wrong-characters").levels[level - 1]
    for subject in able("wrong-characters"):
        made = pages("wrong-characters", subject)
        (block,) = differing(made[0].reading, made[level].reading)
        right, wrong = (text(page.reading.blocks[block]) for page in (made[0], made[level]))
        assert len(right) == len(wrong)
        assert sum(a != b for a, b in zip(right, wrong, strict=True)) == count


def test_wrong_characters_begin_in_the_edited_text():
    (subject, *_) = [each for each in able("wrong-characters") if isinstance(each.target, Text)]
    (place,) = subject.new_places
    made = pages("wrong-characters", subject)
    (block,) = differing(made[0].reading, made[1].reading)
    texts = [page.reading.blocks[block].content for page in made[:2]]
    (at,) = [k for k, (a, b) in enumerate(zip(*texts, strict=True)) if a != b]
    assert place.start <= at < place.end


def test_every_level_goes_on_where_the_last_one_stopped():
    for subject in able("wrong-characters"):
        made = pages("wrong-characters", subject)
        (block,) = differing(made[0].reading, made[4].reading)
        texts = [text(page.reading.blocks[block]) for page in made]
        wrong = [{k for k, (a, b) in enumerate(zip(texts[0], each, strict=True)) if a != b} for each in texts]
        assert wrong[0] < wrong[1] < wrong[2] < wrong[3] < wrong[4]


def test_so_many_characters_are_wrong_beside_the_edited_block():
    subject = able("neighbour-characters")[0]
    made = pages("neighbour-characters", subject)
    for page, count in zip(made[1:], get_corruption("neighbour-characters").levels, strict=True):
        blocks = zip(made[0].reading.blocks, page.reading.blocks, strict=True)
        wrong = sum(a != b for one, other in blocks for a, b in zip(text(one), text(other), strict=True))
        assert wrong == count
    assert made[4].regions == made[0].regions  # letters are as wide, so that nothing moves


def test_an_edit_that_was_not_done_leaves_the_page_as_it_was():
    suite = typeset_suite(load_suite(ORDER.format("text_replace+table_replace")))
    suite.prepare()
    sources = {sample.key: suite.source(sample) for sample in suite.samples}
    done = [0] * 5
    for subject in subjects():
        made = pages("not-done", subject)
        assert made[4].reading == sources[subject.sample.key]
        for level, page in enumerate(made):
            done[level] += page.reading == made[0].reading
    assert done[0] == len(subjects())
    assert done == sorted(done, reverse=True)
    assert done[4] == 0


def test_the_new_text_stands_so_often():
    for subject in able("done-again"):
        new = subject.edit.arguments["new"]
        made = pages("done-again", subject)
        counts = [sum(text(block).count(new) for block in page.reading.blocks) for page in made]
        assert [count - counts[0] for count in counts] == [0, 1, 2, 3, 4]


def test_blanking_takes_letters_from_the_right_and_at_last_the_block():
    for subject in able("blank"):
        made = pages("blank", subject)
        size = made[0].reading.size
        (box,) = subject.boxes(size)
        lengths = [sum(len(text(block)) for block in page.reading.blocks) for page in made]
        assert lengths == sorted(lengths, reverse=True)
        assert lengths[1] < lengths[0]
        assert len(made[4].reading.blocks) == len(made[0].reading.blocks) - 1
        assert made[4].regions[0].blocks == ()
        for page in made[1:]:
            assert np.array_equal(outside(page, [box]), outside(made[0], [box]))
        half = made[2].image[:, : int((box.x1 + box.x2) / 2) - 3]
        assert np.array_equal(half, made[0].image[:, : half.shape[1]])


def test_blanked_text_is_the_beginning_of_every_line():
    (subject,) = able("blank", "text_insert")[:1]
    with CorruptionWorkspace(subject, cached_typesetter(72)) as workshop:
        made = workshop.reference
        box = workshop.target_box
        sheet = movable_sheet(made.document, made.sheet)
        left = wipe(
            made.document, sheet, Box((box.x1 + box.x2) / 2, 0, 1e6, 1e6), lambda block: block == subject.target.id
        )
    (block,) = [block for block in left.blocks if block.id == subject.target.id]
    assert 0 < len(block.text) < len(subject.target.text)
    assert subject.target.text.startswith(block.text[:3])
    assert "  " not in block.text


def test_a_shift_moves_box_and_pixels_by_as_much():
    for subject in able("shift"):
        made = pages("shift", subject)
        for page, by in zip(made[1:], (2, 4, 8, 16), strict=True):
            assert page.reading.blocks
            moved = [
                (b.box.x1 - a.box.x1, b.box.y1 - a.box.y1)
                for a, b in zip(made[0].reading.blocks, page.reading.blocks, strict=False)
                if a.content == b.content and a.box != b.box
            ]
            if len(page.reading.blocks) == len(made[0].reading.blocks):
                assert moved
                assert {max(abs(x), abs(y)) for x, y in moved} == {by}
            (old,) = subject.boxes(made[0].reading.size)
            around = Box(old.x1 - by - 2, old.y1 - by - 2, old.x2 + by + 2, old.y2 + by + 2)
            assert np.array_equal(outside(page, [around]), outside(made[0], [around]))


def test_what_is_put_over_others_takes_their_place():
    for subject in able("wrong-place"):
        made = pages("wrong-place", subject)
        before, after = (sum(len(text(block)) for block in page.reading.blocks) for page in (made[0], made[4]))
        assert after <= before
        assert not any(region.blocks == made[0].regions[0].blocks for region in made[4].regions)


def test_a_smaller_block_keeps_its_corner_and_its_text():
    for subject in able("resize"):
        made = pages("resize", subject)
        (old,) = subject.boxes(made[0].reading.size)
        same = [k for k, block in enumerate(made[0].reading.blocks) if block.box == old]
        assert same
        for page, factor in zip(made[1:], get_corruption("resize").levels, strict=True):
            block = page.reading.blocks[same[0]]
            assert block.content == made[0].reading.blocks[same[0]].content
            assert block.box.x2 - block.box.x1 == pytest.approx((old.x2 - old.x1) * factor, abs=4)
            assert (block.box.x1, block.box.y1) == pytest.approx((old.x1, old.y1), abs=2)


def test_so_many_neighbours_are_gone_and_the_edit_stands():
    for subject in able("neighbours-lost"):
        made = pages("neighbours-lost", subject)
        counts = [len(page.reading.blocks) for page in made]
        assert [counts[0] - count for count in counts] == [0, 1, 2, 4, 8]
        target = subject.target
        wanted = target.text if isinstance(target, Text) else target.html
        assert all(wanted in [block.content for block in page.reading.blocks] for page in made)


@pytest.mark.parametrize("name", ["font", "size", "colour"])
def test_looks_change_and_text_does_not(name):
    for subject in able(name):
        made = pages(name, subject)
        for one, other in pairwise(made):
            assert not differing(made[0].reading, other.reading)
            assert not np.array_equal(one.image, other.image)


def test_a_colour_moves_away_by_growing_steps_and_nothing_else_changes():
    for subject in able("colour"):
        made = pages("colour", subject)
        (box,) = subject.boxes(made[0].reading.size)
        far = [int(np.abs(page.image.astype(int) - made[0].image).sum()) for page in made]
        assert far == sorted(far)
        assert np.array_equal(outside(made[4], [box]), outside(made[0], [box]))
        assert made[4].reading == made[0].reading


@pytest.mark.parametrize("name", ["blur", "page-blur", "jpeg"])
def test_photographic_ones_keep_the_exact_reading_and_lose_pixels(name):
    subject = able(name)[0]
    made = pages(name, subject)
    errors = [float(np.square(page.image.astype(float) - made[0].image).mean()) for page in made]
    assert errors == sorted(set(errors))
    assert all(page.reading == made[0].reading and page.regions == made[0].regions for page in made)
    if name == "blur":
        (box,) = subject.boxes(made[0].reading.size)
        assert np.array_equal(outside(made[4], [box]), outside(made[0], [box]))


def test_the_same_seed_gives_the_same_page_and_another_another():
    subject = able("wrong-characters")[0]
    one, same, other = (pages("wrong-characters", subject, seed)[4] for seed in (3, 3, 4))
    assert np.array_equal(one.image, same.image)
    assert one.reading == same.reading
    assert one.reading != other.reading


def test_whom_a_corruption_cannot_be_done_to():
    for subject in subjects("text_delete"):
        assert not get_corruption("done-again").applies(subject)
        if subject.target is None:
            assert not any(get_corruption(name).applies(subject) for name in ("blank", "shift", "font", "blur"))
            assert not has_letters(subject)
    for subject in subjects():
        if not isinstance(subject.target, Text):
            assert not get_corruption("colour").applies(subject)


def test_names_and_business_are_known():
    assert get_corruptions([]) == list(CORRUPTIONS.values())
    with pytest.raises(InputError, match="no corruption is called 'smudge'; there are: wrong-characters, "):
        get_corruption("smudge")
    for corruption in CORRUPTIONS.values():
        assert len(corruption.levels) == 4
        assert corruption.business


def test_only_typeset_suites_without_wear_can_be_corrupted():
    with pytest.raises(InputError, match="its documents are unknown"):
        typeset_suite(load_suite("examples/tiny"))
    with pytest.raises(InputError, match="without degradation"):
        typeset_suite(load_suite("typeset:n=2,seed=1,degradation=light"))


def test_a_box_is_cut_on_the_side_that_is_covered():
    box = Box(0, 0, 10, 10)
    assert clipped(box, Box(-1, -1, 4, 11)) == Box(4, 0, 10, 10)
    assert clipped(box, Box(-1, 6, 11, 11)) == Box(0, 0, 10, 6)
    assert clipped(box, Box(-1, -1, 11, 3)) == Box(0, 3, 10, 10)
    assert clipped(box, Box(4, 4, 6, 6)) == box
