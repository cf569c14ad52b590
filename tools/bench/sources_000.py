"""Document 000, motion blending by registration curves: every element of it beside ours.

Writes docs/measured/sources.md.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.check import quality
from action_loom.core.motion import kinematics, resample, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import curve_fit, dtw, metrics, register_pair
from action_loom.core.sync.alignment import align
from action_loom.core.verbs import Synchronise
from source_pages import (
    SETS,
    WALKS,
    Pair,
    captured,
    elements,
    gait,
    grid,
    median_and_most,
    needs_clips,
    pairs,
    picture,
    put,
    timewarps,
    words,
)
from sources_000_example import (
    LOST,
    SNEAK,
    STEPS,
    THEIRS,
    WALK,
    Example,
    curves,
    example,
    footfall,
    their_matrix,
    waves,
)
from tmps_program import Frames, their_distance, their_smoothing, their_transform

TITLE = "000 · Motion blending (TMPS)"
SMOOTHING = (
    "smoothing, frames each side",
    "clips",
    "footfalls off, ms, median / p90",
    "over 250 ms",
    "time's own acceleration, 1/s",
    "waits or leaps, % of frames",
    "acceleration, of the clip's",
    "start off, ms",
)


# --- what is measured ------------------------------------------------------------------------------------------------


def formulas() -> dict[str, float]:
    """How far its program, its printed formula and our distance are from the best turn and shift of random clouds."""
    rng, off = np.random.default_rng(0), {"program": 0.0, "formula": 0.0, "ours": 0.0}
    for _ in range(200):
        one, other = rng.normal(size=(2, 20, 3)) + rng.normal(size=(2, 1, 3))
        turn, shift = their_transform(one, other)
        ground, theirs = (p[None, :, 0] - 1j * p[None, :, 2] for p in (one, other))
        best = align(ground, theirs, np.full(20, 0.05))
        off["program"] = max(off["program"], abs(shift[0] - best.shift.real), abs(shift[2] + best.shift.imag))
        u, w = other[:, 0].mean(), other[:, 2].mean()
        printed = one[:, 2].mean() - u * np.sin(turn) - w * np.cos(turn)
        off["formula"] = max(off["formula"], abs(printed - shift[2]))
        heights = one[:, 1] - one[:, 1].mean() - other[:, 1] + other[:, 1].mean()
        ours = np.sqrt(best.residual + (heights**2).mean())
        off["ours"] = max(off["ours"], abs(float(ours) - their_distance(one, other)))
    return off


def smoothings(pair: Pair, unit: int) -> dict[str, Frames]:
    """Frames of a pair's clip by our smoothing of the path, by its own program and by default options."""
    rate = pair.reference.rate
    found, out = None, {}
    for radius in (0, unit, 2 * unit):
        matching = replace(THEIRS, smoothing="average" if radius else "none", radius=radius / rate)
        found = register_pair.pair(pair.reference, pair.clip, matching)
        out[f"ours, {radius or 'none'}"] = Frames(found.frames)
    cells = found.cells[:, ::-1]
    out["its program, none"] = Frames(timewarps.warped(timewarps.of_cells(cells)))
    for radius in (unit, 2 * unit):
        out[f"its program, {radius}"] = Frames(timewarps.warped(timewarps.of_cells(their_smoothing(cells, radius))))
    more = {"its path, our spline": replace(THEIRS, smoothing="spline"), "default options": Matching(ends="pinned")}
    for name, matching in more.items():
        out[name] = Frames(register_pair.pair(pair.reference, pair.clip, matching).frames)
    return out


def figures_of(pair: Pair, curve: Frames) -> tuple[Any, ...]:
    """Errors of footfalls (ms), how time speeds up and slows down (1/s), what stutters, acceleration, start."""
    rate = pair.reference.rate
    errors = gait.event_errors(curve, pair.reference, pair.clip, "strike")
    slopes = np.diff(curve.values)
    made = quality.measure(resample.sample(pair.clip, np.clip(curve.values, 0, len(pair.clip) - 1)))
    return (
        errors,
        float(np.sqrt((np.diff(slopes) ** 2).mean()) * rate),
        100.0 * float(((slopes < 0.2) | (slopes > 5.0)).mean()),
        made["acceleration_m_s2"] / quality.measure(pair.clip)["acceleration_m_s2"],
        1000.0 * abs(curve.values[0]) / rate,
    )


def smoothing_table(rate: float, unit: int) -> list[str]:
    """Rows: each smoothing, clips tuned on and kept aside."""
    found: dict[str, list[tuple[bool, tuple[Any, ...]]]] = {}
    for pair in pairs(WALKS, rate):
        for name, curve in smoothings(pair, unit).items():
            found.setdefault(name, []).append((pair.aside, figures_of(pair, curve)))
    rows = []
    for name, values in found.items():
        for aside, label in SETS:
            some = [one for is_it, one in values if is_it == aside]
            errors = np.concatenate([one[0] for one in some])
            rest = [np.median([one[k] for one in some]) for k in range(1, 5)]
            near = errors[errors <= LOST]
            far = f"{len(errors) - len(near)} of {len(errors)}"
            cells = (f"{value:.{digits}f}" for value, digits in zip(rest, (1, 1, 2, 0), strict=True))
            rows.append((name, label, median_and_most(near), far, *cells))
    return grid(SMOOTHING, rows)


def rounding() -> dict[str, str]:
    """By how much (frames) its W of whole cells plays another frame than the smoothed middles it is made of."""
    off: dict[bool, list[float]] = {False: [], True: []}
    for pair in pairs(WALKS, 30.0):
        found = register_pair.pair(pair.reference, pair.clip, replace(THEIRS, smoothing="average", radius=10 / 30.0))
        played = timewarps.warped(timewarps.of_cells(their_smoothing(found.cells[:, ::-1], 10)))
        off[pair.aside] += np.abs(played - found.frames)[10:-10].tolist()
    return {label: median_and_most(off[aside], 2) for aside, label in SETS}


def turning() -> str:
    """How the turn of best fit goes on, frame by frame, and how far it is off where the bodies face."""
    jumps, off = [], []
    for names in ((WALK, SNEAK), ("cmu_mb_02_01", "cmu_mb_05_01")):
        clips = [captured(name) for name in names]
        count = min(map(len, clips))
        one, other = (kinematics.points(clip)[:count, :, [0, 2, 1]] for clip in clips)
        turns = np.unwrap([their_transform(a, b)[0] for a, b in zip(one, other, strict=True)])
        faces = [root_motion.ground_frames(clip)[1][:count] for clip in clips]
        jumps.append(np.abs(np.diff(turns)).max())
        off.append(np.abs(np.angle(np.exp(1j * (turns + faces[0] - faces[1])))).max())
    return f"{np.degrees(max(jumps)):.1f}° at most from frame to frame, and up to {np.degrees(max(off)):.0f}°"


def weighing() -> dict[str, str]:
    """Footfalls (ms) by joints that all weigh alike, as there, and by our weights; paths as they are found."""
    off: dict[tuple[bool, str], list[float]] = {}
    for pair in pairs(WALKS, 30.0):
        for name, by in (("alike", their_matrix), ("by bones", our_matrix)):
            path = dtw.pinned(by(pair.reference, pair.clip), max(len(pair.reference), len(pair.clip)))
            errors = gait.event_errors(Frames(curve_fit.midpoints(path.cells)[1]), pair.reference, pair.clip, "strike")
            off.setdefault((pair.aside, name), []).extend(errors[errors <= LOST])
    return {
        label: ", ".join(f"{name} {median_and_most(off[aside, name])}" for name in ("alike", "by bones"))
        for aside, label in SETS
    }


def our_matrix(reference: Clip, clip: Clip) -> np.ndarray:
    one, other = (metrics.prepare(body, THEIRS) for body in (reference, clip))
    return np.asarray(one.matrix(other, 0))


def seconds_of(work: Callable[[], Any]) -> float:
    """The least of some times of some work, in milliseconds of the processor."""
    work()
    times = []
    for _ in range(5):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return 1000.0 * min(times)


def bottleneck() -> str:
    walk, sneak = captured(WALK), captured(SNEAK)
    whole = seconds_of(lambda: register_pair.pair(walk, sneak, replace(THEIRS, ends="open")))
    matrix = seconds_of(lambda: our_matrix(walk, sneak))
    apart = our_matrix(walk, sneak)
    path = seconds_of(lambda: dtw.pinned(apart, len(walk)))
    one, other = (kinematics.points(clip)[0][:, [0, 2, 1]] for clip in (walk, sneak))
    each = seconds_of(lambda: [their_distance(one, other) for _ in range(100)]) / 100.0
    return (
        f"{len(walk)} × {len(sneak)} frames: matrix {matrix:.0f} ms, path {path:.1f} ms, all of registering (two"
        f" passes) {whole:.0f} ms; its program in Python, pair by pair: {each * len(walk) * len(sneak) / 1000.0:.0f} s"
    )


# --- the page --------------------------------------------------------------------------------------------------------


def rows_of(shown: Example) -> str:
    last_frame = STEPS[1] - 1
    off, kept = formulas(), shown.report["registration"][0]["kept"]
    whole = verbs.apply(Synchronise(), [captured(WALK), captured(SNEAK)]).report["registration"][0]["kept"]
    by_weights, by_cells = weighing(), rounding()
    held = timewarps.warped(timewarps.of_cells(timewarps.PRINTED - 1)) + 1.0
    example_s = ", ".join(f"{value:g}" for value in held)
    apart = "; ".join(f"{label}: {value}" for label, value in by_weights.items())
    rounded = "; ".join(f"{label}: {value}" for label, value in by_cells.items())
    return f"""
Remark: points need no weights | weights of 1 | ours weigh half their bones' length, or alike (`--point-weights`).
Footfalls off, ms, median / p90:
{apart} | sync/joint_weights.py

Clouds are first brought together: turn θ, shift x₀, z₀ | formula | best turn and shift in closed form; its θ and its
program agree with ours to {off["program"]:.0e}. The z₀ of its formula lacks a change of sign (− x̄' sin θ should be
+): up to {off["formula"]:.1f} off where clouds are 1 wide; its program has it right | sync/alignment.py

Program calc_pose_distance: root of the mean square | metres | the same to {off["ours"]:.0e} | sync/alignment.py, this
script

Film of the normalised clouds; they move oddly half-way, perhaps a bug | film | `aligned.py` makes it. By our check its
program is right: on two pairs of clips the best turn changes smoothly, {turning()} off the bodies' heading, since
limbs that swing pull at it. That may be what looks odd | –

Timewarp matrix W, M × N (Fig. 7) | – | `sync A B --timewarp W.csv`, of the smooth curve: two frames a column, exactly
what is played. By its own rule, of cells, another frame is played: off by (frames, median / p90) {rounded} |
sync/timewarp_matrix.py, cli/timewarps.py

Its example: s of the path of Fig. 6 and 7 | 1, 2, 4, 6, 6.25, 6.5, 6.75, 7 | {example_s}: its rule on its path,
exactly; of these frames our W gives the same back, and the same numbers in all columns but the third, where it has
three frames and ours one | test_timewarp_matrix.py, oracles/timewarps.py

Length of the result T = Σ d, and d = Σ k·d of all clips | – | {len(shown.blend)} frames of the example below, Σ d =
{shown.steps:.1f} | test_timewarps.py

Example: three steps of a walk and a sneak, 50:50 | pictures, films | {WALK[4:]} from frame {STEPS[0]} to {last_frame}
and {SNEAK[4:]}: all is kept ({kept[0]:.0%} and {kept[1]:.0%}); of the walk's whole take {whole[0]:.0%}, as it has
more steps than the sneak. Compared by legs only, for arms and bearing differ. Two footfalls that gait events find in
the sneak are off by {shown.errors} ms | figure below

Remark: the distance matrix is the bottleneck | – | {bottleneck()} | sync/distance.py
"""


COMMANDS = (
    "    python tools/bench/sources_000.py",
    "    # its example: sync and blend of the audit's commands",
)
MEASURED = "Smoothing of the path on pairs of walks cut to where they correspond; medians of pairs."
COLUMNS = (
    ("ours, its program", "ours averages its path as our program does; its program as printed, cells and all"),
    ("its settings", "points, heights aligned, single frames, belt 0.7, no slope limit, ends pinned"),
    ("10 frames each side", "0.333 s at 30 frames a second, 0.083 s at 120"),
    (
        "footfalls off",
        "gait events (Zeni) of the reference, mapped by the curve, against the clip's nearest, at 30 frames a second"
        " known to 33 ms; over 250 ms there is none",
    ),
    ("time's own acceleration", "root mean square of the curve's second difference"),
    ("waits or leaps", "slopes under 0.2 or over 5"),
)


def main() -> None:
    needs_clips()
    shown = example()
    lines = [
        *COMMANDS,
        "",
        *elements(rows_of(shown)),
        "",
        *words(MEASURED),
        *grid(("", "what it is"), COLUMNS),
        "",
        *words("At 30 frames a second:"),
        *smoothing_table(30.0, 10),
        "",
        *words("At 120 frames a second:"),
        *smoothing_table(0.0, 10),
        "",
        *picture(waves(), "sources_000_waves", "Two waves and their distances"),
        *picture(curves(shown), "sources_000_curves", "Curves by smoothing, and belts"),
        *picture(footfall(shown), "sources_000_footfall", "Third footfall of each"),
    ]
    put(TITLE, lines)


if __name__ == "__main__":
    main()
