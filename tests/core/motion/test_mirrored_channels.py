"""Curves beside the pose in a mirror: the counterpart and the sign of each."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions, body
from action_loom.core.motion import joint_matching, mirror, mirrored_channels
from action_loom.core.motion.clip import Channel
from oracles import material

NAMES = [
    'pose.bones["hand.L"].bbone_curveinx[0]',
    'pose.bones["hand.R"].bbone_curveinx[0]',
    'pose.bones["chest"].bbone_rollin[0]',
    'pose.bones["hand.L"]["grip"][0]',
    'pose.bones["hand.R"]["grip"][0]',
    'pose.bones["head"].constraints["See.L"].influence[0]',
    'pose.bones["head"].constraints["See.R"].influence[0]',
    'pose.bones["ik.L"].location[0]',
    'pose.bones["ik.R"].location[0]',
    '["smile_L"][0]',
    '["smile_R"][0]',
    '["lone_L"][0]',
    "delta_location[2]",
]


def with_channels(clip, rng, names=NAMES):
    return replace(clip, channels={name: Channel(rng.normal(size=len(clip))) for name in names})


def test_each_takes_its_counterpart_with_the_sign_of_a_reflection(rng):
    clip = with_channels(actions.wave(), rng)
    image = mirror.mirror_clip(clip)
    swapped = {
        0: (1, -1.0),
        2: (2, -1.0),
        3: (4, 1.0),
        5: (6, 1.0),
        7: (8, -1.0),
        9: (10, 1.0),
        11: (11, 1.0),
        12: (12, 1.0),
    }
    for here, (there, sign) in swapped.items():
        for one, other in ((here, there), (there, here)):
            np.testing.assert_allclose(image.channels[NAMES[one]].values, sign * clip.channels[NAMES[other]].values)


@pytest.mark.both_engines
def test_twice_they_are_the_same_on_any_body(rng):
    skeleton = material.random_skeleton(rng)
    kinds = ("bbone_curveinx", "bbone_curveinz", "bbone_rollout", "bbone_easein")
    names = [f'pose.bones["{joint}"].{kind}[0]' for joint in skeleton.names for kind in kinds]
    clip = with_channels(material.random_clip(rng, skeleton), rng, names)
    twice = mirror.mirror_clip(mirror.mirror_clip(clip))
    for name in names:
        np.testing.assert_allclose(twice.channels[name].values, clip.channels[name].values, atol=1e-9)


def test_a_body_teaches_the_words_for_its_sides():
    """A French rig ends its names with G and D."""
    skeleton = body.skeleton()
    french = tuple(name.replace(".L", " G").replace(".R", " D") for name in skeleton.names)
    named = replace(skeleton, names=french, roles=dict(skeleton.roles))
    assert joint_matching.side_words(named)[0] == ("g", "d")
    smile = 'pose.bones["head"]["Sourire G"][0]'
    assert mirrored_channels.counterparts(smile, named) == ['pose.bones["head"]["Sourire D"][0]']
    assert mirrored_channels.counterparts(smile, skeleton) == []
