"""Clips that an animator made round the origin of one character: they fit each other as they stand (methods 5)."""

import numpy as np

from ..motion import root_motion
from ..motion.clip import Clip

IN_PLACE = 0.3  # body heights; who goes less far stands on the spot
STRAIGHT = np.radians(30.0)  # who turns more faces elsewhere in the end
FACING = np.radians(50.0)  # from where the rest pose faces: idle stances are askew by up to 43°
AHEAD = np.radians(25.0)  # from there, of the way of who goes
NEAR = 0.2  # body heights from where the rest pose stands
WORSE, MORE = 2.5, 0.02  # times the distance of the matched poses, and body heights: farther apart they do not fit


def in_place(clip: Clip) -> bool:
    """Say whether a clip ends where and as it began, on the ground."""
    ground, raw = root_motion.ground_frames(clip)
    facing = root_motion.smooth(raw, root_motion.HEADING_SIGMA * clip.rate)
    gone = float(np.linalg.norm(ground[-1] - ground[0]))
    return bool(gone < IN_PLACE * clip.skeleton.height and abs(facing[-1] - facing[0]) < STRAIGHT)


def begins_as_made(clip: Clip) -> bool:
    """Say whether a clip begins where the rest pose stands, faces as that does, and goes that way, if anywhere.

    Captures begin anywhere. Of a body without thighs nothing is known.
    """
    skeleton = clip.skeleton
    if root_motion.heading_source(skeleton) != "thighs":
        return False
    rotations, places = (one[None] for one in skeleton.rest)
    ahead = float(root_motion.raw_heading(skeleton, rotations, places)[0])
    stands = places[0, root_motion.travelling_joint(skeleton), :2]
    ground, raw = root_motion.ground_frames(clip)
    facing = root_motion.smooth(raw, root_motion.HEADING_SIGMA * clip.rate)
    off = np.abs(np.angle(np.exp(1j * (np.mean(facing) - ahead))))
    if off > FACING or np.linalg.norm(ground[0] - stands) > NEAR * skeleton.height:
        return False
    if in_place(clip):
        return True
    way = complex(*(ground[-1] - ground[0]))
    if abs(way) < IN_PLACE * skeleton.height or abs(float(facing[-1] - facing[0])) > STRAIGHT:
        return False
    # Facing +y at rest is an angle of 0, and so is a way along +y.
    return bool(abs(np.angle(way / 1j * np.exp(-1j * ahead))) <= AHEAD)
