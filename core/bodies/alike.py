"""Bring clips onto one body before weaving: joint by joint for equal joints, else by body roles.

Method: Body roles and retargeting.
"""

from dataclasses import replace

import numpy as np

from ..contacts import keep
from ..motion import quat, retarget
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import carried, carry, rest_check, rest_frames
from .carried import Carried

SAME_REST = 5.0  # degrees between limbs of two rest poses; people of one exporter differ by up to this
_BONES = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))


def like(clip: Clip, reference: Clip) -> tuple[Clip, Carried | None]:
    """Return a clip on the body of another, and a report on it; None if joints and rest pose are the same.

    Bodies with the same joints and similar rest poses keep each joint's world rotation relative to rest (see
    `motion.retarget.onto`); others are matched by body roles (see `carry.onto_body`). If one of the two is not known to
    be human, raises SkeletonError that names the joints found in only one body.

    Example:
        >>> from action_loom.core.bodies import alike
        >>> from action_loom.core.demo_character import actions
        >>> clip, carried = alike.like(actions.wave(), actions.walk())
        >>> clip.name, carried
        ('wave', None)
    """
    body = reference.skeleton
    if clip.skeleton.roles == body.roles and retarget.same(clip.skeleton, body):
        return retarget.onto(clip, body), None
    same = set(clip.skeleton.names) == set(body.names)
    if not all(map(carried.is_a_persons, (clip.skeleton, body))) or (same and rest_alike(clip.skeleton, body)):
        return retarget.onto(clip, body), None
    made, how = carry.onto_body(clip, body, body_rest=rest_check.choose(reference))
    made, lost = keep.keep_carried(clip, made)
    return made, replace(how, lost_hands=tuple(lost))


def rest_alike(one: Skeleton, other: Skeleton) -> bool:
    """Return whether the limbs of two people rest in the same directions, within 5°, for any headings.

    Example:
        >>> import numpy as np
        >>> from dataclasses import replace
        >>> from action_loom.core.bodies import alike
        >>> from action_loom.core.demo_character import body
        >>> figure = body.skeleton()
        >>> alike.rest_alike(figure, replace(figure, offsets=1.2 * figure.offsets))
        True
        >>> arms = np.array(["forearm" in name for name in figure.names])
        >>> lowered = np.where(arms[:, None], figure.offsets[:, [2, 1, 0]], figure.offsets)
        >>> alike.rest_alike(figure, replace(figure, offsets=lowered))
        False
    """
    ours, theirs = _limbs(one), _limbs(other)
    cosines = [float(ours[bone] @ theirs[bone]) for bone in ours.keys() & theirs.keys()]
    return bool(min(cosines, default=1.0) >= np.cos(np.radians(SAME_REST)))


def _limbs(skeleton: Skeleton) -> dict[str, Array]:
    """Return the directions (3,) of thighs, shins, upper arms and forearms at rest, for a body that faces +y."""
    pose, roles, found = rest_frames.at_rest(skeleton), skeleton.roles, {}
    upright = quat.inv(rest_frames.body_frame(skeleton, pose))
    for side in "LR":
        for high, low in ((f"{high}.{side}", f"{low}.{side}") for high, low in _BONES):
            if high in roles and low in roles:
                bone = quat.rotate(upright, pose.points[roles[low]] - pose.points[roles[high]])
                if (length := float(np.linalg.norm(bone))) > 0.0:
                    found[high] = bone / length
    return found
