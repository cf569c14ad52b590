"""Standing bodies are shifted over their feet; judged by other masses and another hull than the product's."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import kinematics, quat
from action_loom.core.weight import balance
from oracles import falling, jumps
from oracles.material import SHARED

pytestmark = pytest.mark.shared
NAME = "cmu_asf_16_03"


def bent(name, degrees):
    """Return a captured clip with its trunk bent backwards."""
    clip = jumps.read(name)
    roles, spine = clip.skeleton.roles, clip.skeleton.roles["spine"]
    turned, points = kinematics.pose_clip(clip)
    across = points[:, roles["thigh.R"]] - points[:, roles["thigh.L"]]
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    rotations = clip.rotations.copy()
    own = quat.rotate(quat.inv(turned[:, spine]), across)
    rotations[:, spine] = quat.mul(rotations[:, spine], quat.exp(np.radians(degrees) * own))
    return replace(clip, rotations=rotations)


def outside(clip, frame):
    """Return how far (m) the judge's centre of mass is in front of the toes, or behind the heels; negative between."""
    places, roles = falling.positions(clip), clip.skeleton.roles
    centre = falling.centre(clip, places)[frame, :2]
    toes, ankles = (
        np.mean([places[frame, roles[f"{part}.{side}"], :2] for side in "LR"], axis=0) for part in ("toe", "foot")
    )
    forwards = (toes - ankles) / np.linalg.norm(toes - ankles)
    height = clip.skeleton.height
    return float(
        max((centre - toes) @ forwards - balance.TOE * height, (ankles - centre) @ forwards - balance.HEEL * height)
    )


@pytest.mark.parametrize("degrees", [30, 45, 60])
def test_bent_bodies_are_shifted_over_their_feet(degrees):
    clip = bent(NAME, degrees)
    made, (stance,) = balance.balance_body(clip)
    assert stance.before < -0.02
    assert 0.0 < stance.after < 0.012
    middle = round((stance.start + stance.end) / 2 * clip.rate)
    assert outside(clip, middle) > 0.01
    assert outside(made, middle) < 0.01
    before, after = falling.positions(clip), falling.positions(made)
    frames = slice(round(stance.start * clip.rate), round(stance.end * clip.rate))
    feet = [clip.skeleton.roles[f"{part}.{side}"] for part in ("foot", "toe") for side in "LR"]
    assert np.abs(after[frames, feet] - before[frames, feet]).max() < 0.001
    far = round(1.5 * clip.rate)
    far = round(1.5 * clip.rate)
    assert (made.rotations[:far] == clip.rotations[:far]).all()
    assert falling.knee_acceleration(made) < 1.1 * falling.knee_acceleration(clip)


def test_the_shift_is_as_large_as_the_strength():
    clip = bent(NAME, 45)
    whole, half = (balance.balance_body(clip, strength)[1][0] for strength in (1.0, 0.5))
    assert half.moved == pytest.approx(0.5 * whole.moved)
    assert half.after - half.before == pytest.approx(0.5 * (whole.after - whole.before), abs=0.002)
    assert balance.balance_body(clip, 0.0)[0] is clip


def test_a_body_that_leans_too_far_is_told_and_left():
    clip = bent(NAME, 85)
    same, (stance,) = balance.balance_body(clip)
    assert same is clip
    assert (stance.moved, stance.after) == (0.0, stance.before)
    made = verbs.apply(verbs.Weight(balance=True), [clip])
    assert any("cm outside its feet" in one for one in made.report["warnings"])
    assert not any("outside its feet" in one for one in verbs.apply(verbs.Weight(), [clip]).report["warnings"])


def test_captured_bodies_stand_over_their_feet():
    paths = [path for path in sorted((SHARED / "cmu").glob("*.bvh")) if "daz" not in path.stem]
    for path in paths:
        clip = jumps.read(path.stem)
        assert balance.balance_body(clip)[0] is clip, path.stem


def test_depth_in_a_hull_agrees_with_known_answers():
    square = np.array([[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0]]])
    for place, deep, out in (([1.5, 1.0], 0.5, [1, 0]), ([1.0, -0.3], -0.3, [0, -1]), ([1.0, 1.9], 0.1, [0, 1])):
        found, way = balance._depth(np.array([place]), square)
        assert found[0] == pytest.approx(deep)
        assert way[0] == pytest.approx(out)
    shift = balance._shift_inside(np.array([[2.2, -0.4]]), square, 0.25)
    assert balance._depth(np.array([[2.2, -0.4]]) + shift, square)[0][0] == pytest.approx(0.25)
    assert shift[0] == pytest.approx([-0.45, 0.65], abs=0.03)  # the nearest place that deep


def test_feet_without_length_are_refused():
    clip = jumps.read(NAME)
    roles = {role: joint for role, joint in clip.skeleton.roles.items() if not role.startswith(("toe", "foot"))}
    blunt = replace(clip, skeleton=replace(clip.skeleton, roles=roles))
    with pytest.raises(SkeletonError, match="its feet are not known"):
        balance.balance_body(blunt)
