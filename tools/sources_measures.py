"""Measure claims of the source documents that no single command or test shows; each function returns one line of text.

Figures are on captured clips, separately for clips `tuned on` and `kept aside`.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.bodies import alike
from action_loom.core.demo_character import actions
from action_loom.core.errors import LoomError
from action_loom.core.graph.motion_graph import MotionGraph
from action_loom.core.motion import cycles, resample, root_motion
from action_loom.core.motion.clip import Clip, join_clips
from action_loom.core.recipes.matching import Matching
from action_loom.core.sync import cycle_search, dtw, metrics, register_pair, transitions
from action_loom.core.sync.alignment import align
from action_loom.core.verbs import Blend, BuildGraph, Connect, FitStyle, Follow, Loop
from action_loom.core.verbs.blend import weights as blend_weights
from action_loom.core.verbs.connect import work as connecting
from action_loom.core.weave import preprocess
from action_loom.core.weave.results import ConnectResult
from action_loom.core.weave.seam import close
from oracles import gait, paths
from oracles.kept_aside import KEPT_ASIDE
from oracles.material import captured

SETS = ((False, "tuned on"), (True, "kept aside"))
WALKS = (
    "mb_02_01+mb_05_01 mb_05_01+mb_06_01 mb_16_15+mb_35_01 mb_10_04+mb_07_01 mb_02_01+mb_16_15 mb_08_01+mb_12_01"
    " mb_12_01+mb_32_01 mb_32_01+mb_35_03 mb_35_03+mb_07_12 mb_08_04+mb_08_01"
)
WALKS_AND_RUNS = (
    "mb_02_01+mb_02_03 mb_07_01+mb_35_17 mb_35_01+mb_35_17 mb_05_01+mb_35_17 mb_08_01+mb_35_22 mb_35_03+mb_35_22"
)
GRAPH_CLIPS = (
    "mb_02_01 mb_05_01 mb_06_01 mb_07_01 mb_10_04 mb_16_15 mb_26_01 mb_35_01 mb_07_04 asf_16_11 asf_16_17 asf_16_15"
    " mb_08_01 mb_12_01 mb_32_01 mb_35_03 mb_08_04 asf_16_19"
)
LOST_MS = 250.0  # a footfall farther from its nearest one has no partner
# Settings of document 000: points of equal weight, heights aligned, single frames, a belt and no slope limit.
TMPS = Matching(metric="points", align_height=True, window=0.0, slope=-1, band=0.7, ends="pinned", smoothing="none")
RATE_004 = 30.0
# Clips in place of the five motions of document 004. No capture here skips, or pushes a button.
CAST = {
    False: {"run": "mb_35_17", "walk": "mb_35_01", "skip": "mb_08_07", "button": "mb_02_05", "turn": "asf_16_17"},
    True: {"run": "mb_35_22", "walk": "mb_35_03", "skip": "mb_49_04", "button": "mb_06_14", "turn": "asf_16_19"},
}
LOOPED = "mb_02_03 mb_35_17 mb_02_01 mb_35_01 mb_08_07 mb_35_22 mb_35_03 mb_08_01 mb_49_04"
PEOPLE = "mb_02_01 mb_05_01 mb_06_01 mb_07_01 mb_08_01 mb_10_04 mb_12_01 mb_16_15 mb_26_01 mb_32_01 mb_35_01"
SEAM_FRAMES = 3  # m = n = 3 frames on each side of a seam
STANDING_FRAMES = 30  # frames of the first pose, held before a clip


# --- 000: blending by registration curves ----------------------------------------------------------------------------


def transform_of_tmps(one: np.ndarray, other: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the turn and shift of points (P, 3; y up) by the printed program CalcTransformBetweenFigures [TMPS]."""
    (x, y, z), (u, v, w), count = one.T, other.T, len(one)
    right, bottom = x.sum() * w.sum() - u.sum() * z.sum(), x.sum() * u.sum() + z.sum() * w.sum()
    turn = np.arctan2((x * w - u * z).sum() - right / count, (x * u + z * w).sum() - bottom / count)
    cos, sin = np.cos(turn), np.sin(turn)
    shift = [x.sum() - u.sum() * cos - w.sum() * sin, (y - v).sum(), z.sum() + u.sum() * sin - w.sum() * cos]
    return float(turn), np.array(shift) / count


def pose_distance() -> str:
    """Compare our distance of point clouds with the printed program, on 200 pairs of random clouds."""
    rng, apart = np.random.default_rng(0), 0.0
    for _ in range(200):
        one, other = rng.normal(size=(2, 20, 3)) + rng.normal(size=(2, 1, 3))
        turn, shift = transform_of_tmps(one, other)
        cos, sin = np.cos(turn), np.sin(turn)
        brought = other @ np.array([[cos, 0.0, -sin], [0.0, 1.0, 0.0], [sin, 0.0, cos]]) + shift
        printed = np.sqrt(((one - brought) ** 2).sum() / len(one))
        ground, theirs = (p[None, :, 0] - 1j * p[None, :, 2] for p in (one, other))
        heights = one[:, 1] - one[:, 1].mean() - other[:, 1] + other[:, 1].mean()
        ours = np.sqrt(align(ground, theirs, np.full(20, 0.05)).residual + (heights**2).mean())
        apart = max(apart, abs(float(ours - printed)))
    return f"equal to {apart:.0e}"


@cache
def pairs(names: str, rate: float = 0.0) -> tuple[tuple[bool, Clip, Clip], ...]:
    """Return (whether held out, reference, clip) for pairs `a+b`, cut to where they correspond, at a rate if not 0."""
    found = []
    for one, other in (pair.split("+") for pair in names.split()):
        ready = preprocess.register([captured(f"cmu_{one}"), captured(f"cmu_{other}")], Matching())
        ends = ready.registration.frames(ready.registration.grid[[0, -1]])
        parts = [c.cut(round(a), round(b) + 1) for c, (a, b) in zip(ready.prepared.clips, ends, strict=True)]
        reference, clip = (resample.to_rate(part, rate) if rate else part for part in parts)
        found.append((one in KEPT_ASIDE or other in KEPT_ASIDE, reference, clip))
    return tuple(found)


class SampledCurve:
    """Return the frames (N,) of a clip at the frames of the reference, in the form of a curve for `gait`."""

    first = 0

    def __init__(self, frames: np.ndarray) -> None:
        self.frames, self.last = frames, len(frames) - 1

    def at(self, frames: np.ndarray) -> np.ndarray:
        return np.interp(frames, np.arange(len(self.frames)), self.frames)


def footfall_errors(matching: Matching) -> str:
    """Return the errors of footfalls through the curves of pairs of walks at 30 frames a second, in ms."""
    off: dict[bool, list[float]] = {False: [], True: []}
    for aside, reference, clip in pairs(WALKS, 30.0):
        curve = SampledCurve(register_pair.pair(reference, clip, matching).frames)
        errors = gait.event_errors(curve, reference, clip, "strike")
        off[aside] += errors[errors <= LOST_MS].tolist()
    return "; ".join(f"{label} {median_and_p90(off[aside])}" for aside, label in SETS)


def smoothing() -> str:
    """Compare the path of document 000 without smoothing and with 10 and 20 frames on each side."""
    found = []
    for radius in (0, 10, 20):
        kind = "average" if radius else "none"
        found.append(f"{radius} frames: {footfall_errors(replace(TMPS, smoothing=kind, radius=radius / 30.0))}")
    return f"footfalls off, ms, median / p90: {'. '.join(found)}"


def default_curve() -> str:
    """Return the errors of footfalls by the default options, with pinned ends."""
    return f"footfalls off, ms, median / p90: {footfall_errors(Matching(ends='pinned'))}"


def changing_rate() -> str:
    """Time two walks step by step, each step by its own blend rate alone, and compare with `weight_keys`."""
    clips, found = [captured("cmu_asf_16_15").cut(183, 428), captured("cmu_asf_17_03")], []
    for name, places in (("slowly", (0.0, 1.0)), ("suddenly", (0.6, 0.600001))):
        recipe = Blend(weight_keys=((places[0], 1.0, 0.0), (places[1], 0.0, 1.0)))
        made = verbs.apply(recipe, clips)
        grid = made.registration.grid
        rates = blend_weights.of_recipe(recipe, 2).at(made.registration.share_of_way(0.5 * (grid[1:] + grid[:-1])))
        elapsed = np.append(0.0, np.cumsum((rates * np.diff(made.registration.frames(grid))).sum(axis=0)))
        off = np.abs(np.interp(made.reference_frames, grid, elapsed) - np.arange(len(made.clip))).max()
        back = (np.diff(made.reference_frames) <= 0.0).sum()
        found.append(f"{name}: {len(made.clip)} frames, {off:.1f} off at most, {back} run back")
    return "; ".join(found)


# --- 001: splicing motion graphs -------------------------------------------------------------------------------------


@cache
def graph_of(count: int) -> MotionGraph:
    clips = [captured(f"cmu_{name}") for name in GRAPH_CLIPS.split()[:count]]
    return replace(verbs.apply(BuildGraph(), clips), name="walks")


def walkable_paths() -> str:
    """Count the paths that graphs of 1 to 18 clips, and their mirror images, follow to the end within 10 cm."""
    shapes = [paths.SHAPES["S"], paths.circle(4.0), paths.corner(), paths.line(10.0)]
    shapes += [paths.wandering(seed) for seed in (3, 4, 5, 6)]
    shapes = [*shapes, *map(paths.right, shapes)]
    found = []
    for count in (1, 4, len(GRAPH_CLIPS.split())):
        errors = [error for shape in shapes if (error := path_error(graph_of(count), shape)) is not None]
        near = sum(error <= 0.1 for error in errors)
        found.append(f"{count} clips: {len(errors)} of {len(shapes)} to the end, {near} within 10 cm")
    return "; ".join(found)


def path_error(graph: MotionGraph, shape: np.ndarray) -> float | None:
    """Return the distance of a walk from a path (RMS, m) before it is spread, None if the path can't be walked."""
    try:
        made = verbs.apply(Follow(path=shape.tolist(), plant_feet=False), [], prepared=graph)
    except LoomError:
        return None
    return float(made.report["follow"]["rms_before_spread"])


def boxing_on_a_path() -> str:
    """Walk an S with boxing from a second graph (Fig. 3)."""
    options = "splice_threshold=0.2 action_graph=yes"
    return action_on_a_path(captured("cmu_daz_13_18"), paths.SHAPES["S"], options)


def carrying_on_a_path() -> str:
    """Walk a line with the posture of lifting a load (Fig. 4); no capture here carries one."""
    options = "posture=1 strength=0.9 action_graph=yes splice_threshold=0.3"
    return action_on_a_path(captured("cmu_mb_02_06"), np.array([[0.0, 0.0], [12.0, 0.0]]), options)


def action_on_a_path(action: Clip, path: np.ndarray, options: str) -> str:
    recipe = Follow(path=path.tolist(), stretches=((0.35, 0.8, 1),), stretch_options=options)
    graph = graph_of(len(GRAPH_CLIPS.split()))
    report = verbs.apply(recipe, [replace(action, name="action")], prepared=graph).report["follow"]
    (carried,) = report["carries"]
    return (
        f"{100.0 * report['rms']:.1f} cm off the path, {len(carried['splice_points'])} splice points, nearest"
        f" {100.0 * carried['least_distance']:.1f} cm"
    )


# --- 003: fast search of a time warp graph ---------------------------------------------------------------------------


@cache
def limited_paths() -> dict[tuple[str, str], tuple[float, float]]:
    """Return the cost over the free path (median, %) and the time over it, by kind of pairs and limit."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    matching = Matching(metric="angles")
    for kind, names in (("walks", WALKS), ("walk and run", WALKS_AND_RUNS)):
        for aside, reference, clip in pairs(names):
            one, other = (metrics.prepare(each, matching) for each in (reference, clip))
            matrix = one.matrix(other, round(matching.window * reference.rate))
            longest = max(matrix.shape)
            free, seconds = timed(lambda m=matrix, most=longest: dtw.find_pinned_path(m, most))  # type: ignore[misc]
            banded = register_pair.in_band(matrix, 0.7)
            for name, cells, limit in (("L = 5", matrix, 5), ("belt 0.7", banded, longest)):
                path, took = timed(lambda m=cells, most=limit: dtw.find_pinned_path(m, most))  # type: ignore[misc]
                more = 100.0 * (path.cost / free.cost - 1.0)
                found.setdefault((f"{kind}, {dict(SETS)[aside]}", name), []).append((more, took / seconds))
    return {key: tuple(np.median(values, axis=0).tolist()) for key, values in found.items()}


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of some work and the least of five times of it, in seconds of this process."""
    made, times = work(), []
    for _ in range(5):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return made, min(times)


def limit_cost() -> str:
    """Return the price of the slope limit L = 5."""
    found = {kind: values for (kind, name), values in limited_paths().items() if name == "L = 5"}
    costs = "; ".join(f"{kind} {more:.1f} %" for kind, (more, _) in found.items())
    return f"cost over no limit, median: {costs}"


def limit_time() -> str:
    """Return the time of the search with L = 5 over the time without a limit."""
    times = [ratio for (_, name), (_, ratio) in limited_paths().items() if name == "L = 5"]
    return f"with L = 5 the search takes {min(times):.1f} to {max(times):.1f} times as long"


def belt_cost() -> str:
    """Return the price of the belt 0.7 of document 000."""
    return f"{max(more for (_, name), (more, _) in limited_paths().items() if name == 'belt 0.7'):.1f} % at most"


# --- 004: emphasising features ---------------------------------------------------------------------------------------


def cycle_after_standing() -> str:
    """Find the cycles of clips that begin with a second of standing, then walk or run."""
    return "; ".join(found_cycle(name, standing_clip(name)) for name in ("mb_02_03", "mb_35_17", "mb_35_22"))


def standing_clip(name: str) -> Clip:
    clip = resample.to_rate(captured(f"cmu_{name}"), RATE_004)
    return clip.take_frames(np.concatenate([np.zeros(STANDING_FRAMES, dtype=int), np.arange(len(clip))]))


def found_cycle(name: str, clip: Clip) -> str:
    best = cycle_search.find_by_autocorrelation(clip).best
    strikes = [np.diff(frames) for kind, frames in gait.events(clip).items() if "strike" in kind]
    stride = f", by its feet {np.median(np.concatenate(strikes)):.0f}" if any(map(len, strikes)) else ""
    return f"{name}: {best.length} frames from {best.start}{stride}"


def cycle_of_waving() -> str:
    """Find the cycle of a figure that stands and waves."""
    return found_cycle("the figure, a wave of 18 frames", actions.wave(RATE_004))


@cache
def seams_by_method() -> dict[tuple[str, str, bool], float]:
    """Return means of C, D and the step of loops and connections by (measure, method, whether held out)."""
    found: dict[tuple[str, str, bool], list[float]] = {}

    def add(kind: str, one: dict[str, Any], aside: bool, measures: str = "C D step") -> None:
        for measure in measures.split():
            if one[measure] is not None:
                found.setdefault((f"{kind} {measure}", one["name"], aside), []).append(one[measure])

    for name in LOOPED.split():
        clip = resample.to_rate(captured(f"cmu_{name}"), RATE_004)
        report = verbs.apply(Loop(method="auto", whole="no"), [clip]).report["loop"]
        for one in (*report["methods"], *plain_loops(clip, report)):
            add("loop", one, name in KEPT_ASIDE)
    for aside, cast in CAST.items():
        for first, second, clips in joined_pairs(cast):
            result = verbs.apply(Connect(method="auto", plant_feet=False), clips)
            for one in (*result.report["connect"]["methods"], *plain_joints(clips, result)):
                add("connection", one, aside, "C D step" if {first, second} == {"run", "skip"} else "D step")
    return {key: float(np.mean(values)) for key, values in found.items()}


def joined_pairs(cast: dict[str, str]) -> list[tuple[str, str, list[Clip]]]:
    """Return the twelve pairs of document 004, each with its names."""
    clips = {part: resample.to_rate(captured(f"cmu_{name}"), RATE_004) for part, name in cast.items()}
    return [(a, b, [clips[a], clips[b]]) for a in ("run", "walk", "skip") for b in cast if a != b]


def plain_loops(clip: Clip, report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the figures of a cycle without any repair, and of one with a straight line across its seam."""
    asked = SimpleNamespace(method="none", in_place=False, straighten="auto")
    closed = close.close_cycle(clip, cycle_search.Cycle(report["start"], report["length"], 1.0), asked)
    several, count = cycles.unroll_cycle(closed.clip, 1, 1), len(closed.clip) - 1
    straight = straighten_seam(straighten_seam(several, count), 2 * count).cut(count, 2 * count + 1)
    made, _ = close._judge_cycle("straight", replace(straight, cyclic=True), closed.before)
    return [*closed.figures, made]


def plain_joints(clips: list[Clip], result: ConnectResult) -> list[dict[str, Any]]:
    """Return the figures of a connection without any repair, and of one with a straight line across its seam."""
    report, before, after = result.report["connect"], clips[0], alike.like(clips[1], clips[0])[0]
    i, j = report["from_frame"], report["to_frame"]
    at = transitions.align(result.clip, after, len(result.clip) - 1, len(after) - 1, 0)
    there = root_motion.place_clip(after, at.turn, np.array(at.shift))
    plain = join_clips([before.cut(0, i + 1), there.cut(j + 1, len(there))])
    named = (("none", plain), ("straight", straighten_seam(plain, i + 1)))
    return [connecting._judge_seam(name, clip, i + 1, SEAM_FRAMES, None) for name, clip in named]


def straighten_seam(clip: Clip, frame: int) -> Clip:
    """Return a clip with straight lines from its fourth frame before a seam to the fourth after it."""
    frames = np.arange(len(clip))
    far = frames[(frames < frame - SEAM_FRAMES) | (frames >= frame + SEAM_FRAMES)]
    return resample.sample(clip.take_frames(far), np.interp(frames, far, np.arange(len(far))))


def by_method(measures: str, names: str) -> str:
    """Return the means of measures by method, on both sets of clips."""
    found, rows = seams_by_method(), [(one, aside, label) for one in measures.split(", ") for aside, label in SETS]
    each = {row: ", ".join(f"{name} {found[row[0], name, row[1]]:.2f}" for name in names.split()) for row in rows}
    return "; ".join(f"{one}, {label}: {each[one, aside, label]}" for one, aside, label in rows)


# Without repair and straight, which Table 1 lacks, and the step across seams over a clip's median (Fig. 10, 12).
straight_row = partial(by_method, "loop C, loop D, connection C, connection D", "none straight")
seams_of_loops = partial(by_method, "loop step", "none straight lagrange spline")
seams_of_connections = partial(by_method, "connection step", "none straight lagrange spline")


def free_correlation() -> str:
    """Return how many frames m takes on each side, and D, within 0.05 to 0.15 s and up to the ends of the clips."""
    found = []
    for aside, label in SETS:
        for name, length in (("bounded", 0.0), ("free", 5.0)):
            recipe = Connect(method="lagrange", by_correlation=True, length=length)
            made = [verbs.apply(recipe, clips).report["connect"] for _, _, clips in joined_pairs(CAST[aside])]
            frames = [0.5 * np.ptp(one["corrected"]) for one in made]
            smooth = [one["methods"][0]["D"] for one in made]
            span = f"m {np.mean(frames):.1f} frames, {min(frames):.0f} to {max(frames):.0f}"
            found.append(f"{label}, {name}: {span}, D {np.mean(smooth):.2f}")
    return "; ".join(found)


def values_of_walks(component: int) -> str:
    """Return the value of each walk on a component of document 004, from 0 (Fig. 1, 2)."""
    style = verbs.apply(FitStyle(mirror=True), [captured(f"cmu_{name}") for name in PEOPLE.split()])
    learnt = style.learnt("source")
    scores = learnt.scores(style.rows_in(learnt.form))[:, component] / learnt.parts.deviations[component]
    means = [f"{name} {scores[style.material.of == k].mean():+.1f}" for k, name in enumerate(PEOPLE.split())]
    return f"in deviations: {', '.join(means)}"


component_2, component_3 = partial(values_of_walks, 1), partial(values_of_walks, 2)


def table_1() -> str:
    """Return Table 1 again: Lagrange and splines; printed: loops 1.877 and 0.191, connections 0.383 to 0.468."""
    found = seams_by_method()
    return "; ".join(
        f"{measure}, {label}: {found[measure, 'lagrange', aside]:.3f} and {found[measure, 'spline', aside]:.3f}"
        for measure in ("loop C", "loop D", "connection C", "connection D")
        for aside, label in SETS
    )


def conclusion() -> str:
    """Return which method is better by the measures by which document 004 recommends one."""
    found, better = seams_by_method(), []
    for measure, recommended in (("loop C", "lagrange"), ("connection D", "spline")):
        names = [min(("lagrange", "spline"), key=lambda m: found[measure, m, aside]) for aside, _ in SETS]
        better.append(f"{measure}: {' and '.join(names)}, recommended {recommended}")
    return "; ".join(better)


def median_and_p90(values: list[float]) -> str:
    return f"{np.median(values):.0f} / {np.percentile(values, 90):.0f}"
