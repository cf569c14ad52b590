"""Contacts of hands found from the motion alone: none in gaits, and the known ones of captures."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.contacts import find
from action_loom.core.demo_character import actions
from action_loom.core.formats import motion_file
from action_loom.core.motion import mirror, resample, root_motion, trim
from oracles import material
from oracles.hands import hands_together
from oracles.material import SHARED

SIT, SALSA = "cmu_daz_14_27", "cmu_daz_salsa_10"
NOT_PLAIN = {"127_32"}  # runs and ducks underneath: a hand lies between thigh and trunk


def keys(clip):
    return [one.key for one in find.find_contacts(clip)]


@pytest.mark.shared
def test_walks_and_runs_have_none():
    """All clips of strides and of AMC files walk, run, turn or stop; a third of them was kept out of tuning."""
    files = [*sorted(SHARED.glob("strides/*.bvh")), *sorted(SHARED.glob("amc/*.amc"))]
    found = {}
    for path in files:
        clip = trim.ends(motion_file.read(path).clip).clip
        if path.stem not in NOT_PLAIN and keys(clip):
            found[path.name] = keys(clip)
    assert len(files) > 110
    assert found == {}


@pytest.mark.shared
def test_hands_that_rest_together_while_a_person_sits_are_on_one_thing():
    found = [one for one in find.find_contacts(material.captured(SIT)) if one.kind == find.RIGID]
    assert [(round(one.first / 120.0), round(one.end / 120.0)) for one in found] == [(4, 9)]


@pytest.mark.shared
def test_a_dancer_crosses_the_arms_and_claps():
    found = find.find_contacts(material.captured(SALSA))
    assert {("on", "L", "forearm.R"), ("on", "R", "forearm.L")} <= {one.key for one in found}
    assert sum(one.kind == find.TOUCH for one in found) >= 6


@pytest.mark.shared
def test_nothing_depends_on_place_heading_side_or_rate():
    clip = material.captured(SALSA)
    wanted = find.find_contacts(clip)
    moved = root_motion.place_clip(clip, 2.0, np.array([3.0, -8.0]))
    assert find.find_contacts(moved) == wanted
    sides = {"L": "R", "R": "L", "LR": "LR"}
    image = find.find_contacts(mirror.mirror_clip(clip))
    assert {(one.kind, sides[one.sides], one.first // 8) for one in image} == {
        (one.kind, one.sides, one.first // 8) for one in wanted
    }
    slow = find.find_contacts(resample.to_rate(clip, 30.0))
    assert {one.key for one in slow} == {one.key for one in wanted}


def test_hands_that_meet_are_found_at_their_frames():
    found = find.find_contacts(hands_together(actions.walk(cycles=3)))
    assert [one.kind for one in found] == [find.TOUCH]
    assert 33 <= found[0].first <= 40
    assert 70 <= found[0].end <= 78


def test_bodies_without_hands_have_none():
    clip = actions.walk(cycles=1)
    roles = {role: joint for role, joint in clip.skeleton.roles.items() if not role.startswith("hand")}
    assert find.find_contacts(replace(clip, skeleton=replace(clip.skeleton, roles=roles))) == ()
    assert find.find_contacts(clip.cut(0, 1)) == ()
