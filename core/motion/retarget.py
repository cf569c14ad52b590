"""Retarget a clip to another body (methods: Body roles and retargeting).

Joints are matched by name; rest poses and proportions may differ.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import SkeletonError, some
from . import kinematics, quat
from .clip import Clip
from .inheritance import Inheritance
from .quat import Array
from .skeleton import Skeleton

ROUNDED_SCALE = 1e-4  # exporters of FBX key scales that differ from 1 by rounding
_AT_REST = 1e-6  # radians, and metres
SELDOM = 50  # stride of frames for a quick check
_FACES_ALIKE = 1e-6  # 1 − the correlation of two rest poses from above; below it they face alike
_SEEN_FROM_ABOVE = 0.05  # of a rest pose's extent; a narrower one, such as a plain column, has no facing


def onto(clip: Clip, skeleton: Skeleton) -> Clip:
    """Return the clip on a skeleton that has the same joints, matched by name in any order.

    World rotations relative to the rest pose are kept; positions of roots, and other translations, are scaled by the
    ratio of the leg lengths. Raises SkeletonError naming joints that only one of the two has, and for bodies whose
    joints do not all inherit rotation, scale and location.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions, body
        >>> from action_loom.core.motion import retarget
        >>> figure = body.skeleton()
        >>> child = replace(figure, offsets=0.6 * figure.offsets, tips=0.6 * figure.tips)
        >>> walk = retarget.onto(actions.walk(), child)
        >>> hips = walk.skeleton.offsets[0] + walk.translations[:, 0]  # 4.16 m on legs of 0.84 m
        >>> round(walk.skeleton.leg_length, 2), float(abs(hips[-1, 1] - hips[0, 1]).round(2))
        (0.5, 2.5)
    """
    if clip.skeleton is skeleton:
        return clip
    source = clip.skeleton
    _check_same_joints(clip, skeleton)
    if same(source, skeleton):
        return replace(clip, skeleton=skeleton)
    if source.inheritance is not None or skeleton.inheritance is not None:
        raise SkeletonError(f"{clip.name}: joints that do not inherit all of their parents can't change bodies yet")
    order = np.array([source.index(name) for name in skeleton.names])
    source_rest, source_places = source.rest
    rest, places = skeleton.rest
    world, _ = kinematics.world(clip)
    turned = quat.mul(quat.mul(world[:, order], quat.inv(source_rest[order])), rest)
    local, child = turned.copy(), skeleton.parents >= 0
    local[:, child] = quat.mul(quat.inv(turned[:, skeleton.parents[child]]), turned[:, child])
    rotations = quat.mul(quat.inv(skeleton.orients), local)
    scale = leg_ratio(source, skeleton)
    shifts = quat.rotate(source_rest[order], clip.translations[:, order])
    # Scale the root's world position, not its offset from its rest position.
    roots = skeleton.parents < 0
    shifts[:, roots] += source_places[order][roots] - places[roots] / scale
    translations = scale * quat.rotate(quat.inv(rest), shifts)
    scales = None if clip.scales is None else clip.scales[:, order]
    return replace(clip, skeleton=skeleton, rotations=rotations, translations=translations, scales=scales)


def fit_to_skeleton(clip: Clip, skeleton: Skeleton) -> Clip:
    """Return the clip on a skeleton that has at least the moving joints, matched by name as in `onto`.

    Further joints of the skeleton stay at rest. Its joints need not inherit everything from their parents, and its rest
    pose may face another direction: in the world every joint turns as in the clip. Raises SkeletonError naming moving
    joints that the skeleton lacks, and for clips with scales or with joints that do not inherit everything from their
    parents.

    Example:
        >>> from dataclasses import replace
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions, body
        >>> from action_loom.core.motion import kinematics, retarget
        >>> walk, figure, about_face = actions.walk(), body.skeleton(), np.array([-1.0, -1.0, 1.0])
        >>> # A body whose rest pose faces +Y, not −Y: the walk still goes where it went.
        >>> behind = replace(figure, offsets=figure.offsets * about_face, tips=figure.tips * about_face)
        >>> bool(abs(kinematics.points(retarget.fit_to_skeleton(walk, behind)) - kinematics.points(walk)).max() < 1e-9)
        True
    """
    if clip.scales is not None and np.abs(clip.scales - 1.0).max() <= ROUNDED_SCALE:
        clip = replace(clip, scales=None)
    source = clip.skeleton
    lost = [name for name in moving(clip) if name not in set(skeleton.names)]
    if lost:
        raise SkeletonError(f"{clip.name}: the body lacks {some(lost)}, which it moves")
    if clip.scales is not None:
        scaled = np.flatnonzero(np.abs(clip.scales - 1.0).max(axis=(0, 2)) > ROUNDED_SCALE)
        scaled_names = some([source.names[joint] for joint in scaled])
        raise SkeletonError(f"{clip.name}: its joints {scaled_names} are scaled, which can't change bodies yet")
    if source.inheritance is not None:
        raise SkeletonError(f"{clip.name}: joints that do not inherit all of their parents can't change bodies yet")
    index = {name: joint for joint, name in enumerate(source.names)}
    matching = [index.get(name, -1) for name in skeleton.names]
    scale = leg_ratio(source, skeleton)
    world, places = kinematics.world(clip)
    facing = _facing(source, skeleton, matching)
    source_rest, rest = quat.mul(facing, source.rest[0]), skeleton.rest[0]
    if skeleton.inheritance is None:
        return _fitted_plainly(clip, skeleton, np.array(matching), scale, source_rest, (world, places))
    shape = (len(clip), len(skeleton))
    rotations, translations = np.tile(quat.IDENTITY, (*shape, 1)), np.zeros((*shape, 3))
    linear, stands = np.empty((*shape, 3, 3)), np.empty((*shape, 3))
    frames = kinematics.Frames(skeleton, linear, stands)
    for joint, parent in enumerate(skeleton.parents):
        frame, theirs = frames.frame_of(joint), matching[joint]
        if theirs >= 0:
            turned = quat.mul(quat.mul(world[:, theirs], quat.inv(source_rest[theirs])), rest[joint])
            rotations[:, joint] = quat.mul(quat.inv(quat.from_matrix(frame.turning)), turned)
            if _hangs_free(skeleton, matching, int(parent)):
                # Scale the root's world position, not its offset from its rest position.
                translations[:, joint] = frame.location_of(scale * places[:, theirs])
            else:
                shift = scale * quat.rotate(source_rest[theirs], clip.translations[:, theirs])
                above = quat.inv(rest[parent])
                reach = np.einsum("fij,fj->fi", linear[:, parent], quat.rotate(above, shift))
                translations[:, joint] = frame.location_of(frame.origin + reach)
        linear[:, joint], stands[:, joint] = frame.apply(quat.to_matrix(rotations[:, joint]), translations[:, joint])
    return replace(clip, skeleton=skeleton, rotations=rotations, translations=translations)


def _fitted_plainly(
    clip: Clip,
    skeleton: Skeleton,
    matching: NDArray[np.int64],
    scale: float,
    source_rest: Array,
    posed: tuple[Array, Array],
) -> Clip:
    """Return the result of `fit_to_skeleton` for a skeleton with full inheritance, computed for all joints at once.

    matching (J,) : the clip's joint for each, −1 for none
    source_rest : rotations of the clip's joints at rest, turned to the skeleton's facing
    posed : world rotations and positions of the clip
    """
    world, places = posed
    (rest, stands), parents = skeleton.rest, skeleton.parents
    known = np.flatnonzero(matching >= 0)
    theirs = matching[known]
    turned = np.empty((len(clip), len(skeleton), 4))
    turned[:, known] = quat.mul(world[:, theirs], quat.mul(quat.inv(source_rest[theirs]), rest[known]))
    rotations, translations = np.tile(quat.IDENTITY, (*turned.shape[:2], 1)), np.zeros((*turned.shape[:2], 3))
    for joint in np.flatnonzero(matching < 0).tolist():
        above = turned[:, parents[joint]] if parents[joint] >= 0 else quat.IDENTITY
        turned[:, joint] = quat.mul(above, skeleton.orients[joint])
    roots, children = known[parents[known] < 0], known[parents[known] >= 0]
    rotations[:, roots] = quat.mul(quat.inv(skeleton.orients[roots]), turned[:, roots])
    above = quat.mul(turned[:, parents[children]], skeleton.orients[children])
    rotations[:, children] = quat.mul(quat.inv(above), turned[:, children])
    for joint, their in zip(known.tolist(), theirs.tolist(), strict=True):
        parent = int(parents[joint])
        if _hangs_free(skeleton, matching.tolist(), parent):
            # Scale the root's world position, not its offset from its rest position; all joints above are at rest.
            translations[:, joint] = quat.rotate(quat.inv(rest[joint]), scale * places[:, their] - stands[joint])
        elif clip.translations[:, their].any():
            shift = quat.rotate(quat.inv(rest[parent]), quat.rotate(source_rest[their], clip.translations[:, their]))
            frame = quat.mul(turned[:, parent], skeleton.orients[joint])
            translations[:, joint] = quat.rotate(quat.inv(frame), quat.rotate(turned[:, parent], scale * shift))
    return replace(clip, skeleton=skeleton, rotations=rotations, translations=translations)


def _facing(source: Skeleton, target: Skeleton, matching: list[int]) -> Array:
    """Return the rotation (4,) about the vertical from the source's rest pose to the target's, by common joints.

    It is the identity unless it explains most of the difference: rest poses with the same facing can still differ in
    their arm poses.
    """
    shared = [joint for joint, theirs in enumerate(matching) if theirs >= 0]
    places = source.rest[1][[matching[joint] for joint in shared]], target.rest[1][shared]
    seen = []
    for spread in (place - place.mean(axis=0) for place in places):
        flat, extent = np.linalg.norm(spread[:, :2]), np.linalg.norm(spread)
        if flat <= _SEEN_FROM_ABOVE * extent:
            return quat.IDENTITY
        seen.append((spread[:, 0] + 1j * spread[:, 1]) / flat)
    alike = np.vdot(seen[0], seen[1])
    # Difference between the poses, and the residual after rotating one onto the other.
    apart, left = 1.0 - alike.real, 1.0 - abs(alike)
    return quat.about_axis("Z", np.angle(alike)) if apart > _FACES_ALIKE and left < 0.25 * apart else quat.IDENTITY


def _hangs_free(skeleton: Skeleton, matching: list[int], parent: int) -> bool:
    """Return whether the clip moves no ancestor of a joint with this parent."""
    while parent >= 0:
        if matching[parent] >= 0:
            return False
        parent = int(skeleton.parents[parent])
    return True


def moving(clip: Clip) -> tuple[str, ...]:
    """Return the names of the joints that leave their rest pose in a clip.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import retarget
        >>> wave = actions.wave()
        >>> set(wave.skeleton.names) - set(retarget.moving(wave)) == {"toe.L", "toe.R", "clavicle.L", "clavicle.R"}
        True
    """
    # A few frames suffice to find most moving joints.
    active = _active(clip.take_frames(np.arange(0, len(clip), SELDOM)))
    for joint in np.flatnonzero(~active).tolist() if len(clip) > 1 else ():
        active[joint] = _active(clip, slice(joint, joint + 1))[0]
    return tuple(name for name, moves in zip(clip.skeleton.names, active, strict=True) if moves)


def _active(clip: Clip, joints: slice = slice(None)) -> NDArray[np.bool_]:
    """Return which joints are not at rest in all frames."""
    turned = np.abs(quat.log(clip.rotations[:, joints])).max(axis=(0, 2)) > _AT_REST
    active: NDArray[np.bool_] = turned | (np.abs(clip.translations[:, joints]).max(axis=(0, 2)) > _AT_REST)
    if clip.scales is not None:
        active |= np.abs(clip.scales[:, joints] - 1.0).max(axis=(0, 2)) > _AT_REST
    return active


def same(a: Skeleton, b: Skeleton) -> bool:
    """Return whether two skeletons have the same joints in the same rest pose (to a micrometre).

    Example:
        >>> from action_loom.core.demo_character import actions, body
        >>> from action_loom.core.motion import retarget
        >>> retarget.same(actions.walk().skeleton, body.skeleton())
        True
    """
    return a is b or (
        a.names == b.names
        and np.array_equal(a.parents, b.parents)
        and np.allclose(a.offsets, b.offsets, rtol=0.0, atol=1e-6)
        and np.allclose(quat.same_side(a.orients, b.orients), b.orients, rtol=0.0, atol=1e-6)
        and _inherit_alike(a.inheritance, b.inheritance)
    )


def _inherit_alike(a: Inheritance | None, b: Inheritance | None) -> bool:
    if a is None or b is None:
        return a is b
    return (
        a.scale == b.scale
        and np.array_equal(a.rotation, b.rotation)
        and np.array_equal(a.location, b.location)
        and np.allclose(a.space, b.space, rtol=0.0, atol=1e-6)
        and a.moving_space == b.moving_space
    )


def leg_ratio(source: Skeleton, target: Skeleton) -> float:
    """Return the ratio of the target's leg length to the source's, or, without legs, of the length of common bones.

    Heights are the last resort: tips of leaf bones may be invented by importers.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import retarget
        >>> figure = body.skeleton()
        >>> giant = replace(figure, offsets=2.0 * figure.offsets, tips=2.0 * figure.tips)
        >>> round(retarget.leg_ratio(figure, giant), 3)
        2.0
    """
    ours, theirs = _leg_length(source), _leg_length(target)
    if ours > 0.0 and theirs > 0.0:
        return theirs / ours
    ours, theirs = _shared_lengths(source, target)
    if ours > 0.0 and theirs > 0.0:
        return theirs / ours
    return target.height / source.height if source.height > 0.0 and target.height > 0.0 else 1.0


def _leg_length(skeleton: Skeleton) -> float:
    """Return the length of a leg in metres, measured to the shin's end if it has no foot; 0 for an unknown leg."""
    if skeleton.leg_length > 0.0:
        return skeleton.leg_length
    (turns, places), legs = skeleton.rest, []
    for side in "LR":
        thigh, shin = (skeleton.roles.get(f"{role}.{side}", -1) for role in ("thigh", "shin"))
        if thigh < 0 or shin < 0 or f"foot.{side}" in skeleton.roles or not skeleton.tips[shin].any():
            return 0.0
        end = quat.rotate(turns[shin], skeleton.tips[shin])
        legs.append(float(np.linalg.norm(places[shin] - places[thigh]) + np.linalg.norm(end)))
    return float(np.mean(legs))


def _shared_lengths(source: Skeleton, target: Skeleton) -> tuple[float, float]:
    """Return the summed lengths of the common bones on the source and on the target."""
    index = {name: joint for joint, name in enumerate(target.names)}
    ends = []
    for joint, name in enumerate(source.names):
        above = int(source.parents[joint])
        while above >= 0 and source.names[above] not in index:
            above = int(source.parents[above])
        if above >= 0 and name in index:
            ends.append((joint, above, index[name], index[source.names[above]]))
    if not ends:
        return 0.0, 0.0
    a, b, c, d = np.array(ends).T
    ours, theirs = source.rest[1], target.rest[1]
    return (
        float(np.linalg.norm(ours[a] - ours[b], axis=1).sum()),
        float(np.linalg.norm(theirs[c] - theirs[d], axis=1).sum()),
    )


def _check_same_joints(clip: Clip, skeleton: Skeleton) -> None:
    """Raise SkeletonError naming joints that only one of both bodies has."""
    ours, theirs = set(clip.skeleton.names), set(skeleton.names)
    extra = [name for name in clip.skeleton.names if name not in theirs]
    missing = [name for name in skeleton.names if name not in ours]
    if extra or missing:
        raise SkeletonError(
            f"{clip.name}: its joints differ from the reference's"
            + (f"; it has {some(extra)}" if extra else "")
            + (f"; it lacks {some(missing)}" if missing else "")
        )
