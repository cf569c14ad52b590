"""Action Loom's own walks: one walk of one cycle is enough for a new style, and for a request of a speed."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, SkeletonError
from action_loom.core.motion import cycles, kinematics, root_motion
from action_loom.core.recipes.style import SLIDERS, StyleOptions
from action_loom.core.style import clip_in_style, fit, gait_phase, knees, material, shipped, steps
from action_loom.core.verbs import Ask, FitStyle, InPlace, Restyle
from action_loom.core.verbs.restyle import change
from action_loom.core.weave import body_limits
from oracles import kept_aside
from oracles import material as captured
from oracles.material import random_clip, random_skeleton

ASIDE = ("mb_08_01", "mb_12_01", "mb_32_01")  # the walks contain none of these people


def one_cycle(name):
    """Return one cycle of a captured walk of a person outside the shipped walks."""
    return verbs.apply(verbs.Loop(), [captured.captured(f"cmu_{name}")]).clip


def test_walks_are_small_and_of_nobody_kept_aside():
    of = shipped.walks().material
    assert shipped.FILE.stat().st_size <= 300_000
    assert shipped.walks().shipped
    assert len({*of.people}) >= 8
    assert not {*of.people} & kept_aside.PEOPLE_KEPT_ASIDE


@pytest.mark.parametrize(("slider", "amount"), [(name, (-2.0, 2.0)[k % 2]) for k, name in enumerate(SLIDERS)])
def test_every_slider_moves_one_cycle_as_far_as_it_says(slider, amount):
    made = verbs.apply(Restyle(**{slider: amount}), [actions.walk(cycles=1)])
    reported = made.report["style"]
    one = reported["sliders"][slider]
    assert one["before"] == pytest.approx(0.0, abs=1e-3)
    off = abs(one["after"] - one["before"] - amount)
    assert off <= change.OFF or any(sentence.startswith(slider) for sentence in reported["held"])
    assert knees.least(made.clip) >= -1e-6
    assert cycles.closes(made.clip)
    assert any("brings along" in note for note in made.report["notes"])


def test_sliders_are_held_at_three_of_its_own_manner():
    made = verbs.apply(Restyle(lean=6.0), [actions.walk(cycles=1)])
    lean = made.report["style"]["sliders"]["lean"]
    assert lean["after"] == pytest.approx(3.0, abs=0.1)
    assert any(sentence.startswith("lean") for sentence in made.report["style"]["held"])


@pytest.mark.parametrize("amount", [-2.0, -3.0])
def test_legs_do_not_go_through_each_other(amount):
    walk = actions.walk(cycles=1)
    made = verbs.apply(Restyle(width=amount), [walk])
    assert not body_limits.legs_meet(made.clip, walk)
    width = made.report["style"]["sliders"]["width"]
    assert width["asked"] == amount
    assert abs(width["after"]) >= 0.5
    if abs(width["after"] - amount) > change.OFF:
        assert any(note.startswith("width: ") for note in made.report["style"]["held"])


def test_a_body_of_half_the_size_does_the_same_in_half_the_size():
    walk = actions.walk(cycles=1)
    skeleton = walk.skeleton
    half = replace(
        walk,
        skeleton=replace(skeleton, offsets=0.5 * skeleton.offsets, tips=0.5 * skeleton.tips),
        translations=0.5 * walk.translations,
    )
    big, small = (verbs.apply(Restyle(lean=2.0, stride=1.0), [clip]) for clip in (walk, half))
    assert np.abs(0.5 * kinematics.points(big.clip) - kinematics.points(small.clip)).max() < 1e-3


def test_clips_of_eight_strides_teach_their_own_style(walkers):
    assert not fit.fit(walkers, StyleOptions()).shipped
    assert fit.fit(walkers, StyleOptions(basis="walks")).shipped
    assert fit.fit(walkers[:1], StyleOptions()).shipped


def test_too_few_strides_are_refused_where_only_they_count():
    walk = actions.walk(cycles=1)
    with pytest.raises(material.TooFewError, match="strides are needed, and these clips have 1"):
        verbs.apply(Restyle(lean=1.0, basis="clips"), [walk])
    with pytest.raises(material.TooFewError, match="strides are needed, and these clips have 2"):
        verbs.apply(FitStyle(), [walk, actions.sneak(cycles=1)])


def test_what_does_not_walk_is_refused():
    with pytest.raises(ClipError, match="wave has no whole stride: .* it goes nowhere"):
        verbs.apply(Restyle(lean=1.0), [actions.wave()])


def test_a_body_that_no_stride_fits_is_named(rng):
    with pytest.raises(SkeletonError, match="^blob: the style's examples are of two-legged bodies"):
        fit.on_body(shipped.walks(), replace(random_clip(rng, random_skeleton(rng)), name="blob"))


def test_manners_are_the_clips_index_own():
    walk = actions.walk(cycles=1)
    style = fit.for_clip(fit.fit([walk], StyleOptions()), walk)
    plain, sneaking, slow = (
        style.measure(row) for row in (style.mean, *(style.people[n] for n in ("sneaking", "slow")))
    )
    assert sneaking["speed"] < plain["speed"]
    assert slow["speed"] < plain["speed"]
    made = verbs.apply(Restyle(toward="sneaking"), [walk])
    assert len(made.clip) > len(walk)


def test_a_walk_on_the_spot_stays_there():
    still = verbs.apply(InPlace(), [actions.walk(cycles=1)]).clip
    made = verbs.apply(Restyle(swing=2.0), [still]).clip
    ground = root_motion.ground_frames(made)[0]
    assert np.ptp(ground, axis=0).max() < 0.1


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_a_stride_that_nearly_closes_is_a_cycle(frames):
    walk = actions.walk(cycles=1)
    floating = replace(walk, translations=walk.translations * np.array([1.0, 0.4, 1.0]))  # its feet stand nowhere
    short = floating.cut(0, len(walk) - frames)
    ready, _ = steps.ready(short)
    assert cycles.closes(ready)
    assert len(gait_phase.of_steps(steps.travelling(ready)[0]).of_own) == 1


def test_reaches_are_near_touchdowns():
    walk = actions.walk(cycles=2)
    found, known = gait_phase.by_reach(walk), gait_phase.by_contacts(walk)
    off = [abs(a.first - b.first) / walk.rate for a, b in zip(found.of_own, known.of_own, strict=True)]
    assert max(off) <= 0.1


@pytest.mark.shared
@pytest.mark.parametrize("name", ASIDE)
def test_one_cycle_of_a_person_kept_aside(name):
    walk = one_cycle(name)
    for slider, amount in (("stride", 2.0), ("swing", -2.0), ("lean", 2.0), ("bounce", -2.0), ("width", 2.0)):
        made = verbs.apply(Restyle(**{slider: amount}, basis="walks"), [walk])
        one = made.report["style"]["sliders"][slider]
        held = any(sentence.startswith(slider) for sentence in made.report["style"]["held"])
        assert held or abs(one["after"] - one["before"] - amount) <= 0.1
        assert made.report["limits"]["knee_backwards_degrees"] <= 2.0


@pytest.mark.parametrize(("speed", "turn"), [(0.8, -45.0), (1.3, 0.0), (1.8, 20.0)])
def test_one_walk_is_asked_for_speed_and_turn(speed, turn):
    made = verbs.apply(Ask(speed=speed, turn=turn), [actions.walk(cycles=1)])
    own = made.report["ask"]
    assert own["got"]["speed"] == pytest.approx(own["asked"]["speed"], rel=0.01)
    assert own["got"]["turn"] == pytest.approx(turn, abs=0.5)
    assert not own["outside"]
    assert cycles.closes(made.clip)
    _, facing = root_motion.ground_frames(made.clip)
    seconds = (len(made.clip) - 1) / made.clip.rate
    assert np.degrees(facing[-1] - facing[0]) / seconds == pytest.approx(turn, abs=1.0)


def test_what_one_walk_cannot_reach_is_said():
    made = verbs.apply(Ask(speed=6.0), [actions.walk(cycles=1)])
    assert made.report["ask"]["outside"]
    assert any("outside what these clips do together" in one for one in made.report["warnings"])


def test_a_walk_and_a_run_reach_what_lies_between():
    made = verbs.apply(Ask(speed=2.2, any_turn=True), [actions.walk(cycles=1), actions.run(cycles=1)])
    own = made.report["ask"]
    assert own["got"]["speed"] == pytest.approx(own["asked"]["speed"], rel=0.01)


def test_the_style_of_a_clip_begins_at_the_clip():
    walk = actions.walk(cycles=1)
    style = fit.for_clip(fit.fit([walk], StyleOptions()), walk)
    assert np.abs(clip_in_style.of_clip(style, walk).row - style.mean).max() < 1e-9
