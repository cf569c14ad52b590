"""Tracks of a take: speed, turn rate, steps, hip height and stillness per row (methods: A take becomes a set)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ClipError
from ...motion import feet, roles, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...motion.skeleton import Skeleton
from ...quality import breaks, cadence, contacts, world_pose
from ...quality.breaks import Break
from . import strides

RATE = 40.0  # rows a second at least; no state is decided from less than 0.1 s
PLACE, FACING = 0.1, 0.2  # s; sigmas of hip position on the ground and of facing
SPEED, TURN, AIR = 0.2, 0.25, 0.35  # s; sigmas of their rates, and of the share of frames in the air
LEGS = frozenset({"hips", "thigh.L", "thigh.R", "foot.L", "foot.R"})
RUNS = 1.2  # heights a second from which a body whose legs end with its shins runs; people at 2 m/s
STRIDE = 0.5  # s; sigma for averaging steps: half a stride of a slow walk
SLOWEST_STEP = 1.5  # s between passes of the feet; slower steps are not a gait
CALM = 0.15  # s; sigma for the speed of all joints
LEAST_ROWS = 3  # rows between two breaks; a shorter part is treated as part of the break
TALL = 80.0  # percentile of hip heights that counts as standing upright

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Tracks:
    """Rows (N,) of a take, `every` frames apart; lengths are in body heights.

    frames : of the clip, for each row
    speed : of the hips over the ground, heights a second
    turn : turn rate of the facing, degrees a second, positive to the left
    aside : direction of travel relative to facing, degrees, 0 forward, 90 to the left
    facing : radians about Z, continuous
    air : share of nearby frames without ground contact, on bodies with more legs of the hind feet; without feet, of
        frames with the speed of a run
    steps : share of the travel made by alternating steps, 0 … 1; high in a gait
    often : whether the feet pass each other at least every 1.5 s
    irregular : how far the movement is from regular strides, see `strides`; infinite where the take is too short
    crouch : height of the hips over their standing height
    hands : height of the higher hand above the head, heights; NaN without hands
    moving : mean speed of all body points in the world, heights a second
    fastest : speed of the fastest point
    stands (N, S) : whether each foot is in contact, left and right first
    whole (N,) : index of the uninterrupted part a row is in; breaks : between these parts
    """

    clip: Clip
    every: int
    frames: NDArray[np.int64]
    speed: Array
    turn: Array
    aside: Array
    facing: Array
    air: Array
    steps: Array
    often: Flags
    irregular: Array
    crouch: Array
    hands: Array
    moving: Array
    fastest: Array
    stands: Flags
    whole: NDArray[np.int64]
    breaks: tuple[Break, ...]

    def __len__(self) -> int:
        return len(self.frames)

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.clip.rate / self.every


def tracks(clip: Clip) -> Tracks:
    """Return the tracks of a clip; frames within breaks have no rows.

    Without known legs, steps are 0 and both feet stand all the time. Raises ClipError for a body without height, for
    two bodies, and for fewer than three frames.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.take import tracks
        >>> walk, run = tracks.tracks(actions.walk()), tracks.tracks(actions.run())
        >>> [round(float(np.median(each.speed)), 1) for each in (walk, run)]  # heights a second
        [0.8, 1.9]
        >>> [bool(np.median(each.air) > 0.1) for each in (walk, run)]
        [False, True]
    """
    every = max(1, int(clip.rate / RATE))
    interrupted = breaks.find_breaks(clip)
    parts = [part for part in breaks.whole(clip, interrupted) if part[1] - part[0] > LEAST_ROWS * every]
    _refuse(clip, sum(-(-(end - first) // every) for first, end in parts))
    rows = [
        _rows(clip.cut(first, end), every) | {"frames": first + np.arange(0, end - first, every)}
        for first, end in parts
    ]
    numbers = [np.full(len(one["frames"]), k) for k, one in enumerate(rows)]
    known = {name: np.concatenate([one[name] for one in rows]) for name in rows[0]}
    known["crouch"] = known["crouch"] / max(float(np.percentile(known["crouch"], TALL)), 1e-9)
    return Tracks(clip, every, whole=np.concatenate(numbers), breaks=interrupted, **known)


def find_ankles(skeleton: Skeleton) -> list[int]:
    """Return the points of the left and the right ankle, of a box figure the ends of its shins; [] without known legs.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.verbs.take import tracks
        >>> [body.skeleton().names[point] for point in tracks.find_ankles(body.skeleton())]
        ['foot.L', 'foot.R']
    """
    sides, known = ("foot.L", "foot.R"), skeleton.roles
    if not {"hips", "thigh.L", "thigh.R"} <= set(known):
        return []
    if set(sides) <= set(known):
        return [known[side] for side in sides]
    ankles = {f"foot.{foot}": ankle for foot, (_, ankle) in feet.balls_and_ankles(skeleton).items()}
    return [ankles[side] for side in sides] if set(sides) <= set(ankles) else []


def _rows(clip: Clip, every: int) -> dict[str, Array]:
    """Return the rows of an uninterrupted clip by track name; crouch is the height of the hips in metres."""
    thin = clip.decimate(every) if every > 1 else clip
    body, height, rate = world_pose.pose(thin), clip.skeleton.height, clip.rate / every
    ankles = find_ankles(thin.skeleton)
    stands = _stands(body) if ankles else np.ones((len(thin), 2), dtype=bool)
    ground = root_motion.smooth(body.ground, PLACE * rate)
    velocity = root_motion.smooth(np.gradient(ground, axis=0), SPEED * rate) * rate / height
    positions = body.points[:, : len(thin.skeleton)]
    facing = root_motion.raw_heading(thin.skeleton, body.rotations, positions)
    facing = root_motion.smooth(facing, FACING * rate)
    course = np.arctan2(velocity[:, 1], velocity[:, 0]) - 0.5 * np.pi - facing
    speed = np.linalg.norm(velocity, axis=1)
    steps, often = np.zeros(len(thin)), np.zeros(len(thin), dtype=bool)
    hips, irregular = np.ones(len(thin)), np.full(len(thin), np.inf)
    if ankles:
        feet_at = body.points[:, ankles]
        steps, often = _steps((feet_at[:, 0, :2] - feet_at[:, 1, :2]) / height, speed, velocity, rate)
        # The height above the lower foot is the same on stairs.
        hips = positions[:, thin.skeleton.roles["hips"], 2] - feet_at[:, :, 2].min(axis=1)
        irregular = strides.measure_irregularity(thin)
    air = ~stands[:, :2].any(axis=1)
    if "foot.L" not in thin.skeleton.roles:
        air = np.asarray(speed > RUNS)  # the end of a shin leaves the ground as a heel does, in a walk, too
    moving, fastest = _moving(body, rate)
    return {
        "speed": speed,
        "turn": np.degrees(root_motion.smooth(np.gradient(facing), TURN * rate) * rate),
        "aside": np.degrees((course + np.pi) % (2.0 * np.pi) - np.pi),
        "facing": facing,
        "air": _smooth_values(air.astype(float), AIR * rate),
        "steps": steps,
        "often": often,
        "irregular": irregular,
        "crouch": root_motion.smooth(hips, CALM * rate),
        "hands": _hands(positions, thin),
        "moving": moving,
        "fastest": fastest,
        "stands": stands,
    }


def _refuse(clip: Clip, rows: int) -> None:
    if clip.skeleton.height <= 0.0:
        raise ClipError(f"{clip.name}: its body has no height")
    refuse_several(clip)
    if rows < 3 <= len(clip):
        raise ClipError(f"{clip.name}: it jumps or is frozen all the time, so the take can't be cut")
    if rows < 3:
        raise ClipError(f"{clip.name}: a take of {len(clip)} frame{'s' * (len(clip) != 1)} can't be cut; three are few")


def refuse_several(clip: Clip) -> None:
    """Raise ClipError for a clip of two bodies or more."""
    bodies = _bodies(clip)
    if len(bodies) > 1:
        raise ClipError(
            f"{clip.name}: {len(bodies)} bodies are in it ({', '.join(bodies)}), and a take is of one: save each as a"
            " file of its own"
        )


def _bodies(clip: Clip) -> list[str]:
    """Return the names of roots that have hips and two legs below them."""
    skeleton, found = clip.skeleton, []
    parents = skeleton.parents.tolist()
    if sum(parent < 0 for parent in parents) < 2:
        return []
    tops = list(range(len(skeleton)))
    for joint, parent in enumerate(parents):
        tops[joint] = joint if parent < 0 else tops[parent]
    for top in sorted(set(tops)):
        below = [joint for joint, other in enumerate(tops) if other == top]
        at = {joint: k for k, joint in enumerate(below)}
        names = [skeleton.names[joint] for joint in below]
        known = roles.find(names, np.array([at.get(parents[joint], -1) for joint in below]))
        found += [skeleton.names[top]] if set(known) >= LEGS else []
    return found


def _stands(body: world_pose.WorldPose) -> Flags:
    known = contacts.standing_feet(body)
    return np.column_stack([foot.stands for foot in known.values()])


def _steps(apart: Array, speed: Array, velocity: Array, rate: float) -> tuple[Array, Flags]:
    """Return the share of the travel made by alternating steps, and where these are frequent enough.

    apart (F, 2) : from the right foot to the left one on the ground, heights

    In a gait, the distance between the feet along the path swings by half a stride to both sides per stride travelled.
    A body that shuffles, hops or is carried travels without such swings.
    """
    way = velocity / np.maximum(speed, 1e-6)[:, None]
    ahead = (apart * way).sum(axis=1)
    swing = _smooth_values(np.abs(np.gradient(ahead)) * rate, STRIDE * rate)
    travelled = _smooth_values(speed, STRIDE * rate)
    reach = np.maximum(_smooth_values(np.abs(ahead), STRIDE * rate), 1e-6)
    leading = np.abs(_smooth_values(ahead, STRIDE * rate)) / reach  # 1 if the same foot leads all the time
    passing = np.clip(1.5 * (1.0 - leading), 0.0, 1.0)
    often = _gaps(ahead) < SLOWEST_STEP * rate
    return np.asarray(np.clip(swing / np.maximum(2.0 * travelled, 1e-6), 0.0, 1.0) * passing), often


def _gaps(ahead: Array) -> Array:
    """Return the number of rows between foot passes before and after each row; the ends count as passes."""
    apart = np.flatnonzero(np.abs(ahead) > cadence.SIDE_BY_SIDE)
    changed = np.flatnonzero(np.diff(np.sign(ahead[apart])) != 0.0)
    passes = np.unique([0, *(0.5 * (apart[changed] + apart[changed + 1])).astype(int).tolist(), len(ahead)])
    place = np.searchsorted(passes, np.arange(len(ahead)), side="right") - 1
    return np.asarray(np.diff(passes)[place], dtype=float)


def _smooth_values(values: Array, sigma: float) -> Array:
    """Return values (N,) smoothed as `root_motion.smooth` does, but padded by the end values to stay in range."""
    reach = min(int(np.ceil(4.0 * sigma)), len(values) - 1)
    padded = np.pad(values, reach, mode="reflect")
    return root_motion.smooth(padded, sigma)[reach : reach + len(values)]


def _hands(positions: Array, clip: Clip) -> Array:
    roles, height = clip.skeleton.roles, clip.skeleton.height
    known = [roles[role] for role in ("hand.L", "hand.R") if role in roles]
    if not known or "head" not in roles:
        return np.full(len(clip), np.nan)
    return np.asarray((positions[:, known, 2].max(axis=1) - positions[:, roles["head"], 2]) / height)


def _moving(body: world_pose.WorldPose, rate: float) -> tuple[Array, Array]:
    """Return the mass-weighted mean speed of body points, smoothed, and the speed of the fastest point."""
    speeds = np.linalg.norm(np.gradient(body.points, axis=0), axis=2) * rate / body.clip.skeleton.height
    weights = body.clip.skeleton.point_weights
    mean, fastest = speeds @ weights, speeds[:, weights > 0.0].max(axis=1)
    return root_motion.smooth(mean, CALM * rate), root_motion.smooth(fastest, CALM * rate)
