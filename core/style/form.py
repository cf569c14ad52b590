"""Convert strides to rows of numbers, which can be averaged and added, and back (methods: Style)."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..motion import feet, kinematics, quat, resample, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from ..weave import root_blend
from ..weave.root_blend import Part
from .gait_phase import Phases, Stride

PHASES = 64  # samples per stride
CARRIES = 0.006  # body heights; a foot at most this much above the lowest one also counts as supporting
LIFT = 0.03  # strides; sigma for smoothing lifts of the hips


@dataclass(frozen=True, eq=False)
class Motion:
    """A body's motion as described by rows: in its heading frame, with the steps of that frame on the ground.

    turns (F, K, 4) : rotations of the joints from rest
    hips (F, 4) : rotations of the hips in the heading frame
    height (F,) : of the hips, metres
    steps (F, 3) : to the next frame: right, forward (metres), turn (radians)
    """

    turns: Array
    hips: Array
    height: Array
    steps: Array


@dataclass(frozen=True, eq=False)
class Form:
    """The encoding of a body's stride as a row (P, C): rotation vectors about mean rotations, height and steps.

    joints (K,) : all joints below the hips
    means (K + 1, 4) : mean rotations, the hips' last

    A row has 3 (K + 1) columns of rotation vectors, then the height, then the 3 steps.
    """

    skeleton: Skeleton
    joints: NDArray[np.int64]
    means: Array

    @property
    def channels(self) -> int:
        return 3 * len(self.means) + 4

    @property
    def turning(self) -> slice:
        """The rotation vectors of all joints, the hips' last."""
        return slice(0, 3 * len(self.means))

    @property
    def height(self) -> int:
        return 3 * len(self.means)

    @property
    def steps(self) -> slice:
        return slice(3 * len(self.means) + 1, self.channels)

    def to_rows(self, motion: Motion) -> Array:
        """Return the rows (F, C) of a motion."""
        turns = np.concatenate([motion.turns, motion.hips[:, None]], axis=1)
        vectors = quat.log_about(self.means, turns).reshape(len(turns), -1)
        return np.concatenate([vectors, motion.height[:, None], motion.steps], axis=1)

    def read(self, rows: Array) -> Motion:
        """Return the motion of rows (F, C)."""
        vectors = rows[:, self.turning].reshape(len(rows), -1, 3)
        turns = quat.mul(self.means, quat.exp(vectors))
        return Motion(turns[:, :-1], turns[:, -1], rows[:, self.height], rows[:, self.steps])

    def pose_rows(self, rows: Array) -> tuple[Array, Array]:
        """Return world rotations (F, J, 4) and positions (F, P, 3) of joints and tips, hips over the origin."""
        motion, hips = self.read(rows), self._hips
        rotations = np.tile(quat.IDENTITY, (len(rows), len(self.skeleton), 1))
        rotations[:, self.joints] = motion.turns
        clip = Clip("", self.skeleton, 1.0, rotations, np.zeros((*rotations.shape[:2], 3)))
        place = np.zeros((len(rows), 3))
        place[:, 2] = motion.height
        return kinematics.pose_clip(root_blend.place_joints(clip, {hips: (motion.hips, place)}))

    def lows(self, rows: Array) -> Array:
        """Return the height (F, N) of the lowest point of each foot in rows (F, C), metres (`feet.lows`)."""
        return feet.lows(self.skeleton, self.pose_rows(rows)[1])

    def lift(self, rows: Array, lows: Array, stride: float, *, repeats: bool) -> None:
        """Lift the hips of rows (F, C) where all supporting feet are lower than in `lows` (F, N), metres.

        stride : number of rows per stride, for smoothing the lifts; repeats : whether the first row follows the last
        """
        carries = lows <= lows.min(axis=1, keepdims=True, initial=np.inf) + CARRIES * self.skeleton.height
        deeper = np.where(carries, lows - self.lows(rows), np.inf).min(axis=1, initial=np.inf)
        if (np.isfinite(deeper) & (deeper > 0.0)).any():
            rows[:, self.height] += root_motion.smooth(np.maximum(0.0, deeper), LIFT * stride, repeats=repeats)

    @cached_property
    def _hips(self) -> int:
        return root_motion.travelling_joint(self.skeleton)


def as_clip(form: Form, rows: Array, seconds: float) -> Clip:
    """Return a stride (P, C) as a clip of P + 1 frames that begins at the origin."""
    whole = np.concatenate([rows, rows[:1]])
    motion = form.read(whole)
    ground, facing = root_motion.integrate(rows[:, form.steps], np.zeros(2), 0.0)
    rotations = np.tile(quat.IDENTITY, (len(whole), len(form.skeleton), 1))
    rotations[:, form.joints] = motion.turns
    clip = Clip("stride", form.skeleton, len(rows) / seconds, rotations, np.zeros((*rotations.shape[:2], 3)))
    turn = quat.mul(quat.about_axis("Z", facing), motion.hips)
    hips = root_motion.travelling_joint(form.skeleton)
    return root_blend.place_joints(clip, {hips: (turn, np.column_stack([ground, motion.height]))})


def joints_of(skeleton: Skeleton) -> NDArray[np.int64]:
    """Return the joints included in rows besides the hips: all below them."""
    below = skeleton.below_hips.copy()
    below[root_motion.travelling_joint(skeleton)] = False
    return np.flatnonzero(below)


def motion_of_part(part: Part) -> Motion:
    """Return the motion of a clip with known heading frames; its last step repeats the previous one."""
    clip = part.clip
    hips = root_motion.travelling_joint(clip.skeleton)
    steps = root_motion.increments(part.ground, part.facing)
    return Motion(
        clip.rotations[:, joints_of(clip.skeleton)],
        quat.mul(part.turning_back, part.rotations[:, hips]),
        part.positions[:, hips, 2],
        np.concatenate([steps, steps[-1:]]) if len(steps) else np.zeros((len(clip), 3)),
    )


def motion_of_stride(phases: Phases, stride: Stride) -> Motion:
    """Return a stride at PHASES phases, and at one more, where the next one begins.

    Steps are from phase to phase; the last one repeats the first.
    """
    frames = np.append(
        np.linspace(stride.first, stride.middle, PHASES // 2, endpoint=False),
        np.linspace(stride.middle, stride.end, PHASES - PHASES // 2 + 1),
    )
    clip = phases.clip
    hips = root_motion.travelling_joint(clip.skeleton)
    part = root_blend.part(clip)
    sampled = resample.sample(replace(clip, channels={}), frames)
    rotations, positions = kinematics.world_of(sampled, [hips])
    facing = resample.curve(part.facing[:, None], frames)[:, 0]
    steps = root_motion.increments(positions[:, hips, :2], facing)
    return Motion(
        sampled.rotations[:, joints_of(clip.skeleton)],
        quat.mul(quat.about_axis("Z", -facing), rotations[:, hips]),
        positions[:, hips, 2],
        np.concatenate([steps, steps[:1]]),
    )


def close_stride(rows: Array) -> Array:
    """Return the rows (P, C) of a stride of P + 1 rows, changed so that its end meets its beginning.

    The gap is spread linearly over the stride. Steps may differ at the ends, and do not change.
    """
    count = len(rows) - 1
    gap = rows[-1] - rows[0]
    gap[-3:] = 0.0
    return np.asarray(rows[:-1] - (np.arange(count) / count - 0.5)[:, None] * gap)


def at_phases(phase: Array) -> Array:
    """Return the matrix (F, PHASES) from uniform samples of a stride to its values at phases (F,).

    The interpolation is trigonometric, for an even number of samples, and exact at the samples.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.style import form
        >>> samples = np.cos(2.0 * np.pi * np.arange(form.PHASES) / form.PHASES)
        >>> (form.at_phases(np.array([0.0, 0.0625, 1.5])) @ samples).round(3).tolist()
        [1.0, 0.924, -1.0]
    """
    apart = np.pi * (phase[:, None] - np.arange(PHASES) / PHASES)
    sine = np.sin(apart)
    near = np.abs(sine) < 1e-12
    values = np.sin(PHASES * apart) * np.cos(apart) / (PHASES * np.where(near, 1.0, sine))
    return np.where(near, 1.0, values)
