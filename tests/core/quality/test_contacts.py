"""Stances of feet: against known steps, and against gait events that use neither floors nor speeds."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.quality import contacts, quality, world_pose
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from oracles.material import captured

pytestmark = pytest.mark.both_engines

RATE = 100.0
BODY = material.figure()
HEIGHT = BODY.height

# 26_01 turns back, where the order of foot and hips means little. 08_04 has a test of its own.
MB_WALKS = [
    f"cmu_mb_{take}"
    for take in (
        *("02_01", "05_01", "06_01", "07_01", "07_04", "07_12", "08_01", "08_07"),
        *("10_04", "12_01", "16_15", "32_01", "35_01", "35_03"),
    )
]
ASF_WALKS = [f"cmu_asf_16_{take}" for take in ("11", "15", "17", "19")]
RUNS = ["cmu_mb_02_03", "cmu_mb_35_17", "cmu_mb_35_22", "cmu_asf_16_41"]


def moving(seconds=2.0, rate=RATE, body=BODY, **paths):
    """Return a body at rest with joints displaced in the world by functions of time (F,) that return (F, 3)."""
    time = np.arange(round(seconds * rate) + 1) / rate
    moved = np.zeros((len(time), len(body), 3))
    for joint, path in paths.items():
        moved[:, body.index(joint)] += path(time)
    # The ball follows its own path, without its ankle's.
    for side in ("Left", "Right"):
        moved[:, body.index(f"{side}ToeBase")] -= moved[:, body.index(f"{side}Foot")]
    return Clip("moving", body, rate, np.tile(quat.IDENTITY, (len(time), len(body), 1)), moved)


def going(*times, speed=1.0):
    """Return a path along the ground within each (from, to), in body heights a second; it rests otherwise."""

    def path(time):
        gone = sum(np.clip(time - start, 0.0, end - start) for start, end in times)
        return np.outer(gone, [0.0, speed * HEIGHT, 0.0])

    return path


def rising(height, start, end):
    """Return a path that rises by a share of the body's height from one time to another, and stays there."""
    return lambda time: np.outer(np.interp(time, [start, end], [0.0, height * HEIGHT]), [0.0, 0.0, 1.0])


def never_down(time):
    """Move in circles in the air, too fast for a stance."""
    return 0.2 * np.stack([np.cos(20.0 * time), np.sin(20.0 * time), np.ones(len(time))], axis=1)


def standing(clip, side="L"):
    """Return the seconds (from, to) in which a foot stands."""
    return [(a / clip.rate, (b - 1) / clip.rate) for a, b in contacts.runs(contacts.detect(clip)[side])]


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
def test_a_foot_stands_from_its_heels_strike_to_its_toes_leaving(rate):
    clip = moving(rate=rate, LeftFoot=going((0.0, 0.4), (1.1, 2.0)), LeftToeBase=going((0.0, 0.6), (1.4, 2.0)))
    foot = contacts.standing_feet(world_pose.pose(clip))["L"]
    for flags, start, end in ((foot.ankle_stands, 0.4, 1.1), (foot.ball_stands, 0.6, 1.4), (foot.stands, 0.4, 1.4)):
        (found,) = contacts.runs(flags)
        assert_allclose(np.array([found[0], found[1] - 1]) / rate, [start, end], atol=1.01 / rate)
    assert_array_equal(contacts.detect(clip)["L"], foot.stands)
    assert contacts.detect(clip)["R"].all()


def test_a_moment_between_heel_and_ball_is_no_step():
    rolling = moving(LeftFoot=going((1.0, 2.0)), LeftToeBase=going((0.0, 1.03)))
    foot = contacts.standing_feet(world_pose.pose(rolling))["L"]
    assert not (foot.ball_stands | foot.ankle_stands).all()
    assert foot.stands.all()
    stepping = moving(LeftFoot=going((1.0, 2.0)), LeftToeBase=going((0.0, 1.1)))
    assert_allclose(standing(stepping), [(0.0, 1.0), (1.1, 2.0)], atol=0.011)


def test_short_gaps_are_closed_and_short_contacts_dropped():
    lasting, short = going((1.0, 1.1), speed=0.8), going((1.0, 1.04), speed=0.8)
    assert len(standing(moving(LeftFoot=never_down, LeftToeBase=lasting))) == 2
    assert standing(moving(LeftFoot=never_down, LeftToeBase=short)) == [(0.0, 2.0)]
    stance = going((0.5, 1.0), (1.11, 1.6))
    stamp = going((0.5, 1.0), (1.06, 1.6))
    assert len(standing(moving(LeftFoot=never_down, LeftToeBase=stance))) == 3
    assert len(standing(moving(LeftFoot=never_down, LeftToeBase=stamp))) == 2


def test_what_stands_may_move_faster_than_what_begins_to_stand():
    # A foot that stood still before may move faster than a foot that begins to stand.
    after_standing = moving(LeftFoot=never_down, LeftToeBase=going((0.5, 2.0), speed=0.40))
    assert standing(after_standing) == [(0.0, 2.0)]
    never_still = moving(LeftFoot=never_down, LeftToeBase=going((0.0, 2.0), speed=0.28))
    assert standing(never_still) == []
    too_fast = moving(LeftFoot=never_down, LeftToeBase=going((0.5, 2.0), speed=0.50))
    assert_allclose(standing(too_fast), [(0.0, 0.5)], atol=0.021)


def test_what_stands_may_be_higher_than_what_begins_to_stand():
    def found(height, *times):
        path, step = rising(height, *times), going((0.9, 1.1))
        return standing(moving(LeftFoot=never_down, LeftToeBase=lambda time: path(time) + step(time)))

    # The foot comes down a little higher than in its stance before.
    assert len(found(0.02, 0.9, 1.1)) == 2
    assert len(found(0.04, 0.9, 1.1)) == 1
    # The foot rises during its stance, then steps to a place too high for the start of a stance.
    assert_allclose(found(0.04, 0.3, 0.6), [(0.0, 0.9)], atol=0.011)
    assert_allclose(found(0.10, 0.3, 0.6), [(0.0, 0.45)], atol=0.011)


def test_in_a_run_feet_may_move_faster():
    creeps = {"LeftFoot": never_down, "LeftToeBase": going((0.0, 2.0), speed=0.45)}
    assert standing(moving(**creeps)) == []
    # The legs move back by the travel of the hips, their parent.
    ahead, back = going((0.0, 2.0), speed=1.7), going((0.0, 2.0), speed=-1.7)
    running = moving(Hips=ahead, LeftUpLeg=back, RightUpLeg=back, **creeps)
    assert standing(running) == [(0.0, 2.0)]


def test_each_point_has_its_own_floor():
    step = going((0.7, 1.3))
    on_a_box = lambda time: np.add(step(time), (0.0, 0.0, 0.3))  # noqa: E731
    clip = moving(LeftFoot=step, LeftToeBase=step, RightFoot=on_a_box, RightToeBase=on_a_box)
    for side in "LR":
        assert_allclose(standing(clip, side), [(0.0, 0.7), (1.3, 2.0)], atol=0.011)


def test_a_foot_that_is_held_in_the_air_does_not_stand():
    lifted = rising(0.2, 1.2, 1.4)
    assert_allclose(standing(moving(LeftFoot=lifted, LeftToeBase=lifted)), [(0.0, 1.2)], atol=0.051)


def test_where_the_body_stands_and_faces_does_not_matter():
    clip = material.walk(2.0, 60.0)
    elsewhere = root_motion.place_clip(clip, 1.3, np.array([4.0, -2.0]))
    for side, flags in contacts.detect(clip).items():
        assert 0.1 < flags.mean() < 0.9
        assert_array_equal(contacts.detect(elsewhere)[side], flags)


def test_the_ball_is_the_toe_joint_else_a_tip_where_toes_are_else_the_ankle():
    clip = material.walk(1.0)
    places = kinematics.points(clip)
    names = clip.skeleton.names
    assert_allclose(contacts.feet(clip)["L"], places[:, names.index("LeftToeBase")])
    kept = [j for j, name in enumerate(names) if not name.endswith("ToeBase")]
    without_toes = _with_joints(clip, kept)
    ankle = without_toes.skeleton.roles["foot.L"]
    assert_allclose(contacts.feet(without_toes)["L"], kinematics.points(without_toes)[:, ankle])
    tips = without_toes.skeleton.tips.copy()
    tips[ankle] = (0.0, 0.14, -0.05)
    tipped = replace(without_toes, skeleton=replace(without_toes.skeleton, tips=tips))
    # The tip is where the toe joint was.
    assert_allclose(contacts.feet(tipped)["L"], contacts.feet(clip)["L"], atol=1e-12)
    foot = contacts.standing_feet(world_pose.pose(tipped))["L"]
    assert_allclose(foot.ankle, places[:, names.index("LeftFoot")], atol=1e-12)
    # Tips invented by importers have the length or the direction of the bone above, and do not count.
    for guess in ((0.0, 0.4, 0.0), (0.0, 0.0, -0.15)):
        tips[ankle] = guess
        drawn = replace(tipped, skeleton=replace(tipped.skeleton, tips=tips.copy()))
        assert_allclose(contacts.feet(drawn)["L"], contacts.feet(without_toes)["L"], atol=1e-12)


def test_a_leg_without_foot_stands_on_the_end_of_its_shin():
    clip = material.walk(1.0)
    names = clip.skeleton.names
    footless = _with_joints(clip, [j for j, name in enumerate(names) if not name.endswith(("Foot", "ToeBase"))])
    assert contacts.feet(footless) == {}
    tips = footless.skeleton.tips.copy()
    tips[footless.skeleton.roles["shin.L"]] = (0.0, 0.0, -0.4)
    box = replace(footless, skeleton=replace(footless.skeleton, tips=tips))
    (path,) = contacts.feet(box).values()
    assert_allclose(path, kinematics.points(clip)[:, names.index("LeftFoot")], atol=1e-12)


def test_a_fox_stands_on_four_feet():
    fox = material.character("Fox")
    time = np.arange(101) / 50.0
    moved = np.zeros((len(time), len(fox), 3))
    # Each foot in turn is lifted for 0.4 s.
    joints = {"L": "toe.L", "front L": "hand.L", "R": "toe.R", "front R": "hand.R"}
    for turn, role in enumerate(joints.values()):
        lifted = np.clip(1.0 - np.abs(time - 0.3 - 0.5 * turn) / 0.2, 0.0, 1.0)
        moved[:, fox.roles[role], 2] = 0.2 * lifted
    clip = Clip("fox", fox, 50.0, np.tile(quat.IDENTITY, (len(time), len(fox), 1)), moved)
    feet = contacts.standing_feet(world_pose.pose(clip))
    assert list(feet) == ["L", "R", "front L", "front R"]
    for turn, (name, role) in enumerate(joints.items()):
        ((before, _), (_, after)) = (
            contacts.runs(~feet[name].ball_stands)[0],
            contacts.runs(~feet[name].ball_stands)[-1],
        )
        assert (before / 50.0, after / 50.0) == pytest.approx((0.1 + 0.5 * turn, 0.5 + 0.5 * turn), abs=0.08)
        assert_allclose(feet[name].ball, kinematics.points(clip)[:, fox.roles[role]])


def test_a_body_without_feet_has_no_contacts(rng):
    clip = material.random_clip(rng, material.random_skeleton(rng))
    assert contacts.detect(clip) == {}
    assert contacts.feet(clip) == {}
    # Two frames are too few for a speed.
    assert not contacts.detect(material.walk(1.0).cut(0, 2))["L"].any()


def _with_joints(clip, kept):
    body, new = clip.skeleton, {old: k for k, old in enumerate(kept)}
    parents = np.array([-1 if body.parents[j] < 0 else new[int(body.parents[j])] for j in kept])
    skeleton = replace(
        body,
        names=tuple(body.names[j] for j in kept),
        parents=parents,
        offsets=body.offsets[kept],
        orients=body.orients[kept],
        tips=body.tips[kept],
        roles={},
    )
    return replace(clip, skeleton=skeleton, rotations=clip.rotations[:, kept], translations=clip.translations[:, kept])


@dataclass
class Compared:
    """Comparison of the stances that one kind of flags finds in several clips; times in ms, late is positive."""

    overlaps: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    missed: list
    split: list
    extra: list


def compared(names, kind="stands"):
    gait = pytest.importorskip("oracles.gait")  # it needs scipy
    overlaps, begins, ends, missed, split, extra = [], [], [], [], [], []
    for name in names:
        clip = captured(name)
        for side, foot in contacts.standing_feet(world_pose.pose(clip)).items():
            truth = [(start, end) for s, start, end in gait.stances(clip) if s == side]
            found = contacts.runs(getattr(foot, kind))
            for start, end in truth:
                hits = [(a, b) for a, b in found if a < end and b > start]
                split += [(name, side, start)] if len(hits) > 1 else []
                if not hits:
                    missed.append((name, side, start))
                    overlaps.append(0.0)
                    continue
                a, b = max(hits, key=lambda hit: min(hit[1], end) - max(hit[0], start))
                overlaps.append((min(b, end) - max(a, start)) / (max(b, end) - min(a, start)))
                begins.append((a - start) / clip.rate * 1000.0)
                ends.append((b - end) / clip.rate * 1000.0)
            between = [(a, b) for a, b in found if truth and a > truth[0][0] and b < truth[-1][1]]
            extra += [(name, side, a) for a, b in between if not any(a < end and b > start for start, end in truth)]
    return Compared(np.array(overlaps), np.array(begins), np.array(ends), missed, split, extra)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("walks", "count", "mean", "worst", "gain"),
    [(MB_WALKS, 57, 0.91, 0.65, 0.04), (ASF_WALKS, 21, 0.955, 0.92, 0.015)],
    ids=["mb", "asf"],
)
def test_stances_of_captured_walks_are_found_whole_and_in_time(walks, count, mean, worst, gain):
    """The ankle finds the heel's strike, which the ball alone misses."""
    found, ball = compared(walks), compared(walks, "ball_stands")
    assert len(found.overlaps) == count
    assert (found.missed, found.split, found.extra) == ([], [], [])
    assert found.overlaps.mean() > mean
    assert found.overlaps.min() > worst
    assert 0.0 <= np.median(found.begins) <= 25.0
    assert -33.4 <= np.median(found.ends) <= 0.0
    assert found.overlaps.mean() > ball.overlaps.mean() + gain
    assert np.median(found.begins) < np.median(ball.begins) - 8.0


@pytest.mark.shared
def test_every_stance_of_captured_runs_is_found_once():
    found = compared(RUNS)
    assert len(found.overlaps) == 8
    assert (found.missed, found.split, found.extra) == ([], [], [])
    # A runner's foot is farthest behind well after it has left the ground: the truth itself is late. Limits of slow
    # runs lie between a walk's and a run's, so that no measure jumps from one to the other.
    assert found.overlaps.mean() > 0.68
    assert 0.0 < np.median(found.begins) <= 42.0


@pytest.mark.shared
@pytest.mark.parametrize("name", ["mb_35_01", "mb_07_12"])
def test_slide_does_not_jump_where_a_walk_becomes_a_run(name):
    """The walk gets 5 % faster each time: limits with a switch raised the slide by 5 to 15 cm/s at once."""
    clip = material.captured(f"cmu_{name}")
    faster = [replace(clip, rate=clip.rate * speed) for speed in np.linspace(1.0, 2.4, 29)]
    slides = [quality.measure(one)["slide_cm_s"] for one in faster]
    assert np.abs(np.diff(slides)).max() < 2.0


@pytest.mark.shared
def test_of_a_walk_whose_floor_rises_by_six_centimetres_no_stance_is_missed():
    found = compared(["cmu_mb_08_04"])
    assert (found.missed, found.split, found.extra) == ([], [], [])


@pytest.mark.shared
@pytest.mark.parametrize(("name", "least"), [("cmu_daz_13_35", 0.65), ("cmu_daz_03_01", 0.4)])
def test_on_stairs_and_uneven_ground_feet_stand(name, least):
    """A single floor for the clip found only a third and a quarter of the time."""
    shares = [foot.ball_stands.mean() for foot in contacts.standing_feet(world_pose.pose(captured(name))).values()]
    assert min(shares) > least


def test_a_step_counts_where_the_body_is_raised_by_it():
    up = rising(0.15, 1.0, 1.2)
    # The higher floor counts from where the lower one is half a second ago.
    assert_allclose(standing(moving(3.0, Hips=up)), [(0.0, 1.0), (1.5, 3.0)], atol=0.05)
    # The hips stay: the whole leg is lifted and held.
    assert_allclose(standing(moving(3.0, LeftUpLeg=up)), [(0.0, 1.0)], atol=0.05)
