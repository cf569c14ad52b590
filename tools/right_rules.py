"""Variations of a clip by rules: knees bent a little more, another rest pose, rate or name, ends that hardly meet."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import right_measures as see
from action_loom.core.errors import LoomError
from action_loom.core.formats import bvh, motion_file
from action_loom.core.formats.motion_file import Convention
from action_loom.core.motion import ik, kinematics, mirror, quat, resample
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from right_calls import seen


@dataclass(frozen=True, eq=False)
class Varied:
    """A subject after a rule.

    clip : as it is given; clean : what a result is held against, where that is another (a T-pose that was put before)
    expected : what becomes of the places (F, J, 3) of the plain subject's result, where that is known
    near : how exactly, in body heights; roles : joints by role, known whatever they are called
    """

    clip: Clip
    clean: Clip
    roles: dict[str, int]
    expected: Callable[[Any], Any] | None = None
    near: float = 1e-6
    both: Callable[[Clip], Clip] | None = None
    meets: bool = field(default=False)


def _plain(clip: Clip, roles: dict[str, int], **more: Any) -> Varied:
    return Varied(clip, clip, roles, **more)


def unvaried(clip: Clip, rng: np.random.Generator) -> Varied:  # noqa: ARG001  (all rules are asked alike)
    return _plain(clip, clip.skeleton.roles)


def _knees(degrees: float) -> Callable[[Clip, np.random.Generator], Varied]:
    def rule(clip: Clip, rng: np.random.Generator) -> Varied:  # noqa: ARG001
        return _plain(bent(clip, degrees), clip.skeleton.roles)

    return rule


def bent(clip: Clip, degrees: float) -> Clip:
    """Return the clip with its knees bent further by some degrees, about the line from hip to hip at rest."""
    roles, (rest, places) = clip.skeleton.roles, clip.skeleton.rest
    if not {"thigh.L", "thigh.R", "shin.L", "shin.R"} <= roles.keys():
        raise LoomError("no knees")
    to_left = places[roles["thigh.L"]] - places[roles["thigh.R"]]
    rotations = clip.rotations.copy()
    for side in "LR":
        shin = roles[f"shin.{side}"]
        axis = quat.rotate(quat.inv(rest[shin]), to_left / np.linalg.norm(to_left))
        rotations[:, shin] = quat.mul(rotations[:, shin], quat.exp(np.radians(degrees) * axis))
    return replace(clip, rotations=rotations)


def _arms(upper: float, fore: float) -> Callable[[Clip, np.random.Generator], Varied]:
    def rule(clip: Clip, rng: np.random.Generator) -> Varied:  # noqa: ARG001
        def other(one: Clip) -> Clip:
            return resting_with_arms(one, upper, fore)

        return _plain(other(clip), clip.skeleton.roles, expected=lambda places: places, both=other)

    return rule


def resting_with_arms(clip: Clip, upper: float, fore: float) -> Clip:
    """Return the same motion on a rest pose whose arms are raised by some degrees, and forearms turned further."""
    body = clip.skeleton
    roles, orients = body.roles, body.orients.copy()
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    if "upper_arm.L" not in roles or "upper_arm.R" not in roles:
        raise LoomError("no arms")
    places = body.rest[1]
    to_left = places[roles["upper_arm.L"]] - places[roles["upper_arm.R"]]
    ahead = np.cross([0.0, 0.0, 1.0], -to_left / np.linalg.norm(to_left))
    ahead = np.where(np.abs(ahead) == np.abs(ahead).max(), np.sign(ahead), 0.0)  # the same turn on every body
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for part, degrees in (("upper_arm", upper), ("forearm", fore)):
            joint = roles.get(f"{part}.{side}")
            if joint is None:
                continue
            now = Skeleton(body.names, body.parents, body.offsets, orients, body.tips, roles).rest[0]
            turn = quat.exp(np.radians(-sign * degrees) * ahead)  # in the world
            above = quat.mul(now[joint], quat.inv(orients[joint]))
            other = quat.mul(quat.inv(above), quat.mul(turn, now[joint]))
            back = quat.mul(quat.inv(other), orients[joint])
            rotations[:, joint] = quat.mul(back, rotations[:, joint])
            translations[:, joint] = quat.rotate(back, translations[:, joint])
            orients[joint] = other
    posed = Skeleton(body.names, body.parents, body.offsets, orients, body.tips, inheritance=body.inheritance)
    return replace(clip, skeleton=posed, rotations=rotations, translations=translations)


def _rate(rate: float) -> Callable[[Clip, np.random.Generator], Varied]:
    def rule(clip: Clip, rng: np.random.Generator) -> Varied:  # noqa: ARG001
        return _plain(resample.to_rate(clip, rate), clip.skeleton.roles)

    return rule


def _scaled(factor: float) -> Callable[[Clip, np.random.Generator], Varied]:
    def rule(clip: Clip, rng: np.random.Generator) -> Varied:  # noqa: ARG001
        def other(one: Clip) -> Clip:
            return through_file(one, factor)

        made = other(clip)
        return _plain(made, made.skeleton.roles, both=other)

    return rule


def through_file(clip: Clip, factor: float) -> Clip:
    """Return a clip as read from a file whose numbers are metres times `factor`."""
    body = clip.skeleton
    large = Skeleton(body.names, body.parents, factor * body.offsets, body.orients, factor * body.tips, body.roles)
    sized = replace(clip, skeleton=large, translations=factor * clip.translations, channels={})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{clip.name}.bvh")
        path.write_bytes(bvh.compose(sized, None, Convention("m", 1.0, "z", guessed=False)))
        return replace(motion_file.read(path, up="z").clip, name=clip.name)


def mirrored(clip: Clip, rng: np.random.Generator) -> Varied:  # noqa: ARG001
    return _plain(replace(mirror.mirror_clip(clip), name=clip.name), clip.skeleton.roles)


def moved(clip: Clip, rng: np.random.Generator) -> Varied:
    angle, shift = rng.uniform(-np.pi, np.pi), rng.uniform(-20.0, 20.0, 2)

    def other(one: Clip) -> Clip:
        return turned(one, angle, shift)

    def expected(places: Any) -> Any:
        return quat.rotate(quat.about_axis("Z", np.array(angle)), places) + np.array([*shift, 0.0])

    return _plain(other(clip), clip.skeleton.roles, expected=expected, both=other)


def turned(clip: Clip, angle: float, shift: Any) -> Clip:
    """Return a clip turned about the vertical through the origin and moved, by its root joints."""
    body = clip.skeleton
    turn = quat.about_axis("Z", np.array(angle))
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    for root in np.flatnonzero(body.parents < 0):
        orient = body.orients[root]
        place = body.offsets[root] + quat.rotate(orient, clip.translations[:, root])
        there = quat.rotate(turn, place) + np.resize([*shift, 0.0], 3)
        translations[:, root] = quat.rotate(quat.inv(orient), there - body.offsets[root])
        own = quat.mul(quat.mul(quat.inv(orient), turn), orient)
        rotations[:, root] = quat.mul(own, clip.rotations[:, root])
    return replace(clip, rotations=rotations, translations=translations)


def t_pose_first(clip: Clip, rng: np.random.Generator) -> Varied:  # noqa: ARG001
    """Put a T-pose before the first frame, at the clip's first place, like captures do."""
    body = clip.skeleton
    rotations, translations = clip.rotations[:1].copy(), clip.translations[:1].copy()
    rotations[:] = quat.IDENTITY
    places, to_left = body.rest[1], None
    for side, sign in (("L", 1.0), ("R", -1.0)):
        arm, fore = (body.roles.get(f"{part}.{side}") for part in ("upper_arm", "forearm"))
        if arm is None or fore is None:
            raise LoomError("no arms")
        if to_left is None:
            to_left = places[arm] - places[body.roles["upper_arm.R"]]
            to_left /= np.linalg.norm(to_left)
        turn = ik.shortest((places[fore] - places[arm])[None], (sign * to_left)[None])[0]
        rest = body.rest[0][arm]
        rotations[0, arm] = quat.mul(quat.inv(rest), quat.mul(turn, rest))
    first = replace(clip, rotations=rotations, translations=translations, channels={})
    soles = [joint for role, joint in body.roles.items() if role.startswith(("foot", "toe"))]
    if soles:
        lift = kinematics.world(clip)[1][0, soles, 2].min() - kinematics.world(first)[1][0, soles, 2].min()
        first = turned(first, 0.0, (0.0, 0.0, lift))
    rotations = np.concatenate([first.rotations, clip.rotations])
    translations = np.concatenate([first.translations, clip.translations])
    return Varied(replace(clip, rotations=rotations, translations=translations), clip, body.roles)


JAPANESE = {
    "hips": "下半身", "spine": "上半身", "chest": "上半身2", "neck": "首", "head": "頭", "clavicle": "肩",
    "upper_arm": "腕", "forearm": "ひじ", "hand": "手首", "thigh": "足", "shin": "ひざ",
    "foot": "足首", "toe": "つま先",
}  # fmt: skip


def japanese(clip: Clip, rng: np.random.Generator) -> Varied:  # noqa: ARG001
    def other(one: Clip) -> Clip:
        by_joint = {joint: role for role, joint in one.skeleton.roles.items()}
        names = []
        for joint in range(len(one.skeleton)):
            part, _, side = by_joint.get(joint, "").partition(".")
            names.append({"L": "左", "R": "右"}.get(side, "") + JAPANESE[part] if part in JAPANESE else f"補助{joint}")
        return called(one, names)

    return _plain(other(clip), clip.skeleton.roles, expected=lambda places: places, both=other)


def nameless(clip: Clip, rng: np.random.Generator) -> Varied:
    numbers = rng.permutation(900)[: len(clip.skeleton)] + 100

    def other(one: Clip) -> Clip:
        return called(one, [f"Bone.{number}" for number in numbers[: len(one.skeleton)]])

    return _plain(other(clip), clip.skeleton.roles, both=other)


def called(clip: Clip, names: list[str]) -> Clip:
    """Return a clip with other joint names, from which roles are found again."""
    body = clip.skeleton
    return replace(clip, skeleton=Skeleton(tuple(names), body.parents, body.offsets, body.orients, body.tips))


# --- cycles ----------------------------------------------------------------------------------------------------------


def one_cycle(clip: Clip) -> Clip:
    """Return one cycle of a clip that repeats itself exactly, as the figure's gaits do; raises LoomError for others."""
    places, facing = kinematics.world(clip)[1], see.facing(seen(clip))
    if facing is None:
        raise LoomError("no hips and shoulders")
    hips = places[:, :1].copy()
    hips[..., 2] = 0.0
    local = quat.rotate(quat.about_axis("Z", -facing)[:, None], places - hips)  # a cycle may turn
    for length in range(8, len(clip)):
        if np.abs(local[length] - local[0]).max() < 1e-4 and np.abs(local[-1] - local[-1 - length]).max() < 1e-4:
            return clip.cut(0, length + 1)
    raise LoomError("no exact cycle")


def _cycle(change: Callable[[Clip], Clip], *, meets: bool = True) -> Callable[[Clip, np.random.Generator], Varied]:
    def rule(clip: Clip, rng: np.random.Generator) -> Varied:  # noqa: ARG001
        def other(one: Clip) -> Clip:
            return change(one_cycle(one))

        return _plain(other(clip), clip.skeleton.roles, both=other, meets=meets)

    return rule


def gap(clip: Clip) -> Clip:
    """Return a cycle whose ends differ by 2 % of the height: an arm and the head drift on the way."""
    body, rotations = clip.skeleton, clip.rotations.copy()
    drift = np.linspace(0.0, 1.0, len(clip))[:, None]
    for role in ("upper_arm.L", "head"):
        joint = body.roles[role]
        reach = {"upper_arm.L": 0.31, "head": 0.11}[role]
        turn = 0.02 / reach * (1.0 if role == "upper_arm.L" else 0.5)
        rotations[:, joint] = quat.mul(rotations[:, joint], quat.exp(drift * [turn, 0.0, 0.0]))
    return replace(clip, rotations=rotations)


RULES: dict[str, Callable[[Clip, np.random.Generator], Varied]] = {
    "plain": unvaried,
    "knees -8": _knees(-8.0),
    "knees -4": _knees(-4.0),
    "knees +4": _knees(4.0),
    "knees +8": _knees(8.0),
    "rest arms up": _arms(60.0, 0.0),
    "rest arms down": _arms(-60.0, 0.0),
    "rest arms folded": _arms(-50.0, 150.0),
    "24 fps": _rate(24.0),
    "25 fps": _rate(25.0),
    "29.97 fps": _rate(29.97),
    "30 fps": _rate(30.0),
    "60 fps": _rate(60.0),
    "120 fps": _rate(120.0),
    "file x 0.01": _scaled(0.01),
    "file x 100": _scaled(100.0),
    "mirrored": mirrored,
    "moved": moved,
    "T-pose first": t_pose_first,
    "names japanese": japanese,
    "names random": nameless,
    "one cycle": _cycle(lambda clip: clip),
    "half cycle": _cycle(lambda clip: clip.cut(0, len(clip) // 2 + 1), meets=False),
    "cycle gap": _cycle(gap),
    "cycle no last key": _cycle(lambda clip: clip.cut(0, len(clip) - 1)),
}
OF_CYCLES = ("one cycle", "half cycle", "cycle gap", "cycle no last key")
