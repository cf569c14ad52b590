"""A clip on the body of another, as a verb."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError
from action_loom.core.motion import quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.quality import contacts
from action_loom.core.verbs import InPlace, Retarget, Travel
from action_loom.core.verbs.retarget.work import limbs_off
from action_loom.core.weave import planting
from numpy.testing import assert_allclose
from oracles import bodies, material

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def other():
    factors = {"Leg": 0.9, "Arm": 1.2}
    return material.walk(
        1.0, skeleton=bodies.resting(bodies.proportioned(material.figure(), factors), {}), name="other"
    )


def test_the_first_is_the_body_and_the_second_the_motion(other):
    clip = actions.walk(30.0, 3)
    made = verbs.apply(Retarget(plant_feet=False), [other, clip])
    assert made.clip.name == f"{clip.name} on other"
    assert made.clip.skeleton is other.skeleton
    assert made.reference == 0
    assert len(made.clip) == len(clip)
    assert max(float(angle.max()) for angle in limbs_off(clip, made.clip).values()) < 0.01
    assert made.report["quality"]["after"]["slide_cm_s"] is not None


def test_a_way_that_was_taken_off_is_scaled_with_the_legs(other):
    clip = actions.walk(30.0, 3)
    still = verbs.apply(InPlace(), [clip]).clip
    made = verbs.apply(Retarget(), [other, still])
    gone = verbs.apply(Travel(), [made.clip]).clip
    straight = verbs.apply(Retarget(), [other, clip])
    hips = [one.translations[-1, 0, :2] - one.translations[0, 0, :2] for one in (gone, straight.clip)]
    assert_allclose(np.linalg.norm(hips[0]), np.linalg.norm(hips[1]), rtol=0.02)


def stances(clip, rows):
    """Speed (cm/s) in the middle half of each span, and its height (m)."""
    balls, found = contacts.feet(clip), []
    for span in rows:
        ball, middle = balls[span.foot], slice(span.middle.first, span.middle.end)
        speed = np.linalg.norm(np.gradient(ball[:, :2], axis=0), axis=1) * clip.rate
        found.append((100.0 * speed[middle].mean(), float(np.median(ball[middle, 2]))))
    return np.array(found)


@pytest.mark.both_engines
@pytest.mark.shared
def test_feet_without_toes_stand_while_the_ankles_of_the_clip_do():
    """The balls of the feet left 4 contacts out and slid by up to 20 cm/s in the others; the ankles do not."""
    clip = material.captured("cmu_mb_02_01")
    made = verbs.apply(Retarget(), [material.as_captured("BVH-Pose-Editor__tpose"), clip])
    rows = planting.find(clip, made.clip.skeleton)
    assert not made.report["plant"]["refused"]
    assert len(rows) >= 5
    assert stances(made.clip, rows)[:, 0].max() < 0.5


def test_a_body_whose_legs_end_with_the_shins_stands_on_the_ground():
    """Without its legs' length the scale was that of other bones: a box figure floated 20 cm over the ground."""
    walk = actions.walk(30.0, 3)
    body = walk.skeleton
    kept = [joint for joint, name in enumerate(body.names) if not name.startswith(("foot", "toe"))]
    tips = body.tips.copy()
    for side in "LR":
        tips[body.roles[f"shin.{side}"]] = body.offsets[body.roles[f"foot.{side}"]]
    offsets, shins = body.offsets.copy(), [body.roles["shin.L"], body.roles["shin.R"]]
    offsets[shins] *= 0.5
    tips[shins] *= 0.5
    box = Skeleton(
        tuple(body.names[joint] for joint in kept),
        np.array([kept.index(body.parents[joint]) if body.parents[joint] >= 0 else -1 for joint in kept]),
        offsets[kept],
        body.orients[kept],
        tips[kept],
    )
    still = Clip("box", box, 30.0, np.tile(quat.IDENTITY, (2, len(box), 1)), np.zeros((2, len(box), 3)))
    made = verbs.apply(Retarget(), [still, walk])
    assert made.report["retarget"]["scale"] == pytest.approx(0.5, abs=0.01)
    rows = planting.find(walk, box)
    heights = stances(made.clip, rows)[:, 1]
    assert np.abs(heights).max() < 0.03


def test_feet_that_disagree_on_the_spot_are_not_planted_and_refuse_nothing(other):
    """Without planting such a cycle is retargeted exactly, so the optional step is left out with its reason."""
    walk = actions.walk(30.0, 3)
    places, _ = root_motion.ground_frames(walk)
    still = root_motion.place_clip(walk, 0.0, places[0] - places)
    left = walk.skeleton.roles["thigh.L"]
    rotations = still.rotations.copy()
    mean = quat.mean_of_frames(rotations)[left]
    rotations[:, left] = quat.mul(mean, quat.exp(0.3 * quat.log(quat.mul(quat.inv(mean), rotations[:, left]))))
    limping = replace(still, rotations=rotations)
    with pytest.raises(ClipError, match="its feet disagree how fast"):
        planting.plant_clip(limping)
    made, unplanted = (verbs.apply(Retarget(plant_feet=plant), [other, limping]) for plant in (True, False))
    assert "its feet disagree how fast" in made.report["not_planted"]
    assert_allclose(made.clip.rotations, unplanted.clip.rotations, atol=1e-12)
