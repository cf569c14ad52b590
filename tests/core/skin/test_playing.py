"""Surfaces frame by frame, further points of a surface, and messages about its fit to the bones."""

import numpy as np
import pytest
from action_loom.core.motion import kinematics, quat
from action_loom.core.skin import fit, playing, skinning
from action_loom.core.skin.skin import extend_surface, skin
from oracles import material
from oracles.surfaces import matrices, random_skin


@pytest.mark.both_engines
@pytest.mark.parametrize("method", [playing.LINEAR, playing.DUAL])
def test_each_frame_is_what_the_kernels_make_of_its_joints(rng, method):
    skeleton = material.random_skeleton(rng)
    clip, joints = material.random_clip(rng, skeleton), [7, 0, 11]
    bind = playing.at_rest(skeleton, joints)
    surface = random_skin(bones=3)
    rotations, places = kinematics.world(clip)
    posed = np.tile(np.eye(4), (len(clip), len(skeleton), 1, 1))
    posed[..., :3, :3], posed[..., :3, 3] = quat.to_matrix(rotations), places
    found = list(playing.play(surface, bind, clip, joints, method))
    assert len(found) == len(clip)
    for frame, (vertices, normals) in enumerate(found):
        here = posed[frame, joints]
        expected = (
            skinning.linear(surface, skinning.moves(bind, here))
            if method == playing.LINEAR
            else skinning.dual_quaternions(surface, bind, here)
        )
        assert np.array_equal(playing.in_frame(clip, frame, joints), here)
        assert np.allclose(vertices, expected[0], atol=1e-6)
        assert np.allclose(normals, expected[1], atol=1e-6)


@pytest.mark.both_engines
@pytest.mark.parametrize("method", [playing.LINEAR, playing.DUAL])
def test_further_points_go_with_their_owners(method):
    surface, rest, posed = random_skin(), matrices(12), matrices(12, 4)
    owners = np.array([5, 0, 299, 5, 17])
    more = extend_surface(surface, owners, surface.normals[owners])
    places, turned = (
        skinning.linear(more, skinning.moves(rest, posed))
        if method == playing.LINEAR
        else skinning.dual_quaternions(more, rest, posed)
    )
    assert np.array_equal(places[300:], places[owners])
    assert np.array_equal(turned[300:], turned[owners])


def test_what_fits_is_not_talked_about():
    box = np.array([(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 1)], float)
    bind = np.tile(np.eye(4), (2, 1, 1))
    bind[:, :3, 3] = [(0.5, 0.2, 0.5), (0.5, 1.5, 0.5)]
    surface = skin(box, [[(0, 1.0)]] * 8, [])
    assert fit.notes(surface, bind, np.ones(8)) == []
    for scale, words in ((100.0, "most joints lie far outside"), (0.01, "the joints are all in one place")):
        other = bind.copy()
        other[:, :3, 3] *= scale
        (note,) = fit.notes(surface, other, np.ones(8))
        assert note.startswith(words)
