"""Reparent attached joints: a verb works on a skeleton in which each is a child of the joint that leads it.

Exporters that bake inverse kinematics leave feet on a root, engines keep target bones at feet and hands, and props are
siblings of the hand that holds them. The leader of such a joint is found by measuring clips, not by names.

Method: Attached joints.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..motion import inheritance, kinematics, quat
from ..motion.clip import Clip
from ..motion.inheritance import Inheritance
from ..motion.quat import Array
from ..motion.roles import ancestors
from ..motion.skeleton import Skeleton
from . import leading

# In body heights.
APART = 0.01  # a joint has visibly left its leader if it strays farther than in the sources by more than this

OF_SHIN = 0.3  # of the length of the thigh; least distance of an unnamed foot from the knee
TURNED = np.radians(5.0)  # an attached joint turns with its leader if their relative rotation stays within this
ROUNDING = 1e-12  # radians, and metres


class _Offset(NamedTuple):
    """The usual position (3,) and rotation (4,) of a joint in the frame of its leader.

    far, turned : largest deviation from it, m and radians; above TURNED the joint's rotation is independent
    drift, twist : deviation of its usual position and rotation in another clip, m and radians
    near : how far from its usual position it may rest in a clip that does not leave it behind, m
    """

    place: Array
    turn: Array
    far: float
    turned: float
    drift: float = 0.0
    twist: float = 0.0
    near: float = 0.0


@dataclass(frozen=True, eq=False)
class Attached:
    """The attached joints of one skeleton.

    leaders : the joint that each is attached to; offsets : its pose in the frame of that joint
    skeleton : the same body with these joints as children of their leaders; order (J,) : its joints as the body's
        indices
    """

    leaders: Mapping[int, int]
    offsets: Mapping[int, _Offset]
    skeleton: Skeleton
    order: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Attachments:
    """The attached joints of some clips by skeleton; notes : on joints that only some of the clips attach."""

    bodies: Mapping[Skeleton, Attached] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def hang(self, clips: Sequence[Clip]) -> list[Clip]:
        """Return clips with attached joints as children of their leaders; world poses do not change.

        A joint at rest throughout a clip follows its leader there, too, unless it is near its usual place there.
        """
        return [_hung(clip, self.bodies[clip.skeleton]) if clip.skeleton in self.bodies else clip for clip in clips]

    def restore(self, clip: Clip, sources: Sequence[Clip]) -> Clip:
        """Return a clip of a reparented skeleton on the original skeleton; any other clip unchanged.

        sources : its source clips, as given. A joint that strays further from its leader than in these, as reflected
            ones may, is reset to its usual position. Parents of attached joints, and joints at feet and hands without
            keys, remain at rest if they are at rest in all sources.
        """
        for skeleton, attached in self.bodies.items():
            if _are_alike(clip.skeleton, attached.skeleton):
                place = np.argsort(attached.order)
                near = [*_above(skeleton, attached.leaders), *leading.at_rest(skeleton, attached.leaders)]
                still = {joint: int(place[joint]) for joint in near if joint not in attached.leaders}
                clip = _resting(_held(clip, attached), sources, still)
                return _as_given(_rehung(clip, skeleton, place, list(attached.leaders)), sources, attached.leaders)
        skeleton = clip.skeleton
        beside = list(leading.at_rest(skeleton, {}))
        beside += _above(skeleton, beside)
        return _resting(clip, sources, {joint: joint for joint in beside if not skeleton.body[joint]})

    def leaving(self, clip: Clip, sources: Sequence[Clip]) -> list[str]:
        """Return a sentence on the joint of a result that strays farthest from its leader beyond its sources."""
        attached = self.bodies.get(clip.skeleton)
        if attached is None:
            return []
        known = [source for source in sources if source.skeleton in self.bodies]
        # animals are less tall than their legs suggest
        tall = float(np.median(np.ptp(kinematics.world(clip)[1][:, :, 2], axis=1)))
        names, least, sentence = clip.skeleton.names, APART * min(clip.skeleton.height, tall), ""
        for joint, leader in attached.leaders.items():
            name, on = names[joint], names[leader]
            away = leading.strays(clip, name, on)
            before = max((float(leading.strays(one, name, on).max()) for one in known), default=0.0)
            if float(away.max()) - before > least:
                least, frame, far = float(away.max()) - before, int(away.argmax()), 100.0 * float(away.max())
                sentence = f"{clip.name}: {name} is {far:.0f} cm from its place on {on} at frame {frame}: look there"
        return [sentence] if sentence else []


def find(clips: Sequence[Clip], *, rest_counts: bool = False) -> Attachments:
    """Return the attached joints of clips, with the joint that leads each in every clip that moves it.

    rest_counts : whether to attach joints by the rest pose if no clip shows it, as on a body that receives another's
        clip: feet and hands with other parents, and joints outside the body at a foot or hand. Attached joints then
        rest at their usual places: at rest a foot may be elsewhere than at the end of the leg that leads it

    Example:
        >>> from action_loom.core.bodies import attachments
        >>> from action_loom.core.demo_character import actions
        >>> attachments.find([actions.walk()]).bodies  # every joint hangs on the part that it belongs to
        {}
    """
    bodies: dict[Skeleton, Attached] = {}
    notes: list[str] = []
    for alike in _by_names(clips):
        leaders, said = leading.relations(alike)
        leaders |= leading.riding(alike, leaders)
        notes += said
        resting = leading.at_rest(alike[0].skeleton, leaders) if rest_counts else {}
        for skeleton in dict.fromkeys(clip.skeleton for clip in alike) if leaders or resting else ():
            own = sorted(alike, key=lambda clip: clip.skeleton is not skeleton)
            offsets = {joint: _offset(own, joint, leader) for joint, leader in leaders.items()}
            offsets |= {joint: _rest_offset(skeleton, joint, leader) for joint, leader in resting.items()}
            bodies[skeleton] = _attached(skeleton, leaders | resting, offsets, usual=rest_counts)
    return Attachments(bodies, tuple(notes))


def _by_names(clips: Sequence[Clip]) -> Iterator[list[Clip]]:
    """Yield the clips whose skeletons have the same joints."""
    groups: dict[tuple[tuple[str, ...], bytes], list[Clip]] = {}
    for clip in clips:
        groups.setdefault((clip.skeleton.names, clip.skeleton.parents.tobytes()), []).append(clip)
    yield from groups.values()


def _are_alike(one: Skeleton, other: Skeleton) -> bool:
    return one is other or (one.names == other.names and np.array_equal(one.parents, other.parents))


def _offset(clips: Sequence[Clip], joint: int, leader: int) -> _Offset:
    """Return the usual position and rotation of a joint on its leader, from the first clip that shows them.

    A clip in which the joint is at rest shows them only if it is at rest in all clips or stays near that place. The
    deviation is the largest one in clips that show them.
    """
    found, resting = list[_Offset](), list[_Offset]()
    for clip in clips:
        turns, places = kinematics.world_of(clip, [joint, leader])
        of = resting if leading.rests(clip, joint) else found
        of.append(_offset_of(turns[:, [joint, leader]], places[:, [joint, leader]]))
    foot = not found or leading.belongs_on(clips[0].skeleton, joint) >= 0  # it may be out of reach
    near = (leading.LEAVES if foot else leading.KEEPS) * clips[0].skeleton.height
    found = found or resting[:1]
    found += [one for one in resting if float(np.linalg.norm(one.place - found[0].place)) + one.far <= near]
    return found[0]._replace(
        far=max(one.far for one in found),
        turned=max(one.turned for one in found),
        drift=max(float(np.linalg.norm(one.place - found[0].place)) for one in found),
        twist=leading.largest_angle(found[0].turn, np.array([one.turn for one in found])),
        near=near,
    )


def _offset_of(turns: Array, places: Array) -> _Offset:
    """Return the usual position and rotation of a joint on its leader, from the world poses (F, 2) of both."""
    back = quat.inv(turns[:, 1])
    there, turned = quat.rotate(back, places[:, 0] - places[:, 1]), quat.mul(back, turns[:, 0])
    place = np.median(there, axis=0)
    mean = quat.normalize(quat.same_side(turned, np.broadcast_to(turned[:1], turned.shape)).mean(axis=0))
    return _Offset(place, mean, float(np.linalg.norm(there - place, axis=1).max()), leading.largest_angle(mean, turned))


def _rest_offset(skeleton: Skeleton, joint: int, leader: int) -> _Offset:
    """Return the rest pose of a joint in the frame of its leader; the rotation of a foot or hand is independent."""
    turns, places = (values[None, [joint, leader]] for values in skeleton.rest)
    return _offset_of(turns, places)._replace(turned=np.pi if leading.belongs_on(skeleton, joint) == leader else 0.0)


def _above(skeleton: Skeleton, joints: Iterable[int]) -> list[int]:
    """Return the ancestors of some joints that do not carry the body."""
    above = {joint for low in joints for joint in ancestors(low, skeleton.parents)}
    return [joint for joint in above if not skeleton.body[joint] and not leading.carries_the_body(skeleton, joint)]


def _resting(clip: Clip, sources: Sequence[Clip], joints: Mapping[int, int]) -> Clip:
    """Return a clip whose joints that rest in all sources are at rest; joints : of the clip, by the sources' joints."""
    moving = {joint: k for joint, k in joints.items() if not leading.rests(clip, k)}
    alike = [source for source in sources if len(source.skeleton) == len(clip.skeleton)] if moving else []
    still = [k for joint, k in moving.items() if alike and all(leading.rests(source, joint) for source in alike)]
    leaves = [k for k in still if _leaves_its_part(_at_rest(clip, [k]), alike, k)]
    still = [k for k in still if k not in leaves]
    return _at_rest(clip, still) if still else clip


def _at_rest(clip: Clip, joints: Sequence[int]) -> Clip:
    """Return a clip in which some joints are at rest."""
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, joints], translations[:, joints] = quat.IDENTITY, 0.0
    return replace(clip, rotations=rotations, translations=translations)


def _leaves_its_part(clip: Clip, sources: Sequence[Clip], joint: int) -> bool:
    """Return whether a foot or hand with another parent is farther from its shin or forearm than in the sources."""
    leader = leading.belongs_on(clip.skeleton, joint)
    if leader < 0:
        return False
    names, places = (clip.skeleton.names[joint], clip.skeleton.names[leader]), []
    for one in (clip, *sources):
        pair = [one.skeleton.index(name) for name in names]
        turns, where = kinematics.world_of(one, pair)
        places.append(quat.rotate(quat.inv(turns[:, pair[1]]), where[:, pair[0]] - where[:, pair[1]]))
    usual = np.median(np.concatenate(places[1:]), axis=0)
    strays = [float(np.linalg.norm(one - usual, axis=1).max()) for one in places]
    return strays[0] - max(strays[1:]) > APART * clip.skeleton.height


def _attached(
    skeleton: Skeleton, leaders: Mapping[int, int], offsets: Mapping[int, _Offset], *, usual: bool
) -> Attached:
    """Return the attached joints of a skeleton; the same object for the same joints while the skeleton lives.

    usual : whether they rest at their usual places
    """
    known = _bodies.setdefault(skeleton, {})
    leaders = _without_loops(skeleton.parents, leaders)
    ends = _unnamed_ends(skeleton, leaders, offsets)
    places = {joint: offsets[joint].place for joint in leaders} if usual else {}
    key = tuple(sorted(leaders.items())), tuple(sorted(ends.items())), *(place.tobytes() for place in places.values())
    if key not in known:
        parents = skeleton.parents.copy()
        parents[list(leaders)] = list(leaders.values())
        order = _parents_first(parents)
        followers = [joint for joint in leaders if not (skeleton.body[joint] or joint in ends.values())]
        named = replace(skeleton, roles=skeleton.roles | ends)
        known[key] = _with_parents(named, parents, order, followers, places), order
    hung, order = known[key]
    return Attached(dict(leaders), dict(offsets), hung, order)


def _without_loops(parents: NDArray[np.int64], leaders: Mapping[int, int]) -> dict[int, int]:
    """Return the leaders that can be parents together; damaged roles may let joints lead each other."""
    above = parents.copy()
    above[list(leaders)] = list(leaders.values())
    for _ in range(len(parents).bit_length()):  # each step doubles the number of generations
        above = np.where(above >= 0, above[above], -1)
    if (above < 0).all():
        return dict(leaders)
    free, found = parents.copy(), dict[int, int]()
    for joint, leader in leaders.items():
        if joint != leader and joint not in ancestors(leader, free):
            free[joint] = found[joint] = leader
    return found


_bodies: WeakKeyDictionary[Skeleton, dict[tuple[object, ...], tuple[Skeleton, NDArray[np.int64]]]] = WeakKeyDictionary()
# cache of reparented clips, by the reparented skeleton
_clips: WeakKeyDictionary[Clip, dict[Skeleton, Clip]] = WeakKeyDictionary()


def _unnamed_ends(skeleton: Skeleton, leaders: Mapping[int, int], offsets: Mapping[int, _Offset]) -> dict[str, int]:
    """Return feet and hands without a role: the farthest joint led by a shin or forearm from its head."""
    found = {}
    for end, before, upper in (("foot", "shin", "thigh"), ("hand", "forearm", "upper_arm")):
        for side in "LR":
            known = [skeleton.roles.get(f"{role}.{side}", -1) for role in (before, upper)]
            if min(known) < 0 or f"{end}.{side}" in skeleton.roles:
                continue
            places = skeleton.rest[1][known]
            least = OF_SHIN * float(np.linalg.norm(places[0] - places[1]))
            reach = {
                joint: float(np.linalg.norm(offsets[joint].place)) for joint in leaders if leaders[joint] == known[0]
            }
            farthest = max(reach, key=lambda joint: reach[joint], default=-1)
            if farthest >= 0 and reach[farthest] > least:
                found[f"{end}.{side}"] = farthest
    return found


def _parents_first(parents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the joints (J,) sorted with parents before their children, otherwise in the given order."""
    depths = [len(ancestors(joint, parents)) for joint in range(len(parents))]
    if (parents < np.arange(len(parents))).all():
        return np.arange(len(parents))
    return np.argsort(depths, kind="stable")


def _with_parents(
    skeleton: Skeleton,
    parents: NDArray[np.int64],
    order: NDArray[np.int64],
    followers: Sequence[int],
    usual: Mapping[int, Array],
) -> Skeleton:
    """Return a skeleton with the same rest pose but other parents and another order.

    followers : joints that do not belong to the body there; usual : places (3,) of joints that rest elsewhere, on their
        new parents
    """
    turns, places = skeleton.rest
    offsets, orients = skeleton.offsets.copy(), skeleton.orients.copy()
    changed = np.flatnonzero(parents != skeleton.parents)
    above = parents[changed]
    back = quat.inv(turns[above])
    offsets[changed] = quat.rotate(back, places[changed] - places[above])
    orients[changed] = quat.mul(back, turns[changed])
    for joint, there in usual.items():
        offsets[joint] = there
    place = np.argsort(order)
    hung = parents[order]
    rules = skeleton.inheritance
    return Skeleton(
        tuple(skeleton.names[joint] for joint in order),
        np.where(hung >= 0, place[hung], -1),
        offsets[order],
        orients[order],
        skeleton.tips[order],
        {role: int(place[joint]) for role, joint in skeleton.roles.items()},
        rules
        and Inheritance(
            rules.rotation[order], tuple(rules.scale[j] for j in order), rules.location[order], rules.space,
            rules.moving_space,
        ),
        skeleton.roles_by,
        skeleton.leg_count,
        {},
        frozenset(place[list(followers)].tolist()),
        {foot: tuple(place[list(joints)].tolist()) for foot, joints in skeleton.legs.items()},
    )  # fmt: skip


def _hung(clip: Clip, attached: Attached) -> Clip:
    """Return a clip on the reparented skeleton; a joint at rest elsewhere takes its usual pose on its leader."""
    known = _clips.setdefault(clip, {})
    if attached.skeleton not in known:
        place = np.argsort(attached.order)
        joints = [int(place[joint]) for joint in attached.leaders]
        made = _rehung(clip, attached.skeleton, attached.order, joints)
        still = [
            joint
            for joint, offset in attached.offsets.items()
            if leading.rests(clip, joint) and not _stands(made, int(place[joint]), offset)
        ]
        known[attached.skeleton] = _held(made, attached, still)
    return known[attached.skeleton]


def _stands(clip: Clip, joint: int, offset: _Offset) -> bool:
    """Return whether a joint of a reparented clip is always near its usual place, as a foot on the ground."""
    skeleton = clip.skeleton
    there = quat.rotate(skeleton.orients[joint], clip.translations[:, joint]) + skeleton.offsets[joint]
    place = np.median(there, axis=0)
    far = float(np.linalg.norm(there - place, axis=1).max())
    return float(np.linalg.norm(place - offset.place)) + far <= offset.near


def _as_given(clip: Clip, sources: Sequence[Clip], joints: Iterable[int]) -> Clip:
    """Return a clip in which joints that equal a source up to rounding are made bit-identical."""
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    for source in (source for source in sources if source.rotations.shape == clip.rotations.shape):
        turned = quat.same_side(source.rotations, rotations)
        for joint in joints:
            if np.abs(turned[:, joint] - rotations[:, joint]).max() < ROUNDING:
                rotations[:, joint] = source.rotations[:, joint]
            if np.abs(source.translations[:, joint] - translations[:, joint]).max() < ROUNDING:
                translations[:, joint] = source.translations[:, joint]
    return replace(clip, rotations=rotations, translations=translations)


def _held(clip: Clip, attached: Attached, every: Sequence[int] = ()) -> Clip:
    """Return a reparented clip with joints that stray too far reset to their usual pose on their leaders.

    every : joints to reset in any case
    """
    rotations, translations, skeleton = clip.rotations.copy(), clip.translations.copy(), clip.skeleton
    place, least = np.argsort(attached.order), leading.STILL * skeleton.height
    for joint, offset in attached.offsets.items():
        k = int(place[joint])
        back = quat.inv(skeleton.orients[k])
        usual, turn = quat.rotate(back, offset.place - skeleton.offsets[k]), quat.mul(back, offset.turn)
        shift = usual - np.median(translations[:, k], axis=0)
        if float(np.linalg.norm(shift)) > offset.drift + leading.ALIKE * skeleton.height:
            translations[:, k] += shift
        far = float(np.linalg.norm(translations[:, k] - usual, axis=1).max())
        if far > least + (0.0 if joint in every else offset.far + offset.drift):
            translations[:, k] = usual
        if joint in every or (
            offset.turned <= TURNED
            and leading.largest_angle(turn, rotations[:, k]) > offset.turned + offset.twist + leading.STILL
        ):
            rotations[:, k] = turn
    if np.array_equal(rotations, clip.rotations) and np.array_equal(translations, clip.translations):
        return clip
    return replace(clip, rotations=rotations, translations=translations)


def _rehung(clip: Clip, skeleton: Skeleton, order: NDArray[np.int64], joints: Sequence[int]) -> Clip:
    """Return a clip on a skeleton of the same joints with other parents; world poses do not change.

    order (J,) : the skeleton's joints as the clip's indices; joints : those with other parents, as the skeleton's
        indices
    """
    linear, places = (values[:, order] for values in kinematics.matrices(clip))
    rotations, translations = clip.rotations[:, order], clip.translations[:, order]
    scales = None if clip.scales is None else clip.scales[:, order]
    frames = kinematics.Frames(skeleton, linear, places)
    for joint in joints:
        frame = frames.frame_of(joint)
        basis = inheritance.solve(frame.turning, frame.undo_stretch(linear[:, joint]))
        size = np.maximum(np.linalg.norm(basis, axis=-2), 1e-12)
        rotations[:, joint] = quat.continuous(quat.from_matrix(basis / size[:, None, :]))
        translations[:, joint] = frame.location_of(places[:, joint])
        if scales is not None:
            scales[:, joint] = size
    return replace(clip, skeleton=skeleton, rotations=rotations, translations=translations, scales=scales)
