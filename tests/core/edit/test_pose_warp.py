"""Spread corrections of poses: exact at their frames, zero beyond the reach, independent of place and first frame."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.edit import pose_warp
from action_loom.core.edit.pose_warp import Correction, Reach, correction, nearer, spread
from action_loom.core.motion import cycles, quat, root_motion
from action_loom.core.verbs import Loop
from numpy.testing import assert_allclose, assert_array_equal

pytestmark = pytest.mark.both_engines
REACH = Reach(12.0, 12.0)
EVERY = np.arange(21)


def corrected(clip, frames, seed=0, size=0.5):
    """Return corrections of all joints at some frames; clips of equal joint counts get equal corrections."""
    rng = np.random.default_rng(seed)
    joints = np.arange(len(clip.skeleton))
    shape = (len(joints), 3)
    return [Correction(f, joints, size * rng.normal(size=shape), 0.1 * rng.normal(size=shape)) for f in frames]


def angles(one, other):
    return np.linalg.norm(quat.log(quat.mul(quat.inv(one), other)), axis=-1)


def same(one, other, atol=1e-9):
    assert_allclose(quat.same_side(one.rotations, other.rotations), other.rotations, atol=atol)
    assert_allclose(one.translations, other.translations, atol=atol)


def pose_of(clip, seed, size=1.0):
    """A pose far from any of a clip, on whichever side of it."""
    rng = np.random.default_rng(seed)
    pose = clip.cut(0, 1)
    turns = quat.mul(pose.rotations, quat.exp(size * rng.normal(size=(1, len(clip.skeleton), 3))))
    turns = turns * rng.choice([-1.0, 1.0], size=(1, len(clip.skeleton), 1))
    return replace(pose, rotations=turns, translations=pose.translations + rng.normal(size=pose.translations.shape))


@pytest.mark.parametrize(
    ("frames", "reach"),
    [
        ((40,), REACH),
        ((0,), REACH),
        ((60, 119), REACH),
        ((0, 1, 2, 119), REACH),
        (tuple(range(20, 40)), REACH),
        (tuple(range(120)), REACH),
        ((30, 50, 51), Reach(0.3, 0.3)),
        ((30, 70), Reach(40.0, 0.5)),
        ((30, 70), Reach(7.3, 500.0)),
    ],
)
@pytest.mark.parametrize("rounds", [False, True])
def test_poses_are_hit_and_what_is_beyond_them_is_the_same_to_the_bit(frames, reach, rounds):
    clip = actions.walk(60.0, 2).cut(0, 120)
    clip = replace(clip, cyclic=rounds)
    frames = [f for f in frames if not (rounds and f == 119)]
    poses = {frame: pose_of(clip, frame) for frame in frames}
    made = spread(clip, [correction(clip, frame, pose, EVERY) for frame, pose in poses.items()], reach)
    for frame, pose in poses.items():
        assert angles(made.rotations[frame], pose.rotations[0]).max() < 1e-12
        assert_allclose(made.translations[frame], pose.translations[0], atol=1e-12)
    own = np.arange(120)
    asked = [f + cycle * 119 for f in frames for cycle in ((0,) if not rounds else range(-6, 7))]
    beyond = np.all([(own <= f - reach.before) | (own >= f + reach.after) for f in asked], axis=0)
    assert_array_equal(made.rotations[beyond], clip.rotations[beyond])
    assert_array_equal(made.translations[beyond], clip.translations[beyond])
    inside = ~beyond
    assert (made.rotations[inside] != clip.rotations[inside]).any(axis=(1, 2)).all()


def test_a_correction_rises_and_falls_as_a_smooth_step_within_its_reach():
    clip = actions.walk(60.0, 2)
    one = Correction(50, np.array([3]), np.array([[0.0, 0.8, 0.0]]), np.array([[0.0, 0.0, 0.1]]))
    added = pose_warp.add_corrections(clip, [one], Reach(20.0, 10.0))
    frames = np.arange(len(clip))
    x = np.clip(np.where(frames < 50, (frames - 30.0) / 20.0, (60.0 - frames) / 10.0), 0.0, 1.0)
    step = 3.0 * x**2 - 2.0 * x**3
    assert_allclose(added.turns[:, 3, 1], 0.8 * step, atol=1e-15)
    assert_allclose(added.moves[:, 3, 2], 0.1 * step, atol=1e-15)


def test_corrections_nearer_than_both_reaches_go_over_into_each_other():
    clip = actions.walk(60.0, 2)
    turn = np.array([[0.5, 0.0, 0.0]])
    for gap, held in ((23, True), (24, False), (25, False)):
        pair = [Correction(frame, np.array([3]), turn, 0.0 * turn) for frame in (40, 40 + gap)]
        between = pose_warp.add_corrections(clip, pair, REACH).turns[40 : 41 + gap, 3, 0]
        assert (between.min() == 0.5) == held
        assert (between.min() == 0.0) == (not held)


def test_a_joint_is_corrected_where_it_has_a_row_and_not_where_others_have_one():
    clip = actions.walk(60.0, 2)
    turn = np.array([[0.5, 0.0, 0.0]])
    arm, leg, rest = (
        Correction(f, np.array([k]), t, 0.0 * turn) for f, k, t in ((40, 6, turn), (45, 9, turn), (45, 6, 0.0 * turn))
    )
    alone = pose_warp.add_corrections(clip, [arm], REACH).turns
    both = pose_warp.add_corrections(clip, [arm, leg], REACH).turns
    assert_array_equal(both[:, 6], alone[:, 6])
    stays = pose_warp.add_corrections(clip, [arm, replace_rows(leg, rest)], REACH).turns
    assert_array_equal(stays[45:, 6], 0.0)


def replace_rows(*corrections):
    """Corrections of one frame as one."""
    one = corrections[0]
    parts = [np.concatenate([getattr(c, name) for c in corrections]) for name in ("joints", "turns", "moves")]
    return Correction(one.frame, *parts)


@pytest.mark.parametrize("seed", range(3))
def test_most_of_what_is_added_is_hardly_more_than_what_was_asked(seed):
    clip = actions.walk(60.0, 4)
    frames = np.sort(np.random.default_rng(seed).choice(np.arange(10, 230), 12, replace=False))
    asked = corrected(clip, frames.tolist(), seed)
    added = pose_warp.add_corrections(clip, asked, Reach(24.0, 24.0))
    for values, wanted in ((added.turns, [o.turns for o in asked]), (added.moves, [o.moves for o in asked])):
        most = np.linalg.norm(values, axis=2).max(axis=0) / np.linalg.norm(wanted, axis=2).max(axis=0)
        assert most.max() < 1.01
        assert np.median(most) < 1.001


def test_of_two_that_join_the_second_goes_the_nearer_way_round():
    clip = actions.walk(60.0, 2)
    turns = np.radians([[170.0, 0.0, 0.0], [-175.0, 0.0, 0.0]])
    pair = [Correction(f, np.array([3]), turn[None], np.zeros((1, 3))) for f, turn in zip((40, 50), turns, strict=True)]
    between = np.degrees(pose_warp.add_corrections(clip, pair, REACH).turns[40:51, 3, 0])
    assert between.min() >= 170.0 - 1e-9
    assert between[-1] == pytest.approx(185.0)
    apart = [pair[0], replace(pair[1], frame=90)]
    assert np.degrees(pose_warp.add_corrections(clip, apart, REACH).turns[90, 3, 0]) == pytest.approx(-175.0)
    assert_array_equal(nearer(np.zeros((2, 3)), np.full((2, 3), 3.0)), 0.0)


@pytest.mark.parametrize("reach", [REACH, Reach(30.0, 80.0)])
def test_turned_and_moved_clips_give_the_result_turned_and_moved(reach):
    clip, frames = actions.turn_left(60.0), (20, 33, 36)
    there = root_motion.place_clip(clip, 0.83, np.array([3.0, -2.0]))
    poses = [pose_of(clip, frame) for frame in frames]
    made = [
        spread(one, [correction(one, f, pose, EVERY) for f, pose in zip(frames, of, strict=True)], reach)
        for one, of in (
            (clip, poses),
            (there, [root_motion.place_clip(pose, 0.83, np.array([3.0, -2.0])) for pose in poses]),
        )
    ]
    same(made[1], root_motion.place_clip(made[0], 0.83, np.array([3.0, -2.0])))


def test_reversed_and_re_timed_clips_give_the_result_reversed_and_re_timed():
    clip, frames = actions.walk(60.0, 2), (30, 41, 90)
    asked, last = corrected(clip, frames), len(clip) - 1
    made = spread(clip, asked, Reach(12.0, 30.0))
    backwards = clip.take_frames(np.arange(last, -1, -1))
    back = spread(backwards, [replace(one, frame=last - one.frame) for one in asked], Reach(30.0, 12.0))
    same(back, made.take_frames(np.arange(last, -1, -1)), atol=1e-12)
    fine = replace(actions.walk(120.0, 2), name="fine")
    doubled = pose_warp.add_corrections(fine, [replace(one, frame=2 * one.frame) for one in asked], Reach(24.0, 60.0))
    plain = pose_warp.add_corrections(clip, asked, Reach(12.0, 30.0)).turns
    count = min(len(plain), len(doubled.turns[::2]))
    assert count > 120
    assert_allclose(doubled.turns[::2][:count], plain[:count], atol=1e-12)


def test_cut_before_or_after_is_the_same():
    """The spread does not depend on the distance to the clip's end: the part beyond the end is cut off."""
    clip = actions.walk(60.0, 2)
    asked = corrected(clip, (50, 60))
    made = spread(clip, asked, REACH).cut(45, 66)
    cut = spread(clip.cut(45, 66), [replace(one, frame=one.frame - 45) for one in asked], REACH)
    assert_array_equal(cut.rotations, made.rotations)
    assert_array_equal(cut.translations, made.translations)


def cycle(turning=False):
    if turning:
        # A walk in place is put on an arc, so that each cycle turns by some degrees.
        still = verbs.apply(Loop(plant_feet=False, in_place=True), [actions.walk(60.0, 4)]).clip
        share = np.linspace(0.0, 1.0, len(still))
        arc = np.column_stack([np.cos(share) - 1.0, np.sin(share)])
        return replace(root_motion.place_clip(still, share, arc), cyclic=True)
    return verbs.apply(Loop(plant_feet=False), [actions.walk(60.0, 4)]).clip


@pytest.mark.parametrize("turning", [False, True])
@pytest.mark.parametrize("reach", [REACH, Reach(300.0, 1.0)])
@pytest.mark.parametrize("frames", [(0,), (-1,), (-3, 5)])
def test_a_cycle_stays_one_and_repeated_is_as_its_laps_corrected(turning, reach, frames):
    clip = cycle(turning)
    last = len(clip) - 1
    assert cycles.closes(clip)
    asked = corrected(clip, [f % len(clip) for f in frames], size=0.3)
    made = spread(clip, asked, reach)
    assert cycles.gap(made) == pytest.approx(cycles.gap(clip), abs=1e-9)
    assert cycles.gap(clip) < 1e-6 or turning
    # Many cycles as a clip that does not repeat, corrected in each, have it in their middle.
    long, one_cycle = cycles.unroll_cycle(clip, 6, 6), pose_warp._Cycle.of(clip)
    keyed = []
    for one in asked:
        values = np.zeros((1, len(EVERY), 3, 3))
        values[0, :, 0], values[0, :, 1] = one.turns, one.moves
        base, shift = (0, -1) if one.frame == last else (one.frame, 0)
        for k in range(-6, 7):
            moved = one_cycle.later(values, EVERY, k + shift)[0, :, 1]
            keyed.append(replace(one, frame=base + (6 + k) * last, moves=moved))
    whole = spread(long, keyed, reach)
    same(made, whole.cut(6 * last, 7 * last + 1), atol=1e-8)


def test_scales_go_through_the_poses_too():
    clip = actions.walk(30.0, 2)
    pose = replace(clip.cut(5, 6), scales=np.full((1, 21, 3), 1.5))
    for given in (clip, replace(clip, scales=np.full((len(clip), 21, 3), 0.5))):
        made = spread(given, [correction(given, 20, pose, EVERY)], Reach(6.0, 6.0))
        assert_array_equal(made.scales[20], 1.5)
        assert_array_equal(made.scales[:14], 1.0 if given.scales is None else 0.5)
        assert ((made.scales[16] > made.scales[0]) & (made.scales[16] < 1.5)).all()
    plain = spread(clip, [correction(clip, 20, clip.cut(5, 6), EVERY)], Reach(6.0, 6.0))
    assert plain.scales is None
