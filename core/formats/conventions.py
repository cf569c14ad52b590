"""A body and its motion in a file's own numbers as metres and Z up; what was asked for, and what was guessed."""

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
    """Return a clip in metres, Z up, and how it became so.

    clip : in a file's own unit and axes; its joint frames are these axes at rest
    unit, up : as in `motion_file.read`; stated : the metres that the file itself says its unit is, 0 where it says none
    Raises OptionError for a unit or an axis that is none.
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
    """Rest poses stand: the legs point down and the head up; arms spread along X and tell nothing."""
    places = np.zeros_like(body.offsets)
    for joint, parent in enumerate(body.parents):
        if parent >= 0:
            places[joint] = places[parent] + body.offsets[joint]
    extent = np.ptp(places, axis=0)
    return "z" if extent[2] > 1.5 * extent[1] else "y"
