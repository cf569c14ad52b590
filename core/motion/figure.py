"""A small human figure and gaits of it, made by formula: for the demo, and for tests without motion capture.

The figure faces −Y, its left is +X. A cycle begins where the leading foot's heel strikes; the phase of a foot
(0 … 1) begins where its own heel strikes.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import OptionError
from . import quat
from .clip import Clip
from .quat import Array
from .skeleton import Skeleton

# Name, parent and place at rest, metres. Those beside the middle are the left ones of pairs.
_JOINTS = (
    ("hips", "", (0.0, 0.0, 0.965)),
    ("spine", "hips", (0.0, 0.010, 1.055)),
    ("chest", "spine", (0.0, 0.020, 1.210)),
    ("neck", "chest", (0.0, 0.020, 1.440)),
    ("head", "neck", (0.0, 0.0, 1.525)),
    ("clavicle", "chest", (0.020, 0.0, 1.395)),
    ("upper_arm", "clavicle", (0.185, 0.015, 1.400)),
    ("forearm", "upper_arm", (0.300, 0.025, 1.140)),
    ("hand", "forearm", (0.395, -0.005, 0.915)),
    ("thigh", "hips", (0.090, 0.0, 0.925)),
    ("shin", "thigh", (0.090, -0.010, 0.505)),
    ("foot", "shin", (0.090, 0.015, 0.085)),
    ("toe", "foot", (0.090, -0.115, 0.020)),
)
_TIPS = {"head": (0.0, -0.010, 0.195), "hand": (0.065, -0.015, -0.165), "toe": (0.0, -0.065, -0.020)}
_SIDES = np.array([1.0, -1.0])  # left, right
_BALL, _HEEL = 0.020, 0.190  # m; height of a standing foot's ball, and from it back to the heel
_ARM_OUT, _ARM_HANGS = np.radians(24.0), np.radians(7.0)  # from straight down, at rest and in a gait
_YAW, _TILT, _COUNTER, _TOES_OUT = np.radians((7.0, 3.5, 7.0, 6.0))
_WIDTH = 0.14  # m between the feet
_STRAIGHTEST = 0.9965  # of a leg's length; nearer to it a knee would snap when it straightens
_SOFT = 50.0  # 1/m; the smaller, the rounder the path of the hips where a leg would be too short
_RAMP = 0.35  # of the time from key to key is taken to get under way, and as much to come to rest
_CYCLE = 2.0 * np.pi

Keys = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Gait:
    """What makes a way of walking; metres, degrees, and shares of the cycle.

    leads : the foot that strikes first, "L" or "R"
    off, go : phase at which the ball of a foot rises, and the phases between which it goes ahead
    pitch : (phase, angle) of the foot, toes up; lift : (phase, height) of the ball while it is off the ground
    ahead : of the standing ankle before the hips halfway through its stance
    hips : how much lower than at rest they are, and how far they go up and down and from side to side
    lean : of pelvis, chest and head; arm, elbow : mean and swing of the arms ahead and of their bending
    """

    leads: str
    off: float
    go: tuple[float, float]
    pitch: Keys
    lift: Keys
    ahead: float
    hips: tuple[float, float, float]
    lean: tuple[float, float, float]
    arm: tuple[float, float]
    elbow: tuple[float, float]


WALK = Gait(
    leads="L",
    off=0.60,
    go=(0.635, 1.0),
    pitch=((0.0, 20.0), (0.08, 0.0), (0.39, 0.0), (0.67, -70.0), (0.94, 20.0)),
    lift=((0.70, 0.11), (0.84, 0.07)),
    ahead=-0.08,
    hips=(0.02, 0.018, 0.022),
    lean=(4.0, 4.0, 2.0),
    arm=(-1.0, 21.0),
    elbow=(22.0, 11.0),
)
SNEAK = Gait(
    leads="R",
    off=0.61,
    go=(0.65, 0.96),
    pitch=((0.0, 18.0), (0.08, 0.0), (0.44, 0.0), (0.70, -45.0), (0.95, 18.0)),
    lift=((0.73, 0.15), (0.92, 0.13)),
    ahead=-0.03,
    hips=(0.14, 0.012, 0.035),
    lean=(16.0, 38.0, 12.0),
    arm=(32.0, 10.0),
    elbow=(76.0, 8.0),
)


def skeleton() -> Skeleton:
    """Return the figure at rest: 21 joints, 1.72 m tall, in an A-pose, soles on z = 0."""
    paired = {name for name, _, place in _JOINTS if place[0] != 0.0}
    names, above, places, tips = [], [], [], []
    for side, sign in (("", 1.0), (".L", 1.0), (".R", -1.0)):
        for name, parent, place in _JOINTS:
            if (name in paired) == bool(side):
                names.append(name + side)
                above.append(parent + side if parent in paired else parent)
                places.append(np.array([sign, 1.0, 1.0]) * place)
                tips.append(np.array([sign, 1.0, 1.0]) * _TIPS.get(name, (0.0, 0.0, 0.0)))
    parents = np.array([names.index(parent) if parent else -1 for parent in above])
    offsets = np.where(parents[:, None] >= 0, np.array(places) - np.array(places)[parents], places)
    return Skeleton(tuple(names), parents, offsets, np.tile(quat.IDENTITY, (len(names), 1)), np.array(tips))


def walk(rate: float = 30.0, cycles: int = 3, *, speed: float = 1.3, step: float = 0.69, turn: float = 0.0) -> Clip:
    """Return an ordinary walk that starts on the left foot; for the options see `gait`."""
    return gait("walk", WALK, rate, cycles, speed=speed, step=step, turn=turn)


def sneak(rate: float = 30.0, cycles: int = 3, *, speed: float = 0.55, step: float = 0.605, turn: float = 0.0) -> Clip:
    """Return a slow, crouched gait that starts on the right foot; for the options see `gait`."""
    return gait("sneak", SNEAK, rate, cycles, speed=speed, step=step, turn=turn)


def gait(name: str, style: Gait, rate: float, cycles: int, *, speed: float, step: float, turn: float) -> Clip:
    """Return whole cycles of a gait, from the origin along −Y, and the first frame of the next cycle.

    speed m/s, step m, turn radians to the left in each cycle. A cycle takes a whole number of frames, so that
    it loops; the step gives way for that. Raises OptionError for steps that are too long for the figure.
    """
    if cycles < 1 or min(rate, speed, step) <= 0.0:
        raise OptionError("Rate, cycles, speed and step must be more than zero")
    frames = max(8, round(2.0 * step / speed * rate))
    stride = speed * frames / rate
    body = skeleton()
    progress = np.arange(cycles * frames + 1) / frames
    late = np.array([0.0, 0.5] if style.leads == "L" else [0.5, 0.0])
    phases = progress[:, None] + late
    ankles, across, world = _feet(body, style, phases, late, stride, turn)
    world |= _trunk(style, phases[:, 0], turn * progress) | _arms(style, phases, turn * progress)
    drop, bob, sway = style.hips
    middle = _CYCLE * (phases[:, 0] - 0.5 * style.off)
    wanted = _on_way(progress, stride, turn, sway * np.cos(middle))
    wanted[:, 2] = body.offsets[0, 2] - drop + bob * np.cos(2.0 * middle)
    to_thighs = quat.rotate(world["hips"][:, None], body.offsets[_pair(body, "thigh")])
    hips = _lowered(body, wanted, to_thighs, ankles)
    bones = (body.offsets[body.roles[role]] for role in ("shin.L", "foot.L"))
    world["thigh"], world["shin"] = two_bones(hips[:, None] + to_thighs, ankles, across, *bones)
    return _clip(name, body, rate, world, hips)


def _clip(name: str, body: Skeleton, rate: float, world: dict[str, Array], hips: Array) -> Clip:
    """Return a clip, given world rotations by role, (F, 4) or of pairs (F, 2, 4), and places of the hips."""
    turned = np.empty((len(hips), len(body), 4))
    for role, rotations in world.items():
        turned[:, body.roles[role] if rotations.ndim == 2 else _pair(body, role)] = rotations
    local = np.where(body.parents[:, None] < 0, turned, quat.mul(quat.inv(turned[:, body.parents]), turned))
    translations = np.zeros((len(hips), len(body), 3))
    translations[:, 0] = hips - body.offsets[0]
    return Clip(name, body, rate, quat.continuous(local), translations)


def two_bones(hip: Array, ankle: Array, across: Array, upper: Array, lower: Array) -> tuple[Array, Array]:
    """Return the world rotations (..., 4) of thigh and shin that join hip and ankle (..., 3).

    across (..., 3) : the knee's axis, to the left, as far as the leg's direction allows it
    upper, lower (3,) : the bones at rest, x = 0. Out of reach, the straight leg points at the ankle.
    """
    a, b = np.linalg.norm(upper), np.linalg.norm(lower)
    reach = ankle - hip
    length = np.linalg.norm(reach, axis=-1, keepdims=True)
    cosine = (length[..., 0] ** 2 - a * a - b * b) / (2.0 * a * b)
    bend = np.arccos(np.clip(cosine, -1.0, 1.0)) + _slope(upper) - _slope(lower)
    knee = quat.about_axis("X", bend)
    up = -reach / length
    side = across - up * (across * up).sum(axis=-1, keepdims=True)
    side = side / np.linalg.norm(side, axis=-1, keepdims=True)
    frame = quat.from_matrix(np.stack([side, quat.cross(up, side), up], axis=-1))
    thigh = quat.mul(frame, quat.about_axis("X", -_slope(upper + quat.rotate(knee, lower))))
    return thigh, quat.mul(thigh, knee)


def _slope(down: Array) -> Array:
    """Return how far vectors (..., 3) are turned about X from straight down, radians."""
    return np.arctan2(down[..., 1], -down[..., 2])


def _on_way(progress: Array, stride: float, turn: float, left: Array) -> Array:
    """Return places (..., 3) on the arc of a body, given cycles from its start and metres to its left."""
    angle = turn * progress
    chord = stride * progress * np.sinc(0.5 * angle / np.pi)
    x = chord * np.sin(0.5 * angle) + left * np.cos(angle)
    y = -chord * np.cos(0.5 * angle) + left * np.sin(angle)
    return np.stack([x, y, np.zeros_like(x)], axis=-1)


def _feet(
    body: Skeleton, style: Gait, phases: Array, late: Array, stride: float, turn: float
) -> tuple[Array, Array, dict[str, Array]]:
    """Return ankles and axes of the knees (F, 2, 3), and the rotations of feet and toes (F, 2, 4)."""
    phase = phases % 1.0
    pitch = np.radians(_through(phase, style.pitch))
    sole = body.offsets[body.roles["toe.L"]]
    # A foot travels along the body's own arc, from one place where it stands to the next.
    there = np.floor(phases) + _through(phase, ((style.go[0], 0.0), (style.go[1], 1.0)))
    there += 0.5 * style.off - late + (style.ahead - sole[1]) / stride
    ball = _on_way(there, stride, turn, 0.5 * _WIDTH * _SIDES)
    strike = float(_over_heel(np.radians(style.pitch[0][1])))
    lifted = _through(phase, ((style.off, 0.0), *style.lift, (1.0, strike)))
    ball[..., 2] = _BALL + np.where(phase < style.off, _over_heel(pitch), lifted)
    facing = quat.about_axis("Z", turn * there + _TOES_OUT * _SIDES)
    foot = quat.mul(facing, quat.about_axis("X", -pitch))
    # The toes stay on the ground while the heel rises over them, and straighten in the air.
    flat = _through(phase, ((0.1, 0.0), (0.3, 1.0), (style.off, 1.0), (style.off + 0.14, 0.0)))
    toe = quat.mul(facing, quat.about_axis("X", -pitch * (1.0 - flat)))
    across = quat.rotate(facing, np.array([1.0, 0.0, 0.0]))
    return ball - quat.rotate(foot, sole), across, {"foot": foot, "toe": toe}


def _over_heel(pitch: Array) -> Array:
    """Return how much the ball of a foot is raised that stands on its heel, toes up by `pitch` radians."""
    up = np.maximum(pitch, 0.0)
    return _HEEL * np.sin(up) - _BALL * (1.0 - np.cos(up))


def _lowered(body: Skeleton, place: Array, to_thighs: Array, ankles: Array) -> Array:
    """Return the places of the hips (F, 3), lowered where a leg is too short: the feet stay."""
    away = np.linalg.norm((place[:, None] + to_thighs - ankles)[..., :2], axis=-1)
    leg = _STRAIGHTEST * body.leg_length
    if away.max() > 0.8 * leg:
        raise OptionError("The step is too long, or the turn too sharp, for the figure's legs")
    highest = ankles[..., 2] - to_thighs[..., 2] + np.sqrt(leg**2 - away**2)
    # The least of the three heights, without corners.
    height = -np.log(np.exp(-_SOFT * np.column_stack([place[:, 2], highest])).sum(axis=1)) / _SOFT
    return np.column_stack([place[:, :2], height])


def _trunk(style: Gait, left: Array, heading: Array) -> dict[str, Array]:
    """Return the rotations from hips to head and of the clavicles, given the left foot's phase (F,)."""
    lean = np.radians(style.lean)
    swing = np.cos(_CYCLE * left)
    tilt = -_TILT * np.cos(_CYCLE * (left - 0.2))
    bent = np.full_like(tilt, lean[0])
    hips = quat.from_euler(np.stack([heading - _YAW * swing, tilt, bent], axis=-1), "ZYX")
    chest = _leaning(heading + _COUNTER * swing, lean[1])
    head = _leaning(heading, lean[2])
    half = np.full((2, 1), 0.5)
    spine, neck = quat.mean([hips, chest], half), quat.mean([chest, head], half)
    clavicle = np.stack([chest, chest], axis=1)
    return {"hips": hips, "spine": spine, "chest": chest, "neck": neck, "head": head, "clavicle": clavicle}


def _arms(style: Gait, phases: Array, heading: Array) -> dict[str, Array]:
    """Return the rotations of arms and hands: against the leg of their side, a little late."""
    swing = -np.cos(_CYCLE * (phases - 0.03))
    ahead, bend = (np.radians(mean + reach * swing) for mean, reach in (style.arm, style.elbow))
    out, zero = np.sin(_ARM_OUT) * _SIDES, np.zeros(2)
    along = np.stack([out, zero, np.full(2, -np.cos(_ARM_OUT))], axis=-1)
    elbow = np.stack([np.full(2, np.cos(_ARM_OUT)), zero, out], axis=-1)
    bent = np.radians(style.elbow[0])
    hanging = quat.about_axis("Y", (_ARM_OUT - _ARM_HANGS) * _SIDES)
    upper = quat.mul(_leaning(np.broadcast_to(heading[:, None], ahead.shape), -ahead), hanging)
    # The more an arm is bent, the more it is turned inwards and its hand hangs.
    inward, drooping = quat.exp(0.4 * bent * _SIDES[:, None] * along), quat.exp(0.65 * bent * elbow)
    forearm = quat.mul(quat.mul(upper, inward), quat.exp(-bend[..., None] * elbow))
    return {"upper_arm": upper, "forearm": forearm, "hand": quat.mul(forearm, drooping)}


def _leaning(heading: Array, lean: Array) -> Array:
    return quat.mul(quat.about_axis("Z", heading), quat.about_axis("X", lean))


def _pair(body: Skeleton, role: str) -> list[int]:
    return [body.roles[f"{role}.L"], body.roles[f"{role}.R"]]


def _through(phase: Array, keys: Keys) -> Array:
    """Return a curve through (phase, value) keys that rests at each of them; its acceleration has no jumps."""
    times, values = np.array(keys).T
    k = np.clip(np.searchsorted(times, phase, side="right") - 1, 0, len(times) - 2)
    u = np.clip((phase - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0)
    near = np.minimum(u, 1.0 - u)
    x = np.minimum(near / _RAMP, 1.0)
    gone = (_RAMP * (x**3 - 0.5 * x**4) + np.maximum(near - _RAMP, 0.0)) / (1.0 - _RAMP)
    return values[k] + np.where(u < 0.5, gone, 1.0 - gone) * (values[k + 1] - values[k])
