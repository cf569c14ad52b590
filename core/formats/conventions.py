"""Convert a clip from a file's own units and axes to metres and Z up, as asked for or guessed."""

from dataclasses import replace

import numpy as np

from ..errors import OptionError
from ..motion import quat
from ..motion.clip import Clip
from ..motion.skeleton import Skeleton
from . import units
from .motion_file import UPS, Convention

Y_TO_Z = quat.about_axis("X", np.array(0.5 * np.pi))


def settled(clip: Clip, unit: str, up: str, stated: float = 0.0) -> tuple[Clip, Convention]:
    """Return a clip in metres, Z up, and the convention that it had.

    clip : in a file's own unit and axes; its joint frames are these axes at rest
    unit, up : as in `motion_file.read`; stated : metres of its unit by the file itself, 0 where it does not state them
    Raises OptionError for an unknown unit or axis.
    """
    body = clip.skeleton
    up_found = _guess_up(body) if up == "auto" else up
    if up_found not in UPS:
        raise OptionError(f"up is {up!r}, but must be one of {', '.join(UPS)}")
    unit_found, scale = units.of_body(body, stated) if unit == "auto" else (unit, units.metres(unit))
    turn = Y_TO_Z if up_found == "y" else quat.IDENTITY
    offsets, tips = (scale * quat.rotate(turn, values) for values in (body.offsets, body.tips))
    made = replace(
        clip,
        skeleton=replace(body, offsets=offsets, tips=tips, roles={}),
        rotations=quat.mul(quat.mul(turn, clip.rotations), quat.inv(turn)),
        translations=scale * quat.rotate(turn, clip.translations),
    )
    return made, Convention(unit_found, scale, up_found, "auto" in (unit, up))


def _guess_up(body: Skeleton) -> str:
    """Return the axis that points up, by the extent of the rest pose, which stands.

    Only Y and Z are compared: arms are spread along X.
    """
    places = np.zeros_like(body.offsets)
    for joint, parent in enumerate(body.parents):
        if parent >= 0:
            places[joint] = places[parent] + body.offsets[joint]
    extent = np.ptp(places, axis=0)
    return "z" if extent[2] > 1.5 * extent[1] else "y"
