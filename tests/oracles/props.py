"""Clips with a prop in the hands, and a judge of where it is, which shares no code with the product."""

from dataclasses import replace

import numpy as np
from action_loom.core.contacts.figure import figure_of
from action_loom.core.motion import kinematics, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton

from . import falling

PROP, MARKS = "prop", ("prop_ahead", "prop_aside")  # two children show how it is turned
REACH = 0.3


def with_prop(clip: Clip, spans: list[tuple[str, int, int]], parent: str = "") -> Clip:
    """Return a clip with a prop that hands hold in spans of sides, first frame and end; elsewhere it lies still.

    parent : the joint that it is a child of, "" for a root of its own
    """
    figure, relation = figure_of(clip), None
    turned, places = np.tile(quat.IDENTITY, (len(clip), 1)), np.zeros((len(clip), 3))
    sides, first, _ = spans[0]
    turned[: first + 1], places[: first + 1] = _held(figure, sides, None, first)
    for sides, low, high in spans:
        relation = _in_hand(figure, sides[0], turned[low], places[low], low)
        for frame in range(low, high):
            turned[frame], places[frame] = _held(figure, sides, relation, frame)
        turned[high:], places[high:] = turned[high - 1], places[high - 1]
    return _add(clip, turned, places, parent)


def _held(figure, sides, relation, frame):
    skeleton = figure.skeleton
    if len(sides) == 2:
        left, right = (figure.palms[side][frame] for side in "LR")
        line = (right - left) / np.linalg.norm(right - left)
        up = figure.points[frame, skeleton.roles["head"]] - figure.points[frame, figure.chest]
        up = up - (up @ line) * line
        up /= np.linalg.norm(up)
        return quat.from_matrix(np.stack([line, up, np.cross(line, up)], axis=1)[None])[0], 0.5 * (left + right)
    hand = figure.turned[frame, skeleton.roles[f"hand.{sides}"]]
    if relation is None:
        return hand, figure.palms[sides][frame]
    turn, place = relation
    return quat.mul(hand, turn), figure.palms[sides][frame] + quat.rotate(hand, place)


def _in_hand(figure, side, turned, place, frame):
    back = quat.inv(figure.turned[frame, figure.skeleton.roles[f"hand.{side}"]])
    return quat.mul(back, turned), quat.rotate(back, place - figure.palms[side][frame])


def _add(clip, turned, places, parent):
    skeleton, count = clip.skeleton, len(clip.skeleton)
    above = skeleton.index(parent) if parent else -1
    still = np.tile(quat.IDENTITY, (3, 1))
    offsets = np.array([[0.0, 0.0, 0.0], [REACH, 0.0, 0.0], [0.0, REACH, 0.0]])
    made = Skeleton(
        (*skeleton.names, PROP, *MARKS),
        np.concatenate([skeleton.parents, [above, count, count]]),
        np.concatenate([skeleton.offsets, offsets]),
        np.concatenate([skeleton.orients, still]),
        np.concatenate([skeleton.tips, np.zeros((3, 3))]),
        dict(skeleton.roles),
    )
    rotations = np.concatenate([clip.rotations, np.tile(still, (len(clip), 1, 1))], axis=1)
    translations = np.concatenate([clip.translations, np.zeros((len(clip), 3, 3))], axis=1)
    back, origin = np.tile(quat.IDENTITY, (len(clip), 1)), np.zeros((len(clip), 3))
    if parent:
        rotated, positions = kinematics.world(clip)
        back, origin = quat.inv(rotated[:, above]), positions[:, above]
    rotations[:, count] = quat.continuous(quat.mul(back, turned))
    translations[:, count] = quat.rotate(back, places - origin)
    return replace(clip, skeleton=made, rotations=rotations, translations=translations)


# --- the judge ------------------------------------------------------------------------------------------------------


def grips(clip, palms):
    """Return where palms (2, F, 3), left and right, are on the prop (2, F, 3), metres along its own axes."""
    places = falling.positions(clip)
    origin, ahead, aside = (places[:, clip.skeleton.names.index(name)] for name in (PROP, *MARKS))
    axes = np.stack([(ahead - origin) / REACH, (aside - origin) / REACH], axis=1)
    axes = np.concatenate([axes, np.cross(axes[:, 0], axes[:, 1])[:, None]], axis=1)
    return np.array([np.einsum("fij,fj->fi", axes, palm - origin) for palm in palms])
