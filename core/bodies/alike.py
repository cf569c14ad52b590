"""Clips brought onto one body before they are woven: joint for joint where they have the same, else part for part."""

import numpy as np

from ..motion import quat, retarget
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import carried, carry, rest_check, rest_frames
from .carried import Carried

SAME_REST = 5.0  # degrees between limbs of two rest poses; within, people of one exporter differ
_BONES = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))


def like(clip: Clip, reference: Clip) -> tuple[Clip, Carried | None]:
    """Return a clip on the body of another, and how it came there; None where both are of the same kind.

    Bodies of the same joints that rest alike keep the turns that these have in the world since rest (see
    `motion.retarget.onto`), all others the places of their parts (see `carry.onto_body`). Raises SkeletonError naming
    the joints that only one of the two has where either is not known to be a person's.
    """
    body = reference.skeleton
    same = set(clip.skeleton.names) == set(body.names)
    if not all(map(carried.is_a_persons, (clip.skeleton, body))) or (same and rest_alike(clip.skeleton, body)):
        return retarget.onto(clip, body), None
    return carry.onto_body(clip, body, body_rest=rest_check.choose(reference))


def rest_alike(one: Skeleton, other: Skeleton) -> bool:
    """Say whether the limbs of two people point the same way at rest, to 5°, whichever way each of them faces."""
    ours, theirs = _limbs(one), _limbs(other)
    cosines = [float(ours[bone] @ theirs[bone]) for bone in ours.keys() & theirs.keys()]
    return min(cosines, default=1.0) >= np.cos(np.radians(SAME_REST))


def _limbs(skeleton: Skeleton) -> dict[str, Array]:
    """The directions (3,) of thighs, shins, upper arms and forearms at rest, of a body that faces +y."""
    pose, roles, found = rest_frames.at_rest(skeleton), skeleton.roles, {}
    upright = quat.inv(rest_frames.body_frame(skeleton, pose))
    for side in "LR":
        for high, low in ((f"{high}.{side}", f"{low}.{side}") for high, low in _BONES):
            if high in roles and low in roles:
                bone = quat.rotate(upright, pose.points[roles[low]] - pose.points[roles[high]])
                if (length := float(np.linalg.norm(bone))) > 0.0:
                    found[high] = bone / length
    return found
