"""Input of the tests: captured clips from ../shared, and bodies and motions made up from a seed."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from action_loom.core.formats import bvh
from action_loom.core.motion import kinematics, quat, resample, trim
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from oracles.kept_aside import is_kept_aside

# Name, parent and place at rest (metres, Z up) of each joint of five characters that artists made, as Blender imports
# their glTF files: names, parents and rest[1] of rig.read(armature).skeleton, to a millimetre. By GDQuest (mannequiny,
# CC BY 4.0), T. Laulhé and D. McCurdy (RobotExpressive, CC0), tomkranis (Fox, CC BY 4.0), swift502 (boxman, MIT), the
# Godot demo projects (godot_player, MIT).
_CHARACTERS = Path(__file__).resolve().parents[1] / "data" / "characters.json"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"

# Four joints and two frames, as a file; tests of broken files rely on its line numbers.
SMALL_BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 1.0 2.0 3.0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0.0 50.0 0.0
    CHANNELS 3 Yrotation Zrotation Xrotation
    JOINT Head
    {
      OFFSET 0.0 60.0 0.0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0.0 20.0 0.0
      }
    }
  }
  JOINT Leg
  {
    OFFSET 10.0 0.0 0.0
    CHANNELS 3 Xrotation Yrotation Zrotation
    End Site
    {
      OFFSET 0.0 -40.0 0.0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 90 0 10 20 30 1 2 3 4 5 6 7 8 9
1.5 91 -2e-1 11 21 31 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 9.5
"""

# A figure of a person's size, facing +y: name, parent, offset in metres.
_SIDES = (("Left", -1.0), ("Right", 1.0))
_LEG = (
    ("UpLeg", "Hips", (0.1, 0.0, -0.05)),
    ("Leg", "UpLeg", (0.0, 0.0, -0.42)),
    ("Foot", "Leg", (0.0, 0.0, -0.4)),
    ("ToeBase", "Foot", (0.0, 0.14, -0.05)),
)
_TRUNK = (
    ("Hips", None, (0.0, 0.0, 0.9)),
    ("Spine", "Hips", (0.0, 0.0, 0.12)),
    ("Spine1", "Spine", (0.0, 0.0, 0.2)),
    ("Neck", "Spine1", (0.0, 0.0, 0.2)),
    ("Head", "Neck", (0.0, 0.02, 0.1)),
)
_ARM = (
    ("Shoulder", "Spine1", (0.05, 0.0, 0.15)),
    ("Arm", "Shoulder", (0.12, 0.0, 0.0)),
    ("ForeArm", "Arm", (0.28, 0.0, 0.0)),
    ("Hand", "ForeArm", (0.25, 0.0, 0.0)),
)
_TIPS = {
    "Head": (0.0, 0.0, 0.2),
    "LeftHand": (-0.18, 0.0, 0.0),
    "RightHand": (0.18, 0.0, 0.0),
    "LeftToeBase": (0.0, 0.07, 0.0),
    "RightToeBase": (0.0, 0.07, 0.0),
}


def captured_file(name: str) -> Path:
    """Return the path of a captured file, named without its ending."""
    return next(p for folder in ("cmu", "odd") if (p := SHARED / folder / f"{name}.bvh").exists())


@cache
def as_captured(name: str) -> Clip:
    """Return a captured clip in metres with all its frames; to be used in tests marked `shared`."""
    clip, _ = bvh.to_clip(bvh.read(captured_file(name)))
    return clip


@cache
def captured(name: str) -> Clip:
    """Return a captured clip in metres, without its bad ends; to be used in tests marked `shared`."""
    return trim.ends(as_captured(name)).clip


def strides(*numbers: str) -> list[Clip]:
    """Walks of person 08, kept out of tuning, trimmed and at 30 frames a second."""
    files = [SHARED / "strides" / f"cmu_mb_08_{number}.bvh" for number in numbers]
    return [resample.to_rate(trim.ends(bvh.to_clip(bvh.read(file))[0]).clip, 30.0) for file in files]


def captured_files(folder: str = "*") -> list[Path]:
    """Return all captured files, for `parametrize`; without captures, one path that does not exist."""
    return sorted(SHARED.glob(f"{folder}/*.bvh")) or [Path("absent.bvh")]


def some_captured_files(folder: str = "*") -> list[Path]:
    """Return the captured files kept out of tuning, all files from the wild, and a third of the others."""
    files = captured_files(folder)
    return [one for k, one in enumerate(files) if k % 3 == 0 or one.parent.name == "odd" or is_kept_aside(one)]


def rotations(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Return evenly distributed unit quaternions (*shape, 4), of either sign."""
    return quat.normalize(rng.normal(size=(*shape, 4)))


def random_skeleton(rng: np.random.Generator, joints: int = 12, roots: int = 1) -> Skeleton:
    """Return any tree (or forest) with turned rest frames; some of the joints have tips."""
    parents = np.array([-1 if j < roots else rng.integers(0, j) for j in range(joints)])
    tips = np.where(rng.random((joints, 1)) < 0.5, rng.normal(size=(joints, 3)), 0.0)
    names = tuple(f"joint{j}" for j in range(joints))
    return Skeleton(names, parents, rng.normal(size=(joints, 3)), rotations(rng, joints), tips)


def turn_joint(clip, joint, turn, *, frames=slice(None), **more):
    """Return a clip in which a joint turns further in some frames; more : further fields to replace."""
    rotations = clip.rotations.copy()
    rotations[frames, joint] = quat.mul(rotations[frames, joint], turn)
    return replace(clip, rotations=rotations, **more)


def random_clip(rng: np.random.Generator, skeleton: Skeleton, frames: int = 5, rate: float = 30.0) -> Clip:
    """Return unrelated poses, every joint turned and moved."""
    shape = (frames, len(skeleton))
    return Clip("random", skeleton, rate, rotations(rng, *shape), 0.1 * rng.normal(size=(*shape, 3)))


def figure(scale: float = 1.0) -> Skeleton:
    """Return a body whose roles are all known; rest frames are the world's."""
    joints = [*_TRUNK, *_limbs(_ARM), *_limbs(_LEG)]
    names = tuple(name for name, _, _ in joints)
    parents = np.array([-1 if above is None else names.index(above) for _, above, _ in joints])
    offsets = np.array([offset for _, _, offset in joints])
    tips = np.array([_TIPS.get(name, (0.0, 0.0, 0.0)) for name in names])
    return Skeleton(names, parents, scale * offsets, np.tile(quat.IDENTITY, (len(names), 1)), scale * tips)


def character(name: str) -> Skeleton:
    """Return the body of an artist's character (see `_CHARACTERS`), without tips; rest frames are the world's."""
    rows = json.loads(_CHARACTERS.read_text(encoding="utf-8"))[name]
    names, parents, places = zip(*rows, strict=True)
    above, at = np.array(parents), np.array(places)
    offsets = np.where(above[:, None] >= 0, at - at[above], at)
    return Skeleton(names, above, offsets, np.tile(quat.IDENTITY, (len(names), 1)), np.zeros(at.shape))


def _limbs(joints: tuple) -> list:
    trunk = [name for name, _, _ in _TRUNK]
    return [
        (side + name, above if above in trunk else side + above, (sign * x, y, z))
        for side, sign in _SIDES
        for name, above, (x, y, z) in joints
    ]


def walk(
    seconds: float = 2.0,
    rate: float = 30.0,
    *,
    stride: float = 1.0,
    turn: float = 0.0,
    name: str = "walk",
    skeleton: Skeleton | None = None,
) -> Clip:
    """Return a figure that swings its legs `stride` times a second and walks on, turning `turn` radians a second."""
    skeleton = skeleton or figure()
    time = np.arange(round(seconds * rate) + 1) / rate
    phase, facing = 2.0 * np.pi * stride * time, turn * time
    turns = np.tile(quat.IDENTITY, (len(time), len(skeleton), 1))
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        swing = {
            "UpLeg": 0.45 * sign * np.sin(phase),
            "Leg": -0.5 * (1.0 - np.cos(phase + sign * 0.5 * np.pi - 0.6)),
            "Arm": -0.3 * sign * np.sin(phase),
            "ForeArm": 0.2 + 0.1 * np.sin(phase),
        }
        for joint, angle in swing.items():
            turns[:, skeleton.index(side + joint)] = quat.about_axis("X", angle)
    turns[:, 0] = quat.about_axis("Z", facing)
    speed = 1.3 * stride
    step = speed / rate * np.stack([-np.sin(facing), np.cos(facing)], axis=1)
    places = np.zeros((len(time), len(skeleton), 3))
    places[1:, 0, :2] = np.cumsum(step[:-1], axis=0)
    places[:, 0, 2] = 0.03 * np.cos(2.0 * phase)
    return Clip(name, skeleton, rate, turns, places)


def write(clip: Clip, path: Path) -> Path:
    """Write a clip as a BVH file and return the path."""
    bvh.write(bvh.from_clip(clip), path)
    return path


def read_bvh(folder: Path, content: str | bytes) -> bvh.BvhMotion:
    """Read a BVH file of this content, written into a folder first."""
    path = folder / "text.bvh"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return bvh.read(path)


def assert_same_motion(a: bvh.BvhMotion, b: bvh.BvhMotion) -> None:
    assert (a.names, a.channels, a.frame_time) == (b.names, b.channels, b.frame_time)
    for field in ("parents", "offsets", "tips", "values"):
        np.testing.assert_array_equal(getattr(a, field), getattr(b, field))


def under(clip: Clip, *names: str, tilt: np.ndarray | None = None) -> Clip:
    """Return a clip on a body with joints above its hips, one hanging on the other, and a foot target beside the last.

    tilt : turn of the first of them in every frame, which its child takes back
    """
    body, more, count = clip.skeleton, len(names) + 1, len(clip)
    parents = np.concatenate(
        [np.arange(more - 1) - 1, [more - 2], np.where(body.parents < 0, more - 2, body.parents + more)]
    )
    offsets, orients = np.zeros((more, 3)), np.tile(quat.IDENTITY, (more, 1))
    offsets[-1] = [0.3, 0.0, 0.0]
    turns = np.tile(quat.IDENTITY, (count, more, 1))
    if tilt is not None:
        turns[:, 0], orients[1] = tilt, quat.inv(tilt)
    skeleton = Skeleton(
        (*names, "target", *body.names),
        parents,
        np.concatenate([offsets, body.offsets]),
        np.concatenate([orients, body.orients]),
        np.concatenate([np.zeros((more, 3)), body.tips]),
        {role: joint + more for role, joint in body.roles.items()},
    )
    rotations = np.concatenate([turns, clip.rotations], axis=1)
    translations = np.concatenate([np.zeros((count, more, 3)), clip.translations], axis=1)
    return Clip(clip.name, skeleton, clip.rate, rotations, translations, cyclic=clip.cyclic)


IK_BONES = {
    "ik_foot_root": ("root", ""),
    "ik_foot_l": ("ik_foot_root", "foot.L"),
    "ik_foot_r": ("ik_foot_root", "foot.R"),
    "ik_hand_root": ("root", ""),
    "ik_hand_gun": ("ik_hand_root", "hand.R"),
    "ik_hand_l": ("ik_hand_gun", "hand.L"),
    "ik_hand_r": ("ik_hand_gun", "hand.R"),
}


def loose(clip: Clip, names: Sequence[str], *, first: bool = False) -> Clip:
    """Return a clip on a body with a root bone, which is the parent of some joints instead of their own.

    Many exporters bake inverse kinematics like this. first : whether these joints come before the body's
    """
    turns, places = kinematics.world(clip)
    body = clip.skeleton
    ends = [body.index(name) for name in names]
    below = body.with_below(ends)
    order = sorted(range(len(body)), key=lambda joint: bool(below[joint]) != first)
    ends = [joint for joint in order if joint in ends]
    place = {joint: k + 1 for k, joint in enumerate(order)}
    above = [0 if joint in ends or body.parents[joint] < 0 else place[int(body.parents[joint])] for joint in order]
    rest, stands = body.rest
    still = np.tile(quat.IDENTITY, (len(clip), 1, 1))
    free = [k + 1 for k, joint in enumerate(order) if joint in ends]
    offsets = np.concatenate([np.zeros((1, 3)), body.offsets[order]])
    orients = np.concatenate([quat.IDENTITY[None], body.orients[order]])
    offsets[free], orients[free] = stands[ends], rest[ends]
    rotations = np.concatenate([still, clip.rotations[:, order]], axis=1)
    translations = np.concatenate([np.zeros((len(clip), 1, 3)), clip.translations[:, order]], axis=1)
    back = quat.inv(rest[ends])
    rotations[:, free] = quat.continuous(quat.mul(back, turns[:, ends]))
    translations[:, free] = quat.rotate(back, places[:, ends] - stands[ends])
    skeleton = Skeleton(
        ("root", *(body.names[joint] for joint in order)),
        np.array([-1, *above]),
        offsets,
        orients,
        np.concatenate([np.zeros((1, 3)), body.tips[order]]),
    )
    return replace(clip, skeleton=skeleton, rotations=rotations, translations=translations)


def with_ik_bones(clip: Clip, *, keyed: bool = True) -> Clip:
    """Return a clip on a body with a root bone and the IK bones of Unreal's skeletons, behind its own joints.

    keyed : whether each IK bone is 1 cm beside its foot or hand and turns with it; else it stays at rest
    """
    body = under(clip, "root")
    skeleton, count, frames = body.skeleton, len(body.skeleton), len(clip)
    names = [*skeleton.names, *IK_BONES]
    rest = [skeleton.rest[1][skeleton.roles[role]] if role else np.zeros(3) for _, role in IK_BONES.values()]
    parents = [names.index(parent) for parent, _ in IK_BONES.values()]
    above = [rest[parent - count] if parent >= count else np.zeros(3) for parent in parents]
    more, still = len(IK_BONES), np.tile(quat.IDENTITY, (len(IK_BONES), 1))
    made = Skeleton(
        tuple(names),
        np.concatenate([skeleton.parents, parents]),
        np.concatenate([skeleton.offsets, np.subtract(rest, above)]),
        np.concatenate([skeleton.orients, still]),
        np.concatenate([skeleton.tips, np.zeros((more, 3))]),
        skeleton.roles,
    )
    rotations = np.concatenate([body.rotations, np.tile(still, (frames, 1, 1))], axis=1)
    translations = np.concatenate([body.translations, np.zeros((frames, more, 3))], axis=1)
    turns, places = kinematics.forward(made, rotations, translations)
    for joint, (parent, role) in enumerate(IK_BONES.values(), start=count):
        if not keyed or not role:
            continue
        limb, up = made.roles[role], names.index(parent)
        places[:, joint] = places[:, limb] + quat.rotate(turns[:, limb], np.array([0.01, 0.0, 0.0]))
        turns[:, joint] = turns[:, limb]
        rotations[:, joint] = quat.mul(quat.inv(turns[:, up]), turns[:, joint])
        held = quat.rotate(quat.inv(turns[:, up]), places[:, joint] - places[:, up])
        translations[:, joint] = held - made.offsets[joint]
    return Clip(clip.name, made, clip.rate, quat.continuous(rotations), translations, cyclic=clip.cyclic)


def without_feet(clip):
    """A clip of the same body whose legs end with their shins, as a box figure's."""
    body, roles = clip.skeleton, clip.skeleton.roles
    ankles = {roles[f"shin.{side}"]: roles[f"foot.{side}"] for side in "LR"}
    gone = body.with_below([*ankles.values()])
    kept = np.flatnonzero(~gone)
    place = {int(joint): k for k, joint in enumerate(kept)}
    tips = body.tips.copy()
    for shin, ankle in ankles.items():
        tips[shin] = body.offsets[ankle]
    skeleton = replace(
        body,
        names=tuple(body.names[k] for k in kept),
        parents=np.array([place.get(int(body.parents[k]), -1) for k in kept]),
        offsets=body.offsets[kept],
        orients=body.orients[kept],
        tips=tips[kept],
        roles={role: place[joint] for role, joint in roles.items() if joint in place},
    )
    return replace(clip, skeleton=skeleton, rotations=clip.rotations[:, kept], translations=clip.translations[:, kept])


def assert_same_clip(one, other, atol=1e-9):
    """Assert that two clips have the same rotations, of either sign, and the same translations."""
    np.testing.assert_allclose(quat.same_side(one.rotations, other.rotations), other.rotations, atol=atol)
    np.testing.assert_allclose(one.translations, other.translations, atol=atol)
