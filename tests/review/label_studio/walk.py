"""A review in Label Studio from the pilot to a sample that passes, with everything on the way that Label Studio lets
through and the bridge must not. The real server and the small one are taken on it."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from tests.review.label_studio.accounts import chosen, drawn, rated
from vdebench.core.box import Box
from vdebench.review.commands import EndPilot, Join, StartPilot
from vdebench.review.label_studio.projects import ReviewProject
from vdebench.review.label_studio.sync import LabelStudioBridge
from vdebench.review.pool_import import fill_pool
from vdebench.review.refusals import Refusal
from vdebench.review.store import Store

MEMBERS = {"1a": "1", "1b": "1", "2a": "2", "3a": "3"}
GROUPS = ("1", "2", "3")


class Walk:
    """A workspace with a review, and people with accounts at a server."""

    def __init__(self, workspace, studio, monkeypatch) -> None:
        self.folder, self.studio = workspace.root, studio
        monkeypatch.setenv("LABEL_STUDIO_API_KEY", studio.keys["root"])
        fill_pool(self.folder, admin="root")
        for name, group in MEMBERS.items():
            self.tell(Join(name, "annotator", group))
        for name in (*MEMBERS, "eve"):
            studio.account(name)
        self.people = self.folder / "people.toml"
        lines = "\n".join(f'"{name.upper()}@vde.example" = "{name}"' for name in MEMBERS)
        self.people.write_text(f"[people]\n{lines}\n", encoding="utf-8")
        self.bridge = LabelStudioBridge(self.folder, "", studio.url, workers=1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.bridge.__exit__()

    def another(self):
        """One that remembers nothing."""
        return LabelStudioBridge(self.folder, "", self.studio.url)

    def tell(self, command):
        with Store(self.folder / "review.sqlite") as store:
            answer = store.submit(command, who="root", now=datetime.now(UTC))
        assert not isinstance(answer, Refusal), answer

    def state(self):
        with Store(self.folder / "review.sqlite") as store:
            assert store.check() == []
            return store.state()

    def item(self, sample):
        return self.state().items[sample]

    def pull(self, step, accepted, **refused):
        """Pull; so many were accepted, and refusals of a step have these reasons; then nothing is new."""
        pulled = self.bridge.pull(self.people)
        assert pulled.accepted.total() == accepted, pulled.lines()
        with self.another() as bridge:
            again = bridge.pull(self.people)
        reasons = Counter(each.reason for each in again.refused if each.project.step == step)
        assert (again.accepted.total(), dict(reasons)) == (0, refused), again.lines()
        return again

    def push(self, tasks, there=None):
        pushed = self.bridge.push()
        assert pushed.tasks.total() == tasks, pushed.lines()
        assert there is None or pushed.there == there
        with self.another() as bridge:
            again = bridge.push()
        assert (again.tasks.total(), again.projects, again.images) == (0, 0, 0)
        return pushed

    def draw(self, sample, round, boxes):
        """Every group draws."""
        item = self.item(sample)
        for group, own in zip(GROUPS, boxes, strict=True):
            task = self.studio.tasks(ReviewProject("boxes", f"group:{group}"))[sample, round]
            self.studio.say(f"{group}a", task, drawn(own, item.width, item.height))


def pilot(walk):
    studio, both = walk.studio, list(walk.state().items)[:2]
    walk.tell(StartPilot(tuple(both)))
    pushed = walk.push(8, there=0)  # two samples for each of four people, who have projects of their own
    assert pushed.projects == 5
    for name in MEMBERS:
        for sample in both:
            studio.say(name, studio.tasks(ReviewProject("pilot", f"member:{name}"))[sample, 1], rated(3, 2, 3))
    studio.say("1b", studio.tasks(ReviewProject("pilot", "member:1a"))[both[0], 1], rated(1, 1, 1))
    walk.pull("pilot", 8, wrong_group=1)
    walk.tell(EndPilot())


def scores(walk):
    """Of the first sample three good votes, of others what is no vote; one is mended."""
    studio, (good, seven, *others) = walk.studio, list(walk.state().items)
    walk.push(27, there=0)
    desks = {group: studio.tasks(ReviewProject("score", f"group:{group}")) for group in GROUPS}
    said = {group: studio.say(f"{group}a", desks[group][good, 1], rated(3, 3, 3)) for group in GROUPS}
    studio.say("1b", desks["1"][good, 1], rated(1, 1, 1))  # a second vote of the group
    studio.say("2a", desks["2"][good, 1], rated(3, 3, 3))  # the same once more
    wrong = studio.say("1a", desks["1"][seven, 1], rated(3, 7, 3))
    studio.say("1a", desks["2"][others[0], 1], rated(3, 3, 3), completed_by=studio.id_of("2a@vde.example"))
    studio.say("1a", desks["2"][others[1], 1], rated(3, 3, 3))  # of another group
    studio.say("eve", desks["3"][others[2], 1], rated(3, 3, 3))
    studio.say("1a", desks["1"][others[3], 1], rated(3, 3, 3), was_cancelled=True)
    refused = {"already_voted": 2, "bad_rating": 1, "not_their_own": 1, "wrong_group": 1, "unknown_person": 1}
    pulled = walk.pull("score", 3, **refused)
    assert pulled.cancelled == 1
    assert walk.item(good).step == "boxes"
    assert [len(walk.item(sample).votes("score", 1)) for sample in (seven, *others)] == [0] * 8
    studio.change("1a", wrong, rated(3, 3, 3))
    studio.change("1a", said["1"], rated(1, 1, 1))
    del refused["bad_rating"]
    walk.pull("score", 1, changed_later=1, **refused)
    assert walk.item(good).votes("score", 1)[0].what.ratings.total == 9
    return good


def boxes(walk, sample):
    """Round 1: one past the edge, mended; then no agreement. Round 2: agreement."""
    studio, item = walk.studio, walk.item(sample)
    walk.push(3)
    right, low = Box(20, 30, 320, 70), Box(20, 30, 320, 75)
    desks = {group: studio.tasks(ReviewProject("boxes", f"group:{group}")) for group in GROUPS}
    studio.say("1a", desks["1"][sample, 1], drawn([right], item.width, item.height))
    past = studio.say("2a", desks["2"][sample, 1], drawn([right], item.width, item.height, width=150.0))
    turned = studio.say("3a", desks["3"][sample, 1], drawn([right], item.width, item.height, rotation=3.5))
    walk.pull("boxes", 1, box_outside=1, rotated=1)
    studio.change("2a", past, drawn([right], item.width, item.height))
    studio.change("3a", turned, drawn([right], item.width // 2, item.height))
    walk.pull("boxes", 1, wrong_size=1)
    studio.change("3a", turned, drawn([low], item.width, item.height))
    walk.pull("boxes", 1)
    assert (walk.item(sample).step, walk.item(sample).round) == ("boxes", 2)
    walk.push(3)
    assert set(studio.tasks(ReviewProject("boxes", "group:1"))) == {(sample, 1), (sample, 2)}
    studio.say("1b", desks["1"][sample, 1], drawn([right], item.width, item.height))  # too late
    walk.draw(sample, 2, [[right]] * 3)
    walk.pull("boxes", 3, already_voted=1)
    assert walk.item(sample).boxes == (right,)


def finish(walk, sample):
    """Screening, the check of the text, and what passes."""
    studio = walk.studio
    synced = walk.bridge.sync(walk.people)
    assert (synced.prepared.made, synced.pushed.tasks["screen"]) == ([sample], 3), synced.lines()
    for group in GROUPS:
        task = studio.tasks(ReviewProject("screen", f"group:{group}"))[sample, 2]
        studio.say(f"{group}a", task, chosen("maybe" if group == "1" else "yes", note="fine"))
    pulled = walk.bridge.sync(walk.people).pulled
    assert [each.reason for each in pulled.refused if each.project.step == "screen"] == ["bad_verdict"]
    studio.say("1b", studio.tasks(ReviewProject("screen", "group:1"))[sample, 2], chosen("yes"))
    synced = walk.bridge.sync(walk.people)
    assert (synced.pulled.accepted["screen"], synced.pushed.tasks["ocr"]) == (1, 1), synced.lines()
    task = studio.tasks(ReviewProject("ocr", "person"))[sample, 2]
    (region,) = task["data"]["regions"]
    assert region["text"]
    first = studio.say("2a", task, chosen("correct", text_0=f"{region['text']}!"))
    assert [each.reason for each in walk.bridge.pull(walk.people).refused if each.project.step == "ocr"] == [
        "bad_verdict"
    ]
    studio.change("2a", first, chosen("correct", text_0=region["text"]))
    assert walk.bridge.sync(walk.people).pulled.accepted == {"ocr": 1}
    assert walk.item(sample).step == "passed"


def whole_walk(walk):
    pilot(walk)
    sample = scores(walk)
    boxes(walk, sample)
    finish(walk, sample)
    votes = Counter(event.step for item in walk.state().items.values() for event in item.history if event.step)
    assert votes == {"pilot": 8, "score": 4, "boxes": 6, "screen": 3, "ocr": 1}
