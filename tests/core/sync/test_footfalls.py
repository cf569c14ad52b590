"""Footfalls of bodies with four legs and more: detected where they were made, and aligned by registration."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.motion import leg_count, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import footfalls, register_cycles, registration
from numpy.testing import assert_allclose

WALK, AMBLE, GALLOP = (0.0, 0.25, 0.5, 0.75), (0.4, 0.52, 0.9, 0.02), (0.1, 0.32, 0.22, 0.45)
SIX = (0.0, 0.5, 0.1, 0.6, 0.2, 0.7)


def gait(downs, frames, *, stance=0.6, stride=0.3, bob=0.0):
    """Return one cycle of a body that walks on the spot; each leg comes down at a known share of it."""
    legs = len(downs)
    names = ["body", "head", *(f"{part}{k}" for k in range(legs) for part in ("leg", "foot"))]
    parents = [-1, 0, *(joint for k in range(legs) for joint in (0, 2 + 2 * k))]
    offsets = [[0.0, 0.0, 1.0], [0.0, 0.8, 0.4]]
    for k in range(legs):
        offsets += [[0.2 * (-1) ** k, 0.5 * (k // 2), 0.0], [0.0, 0.0, -1.0]]
    count = len(names)
    still = np.tile(quat.IDENTITY, (count, 1))
    skeleton = Skeleton(tuple(names), np.array(parents), np.array(offsets), still, np.zeros((count, 3)))
    places = np.zeros((frames + 1, count, 3))
    for k, down in enumerate(downs):
        since = (np.arange(frames + 1) / frames - down) % 1.0
        swings = np.clip((since - stance) / (1.0 - stance), 0.0, 1.0)
        ahead = np.where(since < stance, 0.5 - since / stance, swings - 0.5)
        places[:, 3 + 2 * k, 1:] = np.stack([stride * ahead, 0.4 * np.sin(np.pi * swings)], axis=1)
    places[:, 0, 2] = bob * np.cos(2.0 * np.pi * np.arange(frames + 1) / frames)
    places[:, 3::2, 2] -= places[:, :1, 2]
    return Clip("gait", skeleton, 30.0, np.tile(quat.IDENTITY, (frames + 1, count, 1)), places, cyclic=True)


def round_the_circle(phases):
    return np.abs(phases - np.round(phases))


def by_poses(_reference, _clip, curve, _matching):
    return curve


def apart(curve, downs, others):
    """Return the mean distance of corresponding footfalls along the curve alone, as a share of a cycle."""
    length, period = len(curve.frames) - 1, curve.frames[-1] - curve.frames[0]
    theirs = curve.at(np.array(downs) * length) / period
    return float(round_the_circle(theirs - np.array(others)).mean())


@pytest.mark.parametrize("downs", [WALK, AMBLE, GALLOP, SIX])
@pytest.mark.parametrize(("frames", "stance"), [(60, 0.6), (24, 0.35)])
def test_legs_come_down_where_they_were_made_to(downs, frames, stance):
    clip = gait(downs, frames, stance=stance, bob=0.03)
    legs = [[3 + 2 * k] for k in range(len(downs))]
    off = footfalls.of(clip, legs) - np.array(downs)
    assert round_the_circle(off).max() < 1.0 / frames + 0.02


def test_a_leg_that_comes_down_twice_in_a_cycle_or_never_leaves_has_no_footfall():
    clip = gait(WALK, 60)
    places = clip.translations.copy()
    places[:, 3] = np.concatenate([places[::2, 3], places[2::2, 3]])
    places[:, 5] = places[:1, 5]
    found = footfalls.of(replace(clip, translations=places), [[3], [5], [7]])
    assert np.isnan(found[:2]).all()
    assert np.isfinite(found[2])


def test_legs_are_found_in_the_clip_in_which_they_stand():
    walk, gallop = gait(WALK, 60), gait(GALLOP, 24, stance=0.3)
    assert leg_count.ends([walk, gallop]) == leg_count.ends([gallop, walk]) == [[3], [5], [7], [9]]
    assert leg_count.ends([actions.walk(), actions.run()]) == []


@pytest.mark.both_engines
@pytest.mark.parametrize(("frames", "others"), [(48, 48), (48, 24), (24, 60)])
def test_steps_in_the_same_order_meet(frames, others):
    walk, amble = gait(WALK, frames), gait(AMBLE, others, stance=0.4)
    curve = registration.register_pair(walk, amble, Matching(), cyclic=True)
    assert apart(curve, WALK, AMBLE) < 0.035
    assert curve.frames[-1] - curve.frames[0] == pytest.approx(others, abs=1e-9)
    assert (np.diff(curve.frames) > 0.0).all()


@pytest.mark.parametrize(("frames", "others"), [(48, 24), (24, 48)])
def test_steps_in_another_order_are_nearer_than_by_any_shift(frames, others):
    walk, gallop = gait(WALK, frames), gait(GALLOP, others, stance=0.3)
    curve = registration.register_pair(walk, gallop, Matching(), cyclic=True)
    shifts = np.linspace(0.0, 1.0, 200)[:, None]
    best = round_the_circle(np.subtract(GALLOP, WALK) - shifts).mean(axis=1).min()
    assert apart(curve, WALK, GALLOP) < best - 0.02


def test_six_legs_meet_as_four_do():
    downs = tuple((0.3 + 0.8 * down) % 1.0 for down in SIX)
    curve = registration.register_pair(gait(SIX, 40), gait(downs, 40), Matching(), cyclic=True)
    assert apart(curve, SIX, downs) < 0.035


def test_poses_match_where_they_bring_footfalls_as_near(monkeypatch):
    walk = gait(WALK, 48)
    later = replace(walk.cut(0, 49), translations=np.roll(walk.translations[:-1], 9, axis=0)[[*range(48), 0]])
    both = [registration.register_pair(walk, later, Matching(), cyclic=True)]
    monkeypatch.setattr(register_cycles, "_by_footfalls", by_poses)
    both.append(registration.register_pair(walk, later, Matching(), cyclic=True))
    assert_allclose(both[0].frames, both[1].frames, rtol=0.0, atol=0.0)


@pytest.mark.parametrize("how", [Matching(slope=3), Matching(joints="body, head"), Matching(metric="angles")])
def test_what_is_chosen_for_poses_is_kept(how, monkeypatch):
    clips = gait(WALK, 48), gait(GALLOP, 24, stance=0.3)
    found = registration.register_pair(*clips, how, cyclic=True)
    monkeypatch.setattr(register_cycles, "_by_footfalls", by_poses)
    assert_allclose(found.frames, registration.register_pair(*clips, how, cyclic=True).frames, rtol=0.0, atol=0.0)


def test_two_legs_are_matched_as_ever(monkeypatch):
    clips = actions.walk(cycles=1), actions.run(cycles=1)
    found = registration.register_pair(*clips, Matching(), cyclic=True)
    monkeypatch.setattr(register_cycles, "_by_footfalls", by_poses)
    assert_allclose(
        found.frames, registration.register_pair(*clips, Matching(), cyclic=True).frames, rtol=0.0, atol=0.0
    )
