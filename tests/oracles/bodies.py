"""The same body in other rest poses, with bones along other axes, of other proportions and with other joints."""

from dataclasses import replace

import numpy as np
from action_loom.core.bodies import rest_check, rest_frames
from action_loom.core.motion import kinematics, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton

from . import material

FINGERS = {"Thumb": (0.03, 0.04), "Index": (0.09, 0.03), "Middle": (0.095, 0.01), "Ring": (0.09, -0.01)}
FINGERS["Pinky"] = (0.08, -0.03)  # how far along the hand, and to its front
_UP = {"Left": 1.0, "Right": -1.0}  # the sign of a turn about y that lifts an arm held out to this side


def handed() -> Skeleton:
    """Return the made-up figure with five fingers of three joints on each hand."""
    body = material.figure()
    names, parents, offsets, tips = list(body.names), body.parents.tolist(), [*body.offsets], [*body.tips]
    for side, sign in (("Left", -1.0), ("Right", 1.0)):
        for finger, (along, front) in FINGERS.items():
            above = names.index(f"{side}Hand")
            for k in range(3):
                names.append(f"{side}Hand{finger}{k + 1}")
                parents.append(above)
                offsets.append(np.array([sign * along, front, 0.0] if k == 0 else [0.03 * sign, 0.0, 0.0]))
                tips.append(np.array([0.02 * sign, 0.0, 0.0] if k == 2 else [0.0, 0.0, 0.0]))
                above = len(names) - 1
    hands = [names.index(f"{side}Hand") for side in ("Left", "Right")]
    for hand in hands:
        tips[hand] = np.zeros(3)
    return Skeleton(
        tuple(names), np.array(parents), np.array(offsets), np.tile(quat.IDENTITY, (len(names), 1)), np.array(tips)
    )


def resting(skeleton: Skeleton, turns: dict[str, np.ndarray], seed: int | None = None) -> Skeleton:
    """Return the body at rest in another pose; with a seed, with bones along any axes.

    turns : of joints by name (4,), about where they rest now, in their parents' frames
    """
    pose = np.tile(quat.IDENTITY, (1, len(skeleton), 1))
    for name, turn in turns.items():
        pose[0, skeleton.index(name)] = turn
    world, places = kinematics.world(Clip("pose", skeleton, 30.0, pose, np.zeros((1, len(skeleton), 3))))
    world, places = world[0], places[0]
    own = np.tile(quat.IDENTITY, (len(skeleton), 1))
    if seed is not None:
        own = material.rotations(np.random.default_rng(seed), len(skeleton))
    rest = quat.mul(world, own)
    orients, offsets, child = rest.copy(), places.copy(), skeleton.parents >= 0
    above = skeleton.parents[child]
    orients[child] = quat.mul(quat.inv(rest[above]), rest[child])
    offsets[child] = quat.rotate(quat.inv(rest[above]), places[child] - places[above])
    tips = quat.rotate(quat.inv(own), skeleton.tips)
    return replace(skeleton, orients=orients, offsets=offsets, tips=tips, roles=dict(skeleton.roles))


def arms(degrees: float, elbow: float = 0.0, palm: float = 0.0) -> dict[str, np.ndarray]:
    """Turns that lift the arms of a figure in T pose, bend its elbows to the front and roll its hands."""
    found = {}
    for side, sign in _UP.items():
        found[f"{side}Arm"] = quat.about_axis("Y", np.radians(sign * degrees))
        found[f"{side}ForeArm"] = quat.about_axis("Z", np.radians(-sign * elbow))
        found[f"{side}Hand"] = quat.about_axis("X", np.radians(palm))
    return found


def legs(degrees: float) -> dict[str, np.ndarray]:
    """Turns that spread the legs of a figure, whose soles stay flat."""
    found = {}
    for side, sign in _UP.items():
        found[f"{side}UpLeg"] = quat.about_axis("Y", np.radians(sign * degrees))
        found[f"{side}Foot"] = quat.about_axis("Y", np.radians(-sign * degrees))
    return found


RESTS = {
    "T": {},
    "A 45": arms(-45.0),
    "A 60": arms(-60.0),
    "N": arms(-85.0),
    "arms up": arms(88.0),
    "bent elbows": arms(-30.0, elbow=70.0),
    "legs out 20": legs(20.0),
    "legs in 5": legs(-5.0),
    "A 45, legs out 20": arms(-45.0) | legs(20.0),
}


def proportioned(skeleton: Skeleton, factors: dict[str, float]) -> Skeleton:
    """Return a body whose bones that end in joints of these names (or with these endings) are longer or shorter."""
    offsets = skeleton.offsets.copy()
    for joint, name in enumerate(skeleton.names):
        for ending, factor in factors.items():
            if name.endswith(ending):
                offsets[joint] *= factor
    return replace(skeleton, offsets=offsets, roles=dict(skeleton.roles))


def with_joints(skeleton: Skeleton, between: dict[str, int], hanging: tuple[str, ...] = ()) -> Skeleton:
    """Return a body with more joints on the way to some, evenly spaced, and a twist bone below each of `hanging`."""
    names, parents, offsets, tips, orients = [], [], [], [], []
    place: dict[int, int] = {}

    def add(name: str, above: int, offset: np.ndarray, tip: np.ndarray, orient: np.ndarray) -> int:
        for values, value in ((names, name), (parents, above), (offsets, offset), (tips, tip), (orients, orient)):
            values.append(value)
        return len(names) - 1

    for joint, name in enumerate(skeleton.names):
        above = place.get(int(skeleton.parents[joint]), -1)
        steps = between.get(name, 0) + 1
        for k in range(steps - 1):
            above = add(f"{name}_extra{k}", above, skeleton.offsets[joint] / steps, np.zeros(3), quat.IDENTITY)
        place[joint] = add(name, above, skeleton.offsets[joint] / steps, skeleton.tips[joint], skeleton.orients[joint])
    for name in hanging:
        add(f"{name}_twist", place[skeleton.index(name)], np.array([0.0, 0.0, 0.02]), np.zeros(3), quat.IDENTITY)
    return Skeleton(tuple(names), np.array(parents), np.array(offsets), np.array(orients), np.array(tips))


def moving(skeleton: Skeleton, seed: int = 0, frames: int = 60) -> Clip:
    """Return a figure that walks in a curve and moves every joint smoothly, within a body's range."""
    rng = np.random.default_rng(seed)
    walk = material.walk((frames - 1) / 30.0, 30.0, turn=0.6, skeleton=skeleton)
    time = np.linspace(0.0, 2.0 * np.pi, len(walk))
    phases, speeds = rng.uniform(0.0, 6.28, (len(skeleton), 3)), rng.integers(1, 4, (len(skeleton), 3))
    wave = 0.25 * np.sin(time[:, None, None] * speeds + phases)
    return replace(walk, rotations=quat.mul(walk.rotations, quat.exp(wave)))


LIMBS = tuple(
    (f"{high}.{side}", f"{low}.{side}")
    for side in "LR"
    for high, low in (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))
)


def directions(skeleton: Skeleton, places: np.ndarray) -> dict[str, np.ndarray]:
    """Return the unit vector (F, 3) of each bone of the limbs, by the role of the joint that turns it."""
    found = {}
    for high, low in LIMBS:
        if {high, low} <= set(skeleton.roles):
            bone = places[:, skeleton.roles[low]] - places[:, skeleton.roles[high]]
            found[high] = bone / np.linalg.norm(bone, axis=1)[:, None]
    return found


def apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the angle (F,) in degrees between unit vectors (F, 3), exact for small ones."""
    return np.degrees(2.0 * np.arctan2(np.linalg.norm(one - other, axis=1), np.linalg.norm(one + other, axis=1)))


def turned_by(skeleton: Skeleton, turns: np.ndarray) -> dict[str, np.ndarray]:
    """Return the direction (F, 3) of each bone of the limbs under world turns (F, J, 4)."""
    rotations, places = skeleton.rest
    found = {}
    for high, low in LIMBS:
        if {high, low} <= set(skeleton.roles):
            joint = skeleton.roles[high]
            bone = places[skeleton.roles[low]] - places[joint]
            own = quat.rotate(quat.inv(rotations[joint]), bone / np.linalg.norm(bone))
            found[high] = quat.rotate(turns[:, joint], own)
    return found


def resting_by_role(skeleton: Skeleton, pose: str, seed: int | None = None) -> Skeleton:
    """Return any body with named roles whose limbs rest in a pose of the figure."""
    figure, upright = material.figure(), rest_frames.body_frame(skeleton, rest_frames.at_rest(skeleton))
    turns = {}
    for role, joint in figure.roles.items():
        turn = RESTS[pose].get(figure.names[joint])
        if turn is not None and role in skeleton.roles:
            own = skeleton.roles[role]
            in_world = quat.mul(quat.mul(upright, turn), quat.inv(upright))
            rest = skeleton.rest[0][own]
            turns[skeleton.names[own]] = quat.mul(quat.mul(quat.inv(rest), in_world), rest)
    return resting(skeleton, turns, seed)


def is_possible(skeleton):
    """Return whether a body can stand in its rest pose."""
    return bool(rest_check.tilt(skeleton, rest_frames.at_rest(skeleton).points).possible)
