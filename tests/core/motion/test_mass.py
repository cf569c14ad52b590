"""The centre of mass of a body and of its trunk, against measurements, and in any place and facing."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import kinematics, mass, mirror, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from numpy.testing import assert_allclose
from oracles import material

WALK = actions.walk()
BODY = WALK.skeleton
HEIGHT = 1.72  # of the figure
ARM = ("upper_arm", "forearm", "hand")
# Straight walks and runs; the hips of other actions swing more than their centre of mass does.
STRAIGHT = ["mb_02_01", "asf_16_15", "mb_35_01", "mb_35_17"]
STRAIGHT_ASIDE = ["mb_08_01", "mb_12_01", "mb_35_03", "mb_32_01", "mb_35_22", "mb_49_04"]


def at_rest(skeleton):
    """One frame in the rest pose."""
    return Clip("rest", skeleton, 30.0, np.tile(quat.IDENTITY, (1, len(skeleton), 1)), np.zeros((1, len(skeleton), 3)))


def without(skeleton, *parts):
    """Return the body without the joints of some roles and all joints below them."""
    keep = ~skeleton.with_below([skeleton.roles[part] for part in parts])
    new = np.cumsum(keep) - 1
    parents = np.where(skeleton.parents < 0, -1, new[skeleton.parents])[keep]
    names = tuple(name for name, kept in zip(skeleton.names, keep, strict=True) if kept)
    tips = np.where(keep[:, None], skeleton.tips, 0.0)
    for part in parts:  # bones that lead to them end in the air
        above = skeleton.parents[skeleton.roles[part]]
        tips[above] = skeleton.offsets[skeleton.roles[part]]
    return Skeleton(names, parents, skeleton.offsets[keep], skeleton.orients[keep], tips[keep])


def with_end_joints(skeleton):
    """The body with a joint at the end of each bone instead of a tip."""
    tipped, count = skeleton.tipped, len(skeleton)
    return Skeleton(
        (*skeleton.names, *(f"{skeleton.names[j]}_end" for j in tipped)),
        np.concatenate([skeleton.parents, tipped]),
        np.concatenate([skeleton.offsets, skeleton.tips[tipped]]),
        np.concatenate([skeleton.orients, np.tile(quat.IDENTITY, (len(tipped), 1))]),
        np.zeros((count + len(tipped), 3)),
        dict(skeleton.roles),
    )


@pytest.mark.both_engines
def test_the_halves_of_the_trunk_have_together_the_trunks_centre():
    """Ae, Tang & Yokoi 1992: 30.2 + 18.7 = 48.9 % of the body's mass, the whole's centre at 49.3 % from the neck."""
    halves, whole = mass.trunk_halves(BODY), mass.trunk(BODY)
    assert_allclose(np.concatenate([halves, whole]).sum(axis=1), 1.0)
    places = BODY.rest[1]
    upper, lower = halves @ places
    assert_allclose((0.302 * upper + 0.187 * lower) / 0.489, (whole @ places)[0], atol=5e-3)
    neck = places[BODY.roles["neck"]]
    hips = 0.5 * (places[BODY.roles["thigh.L"]] + places[BODY.roles["thigh.R"]])
    assert neck[2] > upper[2] > lower[2] > hips[2]
    assert_allclose((neck[2] - (whole @ places)[0, 2]) / (neck[2] - hips[2]), 0.493, atol=0.02)
    # The ribs end at 0.63 of the trunk: 0.428 of that, and 0.609 of the rest.
    assert_allclose(mass.MEN.ribs, 0.63, atol=0.01)


def test_the_parts_make_up_a_body():
    table = mass.MEN
    limbs = (table.upper_arm, table.forearm, table.hand, table.thigh, table.shank, table.foot)
    assert_allclose(table.head.mass + table.trunk.mass + 2.0 * sum(part.mass for part in limbs), 1.0, atol=1e-12)
    assert_allclose(table.upper_trunk.mass + table.lower_trunk.mass, table.trunk.mass, atol=1e-12)
    assert 0.55 < table.ribs < 0.70  # where ribs end, and so the figures of trunk and halves go together
    assert_allclose(mass.shares(BODY).sum(), 1.0, atol=1e-12)


def test_who_stands_upright_has_it_in_the_middle_above_half_the_height():
    x, y, z = mass.centre_of_mass(at_rest(BODY))[0]
    assert_allclose(x, 0.0, atol=1e-12)
    assert abs(y) < 0.03
    assert 0.53 < z / HEIGHT < 0.58


@pytest.mark.both_engines
def test_it_is_the_mean_of_all_parts_by_their_masses():
    """The expected value sums the parts of the walk by the figure's own names."""
    at = dict(zip(BODY.names, kinematics.world(WALK)[1].transpose(1, 0, 2), strict=True))
    tips = kinematics.points(WALK)[:, len(BODY) :].transpose(1, 0, 2)
    at |= {f"{BODY.names[joint]} tip": tips[k] for k, joint in enumerate(BODY.tipped)}
    middle, ribs = 0.5 * (at["thigh.L"] + at["thigh.R"]), mass.trunk_halves(BODY) @ kinematics.world(WALK)[1]
    ways = [(0.069, at["head tip"], at["head"], 0.821)]
    for side in (".L", ".R"):
        knuckles = 0.5 * (at["hand" + side] + at["hand" + side + " tip"])
        heel = at["toe" + side + " tip"] + (at["foot" + side] - at["toe" + side + " tip"]) / 0.75
        ways += [
            (0.027, at["upper_arm" + side], at["forearm" + side], 0.529),
            (0.016, at["forearm" + side], at["hand" + side], 0.415),
            (0.006, at["hand" + side], knuckles, 0.891),
            (0.110, at["thigh" + side], at["shin" + side], 0.475),
            (0.051, at["shin" + side], at["foot" + side], 0.406),
            (0.011, at["toe" + side + " tip"], heel, 0.595),
        ]
    hint = sum(part * (one + share * (other - one)) for part, one, other, share in ways)
    hint = hint + 0.302 * ribs[:, 0] + 0.187 * ribs[:, 1]
    assert_allclose(mass.centre_of_mass(WALK), hint, atol=1e-12)
    assert middle[:, 2].mean() < hint[:, 2].mean() < at["chest"][:, 2].mean()


def test_it_goes_with_the_body_wherever_that_is():
    centre = mass.centre_of_mass(WALK)
    turned = mass.centre_of_mass(root_motion.place_clip(WALK, 0.7, np.array([3.0, -2.0, 0.4])))
    there = quat.rotate(quat.about_axis("Z", np.array(0.7)), centre) + np.array([3.0, -2.0, 0.4])
    assert_allclose(turned, there, atol=1e-9)
    seen = mass.centre_of_mass(mirror.mirror_clip(WALK))
    assert_allclose(seen, centre * [-1.0, 1.0, 1.0], atol=1e-9)
    twice = replace(BODY, offsets=2.0 * BODY.offsets, tips=2.0 * BODY.tips, roles={})
    assert_allclose(mass.shares(twice), mass.shares(BODY), atol=1e-12)


def test_an_arm_moves_it_by_its_share_of_the_mass():
    still = at_rest(BODY)
    rotations = still.rotations.copy()
    rotations[:, BODY.roles["upper_arm.R"]] = quat.about_axis("Y", np.array(2.0))
    raised = replace(still, rotations=rotations)
    before, after = (dict(zip(BODY.names, kinematics.world(clip)[1][0], strict=True)) for clip in (still, raised))
    tips = [
        kinematics.points(clip)[0, len(BODY) + list(BODY.tipped).index(BODY.roles["hand.R"])]
        for clip in (still, raised)
    ]
    expected = np.zeros(3)
    for one, tip, sign in ((before, tips[0], -1.0), (after, tips[1], 1.0)):
        shoulder, elbow, wrist = (one[f"{part}.R"] for part in ARM)
        expected += sign * 0.027 * (shoulder + 0.529 * (elbow - shoulder))
        expected += sign * 0.016 * (elbow + 0.415 * (wrist - elbow))
        expected += sign * 0.006 * (wrist + 0.891 * 0.5 * (tip - wrist))
    moved = mass.centre_of_mass(raised)[0] - mass.centre_of_mass(still)[0]
    assert_allclose(moved, expected, atol=1e-12)
    assert moved[2] > 0.01


def test_end_joints_do_as_well_as_tips():
    ends = with_end_joints(BODY)
    clip = Clip("ends", ends, 30.0, np.tile(quat.IDENTITY, (1, len(ends), 1)), np.zeros((1, len(ends), 3)))
    assert_allclose(mass.centre_of_mass(clip), mass.centre_of_mass(at_rest(BODY)), atol=1e-12)


@pytest.mark.parametrize("parts", [("hand.L", "hand.R"), ("foot.L", "foot.R"), ("toe.L", "toe.R")])
def test_hands_and_feet_that_are_not_known_are_where_the_limb_ends(parts):
    lesser = without(BODY, *parts)
    off = mass.centre_of_mass(at_rest(lesser)) - mass.centre_of_mass(at_rest(BODY))
    assert_allclose(mass.shares(lesser).sum(), 1.0, atol=1e-12)
    assert np.linalg.norm(off) < 3e-3


@pytest.mark.both_engines
def test_a_body_without_a_neck_has_no_trunk_to_weigh():
    headless = replace(BODY, roles={role: j for role, j in BODY.roles.items() if role != "neck"})
    with pytest.raises(SkeletonError, match="No joint plays the part of neck"):
        mass.trunk(headless)
    with pytest.raises(SkeletonError, match="No joint plays the part of neck"):
        mass.shares(headless)


def test_bodies_that_lack_a_part_are_refused_by_its_name():
    armless = replace(BODY, roles={role: j for role, j in BODY.roles.items() if role not in ("forearm.L", "hand.L")})
    with pytest.raises(SkeletonError, match=r"No joint plays the part of forearm\.L$"):
        mass.shares(armless)
    with pytest.raises(SkeletonError, match="four feet"):
        mass.shares(material.character("Fox"))
    with pytest.raises(SkeletonError, match=r"nothing hangs on it, and no joint is its hand\.L"):
        mass.shares(material.character("godot_player"))


@pytest.mark.shared
@pytest.mark.parametrize("name", [path.stem for path in material.some_captured_files("cmu")])
def test_captured_people_have_it_at_half_their_height_or_above(name):
    """The measured frame has the head highest above the lowest point; jumpers have their feet stretched there."""
    clip = material.captured(name)
    points, skeleton = kinematics.points(clip), clip.skeleton
    lowest = points[:, skeleton.point_weights > 0.0, 2].min(axis=1)
    upright = int(np.argmax(points[:, skeleton.roles["head"], 2] - lowest))
    share = (mass.centre_of_mass(clip)[upright, 2] - lowest[upright]) / skeleton.height
    assert 0.49 < share < (0.63 if name == "cmu_asf_16_03" else 0.6)


@pytest.mark.shared
@pytest.mark.parametrize("name", STRAIGHT + STRAIGHT_ASIDE)
def test_in_walks_and_runs_its_track_is_that_of_the_hips(name):
    """The tracks are smoothed (σ 0.5 s) and compared in the body's facing, without the steady distance ahead."""
    assert track_rms(material.captured(f"cmu_{name}")) < 0.0100


def track_rms(clip):
    """Return how far the smoothed ground track of the centre of mass strays from the hips' (m, RMS)."""
    ground, facing = root_motion.ground_frames(clip)
    away = root_motion.smooth(mass.centre_of_mass(clip)[:, :2] - ground, 0.5 * clip.rate)
    ahead = (away[:, 0] + 1j * away[:, 1]) * np.exp(-1j * root_motion.smooth(facing, 0.5 * clip.rate))
    return float(np.sqrt((np.abs(ahead - ahead.mean()) ** 2).mean()))
