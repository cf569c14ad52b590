"""Clips that an animator made round the origin of one character: they fit each other as they stand.

Method: Connecting two clips.
"""

from dataclasses import dataclass

import numpy as np

from ..motion import root_motion
from ..motion.clip import Clip

IN_PLACE = 0.3  # body heights; who goes less far stands on the spot
STRAIGHT = np.radians(30.0)  # who turns more faces elsewhere in the end
FACING = np.radians(50.0)  # from where the rest pose faces: idle stances are askew by up to 43°
AHEAD = np.radians(25.0)  # from there, of the way of who goes
NEAR = 0.2  # body heights from where the rest pose stands
WORSE, MORE = 2.5, 0.02  # times the distance of the matched poses, and body heights: farther apart they do not fit


@dataclass(frozen=True)
class Stand:
    """Whether a clip ends where and as it began on the ground, and whether it begins as the rest pose stands.

    That is near it, facing as it does, and going that way, if anywhere. Captures begin anywhere, and of a body without
    thighs nothing is known.
    """

    in_place: bool
    as_made: bool


def stand(clip: Clip) -> Stand:
    """Return how a clip stands on the ground."""
    skeleton, height = clip.skeleton, clip.skeleton.height
    ground, raw = root_motion.ground_frames(clip)
    facing = root_motion.smooth(raw, root_motion.HEADING_SIGMA * clip.rate)
    way = complex(*(ground[-1] - ground[0]))
    straight = bool(abs(facing[-1] - facing[0]) < STRAIGHT)
    in_place = straight and abs(way) < IN_PLACE * height
    if root_motion.heading_source(skeleton) != "thighs":
        return Stand(in_place, False)
    ahead = root_motion.rest_heading(skeleton)
    place = skeleton.rest[1][root_motion.travelling_joint(skeleton), :2]
    near = np.linalg.norm(ground[0] - place) <= NEAR * height and _away(float(np.mean(facing)), ahead) <= FACING
    # Who faces +y has a heading of 0, and so has a way along +y.
    goes_ahead = straight and _away(float(np.angle(way / 1j)), ahead) <= AHEAD
    return Stand(in_place, bool(near and (in_place or goes_ahead)))


def _away(one: float, other: float) -> float:
    return float(abs(np.angle(np.exp(1j * (one - other)))))
