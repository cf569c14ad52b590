"""Place an action of a set at the origin, and choose the joint that carries its travel.

Method: A take becomes a set.
"""

from dataclasses import replace

import numpy as np

from ... import verbs
from ...motion import root_motion
from ...motion.clip import Clip
from ...weave import root_carrier
from .. import InPlace, Root

ROOT, IN_PLACE = "root", "inplace"
ROOTS = (IN_PLACE, ROOT)


def at_origin(clip: Clip) -> Clip:
    """Return a clip whose first frame is over the origin, facing as in the rest pose.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> from action_loom.core.verbs.take import placing
        >>> away = root_motion.place_clip(actions.walk(), 0.5, np.array([3.0, 2.0]))
        >>> bool(np.allclose(root_motion.ground_frames(placing.at_origin(away))[0][0], 0.0, atol=1e-9))
        True
    """
    facing = root_motion.ground_frames(clip)[1]
    turn = root_motion.rest_heading(clip.skeleton) - float(facing[0])
    turned = root_motion.place_clip(clip, turn, np.zeros(2))
    return root_motion.place_clip(turned, 0.0, -root_motion.ground_frames(turned)[0][0])


def place_root(clip: Clip, root: str) -> tuple[Clip, list[str]]:
    """Return a clip in place or with its travel on the root bone, and warnings.

    root : one of ROOTS

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import loops, placing
        >>> still, notes = placing.place_root(actions.walk(), placing.IN_PLACE)
        >>> round(loops.speed(still)[0], 2), notes
        (0.0, [])
    """
    if root == IN_PLACE:
        made = verbs.apply(InPlace(trim=False), [clip])
        return replace(made.clip, name=clip.name, cyclic=clip.cyclic), []
    if root_carrier.root_bone(clip) < 0:
        return clip, ["the travel is on the hips: the body has no root bone above them"]
    made = verbs.apply(Root(onto="root"), [clip])
    return replace(made.clip, name=clip.name, cyclic=clip.cyclic), []
