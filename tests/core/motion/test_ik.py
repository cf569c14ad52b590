"""Legs led to places: reached by Blender's-like chains, feet as they were turned, nothing where nothing is asked."""

from dataclasses import replace

import numpy as np
from action_loom.core.demo_character import actions
from action_loom.core.motion import ik, kinematics, quat
from action_loom.core.motion.skeleton import Skeleton
from numpy.testing import assert_allclose

WALK = actions.sneak(30.0)
LEGS = ik.legs(WALK.skeleton)


def ends(clip):
    return {limb: kinematics.world(clip)[1][:, limb.end] for limb in LEGS}


def test_legs_are_those_that_hang_together():
    assert [limb.foot for limb in LEGS] == ["L", "R"]
    names = WALK.skeleton.names
    assert [names[joint] for joint in (LEGS[0].upper, LEGS[0].lower, LEGS[0].end)] == ["thigh.L", "shin.L", "foot.L"]
    loose = WALK.skeleton.parents.copy()
    loose[LEGS[0].end] = 0
    body = WALK.skeleton
    hanging = Skeleton(body.names, loose, body.offsets, body.orients, body.tips, body.roles)
    assert [limb.foot for limb in ik.legs(hanging)] == ["R"]


def test_ankles_come_to_their_places_and_feet_keep_how_they_are_turned(rng):
    wanted = {limb: place + 0.03 * rng.normal(size=3) for limb, place in ends(WALK).items()}
    made, away = ik.to_targets(WALK, wanted)
    before, after = kinematics.world(WALK), kinematics.world(made)
    for limb, place in wanted.items():
        assert_allclose(after[1][:, limb.end], place, atol=1e-9)
        assert_allclose(
            quat.same_side(after[0][:, limb.end], before[0][:, limb.end]), before[0][:, limb.end], atol=1e-9
        )
        assert_allclose(away[limb.foot], np.linalg.norm(place - before[1][:, limb.end], axis=1))
        for upper, lower in ((limb.upper, limb.lower), (limb.lower, limb.end)):
            lengths = [np.linalg.norm(pose[1][:, lower] - pose[1][:, upper], axis=1) for pose in (before, after)]
            assert_allclose(*lengths, atol=1e-12)
    others = [joint for joint in range(len(WALK.skeleton)) if all(joint not in vars(limb).values() for limb in LEGS)]
    assert np.array_equal(made.rotations[:, others], WALK.rotations[:, others])


def test_where_ankles_are_already_nothing_changes():
    made, away = ik.to_targets(WALK, ends(WALK))
    assert_allclose(made.rotations, WALK.rotations, atol=1e-7)
    assert max(distances.max() for distances in away.values()) < 1e-12


def test_what_is_out_of_reach_is_pointed_at_and_the_leg_not_straightened():
    far = {limb: place + np.array([0.0, 0.0, -1.0]) for limb, place in ends(WALK).items()}
    made, _ = ik.to_targets(WALK, far)
    _, positions = kinematics.world(made)
    for limb, place in far.items():
        hip, knee, end = (positions[:, joint] for joint in (limb.upper, limb.lower, limb.end))
        length = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(end - knee, axis=1)
        assert (np.linalg.norm(end - hip, axis=1) <= 0.995 * length + 1e-9).all()
        pointing = ((end - hip) * (place - hip)).sum(axis=1)
        assert_allclose(pointing, np.linalg.norm(end - hip, axis=1) * np.linalg.norm(place - hip, axis=1), rtol=1e-9)


def test_a_straight_knee_stays_straight():
    still = replace(WALK, rotations=np.tile(quat.IDENTITY, (*WALK.rotations.shape[:2], 1)))
    made, _ = ik.to_targets(still, {limb: place + np.array([0.02, 0.0, 0.05]) for limb, place in ends(still).items()})
    _, positions = kinematics.world(still)
    for limb in LEGS:
        hip, knee, end = (positions[:, joint] for joint in (limb.upper, limb.lower, limb.end))
        length = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(end - knee, axis=1)
        assert (np.linalg.norm(end - hip, axis=1) > 0.998 * length).all()
        # The bend of such a straight leg is unknown: the leg only swings.
        assert_allclose(made.rotations[:, limb.lower], still.rotations[:, limb.lower], atol=1e-9)
        assert np.abs(made.rotations[:, limb.upper] - still.rotations[:, limb.upper]).max() > 1e-3


def test_twist_joints_between_thigh_and_shin_go_along(rng):
    body, leg = WALK.skeleton, LEGS[0]
    names = (*body.names[: leg.lower], "twist", *body.names[leg.lower :])
    parents = np.array([p + (p >= leg.lower) for p in body.parents])
    parents[leg.lower] = leg.lower
    parents = np.insert(parents, leg.lower, leg.upper)
    half = 0.5 * body.offsets[leg.lower]
    offsets = np.insert(body.offsets, leg.lower, half, axis=0)
    offsets[leg.lower + 1] = half
    orients = np.insert(body.orients, leg.lower, quat.IDENTITY, axis=0)
    tips = np.insert(body.tips, leg.lower, 0.0, axis=0)
    twisted = replace(
        WALK,
        skeleton=Skeleton(names, parents, offsets, orients, tips),
        rotations=np.insert(WALK.rotations, leg.lower, quat.IDENTITY, axis=1),
        translations=np.insert(WALK.translations, leg.lower, 0.0, axis=1),
    )
    limb = next(one for one in ik.legs(twisted.skeleton) if one.foot == "L")
    place = kinematics.world(twisted)[1][:, limb.end] + 0.03 * rng.normal(size=3)
    made, _ = ik.to_targets(twisted, {limb: place})
    assert_allclose(kinematics.world(made)[1][:, limb.end], place, atol=1e-9)


def test_clips_with_scales_stay_as_they_are():
    scaled = replace(WALK, scales=np.full_like(WALK.translations, 1.2))
    made, away = ik.to_targets(scaled, ends(WALK))
    assert made is scaled
    assert away == {}
