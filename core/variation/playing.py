"""Play the chosen rows: runs of source frames at their own rate, placed and faded at jumps (methods: Variations)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..graph import assemble, climbs, windows
from ..graph.assemble import Origin
from ..motion import arrays, resample, root_motion
from ..motion.clip import Clip, join_clips
from ..motion.quat import Array
from ..sync import alignment
from .choice import Chosen
from .jumps import Jumps
from .source import Indices, Source

# A jump is faded over half a window on each side if its distance is NEAR or less, and over LONG if it is FAR or more.
LONG = 0.4  # s
NEAR, FAR = 0.05, 0.20  # m


@dataclass(frozen=True, eq=False)
class Run:
    """A stretch of rows of one clip: rows first … last of the result play the source's rows from `row` on.

    jump : by which it was entered, −1 for the first run and for a cycle that goes on
    turn, shift : the rotation and the displacement that place the clip on the ground; shift is x + iy
    """

    first: int
    last: int
    row: int
    jump: int
    turn: float = 0.0
    shift: complex = 0j


@dataclass(frozen=True, eq=False)
class Played:
    """A variation as a clip, the origin of its frames, and its runs; climbed (F,) : height of the ground, m."""

    clip: Clip
    origin: Origin
    runs: tuple[Run, ...]
    climbed: Array


def runs_of(source: Source, chosen: Chosen, found: Jumps) -> list[Run]:
    """Return the runs of chosen rows, each placed at the end of the one before.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> from action_loom.core.variation import source
        >>> rows = source.gather(inputs.gather([actions.wave()], images=False))
        >>> from action_loom.core import verbs
        >>> made = verbs.apply(verbs.Walk(seconds=4.0), [actions.wave()], prepared=rows)
        >>> len(made.report["pieces"]) > 0
        True
    """
    firsts = [0, *np.flatnonzero(chosen.jumps >= 0).tolist(), len(chosen.rows)]
    runs: list[Run] = []
    for first, end in pairwise(firsts):
        jump = int(chosen.jumps[first])
        run = Run(first, end - 1, int(chosen.rows[first]), jump)
        if runs:
            turn, shift = _alignment(source, int(found.start[jump]), int(found.end[jump]), whole=not found.cycles[jump])
            turned = np.exp(1j * runs[-1].turn)
            run = replace(run, turn=runs[-1].turn + turn, shift=complex(turned * shift + runs[-1].shift))
        runs.append(run)
    return runs


def _alignment(source: Source, row: int, other: int, *, whole: bool) -> tuple[float, complex]:
    """Return turn and shift (x + iy) that place the clip of another row at a row; whole : whether to align windows."""
    body = source.body
    own, there = (windows.rows_of(body, source.clip[k : k + 1], source.frame[k : k + 1]) for k in (row, other))
    if not whole:  # both poses are the same, and a window might extend beyond the clip
        own, there = (body.firsts[source.clip[k]] + source.frame[k : k + 1, None] for k in (row, other))
    aligned = alignment.align(
        body.places[own], body.places[there], body.roots**2, [body.feet.at(own), body.feet.at(there)]
    )
    return float(aligned.turn[0]), complex(aligned.shift[0])


def play(source: Source, runs: Sequence[Run], found: Jumps, times: Array, edges: Array) -> Played:
    """Return the clip that plays runs; times (F,) : the row, fractional, that each frame of the result shows.

    edges (E,) : times of the edges of stretches that no fade may reach

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> from action_loom.core.variation import source
        >>> rows = source.gather(inputs.gather([actions.wave()], images=False))
        >>> from action_loom.core import verbs
        >>> made = verbs.apply(verbs.Walk(seconds=4.0), [actions.wave()], prepared=rows)
        >>> len(made.clip), len(made.origin.clip)
        (121, 121)
    """
    clips = assemble.unify_channels(source.inputs.clips)
    middles = np.array([run.first - 1.0 for run in runs[1:]])  # the row of the result where both windows meet
    which = np.searchsorted(middles, times, side="right")
    base = _frames(source, clips, runs, which, times)
    halves = [_half(source, runs, found, k, edges) for k in range(1, len(runs))]
    other, share = np.full(len(times), -1), np.zeros(len(times))
    for k, half in enumerate(halves, 1):
        near: Indices = np.flatnonzero(np.abs(times - middles[k - 1]) < half)
        if len(near) == 0 or (runs[k].jump >= 0 and found.cycles[runs[k].jump]):
            continue
        u = 0.5 + 0.5 * (times[near] - middles[k - 1]) / half
        later = arrays.ease(u)
        own = which[near] == k
        other[near] = np.where(own, k - 1, k)
        share[near] = np.where(own, 1.0 - later, later)
    mixed = np.flatnonzero(share > 0.0)
    clip = base
    if len(mixed):
        clip = assemble.blend_frames(
            base, _frames(source, clips, runs, other[mixed], times[mixed]), mixed, share[mixed]
        )
    climbed = _measure_climb(source, runs, which, times)
    clip = climbs.lift_frames(clip, climbed) if climbed.any() else clip
    return Played(clip, _origin(source, runs, which, other, share, times), tuple(runs), climbed)


def _half(source: Source, runs: Sequence[Run], found: Jumps, k: int, edges: Array) -> float:
    """Return the rows on each side over which run k is faded in, limited by both clips' ends, both runs and edges."""
    jump = runs[k].jump
    share = float(np.clip((found.distance[jump] - NEAR) / (FAR - NEAR), 0.0, 1.0))
    short = 0.5 * source.window
    half = (short + share * max(LONG - short, 0.0)) * source.rate
    before, after = int(found.start[jump]), int(found.end[jump])
    room = min(
        source.firsts[source.clip[before] + 1] - 1 - before, after - source.firsts[source.clip[after]],
        0.5 * (runs[k].last - runs[k].first + 1), 0.5 * (runs[k - 1].last - runs[k - 1].first + 1),
        np.abs(edges - (runs[k].first - 1.0)).min(initial=np.inf),
    )  # fmt: skip
    return min(half, float(room))


def _places(source: Source, runs: Sequence[Run], which: Indices, times: Array) -> tuple[Indices, Array]:
    """Return the clip (F,) and the fractional frame (F,) that runs (F,) show at times (F,)."""
    firsts, rows = np.array([run.first for run in runs]), np.array([run.row for run in runs])
    clip = source.clip[rows][which]
    frame = source.frame[rows][which] + (times - firsts[which]) * source.step
    return clip, frame


def _frames(source: Source, clips: Sequence[Clip], runs: Sequence[Run], which: Indices, times: Array) -> Clip:
    """Return the frames that runs (F,) show at times (F,), placed on the ground; whole frames are copied exactly."""
    clip, frame = _places(source, runs, which, times)
    parts, order = [], []
    for k in np.unique(clip):
        own = np.flatnonzero(clip == k)
        parts.append(_sample_frames(clips[k], frame[own]))
        order.append(own)
    joined = join_clips(parts)
    back = np.argsort(np.concatenate(order), kind="stable")
    turns, shifts = (np.array([getattr(run, name) for run in runs])[which] for name in ("turn", "shift"))
    return root_motion.place_clip(joined.take_frames(back), turns, np.column_stack([shifts.real, shifts.imag]))


def _sample_frames(clip: Clip, frames: Array) -> Clip:
    whole = np.round(frames)
    if np.abs(frames - whole).max(initial=0.0) < 1e-9:
        return clip.take_frames(np.clip(whole, 0, len(clip) - 1).astype(np.int64))
    return replace(resample.sample(clip, frames), cyclic=False)


def _measure_climb(source: Source, runs: Sequence[Run], which: Indices, times: Array) -> Array:
    """Return the height (F,) of the ground under the result, continuous from run to run."""
    if not source.inputs.grounds:
        return np.zeros(len(times))
    clip, frame = _places(source, runs, which, times)
    own = np.empty(len(times))
    for k in np.unique(clip):
        ground, some = source.inputs.ground_of(int(k)), clip == k
        own[some] = np.interp(frame[some], np.arange(len(ground)), ground)
    steps = np.where(np.diff(which) == 0, np.diff(own), 0.0)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _origin(source: Source, runs: Sequence[Run], which: Indices, other: Indices, share: Array, times: Array) -> Origin:
    clip, frame = _places(source, runs, which, times)
    there, there_frame = _places(source, runs, np.maximum(other, 0), times)
    jumps = np.array([run.jump for run in runs])
    lengths = np.array([len(one) for one in source.inputs.clips])
    entered = np.where(other > which, other, which)
    return Origin(
        clip, np.clip(np.round(frame), 0, lengths[clip] - 1).astype(np.int64), np.where(other >= 0, there, -1),
        np.where(other >= 0, np.clip(np.round(there_frame), 0, lengths[there] - 1), 0).astype(np.int64), share,
        np.where(other >= 0, jumps[entered], -1), np.zeros(len(times)), which,
    )  # fmt: skip
