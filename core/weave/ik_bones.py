"""The bones that engines keep for IK follow feet and hands (methods: Mirror, placement, root motion)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..motion import kinematics, quat, role_names
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.roles import ancestors
from ..motion.skeleton import Skeleton

NEAR = 0.02  # of the body's height: a bone that keeps its place at a foot or hand within this follows it
TURNED = np.radians(5.0)  # it also turns with the foot or hand if it keeps within this
AT_REST = 1e-5  # radians, and metres
ALREADY = 1e-5  # of the body's height, and radians: a bone that follows so well is left as it is

# Names without sides, as Unreal's skeletons have them, and the role that the bone copies.
_COPIES = {"ikfoot": "foot", "ikhand": "hand", "ikhandgun": "hand"}
_BASES = {"ikfootroot", "ikhandroot"}


@dataclass(frozen=True, eq=False)
class _Offset:
    """Where a bone stands in the frame of its foot or hand, and how it is turned in it; None if it does not turn."""

    place: Array
    turn: Array | None


def follow(clip: Clip, sources: Sequence[Clip], reference: int = 0, *, body: bool = False) -> tuple[Clip, list[str]]:
    """Return a result whose IK bones follow as they do in its sources, and a sentence on each that can't.

    reference : the source whose offsets from feet and hands are kept, if its bones follow
    body : whether the result is on another body than its sources: its rest pose tells what follows
    A bone that no source keys stays at rest, one that does something else is left as it is.

    Example:
        >>> from action_loom.core.figure import actions
        >>> from action_loom.core.weave import ik_bones
        >>> walk = actions.walk()  # has no such bones
        >>> ik_bones.follow(walk, [walk]) == (walk, [])
        True
    """
    copies, bases = _found(clip.skeleton)
    if not copies or clip.skeleton.height <= 0.0:
        return clip, []
    sources = sources or [clip]
    order = [sources[min(reference, len(sources) - 1)], *sources]
    held: dict[int, tuple[int, _Offset]] = {}
    kept, notes = {}, []
    for joint, limb in copies.items():
        name = clip.skeleton.names[joint]
        known = [(source, _relation(source, name)) for source in order]
        following = [(source, how) for source, how in known if isinstance(how, _Offset)]
        leaving = [source for source, how in known if how == "other"]
        if following and leaving:
            notes.append(_mixed(clip, name, clip.skeleton.names[limb], following[0][0], leaving[0]))
        elif not leaving:
            offset = _rest_offset(clip.skeleton, joint, limb) if body else following[0][1] if following else None
            if offset is not None:
                held[joint] = limb, offset
            elif not body:
                kept[joint] = quat.IDENTITY, np.zeros(3)
    for joint in () if body else bases:
        constant = _constant(clip.skeleton.names[joint], order)
        if constant is not None:
            kept[joint] = constant
    return _held(clip, held, kept), notes


def _mixed(clip: Clip, name: str, limb: str, one: Clip, other: Clip) -> str:
    return (
        f"{clip.name}: {name} follows {limb} in {one.name}, not in {other.name}: it was woven as any bone, and is not"
        f" at {limb}"
    )


def _found(skeleton: Skeleton) -> tuple[dict[int, int], list[int]]:
    """Return the IK bones with the foot or hand that each copies, and the bones that only carry them."""
    copies: dict[int, int] = {}
    bases: list[int] = []
    if skeleton.body.all():
        return copies, bases
    for joint, (side, name) in enumerate(role_names.split(skeleton.names)):
        if skeleton.body[joint]:
            continue
        limb = skeleton.roles.get(f"{_COPIES.get(name)}.{side or 'R'}", -1)
        if limb >= 0 and (side or name == "ikhandgun") and joint not in ancestors(limb, skeleton.parents):
            copies[joint] = limb
        elif name in _BASES:
            bases.append(joint)
    return copies, bases


def _relation(clip: Clip, name: str) -> _Offset | str:
    """Return where an IK bone stands at its foot or hand, "rest" where nothing keys it, "other" where it leaves it."""
    copies, bases = _found(clip.skeleton)
    joint = clip.skeleton.names.index(name) if name in clip.skeleton.names else -1
    if joint not in copies:
        return "rest"
    helpers = {*copies, *bases}
    chain = [joint, *(above for above in ancestors(joint, clip.skeleton.parents) if above in helpers)]
    if all(_still(clip, one) for one in chain):
        return "rest"
    limb = copies[joint]
    turns, places = kinematics.world_of(clip, [joint, limb])
    held = quat.rotate(quat.inv(turns[:, limb]), places[:, joint] - places[:, limb])
    place = held.mean(axis=0)
    if np.linalg.norm(held - place, axis=1).max() > NEAR * clip.skeleton.height:
        return "other"
    turned = quat.mul(quat.inv(turns[:, limb]), turns[:, joint])
    mean = quat.normalize(quat.same_side(turned, np.broadcast_to(turned[:1], turned.shape)).mean(axis=0))
    apart = quat.log(quat.mul(quat.inv(mean), turned))
    return _Offset(place, mean if _angle(apart) <= TURNED else None)


def _angle(logs: Array) -> float:
    """Return the largest angle of rotations, given as logarithms."""
    return float(np.linalg.norm(logs, axis=-1).max(initial=0.0))


def _rest_offset(skeleton: Skeleton, joint: int, limb: int) -> _Offset | None:
    turns, places = skeleton.rest
    if np.linalg.norm(places[joint] - places[limb]) > NEAR * skeleton.height:
        return None
    back = quat.inv(turns[limb])
    return _Offset(quat.rotate(back, places[joint] - places[limb]), quat.mul(back, turns[joint]))


def _still(clip: Clip, joint: int) -> bool:
    return _same(clip.rotations[:, joint], quat.IDENTITY) and _same(clip.translations[:, joint], np.zeros(3))


def _constant(name: str, order: Sequence[Clip]) -> tuple[Array, Array] | None:
    """Return the rotation and translation that a bone keeps to its parent in all sources; None if it moves."""
    kept = None
    for clip in order:
        if name in clip.skeleton.names:
            joint = clip.skeleton.names.index(name)
            turns, moves = clip.rotations[:, joint], clip.translations[:, joint]
            kept = kept or (turns[0], moves[0])
            if not (_same(turns, kept[0]) and _same(moves, kept[1])):
                return None
    return kept


def _same(values: Array, constant: Array) -> bool:
    """Return whether rotations (F, 4) or translations (F, 3) are one."""
    if len(constant) == 4:
        return _angle(quat.log(quat.mul(quat.inv(constant), values))) < AT_REST
    return bool(np.abs(values - constant).max() < AT_REST)


def _held(clip: Clip, joints: dict[int, tuple[int, _Offset]], kept: dict[int, tuple[Array, Array]]) -> Clip:
    """Return the clip with joints held at others, and with some whose local pose is kept; all below go along."""
    turns, places = kinematics.world_of(clip, [*joints, *(limb for limb, _ in joints.values())])
    wanted, off = {}, 0.0
    for joint, (limb, offset) in joints.items():
        place = places[:, limb] + quat.rotate(turns[:, limb], offset.place)
        turn = turns[:, joint] if offset.turn is None else quat.mul(turns[:, limb], offset.turn)
        wanted[joint] = turn, place
        off = max(off, _angle(quat.log(quat.mul(quat.inv(turns[:, joint]), turn))))
        off = max(off, float(np.abs(place - places[:, joint]).max()) / clip.skeleton.height)
    moved = [
        joint
        for joint, (turn, move) in kept.items()
        if not (_same(clip.rotations[:, joint], turn) and _same(clip.translations[:, joint], move))
    ]
    if off <= ALREADY and not moved:
        return clip
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    for joint in moved:
        rotations[:, joint], translations[:, joint] = kept[joint]
    return _placed(replace(clip, rotations=rotations, translations=translations), wanted)


def _placed(clip: Clip, wanted: dict[int, tuple[Array, Array]]) -> Clip:
    """Return the clip with joints turned (F, 4) and placed (F, 3) in the world as wanted; all below go along."""
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    linear, places = np.empty((*translations.shape, 3)), np.empty_like(translations)
    frames = kinematics.Frames(clip.skeleton, linear, places)
    for joint in range(len(clip.skeleton)):
        frame = frames.frame_of(joint)
        if joint in wanted:
            turn, place = wanted[joint]
            basis = np.linalg.solve(frame.turning, frame.unstretched(quat.to_matrix(turn)))
            basis = basis / np.maximum(np.linalg.norm(basis, axis=-2, keepdims=True), 1e-12)
            rotations[:, joint] = quat.same_side(quat.from_matrix(basis), clip.rotations[:, joint])
            translations[:, joint] = frame.location_of(place)
        basis = quat.to_matrix(rotations[:, joint])
        if clip.scales is not None:
            basis = basis * clip.scales[:, joint, None, :]
        linear[:, joint], places[:, joint] = frame.apply(basis, translations[:, joint])
    return replace(clip, rotations=rotations, translations=translations)
