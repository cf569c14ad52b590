"""Roles of unnamed legs, from motion: the roles of the named legs, or none."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.bodies import own_legs
from action_loom.core.demo_character import actions
from action_loom.core.formats import motion_file
from action_loom.core.motion import leg_roles, quat
from oracles import material

CAPTURES = ("cmu_asf_16_15", "cmu_mb_02_01", "cmu_mb_07_12", "cmu_daz_07_01", "cmu_daz_09_12", "cmu_daz_13_11")
SURE = CAPTURES[:4]


def nameless(clip):
    """Return the clip with bones called Bone.000 and so on, without roles."""
    names = tuple(f"Bone.{k:03d}" for k in range(len(clip.skeleton)))
    return replace(clip, skeleton=replace(clip.skeleton, names=names, roles={"none": 0}, roles_by={}))


@pytest.mark.parametrize("action", [actions.walk, actions.run, actions.sneak, actions.carry])
@pytest.mark.parametrize("turn", [0.0, 2.0])
def test_legs_of_the_figure_are_found_however_it_faces(action, turn):
    clip = action()
    turned = clip.rotations.copy()
    turned[:, 0] = quat.mul(quat.about_axis("Z", turn), turned[:, 0])
    found = leg_roles.find(nameless(replace(clip, rotations=turned)))
    assert set(own_legs.LEGS) <= set(found)
    assert {role: clip.skeleton.roles[role] for role in found} == found


def test_a_mirrored_body_has_its_sides_exchanged():
    walk = actions.walk()
    skeleton = walk.skeleton
    mirror = np.array([-1.0, 1.0, 1.0])
    flip = np.array([1.0, 1.0, -1.0, -1.0])
    other = replace(
        skeleton, offsets=skeleton.offsets * mirror, orients=skeleton.orients * flip, tips=skeleton.tips * mirror
    )
    mirrored = replace(walk, skeleton=other, rotations=walk.rotations * flip, translations=walk.translations * mirror)
    exchanged = {f"{role[:-1]}{'LR'[role[-1] == 'L']}": joint for role, joint in skeleton.roles.items() if "." in role}
    found = leg_roles.find(nameless(mirrored))
    assert set(own_legs.LEGS) <= set(found)
    assert all(exchanged[role] == found[role] for role in own_legs.LEGS)


@pytest.mark.parametrize("still", [actions.walk().cut(0, 1), actions.wave().cut(0, 3)])
def test_poses_that_do_not_step_tell_nothing(still):
    assert leg_roles.find(nameless(still)) == {}


@pytest.mark.shared
@pytest.mark.parametrize("name", CAPTURES)
def test_captured_bodies_have_the_roles_that_their_names_tell_or_none(name):
    clip = motion_file.read(material.SHARED / "cmu" / f"{name}.bvh").clip
    clip = clip.decimate(max(1, len(clip) // 600))
    found = leg_roles.find(nameless(clip))
    assert {role: clip.skeleton.roles[role] for role in found} == found
    assert bool(found) or name not in SURE


def test_what_is_known_or_chosen_stays():
    walk = actions.walk()
    roles = walk.skeleton.roles
    bare = replace(walk.skeleton, roles={"head": roles["head"]})
    shown = own_legs.find_legs(walk)
    assert own_legs.add_roles(bare, shown).roles == {"head": roles["head"], **shown}
    assert own_legs.add_roles(bare, shown).roles_found_by["thigh.L"] == "shape"
    assert "thigh.L" not in own_legs.add_roles(bare, shown, without={"thigh.L"}).roles
    swapped = replace(walk.skeleton, roles={"thigh.L": roles["thigh.R"]})
    assert own_legs.add_roles(swapped, shown) is swapped
    assert own_legs.add_roles(walk.skeleton, shown) is walk.skeleton
