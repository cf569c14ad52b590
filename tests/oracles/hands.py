"""A judge of where palms are, with its own kinematics and on written files; clips and bodies for tests of hands."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from action_loom.core.edit import reaching
from action_loom.core.formats import bvh, motion_file
from action_loom.core.motion import kinematics, resample
from action_loom.core.motion.clip import Clip

from . import falling, material


def at_30(name, first=0.0, last=1e9):
    clip = resample.to_rate(material.captured(name), 30.0)
    return clip.cut(int(30 * first), int(min(30 * last, len(clip))))


def standing(skeleton):
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (2, len(skeleton), 1))
    return Clip("body", skeleton, 30.0, turns, np.zeros((2, len(skeleton), 3)))


def other_body(arm=1.0, size=1.0):
    """A captured body kept out of tuning, with other arms and of another size."""
    figure = material.captured("cmu_mb_35_03").skeleton
    offsets = size * figure.offsets
    for side in "LR":
        offsets[[figure.roles[f"{role}.{side}"] for role in ("forearm", "hand")]] *= arm
    return replace(figure, offsets=offsets, tips=size * figure.tips)


def hands_together(clip):
    """Return a clip whose wrists meet in front of the chest in frames 40 to 70, wherever it goes."""
    chest = kinematics.world(clip)[1][:, clip.skeleton.roles["chest"]]
    share = reaching.shares(len(clip), 40, 70, ease=12.0)
    for arm, aside in (("left_arm", 0.02), ("right_arm", -0.02)):
        led = reaching.limb_of(clip, arm)
        goals = chest + np.array([-aside, -0.3, 0.1])
        clip = reaching.reach_target(clip, reaching.Asked(led, goals, share, tip=np.zeros(3)))
    return clip


# --- the judge ------------------------------------------------------------------------------------------------------


def written(clip, folder):
    """Return a clip as its file has it."""
    path = folder / "made.bvh"
    path.write_bytes(bvh.compose(clip))
    return motion_file.read(path).clip


def length(places, *joints):
    return sum(np.linalg.norm(places[0, one] - places[0, other]) for one, other in pairwise(joints))


def palms(clip):
    """Return both palms (2, F, 3): 0.13 of the arm beyond the wrist, towards the mean of where fingers begin."""
    places, roles, skeleton = falling.positions(clip), clip.skeleton.roles, clip.skeleton
    found = []
    for side in "LR":
        joints = [roles[f"{role}.{side}"] for role in ("upper_arm", "forearm", "hand")]
        wrist, roots = places[:, joints[-1]], []
        for joint in np.flatnonzero(skeleton.parents == joints[-1]):
            if "Thumb" not in skeleton.names[joint]:
                is_at_wrist = np.linalg.norm(places[0, joint] - wrist[0]) < 0.001
                roots.append(int(np.argmax(skeleton.parents == joint)) if is_at_wrist else int(joint))
        ahead = places[:, roots].mean(axis=1) - wrist
        found.append(wrist + 0.13 * length(places, *joints) * ahead / np.linalg.norm(ahead, axis=1)[:, None])
    return np.array(found)


def apart(clip):
    return np.linalg.norm(np.subtract(*palms(clip)), axis=1)


def legs(clip):
    places, roles = falling.positions(clip), clip.skeleton.roles
    return np.mean([length(places, *(roles[f"{role}.{side}"] for role in ("thigh", "shin", "foot"))) for side in "LR"])
