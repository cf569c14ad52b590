"""Directions of hands and palms: by the fingers' names, or by the first bone that is away from the wrist."""

import numpy as np
import pytest
from action_loom.core.motion import fingers, quat
from action_loom.core.motion.skeleton import Skeleton
from numpy.testing import assert_allclose
from oracles import bodies


def test_fingers_point_along_a_hand_at_rest_and_the_index_finger_is_in_front():
    body = bodies.handed()
    places = np.concatenate([body.rest[1], body.rest[1][body.tipped] + body.tips[body.tipped]])
    for side, sign in (("L", -1.0), ("R", 1.0)):
        along = np.mean([place for name, place in bodies.FINGERS.items() if name != "Thumb"], axis=0) * (sign, 1.0)
        assert_allclose(fingers.pointing(body, side, places), [*(along / np.hypot(*along)), 0.0], atol=1e-12)
        index, little = bodies.FINGERS["Index"], bodies.FINGERS["Pinky"]
        wanted = [sign * (index[0] - little[0]), index[1] - little[1], 0.0]
        assert_allclose(fingers.fan(body, side, places), wanted, atol=1e-12)


@pytest.mark.parametrize(("gaps", "pointing"), [((0.2,), True), ((0.0, 0.01, 0.2), True), ((0.01, 0.02), False)])
def test_without_names_a_hand_points_to_the_first_bone_away_from_the_wrist(gaps, pointing):
    """Bones within a twentieth of the forearm, here 1 m, say nothing."""
    names = ("forearm", "hand", *(f"bone{k}" for k in range(len(gaps))))
    offsets = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], *([0.0, gap, 0.0] for gap in gaps)])
    still, roles = np.tile(quat.IDENTITY, (len(names), 1)), {"forearm.L": 0, "hand.L": 1}
    body = Skeleton(names, np.arange(len(names)) - 1, offsets, still, np.zeros((len(names), 3)), roles=roles)
    found = fingers.pointing(body, "L", np.cumsum(offsets, axis=0))
    assert (found is not None) == pointing
    assert not pointing or found.tolist() == [0.0, 1.0, 0.0]
    assert fingers.fan(body, "L", offsets) is None
