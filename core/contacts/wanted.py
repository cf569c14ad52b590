"""Find the relations that a result should have: relations of its sources, at the frames that it plays.

Method: Contacts of hands.

A relation does not depend on the size of a body: a place on a part is in units of the part, a distance of hands in
units of the legs. If several sources have the same contact at once, as in a blend, their relations are averaged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..motion import arrays, quat, retarget
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import find, props
from .figure import Figure, figure_of
from .find import LOAD, ON, PROP, RIGID, TOUCH, WORLD, Contact

LIVES = 0.5  # a result has a contact in frames in which the sources that have it weigh more than this share
TOGETHER = 1.0  # s; contacts with the world that follow each other sooner are moved together, as a group
TURNED = np.radians(2.0)  # a group whose turn from the source to the result is smaller is only shifted
SAME = 1e-4  # body heights, and quaternion components; rest poses that differ by no more count as equal

Key = tuple[str, str, str]


@dataclass(frozen=True, eq=False)
class Played:
    """A stretch of a source that a result plays: frames (K,) of the clip, with weights (K,), from frame `first` on.

    world : whether the stretch moves in the world like its source, except for one turn and one shift
    """

    clip: Clip
    first: int
    frames: Array
    weights: Array
    world: bool = True


@dataclass(frozen=True, eq=False)
class Wanted:
    """A contact of a result, from its first frame to the one before `end`.

    relation (F, D) : in all frames of the result, but valid only in the frames of the contact
    """

    contact: Contact
    relation: Array

    @property
    def span(self) -> slice:
        return slice(self.contact.first, self.contact.end)


def list_wanted(
    now: Figure, rate: float, played: Sequence[Played], found: Mapping[Clip, Sequence[Contact]]
) -> list[Wanted]:
    """Return the contacts that a result should have, by time.

    now, rate : the body and the frames a second of the result; found : the contacts of each played clip

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import figure, find, wanted
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> played = wanted.Played(walk, 0, np.arange(97.0), np.ones(97))
        >>> held = find.Contact("on", "L", "head", 10, 40)
        >>> [one.contact.first for one in wanted.list_wanted(figure.figure_of(walk), 30.0, [played], {walk: [held]})]
        [10]
    """
    figures = {one.clip: figure_of(one.clip) for one in played}
    turns: dict[Key, Array] = {}

    def relate(key: Key, one: Played) -> Array | None:
        usable = _has_parts(now, key) and (one.world or key[0] != WORLD)
        if usable and key[0] == PROP:
            return _relation_of_prop(
                next(c for c in found[one.clip] if c.key == key), figures[one.clip], now, one, turns
            )
        return _relation_of(key, figures[one.clip], now, one) if usable else None

    made = merge_relations((len(now), rate), played, found, relate)
    return _stand_in_world(sorted(made, key=lambda one: (one.contact.first, one.contact.key)), now, rate)


def merge_relations(
    size: tuple[int, float],
    played: Sequence[Played],
    found: Mapping[Clip, Sequence[Contact]],
    relate: Callable[[Key, Played], Array | None],
) -> list[Wanted]:
    """Return contacts of a result in the frames that it plays of its sources, with the mean of their relations.

    size : frames of the result, and frames a second
    relate : returns a contact's relation (K, D) in the played frames of a source, None if it can't be kept
    """
    (count, rate), made = size, list[Wanted]()
    keys = dict.fromkeys(contact.key for one in played for contact in found[one.clip])
    for key in keys:
        weight, total = np.zeros(count), np.zeros(0)
        for one in played:
            contacts = [contact for contact in found[one.clip] if contact.key == key]
            lives = _when_lives(one, contacts)
            relation = relate(key, one) if lives.any() else None
            if relation is None:
                continue
            at = slice(one.first, one.first + len(one.frames))
            share = one.weights * lives
            if not len(total):
                total = np.zeros((count, relation.shape[1]))
            if key[0] == WORLD:  # places in the world are not averaged
                share = np.where(share > LIVES, share, 0.0)
            weight[at] += share
            total[at] += share[:, None] * relation
        if not len(total):
            continue
        relation = total / np.maximum(weight, 1e-9)[:, None]
        for first, end in arrays.find_runs(weight > LIVES):
            if end - first >= find.TAPS * rate:
                made.append(Wanted(Contact(*key, first, end), relation))
    return made


def same_rest(one: Skeleton, other: Skeleton) -> bool:
    """Return whether two bodies have the same joints in the same rest pose.

    Example:
        >>> from action_loom.core.contacts import wanted
        >>> from action_loom.core.demo_character import body
        >>> wanted.same_rest(body.skeleton(), body.skeleton())
        True
    """
    if one is other:
        return True
    if one.names != other.names or (one.parents != other.parents).any():
        return False
    near = float(np.abs(one.offsets - other.offsets).max()) <= SAME * max(one.height, 1e-9)
    return near and float(np.abs(quat.same_side(other.orients, one.orients) - one.orients).max()) <= SAME


def _when_lives(one: Played, contacts: Sequence[Contact]) -> Array:
    """Return 1 in played frames (K,) of any of some contacts, 0 in others."""
    lives = np.zeros(len(one.frames))
    for contact in contacts:
        lives[(one.frames >= contact.first - 0.5) & (one.frames <= contact.end - 0.5)] = 1.0
    return lives


def _has_parts(figure: Figure, key: Key) -> bool:
    kind, sides, part = key
    known = figure.has_part(part) if kind in (ON, PROP) else not part
    return known and set(find.split_ends(sides)) <= figure.ends.keys()


def _relation_of(key: Key, source: Figure, now: Figure, one: Played) -> Array:
    """Return the relation (K, D) of a contact in the played frames, in units of the body."""
    kind, sides, name = key
    scale = retarget.leg_ratio(source.skeleton, now.skeleton)
    if kind == ON:
        part, palm = source.part(name), source.ends[sides]
        along = part.nearest(palm)
        off = quat.rotate(quat.inv(source.turned[:, source.joint_of(name)]), palm - part.at(along))
        if not same_rest(source.skeleton, now.skeleton):
            off = off * (now.part(name).size(along) / part.size(along))[:, None]
        values = np.concatenate([along[:, None], off], axis=1)
        sampled = sample(values, one.frames)
        sampled[:, 1:] = quat.rotate(_change_frame(source, now, one, name), sampled[:, 1:])
        return sampled
    if kind == WORLD:
        return sample(
            np.concatenate([scale * source.ends[sides], _places_of(source, now)[0] * scale], axis=1), one.frames
        )
    apart = source.palms["L"] - source.palms["R"]
    if kind == TOUCH:
        own = scale * quat.rotate(quat.inv(source.turned[:, source.chest]), apart)
        return np.asarray(quat.rotate(_change_frame(source, now, one, "trunk"), sample(own, one.frames)))
    assert kind in (RIGID, LOAD)
    return sample(scale * np.linalg.norm(apart, axis=1)[:, None], one.frames)


def _relation_of_prop(contact: Contact, source: Figure, now: Figure, one: Played, turns: dict[Key, Array]) -> Array:
    """Return the relation (K, 7 per hand) of a prop in the played frames, as `props.relate`.

    turns : gets a rotation of each contact, on whose side those of other sources are
    """
    body, other = source.skeleton, now.skeleton
    joint, own = body.index(contact.part), other.index(contact.part)
    relation = sample_turns(props.relate(source, contact.sides, joint), one.frames, (contact.first + contact.end) // 2)
    alike = same_rest(body, other)
    scale = 1.0 if alike else retarget.leg_ratio(body, other)
    prop = quat.IDENTITY if alike else _change_joint(source, now, one, joint, own)
    for k, side in enumerate(contact.sides):
        hand = quat.IDENTITY if alike else _change_frame(source, now, one, f"hand.{side}")
        place, turn = slice(7 * k, 7 * k + 3), slice(7 * k + 3, 7 * k + 7)
        relation[:, place] = scale * quat.rotate(hand, relation[:, place])
        turned = quat.mul(quat.mul(hand, relation[:, turn]), quat.inv(prop))
        nearest = int(np.abs(one.frames - 0.5 * (contact.first + contact.end)).argmin())
        first = turns.setdefault((contact.part, contact.sides, side), turned[nearest])
        relation[:, turn] = quat.same_side(turned, first)
    return relation


def sample_turns(relation: Array, frames: Array, middle: int) -> Array:
    """Return relations (F, 7 per hand) at fractional frames; middle : the frame on whose side rotations are."""
    values = relation.copy()
    for low in range(3, values.shape[1], 7):
        turn = slice(low, low + 4)
        values[:, turn] = quat.same_side(values[:, turn], values[middle, turn])
    return sample(values, frames)


def _change_frame(source: Figure, now: Figure, one: Played, part: str) -> Array:
    """Return the rotation (4,) from the frame of a part's joint in the source to that of the result's joint."""
    return _change_joint(source, now, one, source.joint_of(part), now.joint_of(part))


def _change_joint(source: Figure, now: Figure, one: Played, joint: int, own: int) -> Array:
    if same_rest(source.skeleton, now.skeleton):
        return quat.IDENTITY
    at = np.arange(len(one.frames))
    theirs = source.turned[np.clip(np.round(one.frames).astype(int), 0, len(source) - 1), joint]
    ours = now.turned[one.first + at, own]
    return _mean_rotation(quat.mul(quat.inv(ours), theirs))


def _mean_rotation(turns: Array) -> Array:
    """Return the mean (4,) of rotations (K, 4)."""
    return np.asarray(np.linalg.eigh(turns.T @ turns)[1][:, -1])


def sample(values: Array, frames: Array) -> Array:
    """Return values (F, D) at fractional frames (K,).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import wanted
        >>> wanted.sample(np.array([[0.0], [2.0]]), np.array([0.5, 7.0])).tolist()
        [[1.0], [2.0]]
    """
    frames = np.clip(frames, 0.0, len(values) - 1.0)
    low = np.minimum(np.floor(frames).astype(int), max(len(values) - 2, 0))
    high = np.minimum(low + 1, len(values) - 1)
    share = (frames - low)[:, None]
    return np.asarray((1.0 - share) * values[low] + share * values[high])


# --- contacts with the world ----------------------------------------------------------------------------------------


def _places_of(source: Figure, now: Figure) -> tuple[Array, Array]:
    """Return places (F, 3 R) of the trunk's and the legs' joints that both bodies have, in their own frames."""
    roles = [role for role in ("hips", "thigh.L", "thigh.R", "upper_arm.L", "upper_arm.R", "head", "foot.L", "foot.R")
             if role in source.skeleton.roles and role in now.skeleton.roles]  # fmt: skip
    found = [one.points[:, [one.skeleton.roles[role] for role in roles]] for one in (source, now)]
    return found[0].reshape(len(source), -1), found[1].reshape(len(now), -1)


def _stand_in_world(made: list[Wanted], now: Figure, rate: float) -> list[Wanted]:
    """Return wanted contacts, and turn and shift places in the world to the position of the result."""
    fixed = [one for one in made if one.contact.kind == WORLD]
    groups = list[list[Wanted]]()
    end = -np.inf
    for one in fixed:
        if one.contact.first - end > TOGETHER * rate:
            groups.append([])
        groups[-1].append(one)
        end = max(end, one.contact.end)
    placed = {id(old): new for group in groups for old, new in zip(group, _place_group(group, now), strict=True)}
    return [placed.get(id(one), one) for one in made]


def _place_group(group: Sequence[Wanted], now: Figure) -> list[Wanted]:
    own, theirs = [], []
    ours = _places_of(now, now)[1]
    for one in group:
        wide = one.relation.shape[1] - 3
        theirs.append(one.relation[one.span, 3:].reshape(-1, wide // 3, 3))
        own.append(ours[one.span, :wide].reshape(-1, wide // 3, 3))
    flat = [np.concatenate([places.reshape(-1, 3) for places in many]) for many in (theirs, own)]
    level = [places[:, 0] + 1j * places[:, 1] for places in flat]
    turn = float(np.angle(np.vdot(level[0] - level[0].mean(), level[1] - level[1].mean())))
    turn = turn if abs(turn) > TURNED else 0.0
    about = quat.about_axis("Z", np.array(turn))
    turned = [quat.rotate(about, one.relation[:, :3]) for one in group]
    lacks = [
        now.ends[one.contact.sides][one.span] - places[one.span] for one, places in zip(group, turned, strict=True)
    ]
    shift = np.concatenate(lacks).mean(axis=0)
    return [Wanted(one.contact, places + shift) for one, places in zip(group, turned, strict=True)]
