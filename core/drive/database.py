"""The motion-matching database: frames of a character's actions as rows with poses, features and successors.

Method: Drive.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..errors import SkeletonError, some
from ..graph import inputs
from ..motion import cycles, feet, ik, kinematics, quat, resample, root_motion
from ..motion.clip import Clip, join_clips
from ..motion.frame_map import FrameMap, LeftOut
from ..motion.ik import Limb
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from ..progress import SILENT, Progress
from ..quality import contacts, world_pose
from ..recipes import base
from ..recipes.travel import TravelOptions
from . import bends, ends, idling
from .bends import Part
from .idling import Idling
from .search import Index

RATE = 60.0  # rows a second
PLACE_SIGMA, FACING_SIGMA = 0.15, 0.20  # s; of the root
AHEAD = (20, 40, 60)  # offsets of the future rows whose root is a feature
WEIGHTS = (0.75, 1.0, 1.0, 1.0, 1.5)  # feet, their velocities, hips velocity, future positions, future facings
GROUPS = (6, 6, 3, 6, 6)  # number of features in each group
TURNS = 0.2  # least σ of future facings, which would dominate for clips that hardly turn
OWN = sum(GROUPS[:3])  # number of features of the pose itself, which come first
LAST = 20  # rows at the end of a clip to which no jump leads
SEEN = 0.75  # s around a row needed by its features and smoothing, in addition to the future rows
CLOSED = 0.01  # heights; the largest gap of a clip that is one cycle, or several
SIGHT = 18  # rows of look-ahead for lifting a foot over obstacles
STAYS = 20  # rows for which a row must still stand to be used for standing
SETTLES = 30  # rows for which a body that is stopping is not interrupted
TALL = 1.7  # m, body height for which lengths here are set; they scale with the body

# Root speeds in heights a second.
STANDS, GOES, RUNS = 0.09, bends.GOES, 1.15
LONG_ENOUGH = 0.5  # s for which a body must stand still
SECTOR = np.radians(45.0)  # to each side of a direction, for its speed limit
LEAST_ROWS = 20  # in a sector
FASTEST = 95.0  # percentile of speed used as the limit

Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Database:
    """R rows of all clips and their images, at RATE, of a body with S feet.

    clips : as driven; clip, frame (R,) : source of each row; given : number of clips that are not mirror images
    rotations (R, J, 4), translations (R, J, 3) : poses in the frame of the root
    step (R,) : root motion to the next row in the frame of the root, x + iy; turn (R,) : its rotation, radians
    onward (R,) : the next row, −1 at the end of an acyclic clip without successor
    velocity (R,) : of the root in its own frame, m/s; stands (R, S) : whether a ball is in contact
    balls (R, S) : position of each ball in the frame of the root, x + iy
    features (R, 27) : scaled; scale, mean (27,) : feature = (value − mean) · scale
    sources : the clips as given, including library clips; library : key of the library's state, None without one
    bends : number of clips bent into turns, the last ones before the images
    idling : the rows that it plays while it stands
    """

    clips: tuple[Clip, ...]
    given: int
    clip: Rows
    frame: Rows
    rotations: Array
    translations: Array
    step: NDArray[np.complex128]
    turn: Array
    onward: Rows
    velocity: NDArray[np.complex128]
    stands: Flags
    balls: NDArray[np.complex128]
    features: NDArray[np.float32]
    scale: Array
    mean: Array
    feet: tuple[str, ...]
    limbs: tuple[Limb | None, ...]
    sentences: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    frame_maps: tuple[FrameMap, ...]
    sources: tuple[Clip, ...]
    library: tuple[str, int, int] | None = None
    bends: int = 0
    idling: Idling = idling.NONE

    @property
    def rate(self) -> float:
        return self.sources[0].rate

    def __len__(self) -> int:
        return len(self.clip)

    @property
    def skeleton(self) -> Skeleton:
        return self.clips[0].skeleton

    @cached_property
    def unit(self) -> float:
        """Metres per unit of length: 1 for a body height of 1.7 m."""
        return self.skeleton.height / TALL if self.skeleton.height > 0.0 else 1.0

    @cached_property
    def image(self) -> Flags:
        """Whether a row (R,) is of a mirror image."""
        return self.clip >= self.given

    @cached_property
    def open(self) -> Rows:
        """The rows to which a jump may lead."""
        left = np.full(len(self), LAST + 1)
        ends = np.flatnonzero(self.onward < 0)
        for end in ends:
            first = int(np.searchsorted(self.clip, self.clip[end]))
            run = np.arange(max(first, int(end) - LAST), int(end) + 1)
            left[run] = end - run
        found = np.flatnonzero(left > LAST)
        return found if len(found) else np.flatnonzero(left > 0)

    @cached_property
    def index(self) -> Index:
        return Index(self.features[self.open], self.open)

    @cached_property
    def still(self) -> Rows:
        """The rows in which the body stands for a while; empty if it never does."""
        slow = np.abs(self.velocity) < STANDS * self.skeleton.height
        found = [
            np.arange(a, b)
            for k in range(len(self.clips))
            for first in [int(np.searchsorted(self.clip, k))]
            for a, b in contacts.runs(slow & (self.clip == k))
            if b - a >= min(LONG_ENOUGH * RATE, len(self.clips[k]) - 1) and first <= a
        ]
        rows = np.concatenate([*found, np.empty(0, dtype=np.int64)])
        return rows[np.isin(rows, self.open)]

    @cached_property
    def stays(self) -> Flags:
        """Flags (R,) of the rows in `still`."""
        stands = np.zeros(len(self), dtype=bool)
        stands[self.still] = True
        return stands

    @cached_property
    def settling(self) -> Flags:
        """Flags (R,) of rows that stand, or lead to standing within half a second: a stop that is almost complete."""
        found, row = self.stays.copy(), np.arange(len(self))
        for _ in range(SETTLES):
            row = np.where(row >= 0, self.onward[row], -1)
            found |= (row >= 0) & self.stays[row]
        return found

    @cached_property
    def going(self) -> Flags:
        """Flags of the open rows that travel."""
        return np.abs(self.velocity[self.open]) > GOES * self.skeleton.height

    @cached_property
    def still_index(self) -> Index | None:
        """An index of rows that remain still for 1/3 second, or of all; only of rows that lead into idling, if any."""
        lasts, row = self.stays.copy(), np.arange(len(self))
        for _ in range(STAYS):
            row = np.where(row >= 0, self.onward[row], -1)
            lasts &= (row >= 0) & self.stays[row]
        rows = np.flatnonzero(lasts) if lasts.any() else self.still
        if len(self.idling.rows):
            goes_on = rows[self.idling.entry[rows] >= 0]
            rows = goes_on if len(goes_on) else np.unique(self.idling.rows)
        return Index(self.features[rows], rows) if len(rows) else None

    @cached_property
    def rest_row(self) -> int:
        """The row most similar to standing, for a body that never stands: its feet and hips move least."""
        moving = self.raw[:, 6:OWN]
        low = np.abs(moving).sum(axis=1)
        return int(self.open[np.argmin(low[self.open])])

    @cached_property
    def raw(self) -> Array:
        """The unscaled features (R, 27): metres, and metres a second."""
        return self.features / self.scale + self.mean

    @cached_property
    def gaits(self) -> tuple[float, float]:
        """The typical speeds of walking and running, m/s; equal for a body with only one of them."""
        height = self.skeleton.height
        speed = self.velocity.imag / height
        goes = speed[self.open][speed[self.open] > GOES]
        if not len(goes):
            return 0.0, 0.0
        walks, runs = goes[goes < RUNS], goes[goes >= RUNS]
        if min(len(walks), len(runs)) >= LEAST_ROWS:
            return float(np.median(walks)) * height, float(np.percentile(runs, 75.0)) * height
        # If all speeds are of one gait, the slowest clip counts as walking and the fastest as running.
        of_clip = [speed[(self.clip == k) & (speed > GOES)] for k in range(self.given)]
        each = [float(np.median(one)) for one in of_clip if len(one) >= LEAST_ROWS] or [float(np.median(goes))]
        return min(each) * height, max(each) * height

    @cached_property
    def caps(self) -> Array:
        """The speed (8,) that clips reach in each eighth of a turn, from forward to the left, m/s; 0 without clips."""
        speed, way = np.abs(self.velocity[self.open]), np.angle(self.velocity[self.open] / 1j)
        goes = speed > GOES * self.skeleton.height
        found = np.zeros(8)
        for k in range(8):
            apart = np.abs(np.angle(np.exp(1j * (way - k * np.pi / 4.0))))
            there = speed[goes & (apart < SECTOR)]
            found[k] = np.percentile(there, FASTEST) if len(there) >= LEAST_ROWS else 0.0
        return found

    def cap(self, way: float) -> float:
        """Return the clips' speed in a direction, radians to the left of forward; 0 without clips."""
        return float(self.caps[round(way / (np.pi / 4.0)) % 8])

    @cached_property
    def lacks(self) -> tuple[str, ...]:
        """Sentences on motions that the character lacks."""
        height, goes = self.skeleton.height, []
        if not len(self.still) or not len(self.idling.rows):
            goes.append("no action stands for long: it will hold a pose when it stops")
        if self.gaits[0] == 0.0:
            goes.append("no action goes anywhere: it will turn and stand only")
            return tuple(goes)
        if self.gaits[1] < 1.2 * self.gaits[0]:
            goes.append(f"one pace only, {self.gaits[0]:.1f} m/s: Shift changes little")
        slowing = np.zeros(len(self), dtype=bool)
        after = np.arange(len(self) - int(RATE))
        speed = np.abs(self.velocity) / height
        slowing[after] = (speed[after] > GOES) & (speed[after + int(RATE)] < STANDS)
        slowing[after] &= self.clip[after] == self.clip[after + int(RATE)]
        if not slowing.any():
            goes.append("no action stops: it will step on the spot and fade into standing")
        if self.bends:
            goes.append("no action turns quickly: it turns by walks that are bent")
        elif not bends.turning(self.turn[self.open], RATE):
            goes.append("no action turns: the body will be turned on its feet")
        if self.caps[2] == 0.0 and self.caps[6] == 0.0:
            goes.append("no action goes sideways: with Ctrl it turns into its way all the same")
        return tuple(goes)

    @cached_property
    def coming(self) -> NDArray[np.complex128]:
        """Motion of each ball (R, S) over the next SIGHT rows, x + iy in the current frame of the root."""
        row, place, facing = np.arange(len(self)), np.zeros(len(self), dtype=complex), np.zeros(len(self))
        for _ in range(SIGHT):
            on = self.onward[row] >= 0
            place = place + np.where(on, self.step[row] * np.exp(1j * facing), 0.0)
            facing = facing + np.where(on, self.turn[row], 0.0)
            row = np.where(on, self.onward[row], row)
        return np.asarray(place[:, None] + self.balls[row] * np.exp(1j * facing)[:, None] - self.balls)

    def before(self, row: int) -> int:
        """Return the row before a row; −1 for the first row of an acyclic clip."""
        if row > 0 and self.onward[row - 1] == row:
            return row - 1
        leading = np.flatnonzero(self.onward == row)
        return int(leading[0]) if len(leading) else -1

    def poses(self, rows: Rows) -> Clip:
        """Return the poses of rows in the frame of the root, as a clip."""
        like = self.clips[0]
        return replace(
            like,
            rate=RATE,
            rotations=self.rotations[rows],
            translations=self.translations[rows],
            scales=None,
            channels={},
            cyclic=False,
        )


def build(
    clips: Sequence[Clip], *, mirror: bool = True, travel: TravelOptions | None = None, progress: Progress = SILENT
) -> Database:
    """Return a database of clips: trimmed, on one body and floor, cycles repeated, root motion added where absent.

    mirror : whether to add mirror images, for bodies with two equal sides
    Raises ClipError for no clips, SkeletonError for bodies without feet, and the errors of `inputs.gather`.

    Example:
        >>> from action_loom.core.drive import database
        >>> from action_loom.core.demo_character import actions
        >>> built = database.build([actions.walk(cycles=1), actions.wave()])
        >>> built.features.shape[1], bool((built.onward >= 0).any()), len(built.still) > 0
        (27, True, True)
    """
    base.check_count("Drive", len(clips), 1, None)
    progress.at(0.0, "Preparing the clips")
    ready = inputs.gather(clips, images=False, travel=travel or TravelOptions(), progress=progress.part(0.0, 0.4))
    skeleton = ready.clips[0].skeleton
    known = feet.balls_and_ankles(skeleton)
    if not {"L", "R"} <= set(known):
        raise SkeletonError(f"{ready.clips[0].name}: its feet are not known: name them in Body Roles")
    sentences = list(ready.sentences)
    scaled = [clip.name for clip in ready.clips if clip.scales is not None]
    if scaled:
        sentences.append(f"scales of bones are not driven ({some(scaled)})")
    if mirror:
        try:
            ready = ready.with_images()
        except SkeletonError as error:
            sentences.append(f"no mirror images: {error}")
    plain = [replace(clip, scales=None, channels={}) for clip in ready.clips]
    lengths = [
        one.cycle or _whole(clip, cyclic=clips[k % ready.given].cyclic)
        for k, (one, clip) in enumerate(zip(ready.frame_maps, plain, strict=True))
    ]
    after = ends.loops_after(plain, lengths)
    parts = []
    for k, clip in enumerate(plain):
        progress.at(0.4 + 0.6 * k / len(plain), "Preparing the clips")
        parts.append(_cycle(clip, lengths[k]) if lengths[k] else _acyclic_part(clip, plain, lengths, after[k]))
    parts, given = bends.with_bends(parts, ready.given, AHEAD, RATE)
    made = _join_parts(parts, ready, tuple(known), _limbs(skeleton, tuple(known)), tuple(sentences), tuple(clips))
    return replace(made, given=given, bends=given - ready.given)


def _whole(clip: Clip, *, cyclic: bool) -> int:
    """Return the frames of a cycle that was not repeated, because it is long or holds several cycles; 0 for others."""
    return len(clip) - 1 if cyclic and cycles.gap(clip) < CLOSED * clip.skeleton.height else 0


def _limbs(skeleton: Skeleton, known: Sequence[str]) -> tuple[Limb | None, ...]:
    # Ankles may be children of a root. Feet are not moved for bodies without full inheritance.
    legs = ik.known_legs(skeleton) if skeleton.inheritance is None else []
    by_name = {limb.foot: limb for limb in legs if limb.end < len(skeleton)}
    return tuple(by_name.get(foot) for foot in known)


def _cycle(clip: Clip, cycle: int) -> Part:
    """Return the rows of the first cycle, of `cycle` frames, of a clip."""
    one = cycles.to_rate(replace(clip.cut(0, cycle + 1), cyclic=True), RATE)
    length = len(one) - 1
    before, after = (int(np.ceil(frames / length)) for frames in (SEEN * RATE, AHEAD[-1] + SEEN * RATE))
    long = replace(cycles.unroll_cycle(one, before, after), cyclic=False)
    return _part(long, before * length, (before + 1) * length, cyclic=True)


def _acyclic_part(clip: Clip, clips: Sequence[Clip], lengths: Sequence[int], after: ends.Into | None) -> Part:
    """Return the rows of an acyclic clip; after : the loop whose pose it ends with, and its frame, if any."""
    count = len(resample.to_rate(clip, RATE))
    if after is None:
        return _part(resample.to_rate(clip, RATE), 0, count)
    k, frame = after
    more = int(np.ceil((AHEAD[-1] / RATE + SEEN) * clip.rate))
    long = resample.to_rate(ends.gone_on(clip, clips[k].cut(0, lengths[k] + 1), frame, more), RATE)
    return replace(_part(long, 0, count), after=(k, frame / lengths[k]))


def _part(long: Clip, first: int, end: int, *, cyclic: bool = False) -> Part:
    """Return rows first … end − 1 of a clip at RATE, which may be extended on both sides."""
    own = slice(first, end)
    raw, place, facing, balls = _features(long)
    stands = np.column_stack([foot.ball_stands for foot in _standing(long).values()])
    ground = np.diff(place, append=2.0 * place[-1] - place[-2] if len(place) > 1 else place[-1]) * np.exp(-1j * facing)
    turn = np.diff(facing, append=2.0 * facing[-1] - facing[-2] if len(place) > 1 else facing[-1])
    back = -np.exp(-1j * facing) * place
    posed = root_motion.place_clip(long, -facing, np.column_stack([back.real, back.imag]))
    rows = np.arange(first, end)
    return Part(
        long.take_frames(rows),
        posed.take_frames(rows),
        ground[own],
        turn[own],
        ground[own] * RATE,
        stands[own],
        balls[own],
        raw[own],
        cyclic,
    )


def _standing(clip: Clip) -> dict[str, contacts.Foot]:
    return contacts.standing_feet(world_pose.pose(clip))


def root(clip: Clip) -> tuple[NDArray[np.complex128], Array]:
    """Return the smoothed positions (F,) of a clip's root as x + iy, and its facing (F,), radians.

    Example:
        >>> from action_loom.core.drive import database
        >>> from action_loom.core.demo_character import actions
        >>> place, facing = database.root(actions.walk())
        >>> round(float(abs(place[-1] - place[0])), 1)
        4.2
    """
    ground, raw = root_motion.ground_frames(clip)
    smooth = root_motion.smooth(ground, PLACE_SIGMA * clip.rate)
    return smooth[:, 0] + 1j * smooth[:, 1], root_motion.smooth(raw, FACING_SIGMA * clip.rate)


def _features(clip: Clip) -> tuple[Array, NDArray[np.complex128], Array, NDArray[np.complex128]]:
    """Return the unscaled features (F, 27) of a clip, its root, and its balls (F, S) in the root's frame."""
    place, facing = root(clip)
    points = kinematics.points(clip)
    known = feet.balls_and_ankles(clip.skeleton)
    back = quat.about_axis("Z", -facing)
    paths = {foot: points[:, ball] for foot, (ball, _) in known.items()}
    hips = points[:, root_motion.travelling_joint(clip.skeleton)]
    flat = np.column_stack([place.real, place.imag, np.zeros(len(place))])
    balls = {foot: quat.rotate(back, path - flat) for foot, path in paths.items()}
    own = [balls[side] for side in "LR"]
    own += [quat.rotate(back, _speed(path)) for path in (paths["L"], paths["R"], hips)]
    count = len(place)
    last_step = place[-1] - place[max(0, count - 4)]
    for rows in AHEAD:
        over = np.maximum(np.arange(count) + rows - (count - 1), 0)
        there = place[np.minimum(np.arange(count) + rows, count - 1)] + over * last_step / max(min(3, count - 1), 1)
        away = (there - place) * np.exp(-1j * facing)
        own.append(np.column_stack([away.real, away.imag]))
    for rows in AHEAD:
        turned = facing[np.minimum(np.arange(count) + rows, count - 1)] - facing
        own.append(np.column_stack([-np.sin(turned), np.cos(turned)]))
    across = np.column_stack([ball[:, 0] + 1j * ball[:, 1] for ball in balls.values()])
    return np.concatenate(own, axis=1), place, facing, across


def _speed(path: Array) -> Array:
    return np.gradient(path, axis=0) * RATE if len(path) > 1 else np.zeros_like(path)


def _join_parts(
    parts: Sequence[Part],
    ready: inputs.GraphInputs,
    known: tuple[str, ...],
    limbs: tuple[Limb | None, ...],
    sentences: tuple[str, ...],
    sources: tuple[Clip, ...],
) -> Database:
    counts = [len(part.step) for part in parts]
    firsts = np.concatenate([[0], np.cumsum(counts)])
    onward = np.arange(1, firsts[-1] + 1)
    for part, first, end in zip(parts, firsts[:-1], firsts[1:], strict=True):
        onward[end - 1] = first if part.cyclic else -1
        if part.after is not None:
            k, share = part.after
            onward[end - 1] = firsts[k] + (round(share * counts[k]) + 1) % counts[k]
    raw = np.concatenate([part.raw for part in parts])
    own = np.concatenate([part.raw for part in parts if not part.bent])  # bends would reduce the weight of velocities
    mean, deviation = own.mean(axis=0), own.std(axis=0)
    scale, at = np.empty(len(mean)), 0
    for size, weight, least in zip(GROUPS, WEIGHTS, (1e-6, 1e-6, 1e-6, 1e-6, TURNS), strict=True):
        scale[at : at + size] = weight / max(float(deviation[at : at + size].mean()), least)
        at += size
    posed = join_clips([part.posed for part in parts])
    return Database(
        clips=tuple(part.clip for part in parts),
        given=ready.given,
        clip=np.repeat(np.arange(len(parts)), counts),
        frame=np.concatenate([np.arange(count) for count in counts]),
        rotations=posed.rotations,
        translations=posed.translations,
        step=np.concatenate([part.step for part in parts]),
        turn=np.concatenate([part.turn for part in parts]),
        onward=onward,
        velocity=np.concatenate([part.velocity for part in parts]),
        stands=np.concatenate([part.stands for part in parts]),
        balls=np.concatenate([part.balls for part in parts]),
        features=((raw - mean) * scale).astype(np.float32),
        scale=scale,
        mean=mean,
        feet=known,
        limbs=limbs,
        sentences=sentences,
        left_out=ready.left_out,
        frame_maps=ready.frame_maps,
        sources=sources,
    )
