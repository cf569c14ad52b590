"""A cycle beside a take of several steps: repeated once per step of the take, independent of both speeds."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.motion import closing, resample
from action_loom.core.sync.register_pair import ALIKE
from action_loom.core.verbs import Blend, Loop, Synchronise
from action_loom.core.weave import repeated

RUN = replace(actions.run(cycles=1), name="run cycle")


def take(steps: float = 3.3, speed: float = 1.2):
    """A walk that begins and ends anywhere in a cycle; its ends do not meet."""
    walk = actions.walk(cycles=6, speed=speed)
    cycle = (len(walk) - 1) / 6
    return replace(walk.cut(11, 11 + round(steps * cycle)), name="take", cyclic=False)


@pytest.mark.both_engines
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("rate", [24.0, 60.0])
def test_a_take_is_blended_with_as_many_cycles_as_it_has(first, rate):
    clips = [resample.to_rate(take(), rate), replace(actions.sneak(rate, 1), name="sneak cycle")]
    made = verbs.apply(Blend(), clips[::-1] if first else clips)
    (curve,) = made.report["registration"]
    assert curve["likeness"] > ALIKE
    assert any("sneak cycle: repeated 4 times" in note for note in made.report["notes"])
    assert made.clip.seconds > 0.7 * clips[0].seconds
    assert not made.clip.cyclic


def test_the_take_itself_stays_where_it_has_all_the_weight():
    walk = take()
    made = verbs.apply(Blend(weights=(1.0, 0.0), ends="auto"), [walk, RUN]).clip
    assert made.seconds > 0.7 * walk.seconds


@pytest.mark.parametrize(("steps", "count"), [(1.1, 1), (1.6, 2), (2.9, 4), (4.5, 5)])
def test_it_is_repeated_as_often_as_the_take_steps_whatever_the_speeds(steps, count):
    for speed in (0.8, 1.2, 1.6):
        clips = [take(steps, speed), RUN]
        counts = repeated.counts(clips, [closing.guess_closing(clip) for clip in clips])
        # Less than a cycle and a quarter does not show its own length: the run's counts.
        assert counts == [1, count] or steps < 1.25, (speed, counts)


def test_weights_that_change_take_part_over_the_whole_take():
    keyed = Blend(weight_keys=((0.0, 1.0, 0.0), (1.0, 0.0, 1.0)))
    walk = take()
    made = verbs.apply(keyed, [walk, RUN])
    assert made.clip.seconds > 0.6 * walk.seconds
    assert any("run cycle: repeated" in note for note in made.report["notes"])


def test_a_pose_and_a_short_clip_beside_a_cycle_are_takes():
    walk, endings = actions.walk(cycles=1), closing.guess_closing(actions.walk(cycles=1))
    for short in (walk.cut(0, 1), walk.cut(0, 2), walk.cut(0, 9)):
        assert repeated.counts([walk, short], [endings, closing.guess_closing(short)]) == [1, 1]


def test_cycles_alone_and_other_ends_stay_as_they_were():
    cycles = [actions.walk(cycles=1), RUN]
    assert not any("repeated" in note for note in verbs.apply(Blend(), cycles).report["notes"])
    made = verbs.apply(Blend(ends="pinned"), [take(1.4), actions.walk(cycles=1)])
    assert not any("repeated" in note for note in made.report["notes"])


def test_a_cycle_without_its_last_key_is_closed_first():
    game = replace(RUN.cut(0, len(RUN) - 1), cyclic=False)
    notes = verbs.apply(Blend(), [take(), game]).report["notes"]
    assert any("was missing and is added" in note for note in notes)
    assert any("repeated" in note for note in notes)


def test_synchronised_with_a_take_a_loop_of_it_gives_it_back():
    walk = take()
    loop = replace(verbs.apply(Loop(), [walk]).clip, name="loop")
    made = verbs.apply(Synchronise(), [walk, loop]).clip
    assert made.seconds > 0.7 * walk.seconds
    assert np.isfinite(made.rotations).all()
