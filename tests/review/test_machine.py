"""Random commands, forged ones among them, against a model of the protocol in a few lines that knows nothing of ours."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.review.people import BOX, GROUPS, Review
from vdebench.core.box import Box
from vdebench.review.assignment import next_for, waiting_for
from vdebench.review.commands import EndPilot, Join, Leave, StartPilot, Withdraw
from vdebench.review.events import event_from_json
from vdebench.review.funnel import funnel
from vdebench.review.options import Options
from vdebench.review.ratings import Ratings
from vdebench.review.refusals import Refusal
from vdebench.review.state import replay
from vdebench.review.steps.boxes import Draw
from vdebench.review.steps.conflict import Adjudicate
from vdebench.review.steps.ocr import Check
from vdebench.review.steps.pilot import RatePilot
from vdebench.review.steps.score import Rate
from vdebench.review.steps.screen import Screen

SAMPLES = ("s0", "s1", "s2")
DRAWN = {"a": (BOX,), "b": (Box(10, 10, 310, 51),), "c": (Box(10, 10, 160, 50),), "two": (BOX, Box(350, 200, 390, 240))}
IOU = {"aa": 1, "bb": 1, "cc": 1, "ab": 40 / 41, "ac": 1 / 2, "bc": 20 / 41}
"""Worked out by hand: 12,000 of 12,300 pixels, 6,000 of 12,000, 6,000 of 12,300."""
PEOPLE = [f"{group}{letter}" for group in GROUPS for letter in "ab"]
sample, group, round_ = st.sampled_from(SAMPLES), st.sampled_from(GROUPS), st.sampled_from([0, 0, 0, 0, 0, 0, 1, -1])
person = st.sampled_from([*PEOPLE, *PEOPLE, "judge", "root", "mallory"])


def agree(names):
    one, two, three = sorted(names)
    if "two" in names:
        return set(names) == {"two"}
    return (IOU[one + two] + IOU[one + three] + IOU[two + three]) / 3 > 0.95


class Protocol(RuleBasedStateMachine):
    """The engine beside the model; every rule says whether the model would take it."""

    @initialize(rescore=st.booleans(), rounds=st.integers(1, 2))
    def begin(self, rescore, rounds):
        self.review = Review(len(SAMPLES), Options(rounds=rounds, rescore=rescore))
        self.rescore, self.rounds = rescore, rounds
        self.step = dict.fromkeys(SAMPLES, "score")
        self.round = dict.fromkeys(SAMPLES, 1)
        self.limit = dict.fromkeys(SAMPLES, rounds)
        self.votes: dict[tuple, object] = {}
        self.gone: set[str] = set()
        self.pilot, self.pilots = None, 0

    def tell(self, command, who, expected):
        """Give the command; whether it was taken, which the model must have foreseen."""
        taken = not isinstance(self.review.do(command, who), Refusal)
        assert taken == bool(expected), (command, who)
        return taken

    def waits(self, who, group, sample, step, round):
        return (
            (who in PEOPLE and who not in self.gone and who[0] == group)
            and self.pilot is None
            and (self.step[sample], self.round[sample]) == (step, round)
            and (sample, step, round, group) not in self.votes
        )

    def vote(self, command, who, what, step):
        sample, round, group = command.sample, command.round, command.group
        if self.tell(command, who, self.waits(who, group, sample, step, round)):
            self.votes[sample, step, round, group] = what
            given = [self.votes.get((sample, step, round, each)) for each in GROUPS]
            return given if None not in given else None
        return None

    @rule(sample=sample, group=group, who=person, off=round_, total=st.sampled_from([9, 9, 9, 9, 9, 9, 8]))
    def rate(self, sample, group, who, off, total):
        command = Rate(sample, self.round[sample] + off, group, Ratings(3, 3, total - 6))
        if given := self.vote(command, who, total, "score"):
            self.step[sample] = "boxes" if given == [9, 9, 9] else "rejected"

    @rule(sample=sample)
    def all_score_nine(self, sample):
        for each in GROUPS:
            self.rate(sample, each, f"{each}a", 0, 9)

    @rule(sample=sample, names=st.tuples(*[st.sampled_from(["a", "a", "b", "c", "two"])] * 3))
    def all_draw(self, sample, names):
        for each, name in zip(GROUPS, names, strict=True):
            self.draw(sample, each, f"{each}b", 0, name)

    @rule(sample=sample, group=group, who=person, off=round_, name=st.sampled_from(sorted(DRAWN)))
    def draw(self, sample, group, who, off, name):
        given = self.vote(Draw(sample, self.round[sample] + off, group, DRAWN[name]), who, name, "boxes")
        if given and agree(given):
            self.step[sample] = "screen"
        elif given and self.round[sample] >= self.limit[sample]:
            self.step[sample] = "conflict"
        elif given:
            self.back(sample)

    def back(self, sample):
        self.round[sample] += 1
        self.step[sample] = "score" if self.rescore else "boxes"

    @rule(sample=sample, group=group, who=person, off=round_, yes=st.sampled_from(["y", "y", "y", "n"]))
    def screen(self, sample, group, who, off, yes):
        given = self.vote(Screen(sample, self.round[sample] + off, group, yes == "y"), who, yes, "screen")
        if given:
            self.step[sample] = "ocr" if given == ["y", "y", "y"] else "rejected"

    @rule(sample=sample)
    def all_say_yes(self, sample):
        for each in GROUPS:
            self.screen(sample, each, f"{each}a", 0, "y")

    @rule(sample=sample, who=person, off=round_, verdict=st.sampled_from(["correct", "wrong"]))
    def check(self, sample, who, off, verdict):
        allowed = who in PEOPLE and who not in self.gone and self.pilot is None and self.step[sample] == "ocr"
        if self.tell(Check(sample, self.round[sample] + off, verdict), who, allowed and off == 0):
            self.step[sample] = "passed" if verdict == "correct" else "rejected"

    @rule(sample=sample, who=person, verdict=st.sampled_from(["boxes", "again", "reject"]))
    def adjudicate(self, sample, who, verdict):
        boxes = DRAWN["a"] if verdict == "boxes" else ()
        allowed = who in ("judge", "root") and self.pilot is None and self.step[sample] == "conflict"
        if self.tell(Adjudicate(sample, self.round[sample], verdict, boxes), who, allowed):
            if verdict == "again":
                self.limit[sample] = self.round[sample] + self.rounds
                self.back(sample)
            else:
                self.step[sample] = "screen" if verdict == "boxes" else "rejected"

    @rule(chosen=st.lists(sample, min_size=1, max_size=3), who=st.sampled_from(["root", "root", "1a"]))
    def start_pilot(self, chosen, who):
        fresh = all(
            self.step[s] == "score" and not any((s, "score", self.round[s], g) in self.votes for g in GROUPS)
            for s in chosen
        )
        allowed = who == "root" and self.pilot is None and len(set(chosen)) == len(chosen) and fresh
        if self.tell(StartPilot(tuple(chosen)), who, allowed):
            self.pilot, self.pilots = set(chosen), self.pilots + 1

    @rule(sample=sample, who=person)
    def rate_pilot(self, sample, who):
        known = (sample, "pilot", self.pilots, who) in self.votes
        allowed = self.pilot and sample in self.pilot and who in PEOPLE and who not in self.gone and not known
        allowed = allowed and self.step[sample] == "score"
        if self.tell(RatePilot(sample, self.pilots, Ratings(1, 2, 3)), who, allowed):
            self.votes[sample, "pilot", self.pilots, who] = 6

    @rule()
    def end_pilot(self):
        if self.tell(EndPilot(), "root", self.pilot is not None):
            self.pilot = None

    @rule(who=st.sampled_from(PEOPLE))
    def leave(self, who):
        if self.tell(Leave(who), "root", who not in self.gone):
            self.gone.add(who)

    @rule(who=st.sampled_from(PEOPLE))
    def come_back(self, who):
        if self.tell(Join(who, "annotator", who[0]), "root", who in self.gone):
            self.gone.discard(who)

    @rule(sample=sample, by=st.sampled_from(["root", "judge", "1a", "2a", "3a"]))
    def withdraw(self, sample, by):
        over = self.step[sample] in ("passed", "rejected", "withdrawn")
        if self.tell(Withdraw(sample, "broken"), by, by == "root" and not over):
            self.step[sample] = "withdrawn"

    @invariant()
    def same_places(self):
        if not hasattr(self, "review"):
            return
        state = self.review.state
        assert {name: (item.step, item.round) for name, item in state.items.items()} == {
            name: (self.step[name], self.round[name]) for name in SAMPLES
        }
        found = funnel(state)
        assert found.adds_up
        assert found.total == len(SAMPLES)
        assert found.places["rejected"] == list(self.step.values()).count("rejected")
        cast = sum(bool(event.step) for event in self.review.log if event.step != "conflict" and event.step != "ocr")
        assert cast == len(self.votes)
        for name in SAMPLES:  # whoever is waited for can be given the sample, and nobody else
            asked = {who for who in PEOPLE if next_for(only(state, name), who, self.review_time())}
            voters = waiting_for(state.study, state.items[name])
            assert asked == {
                who
                for who in PEOPLE
                if who not in self.gone and {f"group:{who[0]}", f"member:{who}", "person"} & set(voters)
            }

    def review_time(self):
        from tests.review.people import at

        return at(self.review.seconds)

    def teardown(self):
        if hasattr(self, "review"):
            log = [event_from_json(event.to_json()) for event in self.review.log]
            assert replay(log) == self.review.state
            for length in range(0, len(log), 7):
                assert replay(log[length:], replay(log[:length])) == self.review.state


def only(state, name):
    return type(state)(state.study, {name: state.items[name]})


TestProtocol = Protocol.TestCase
TestProtocol.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)
