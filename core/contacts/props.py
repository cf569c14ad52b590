"""Find props, joints outside the body, and the spans in which hands hold them.

Method: Props.

A prop held by one hand keeps its place and its turn in the frame of the hand; two hands keep their places on a prop.
The evidence is that the prop moves far more in the world, and relative to its parent, than relative to the hand.
"""

import numpy as np
from numpy.typing import NDArray

from ..motion import arrays, fingers, quat, roles
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import still_spans
from .figure import Figure
from .still_spans import Stillness

# In body heights.
RIGID, GRIP = Stillness(0.03, 0.12, 0.01, 0.3), Stillness(0.03, 0.12, 0.012, 0.3)
LEVER = 0.1  # radius by which rotations of a prop are multiplied, so that they add to distances
LEAVES = 0.02  # a joint below the hips that moves less relative to its parent is part of the body, and no prop
MOVES = 0.01  # a held prop moves at least this far both in the world and relative to its parent
EXPLAINS = 5.0  # least ratio of this motion to the motion relative to the hand
NEAR = 0.5  # a palm farther (median) from the nearest point of a prop does not hold it
PAIRED = 0.3  # least share of a span in which the motion of the hands must show that both hold one thing
# A held span is extended by frames beside it in which the distance of the relation from its median is within the
# quantile USUAL of the span, or within SAME.
USUAL, SAME = 0.9, 0.001
GAP = 0.1  # s; shorter gaps between spans of both hands are closed, and shorter spans of one hand are dropped

Held = tuple[int, str, int, int]  # a prop, "L", "R" or "LR", first frame and end


def list_props(figure: Figure) -> list[int]:
    """Return the joints of a body in motion that may be props: roles do not depend on them, and fingers are left out.

    Example:
        >>> from action_loom.core.contacts import figure, props
        >>> from action_loom.core.demo_character import actions
        >>> props.list_props(figure.figure_of(actions.walk()))
        []
    """
    skeleton = figure.skeleton
    if "hips" not in skeleton.roles or not figure.palms:
        return []
    bears = np.zeros(len(skeleton), dtype=bool)
    for joint in skeleton.roles.values():
        bears[[joint, *roles.ancestors(joint, skeleton.parents)]] = True
    hands = [skeleton.roles[f"hand.{side}"] for side in figure.palms]
    in_hand = skeleton.with_below(hands)
    others = _list_beside_fingers(figure)
    found = list[int]()
    for joint in np.flatnonzero(~bears).tolist():
        parent = int(skeleton.parents[joint])
        if in_hand[joint] and skeleton.body[joint]:
            if joint in others:
                found.append(joint)
            continue
        free = not skeleton.body[joint] and not (parent >= 0 and not bears[parent] and not skeleton.body[parent])
        if free or _moves_against_parent(figure, joint):
            found.append(joint)
    return found


def _list_beside_fingers(figure: Figure) -> set[int]:
    """Return children of hands beside the fingers, for hands whose fingers are known by name."""
    skeleton, found = figure.skeleton, set[int]()
    for side in figure.palms:
        chains = fingers.chains(skeleton, side)
        known = [joint for chain in chains.values() for joint in chain]
        hand = skeleton.roles[f"hand.{side}"]
        for joint in np.flatnonzero(skeleton.parents == hand).tolist() if known else ():
            if not any(skeleton.with_below([joint])[one] for one in known) and not fingers.is_palm(
                skeleton.names[joint]
            ):
                found.add(joint)
    return found


def _moves_against_parent(figure: Figure, joint: int) -> bool:
    way = np.ptp(_in_joint(figure, joint, int(figure.skeleton.parents[joint]))[:, :3], axis=0).max()
    return bool(way > LEAVES * figure.skeleton.height)


def find_held(figure: Figure, rate: float, paired: NDArray[np.bool_], joint: int) -> list[Held]:
    """Return the spans in which hands hold a prop.

    paired (F,) : whether both hands hold one thing by their own motion, which is evidence for both hands on a prop
    """
    count, sides, holder = len(figure), list(figure.palms), _find_holder(figure.skeleton, joint)
    rigid, grips = ({side: np.zeros(count, dtype=bool) for side in sides} for _ in range(2))
    for side in sides:
        relation = _in_hand(figure, side, joint)
        for span in _find_near(figure, rate, side, joint, relation, RIGID):
            if side == holder or _is_explained(figure, joint, relation, span):
                rigid[side][span] = True
        for span in _find_near(figure, rate, side, joint, _grip(figure, side, joint), GRIP):
            grips[side][span] = True
        grips[side] |= rigid[side]
    both = np.logical_and(*grips.values()) if len(sides) == 2 else np.zeros(count, dtype=bool)
    for first, end in arrays.find_runs(~both):
        if first > 0 and end < count and end - first < GAP * rate:
            both[first:end] = True
    held, free = list[Held](), np.ones(count, dtype=bool)
    for first, end in arrays.find_runs(both):
        span = slice(first, end)
        if end - first >= GRIP.seconds * rate and _hold_both(figure, joint, holder, span, paired):
            held.append((joint, "LR", first, end))
            free[span] = False
    for side in sides:
        if side != holder:  # it follows its parent
            alone = arrays.find_runs(rigid[side] & free)
            held += [(joint, side, *span) for span in alone if span[1] - span[0] >= GAP * rate]
            free &= ~rigid[side]
    return held


def _hold_both(figure: Figure, joint: int, holder: str, span: slice, paired: NDArray[np.bool_]) -> bool:
    """Return whether both hands, which stay on a prop in a span, hold it."""
    supported = float(paired[span].mean()) >= PAIRED
    if holder:  # by the rig it is always in one hand
        return supported
    moves = _measure_way(figure, joint, span) / figure.skeleton.height
    own = (_grip(figure, side, joint) for side in "LR")
    return (supported and moves >= 0.5 * MOVES) or all(_is_explained(figure, joint, one, span) for one in own)


def _find_holder(skeleton: Skeleton, joint: int) -> str:
    """Return the side of the hand of which a joint is a descendant, "" for none."""
    above = roles.ancestors(joint, skeleton.parents)
    return next((side for side in "LR" if skeleton.roles.get(f"hand.{side}", -1) in above), "")


def _find_near(figure: Figure, rate: float, side: str, joint: int, relation: Array, limits: Stillness) -> list[slice]:
    """Return the spans in which a palm is near a prop, and their relation hardly changes."""
    height, near = figure.skeleton.height, _measure_distance(figure, side, joint)
    spans = [slice(*span) for span in still_spans.find_still_spans(relation, rate, height, limits)]
    return [_extend(relation, span, height) for span in spans if float(np.median(near[span])) <= NEAR * height]


def _extend(relation: Array, span: slice, height: float) -> slice:
    """Return a span extended by the frames beside it in which the relation hardly differs, such as before a release."""
    away = np.linalg.norm(relation - np.median(relation[span], axis=0), axis=1)
    same = away <= max(float(np.quantile(away[span], USUAL)), SAME * height)
    first, end = span.start, span.stop
    while first > 0 and same[first - 1]:
        first -= 1
    while end < len(same) and same[end]:
        end += 1
    return slice(first, end)


def _is_explained(figure: Figure, joint: int, relation: Array, span: slice) -> bool:
    """Return whether a prop moves far more in the world, and relative to its parent, than relative to a hand."""
    goes, own = _measure_way(figure, joint, span), _measure_spread(relation[span])
    return goes >= MOVES * figure.skeleton.height and goes >= EXPLAINS * own


def _measure_way(figure: Figure, joint: int, span: slice) -> float:
    """Return how much (m) a prop moves in the world or relative to its parent, whichever is less."""
    parent = int(figure.skeleton.parents[joint])
    return min(_measure_spread(_in_joint(figure, joint, one)[span]) for one in {parent, -1})


def _measure_spread(values: Array) -> float:
    return float(np.sqrt(((values - values.mean(axis=0)) ** 2).sum(axis=1).mean()))


def _levers(figure: Figure, turned: Array, place: Array) -> Array:
    """Return the place and two levers (F, 9) of a joint with rotations (F, 4) and places (F, 3), metres."""
    reach = LEVER * figure.skeleton.height
    ends = [quat.rotate(turned, np.broadcast_to(axis, place.shape)) for axis in reach * np.eye(3)[:2]]
    return np.concatenate([place, *ends], axis=1)


def _in_hand(figure: Figure, side: str, joint: int) -> Array:
    back = quat.inv(figure.turned[:, figure.skeleton.roles[f"hand.{side}"]])
    place = quat.rotate(back, figure.points[:, joint] - figure.palms[side])
    return _levers(figure, quat.mul(back, figure.turned[:, joint]), place)


def _grip(figure: Figure, side: str, joint: int) -> Array:
    """Return the places (F, 3) of a palm in the frame of a prop."""
    away = figure.palms[side] - figure.points[:, joint]
    return np.asarray(quat.rotate(quat.inv(figure.turned[:, joint]), away))


def _in_joint(figure: Figure, joint: int, parent: int) -> Array:
    """Return the place and levers (F, 9) of a joint in the frame of another, in the world for -1."""
    turned, place = figure.turned[:, joint], figure.points[:, joint]
    if parent >= 0:
        back = quat.inv(figure.turned[:, parent])
        turned, place = quat.mul(back, turned), quat.rotate(back, place - figure.points[:, parent])
    return _levers(figure, turned, place)


def _measure_distance(figure: Figure, side: str, joint: int) -> Array:
    """Return the distance (F,) of a palm from the nearest of a prop's joints and tips."""
    below = figure.skeleton.with_below([joint])
    tips = len(figure.skeleton) + np.flatnonzero(below[figure.skeleton.tipped])
    points: NDArray[np.int64] = np.concatenate([np.flatnonzero(below), tips])
    away = figure.points[:, points] - figure.palms[side][:, None]
    return np.asarray(np.linalg.norm(away, axis=2).min(axis=1))


# --- relations ------------------------------------------------------------------------------------------------------


def relate(figure: Figure, sides: str, joint: int) -> Array:
    """Return for each hand, in its frame, the place (3,) of a prop from the palm and its rotation (4,): (F, 7 each)."""
    found = []
    for side in sides:
        back = quat.inv(figure.turned[:, figure.skeleton.roles[f"hand.{side}"]])
        found.append(quat.rotate(back, figure.points[:, joint] - figure.palms[side]))
        found.append(quat.mul(back, figure.turned[:, joint]))
    return np.concatenate(found, axis=1)
