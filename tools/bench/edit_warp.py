"""Poses that were spread and events that were moved: how exact, how smooth, how fast.

Writes docs/measured/editing.md.
"""

import sys
import textwrap
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from action_loom.core import verbs
from action_loom.core.check import contacts
from action_loom.core.edit import hermite, pose_warp, time_curve, time_warp
from action_loom.core.edit.feet import spans
from action_loom.core.edit.pose_warp import Reach
from action_loom.core.motion import quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.quat import Array
from action_loom.core.verbs import MoveEvents, Warp
from oracles.material import captured, captured_files
from page_sections import put
from quality_tables import grid, is_aside

TAKES = (
    "mb_02_01 mb_05_01 mb_16_15 mb_35_01 asf_16_11 asf_16_17 mb_02_03 mb_35_17 asf_16_41 daz_09_12 daz_13_11 daz_10_01"
    " mb_08_01 mb_12_01 mb_35_03 mb_08_04 asf_16_19 mb_35_22 mb_49_04 mb_06_14 daz_martial_04 mb_49_06"
)
WALKS = "mb_02_01 mb_05_01 mb_06_01 mb_16_15 mb_35_01 asf_16_15 mb_08_01 mb_12_01 mb_32_01 mb_35_03 mb_08_04 mb_07_12"
REACHES = (0.15, 0.4, 1.0)
SHARES = (0.1, 0.2, 0.25, 1.0 / 3.0, 0.4, 0.5)
POSES, MOVES, HOLD = 4, 3, 0.1
HOLDS = ((0.1, 0.0), (0.25, 0.0), (0.5, 0.0), (1.0, 0.0), (0.0, 0.25), (0.0, 0.5), (0.0, 1.0), (0.25, 1.0))
INTRODUCTION = (
    "*Spread Pose* with {poses} poses of a clip's own at random frames, *Move Events* with {moves} events by 0.05 s or"
    " held for {hold:g} s, on {tuned} captured clips tuned on and {aside} kept aside. Beyond: changed frames out of all"
    " reaches."
)
COMMAND = "    python tools/bench/edit_warp.py"
EXACT_HEADS = (
    "clips",
    "what",
    "off at most (rad, frames)",
    "beyond",
    "ms for 1000 frames",
    "spreading or playing alone",
)
SHAPES = (
    "By the curve between poses, over the greatest rotation vector asked: its most, median and worst clip, and its"
    " acceleration, 1/s², by reach. By column: x, y and z apart, which depends on bones' axes. The spline has two"
    " derivatives; Wendland's (1 − x)⁴(4x + 1) is solved for all poses."
)
SPEEDS = "Speed of a clip where one event is moved, by the share of the reach."
HELD = "Speed where one event is held or anticipated with its own reach, holds and eases apart."
FEET = (
    "Walks with hips moved 3 cm and turned by 3° and the left thigh turned by 2° at three frames, 0.4 s reach: speed of"
    " balls in the middle half of moved contacts, cm/s. Knee: 99th percentile of its angular acceleration over that"
    " before planting, worst."
)
FEET_HEADS = ("clips", "of", "source", "posed", "planted", "knee", "contacts that move too far to be planted")


def main() -> None:
    if not captured_files()[0].exists():
        sys.exit("edit_warp: the captured clips of ../shared/data are needed")
    clips = {aside: _clips(TAKES, aside) for aside in (False, True)}
    counts = {"tuned": len(clips[False]), "aside": len(clips[True]), "poses": POSES, "moves": MOVES, "hold": HOLD}
    lines = [*_text(INTRODUCTION.format(**counts)), "", COMMAND, "", *grid(EXACT_HEADS, ())]
    for aside, some in clips.items():
        for what, exact in (("poses", posed), ("events", partial(moved, by=0.05)), ("held", partial(moved, hold=HOLD))):
            hit, beyond, spent, alone = np.array([exact(clip) for clip in some]).T
            cells = f"{hit.max():.0e} | {beyond.sum():.0f} | {np.median(spent):.0f} | {np.median(alone):.0f}"
            lines.append(f"| {_kind(aside)} | {what} | {cells} |")
    lines += ["", *_text(SHAPES), "", "| clips | curve | most |" + "".join(f" {r:g} s |" for r in REACHES)]
    lines.append("|---" * (3 + len(REACHES)) + "|")
    for aside, some in clips.items():
        for name, curve in CURVES.items():
            lines.append(f"| {_kind(aside)} | {name} | {shaped(some, curve)} |")
    lines += ["", *_text(SPEEDS), "", "| move over reach | later | sooner |", "|---|---|---|"]
    lines += [f"| {share:.2f} | {' | '.join(speeds(clips[False][0], share))} |" for share in SHARES]
    longest = max(clips[False], key=lambda clip: clip.seconds)
    lines += ["", *_text(HELD), "", "| hold | anticipation | speed | later than its row |", "|---|---|---|---|"]
    lines += [f"| {hold:g} s | {strength:g} | {held(longest, hold, strength)} |" for hold, strength in HOLDS]
    lines += [
        "",
        *_text(FEET),
        "",
        *grid(FEET_HEADS, ()),
    ]
    lines += [f"| {_kind(aside)} | {stood(_clips(WALKS, aside))} |" for aside in (False, True)]
    put("editing.md", "Spreading poses and moving events", lines)


def _clips(takes: str, aside: bool) -> list[Clip]:
    return [captured(f"cmu_{take}") for take in takes.split() if is_aside(take) == aside]


def _text(text: str) -> list[str]:
    return textwrap.wrap(text, 118)


def _kind(aside: bool) -> str:
    return "kept aside" if aside else "tuned"


def _lots(clip: Clip) -> tuple[list[int], list[int]]:
    """Frames, a quarter of a second apart at least, and frames whose poses come there."""
    rng = np.random.default_rng(len(clip))
    step = max(1, round(0.25 * clip.rate))
    frames = np.sort(rng.choice(np.arange(0, len(clip), step), POSES, replace=False))
    return frames.tolist(), rng.choice(len(clip), POSES).tolist()


def posed(clip: Clip) -> tuple[float, float, float, float]:
    """How far poses are off, frames beyond them that changed, and ms of the verb and of the spreading."""
    frames, there = _lots(clip)
    recipe = Warp(poses=tuple((f, 2, k) for f, k in zip(frames, there, strict=True)), with_root=True)
    began = time.process_time()
    made = verbs.apply(recipe, [clip, clip]).clip
    spent = time.process_time() - began
    off = quat.log(quat.mul(quat.inv(made.rotations[frames]), clip.rotations[there]))
    away = np.abs(np.arange(len(clip))[:, None] - frames).min(axis=1) >= 0.4 * clip.rate
    changed = (made.rotations[away] != clip.rotations[away]).any(axis=(1, 2))
    began = time.process_time()
    pose_warp.spread(clip, _corrections(clip), Reach(0.4 * clip.rate, 0.4 * clip.rate))
    alone = time.process_time() - began
    hit = float(np.linalg.norm(off, axis=-1).max())
    return hit, float(changed.sum()), 1e6 * spent / len(clip), 1e6 * alone / len(clip)


def _corrections(clip: Clip) -> list[pose_warp.Correction]:
    joints = np.arange(len(clip.skeleton))
    return [pose_warp.correction(clip, f, clip.cut(k, k + 1), joints) for f, k in zip(*_lots(clip), strict=True)]


def moved(clip: Clip, by: float = 0.0, hold: float = 0.0) -> tuple[float, float, float, float]:
    """The same of events a quarter of the clip apart, moved by so many seconds, later and sooner by turns, and held."""
    events = [(k * len(clip) // (MOVES + 1), 1.0 if k % 2 else -1.0) for k in range(1, MOVES + 1)]
    rows = tuple((float(first), first + sign * by * clip.rate, hold) for first, sign in events)
    began = time.process_time()
    made = verbs.apply(MoveEvents(events=rows), [clip])
    spent = time.process_time() - began
    coming = made.curve.events
    hit = max(np.abs(made.curve.at(np.linspace(one.begin, one.end)) - one.event.first).max() for one in coming)
    own = np.arange(len(clip))
    away = np.all([(own <= one.window[0]) | (own >= one.window[1]) for one in coming], axis=0)
    changed = (made.clip.rotations[away] != clip.rotations[away]).any(axis=(1, 2))
    began = time.process_time()
    time_warp.warped(clip, made.curve)
    alone = time.process_time() - began
    return float(hit), float(changed.sum()), 1e6 * spent / len(clip), 1e6 * alone / len(clip)


# Curves through knots (K, J, 3) at frames, none where two are not joined, at whole frames.
Curve = Callable[[Array, Array, float, Array], Array]


def _rests(frames: Array, values: Array, reach: float) -> tuple[Array, Array]:
    knots = {float(frame): value for frame, value in zip(frames, values, strict=True)}
    ends = [-np.inf, *frames.tolist(), np.inf]
    for k, frame in enumerate(frames.tolist(), 1):
        if frame - ends[k - 1] > 2.0 * reach:
            knots[frame - reach] = 0.0 * values[0]
        if ends[k + 1] - frame > 2.0 * reach:
            knots[frame + reach] = 0.0 * values[0]
    return np.array(sorted(knots)), np.array([knots[at] for at in sorted(knots)])


def _hermite(frames: Array, values: Array, reach: float, at: Array) -> Array:
    times, knots = _rests(frames, values, reach)
    return hermite.evaluate(times, knots, hermite.monotone_slopes(times, knots), at)


def _by_column(frames: Array, values: Array, reach: float, at: Array) -> Array:
    times, knots = _rests(frames, values, reach)
    return hermite.evaluate(times, knots, hermite.monotone_slopes(times, knots[..., None])[..., 0], at)


def _spline(frames: Array, values: Array, reach: float, at: Array) -> Array:
    times, knots = _rests(frames, values, reach)
    found = CubicSpline(times, knots, bc_type="clamped")(np.clip(at, times[0], times[-1]))
    return np.asarray(found)


def _wendland(frames: Array, values: Array, reach: float, at: Array) -> Array:
    def shares(times: Array) -> Array:
        x = np.minimum(np.abs(times[:, None] - frames) / reach, 1.0)
        return np.asarray((1.0 - x) ** 4 * (4.0 * x + 1.0))

    solved = np.linalg.solve(shares(frames), values.reshape(len(frames), -1))
    return np.asarray((shares(at) @ solved).reshape(len(at), *values.shape[1:]))


CURVES: dict[str, Curve] = {
    "monotone Hermite": _hermite,
    "by column": _by_column,
    "clamped spline": _spline,
    "Wendland": _wendland,
}


def shaped(clips: list[Clip], curve: Curve) -> str:
    """The cells of a row: most over asked at 0.4 s, and acceleration by reach."""
    most, sharp = [], {reach: [] for reach in REACHES}
    for clip in clips:
        frames, values = np.array(_lots(clip)[0], dtype=float), np.array([one.turns for one in _corrections(clip)])
        asked = np.maximum(np.linalg.norm(values, axis=2).max(axis=0), 1e-9)
        at = np.arange(0.0, len(clip) - 1.0, 0.25)
        for reach in REACHES:
            found = curve(frames, values, reach * clip.rate, at)
            second = np.linalg.norm(np.diff(found, n=2, axis=0), axis=2).max(axis=0) * (4.0 * clip.rate) ** 2
            sharp[reach].append(float((second / asked).max()))
            if reach == 0.4:
                most.append(float((np.linalg.norm(found, axis=2).max(axis=0) / asked).max()))
    cells = " | ".join(f"{np.median(values):.0f}" for values in sharp.values())
    return f"{np.median(most):.2f}, {max(most):.2f} | {cells}"


def speeds(clip: Clip, share: float) -> list[str]:
    middle, reach = len(clip) // 2, 60.0
    found = []
    for sign in (1.0, -1.0):
        curve = time_warp.curve(clip, [time_curve.Event(middle, middle + sign * share * reach, reach)])
        found.append("{:.2f} to {:.2f}".format(*curve.speeds))
    return found


def held(clip: Clip, seconds: float, strength: float) -> str:
    middle = float(len(clip) // 2)
    curve = time_warp.curve(clip, [time_curve.Event(middle, middle, None, seconds * clip.rate, strength)])
    least, most = curve.speeds
    return f"{least:.2f} to {most:.2f} | {(curve.events[0].begin - middle) / clip.rate:.2f} s"


def stood(clips: list[Clip]) -> str:
    """The cells of a row: how many walks, how feet slide in the source, posed and planted, knees, what is refused."""
    rows, refused = [], 0
    for clip in clips:
        hips, thigh = (clip.skeleton.roles[role] + 1 for role in ("hips", "thigh.L"))
        frames = [k * len(clip) // 4 for k in (1, 2, 3)]
        corrections = [(f, hips, 0, 0, 3, 0.03, 0, 0) for f in frames] + [(f, thigh, 2, 0, 0, 0, 0, 0) for f in frames]
        made = [verbs.apply(Warp(corrections=tuple(corrections), plant_feet=flag), [clip]) for flag in (False, True)]
        reported = made[1].report["plant"]
        refused += len(reported["refused"])
        planted = [span for span in spans.of_rows(reported["spans"], len(clip)) if span.part == spans.BALL]
        if planted:
            slides = [_slide(one, planted) for one in (clip, made[0].clip, made[1].clip)]
            rows.append((*slides, reported["knee"]))
    source, posed_, stands, knee = np.array(rows).T
    middles = " | ".join(f"{np.median(values):.1f}" for values in (source, posed_, stands))
    return f"{len(rows)} | {middles} | {knee.max():.2f} | {refused}"


def _slide(clip: Clip, rows: list[spans.Span]) -> float:
    balls = contacts.feet(clip)
    found = []
    for span in (row.middle for row in rows):
        speed = np.linalg.norm(np.gradient(balls[span.foot][:, :2], axis=0), axis=1) * clip.rate
        found.append(100.0 * speed[span.first : span.end].mean())
    return float(np.mean(found))


if __name__ == "__main__":
    main()
