"""Where the hands of a result, and other ends of limbs, have to go for a contact (methods: Contacts of hands)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..motion import kinematics, quat
from ..motion.clip import Clip
from ..motion.quat import Array
from . import parts, wanted
from .figure import Figure
from .find import ON, TOUCH, WORLD
from .wanted import Played, Wanted

EXACT = 0.002  # m; if all hands are this near, the result is not changed
TOUCHED = 0.15  # if a hand is on the other arm, this arm moves by this share of the missing distance
REACHES = 0.96  # of an arm's length; if a place is farther away, the hand slides along the part to reach it
SLIDES = ("thigh", "trunk")  # the parts along which hands may slide
FARTHEST = 0.07  # body heights by which a hand may slide at most


def carry_palms(made: Clip, played: Sequence[Played]) -> dict[str, Array] | None:
    """Return the vectors (F, 3) from the wrists to the palms of a body that plays one clip of another body.

    Hands point as the source's do, even if the bones do not show where fingers begin. None for a result of bodies with
    its own rest pose.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import goals, wanted
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> goals.carry_palms(walk, [wanted.Played(walk, 0, np.arange(97.0), np.ones(97))]) is None
        True
    """
    if (
        len(played) != 1
        or wanted.same_rest(played[0].clip.skeleton, made.skeleton)
        or len(played[0].frames) != len(made)
    ):
        return None
    clip, turned = played[0].clip, kinematics.get_cached_pose(played[0].clip)[0]
    found = {}
    for side in "LR":
        if any(parts.find_limb(one.skeleton, side) is None for one in (clip, made)):
            continue
        grown = parts.measure_limb(made.skeleton, "forearm", side) / parts.measure_limb(clip.skeleton, "forearm", side)
        found[side] = grown * wanted.sample(parts.palm_offset(clip, side, turned), played[0].frames)
    return found


def measure_lack(now: Figure, one: Wanted) -> dict[str, Array]:
    """Return the displacement (K, 3) of each hand of a contact that restores it, in its frames.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import figure, find, goals, wanted
        >>> from action_loom.core.demo_character import actions
        >>> now = figure.figure_of(actions.walk())
        >>> there = wanted.Wanted(find.Contact("world", "knee.L", "", 10, 40), now.ends["knee.L"] + [0.0, 0.0, 0.1])
        >>> goals.measure_lack(now, there)["knee.L"][0].round(2).tolist()
        [0.0, 0.0, 0.1]
    """
    kind, sides, name = one.contact.key
    span, relation = one.span, one.relation[one.span]
    if kind == ON:
        part, turned = now.part(name), now.turned[span, now.joint_of(name)]
        goal = part.at(one.relation[:, 0])[span] + quat.rotate(turned, relation[:, 1:])
        lack = goal - now.ends[sides][span]
        if name not in now.parts or name.partition(".")[0] not in parts.ARMS:
            return {sides: lack}
        # Crossed arms would follow each other if the other arm stayed, and block each other if both went half.
        return {sides: (1.0 - TOUCHED) * lack, name[-1]: -TOUCHED * lack}
    if kind == WORLD:
        return {sides: relation - now.ends[sides][span]}
    apart = (now.palms["L"] - now.palms["R"])[span]
    if kind == TOUCH:
        lack = quat.rotate(now.turned[span, now.chest], relation) - apart
    else:
        length = np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-9)
        lack = apart * (relation / length - 1.0)
    return {"L": 0.5 * lack, "R": -0.5 * lack}


def slide(one: Wanted, now: Figure) -> tuple[Wanted, float]:
    """Return a contact with a thigh or the trunk that the arm reaches, and the shift along the part (m) for that.

    The shift is the least that suffices, and the same in all its frames, so that the hand rests.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import figure, find, goals, wanted
        >>> from action_loom.core.demo_character import actions
        >>> now = figure.figure_of(actions.walk())
        >>> there = wanted.Wanted(find.Contact("world", "L", "", 10, 40), now.palms["L"])
        >>> goals.slide(there, now)[1]
        0.0
    """
    kind, side, name = one.contact.key
    if kind != ON or name not in now.parts or name.partition(".")[0] not in SLIDES:
        return one, 0.0
    span, part, roles = one.span, now.parts[name], now.skeleton.roles
    shoulder, elbow, wrist = (now.points[span, roles[role]] for role in parts.list_roles(side))
    reach = REACHES * (np.linalg.norm(elbow - shoulder, axis=1) + np.linalg.norm(wrist - elbow, axis=1))
    lack = measure_lack(now, one)[side]
    if float(np.abs(lack).max()) <= EXACT:  # its own arm was as straight
        return one, 0.0
    goal = now.palms[side][span] + lack
    away = goal - (now.palms[side][span] - wrist) - shoulder
    line = part.high[span] - part.low[span]
    # Shares u along the part with |away + u line| = reach, or the nearest to it.
    square, half = (line * line).sum(axis=1), (away * line).sum(axis=1)
    root = np.sqrt(np.maximum(half**2 - square * ((away * away).sum(axis=1) - reach**2), 0.0))
    ends = np.stack([-half - root, -half + root]) / square
    shares = np.where(
        np.linalg.norm(away, axis=1) <= reach, 0.0, ends[np.abs(ends).argmin(axis=0), np.arange(len(goal))]
    )
    share = float(shares[np.abs(shares).argmax()])
    along = one.relation[:, 0]
    most = FARTHEST * now.skeleton.height / float(np.sqrt(np.median(square)))
    share = float(np.clip(share, max(-along[span].min(), -most), min(1.0 - along[span].max(), most))) if share else 0.0
    relation = np.concatenate([(along + share)[:, None], one.relation[:, 1:]], axis=1)
    return replace(one, relation=relation), share * float(np.sqrt(np.median(square)))
