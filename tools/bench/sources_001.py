"""Document 001, splicing motion graphs: every element of it beside ours, into docs/measured/sources.md."""

import time
from dataclasses import dataclass, replace

import numpy as np
from action_loom.core import jit, verbs
from action_loom.core.bodies import alike
from action_loom.core.check import trunk_swing
from action_loom.core.errors import LoomError
from action_loom.core.figure import actions
from action_loom.core.formats import motion_file
from action_loom.core.graph import climbs
from action_loom.core.graph.motion_graph import MotionGraph
from action_loom.core.motion import kinematics, mass, resample, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.sync.positions import PointMetric
from action_loom.core.verbs import BuildGraph, Follow, Splice, Walk
from action_loom.core.verbs.follow import work as follow
from action_loom.core.verbs.follow.result import FollowResult
from action_loom.core.verbs.splice import actions as spliced_actions
from action_loom.core.weave.splice import levels
from action_loom.core.weave.splice.levels import LEVELS
from source_pages import ROOT, captured, elements, grid, needs_clips, paths, put, words
from sources_001_pictures import draw_correction, draw_experiment, draw_two

TITLE = "001 · Splicing motion graphs (Nomura)"
AMC = ROOT.parent / "shared" / "data" / "amc"
WALKS = """
mb_02_01 mb_05_01 mb_06_01 mb_07_01 mb_10_04 mb_16_15 mb_26_01 mb_35_01 mb_07_04 asf_16_11 asf_16_17 asf_16_15
mb_08_01 mb_12_01 mb_32_01 mb_35_03 mb_08_04 asf_16_19
"""
RUNS = "16_35 16_36 16_38 16_39 16_41 16_42 16_44 16_46 16_49 16_50 16_52 16_54 16_37 16_40 16_45 16_48 16_51 16_53"
# Actions that stand, and one that walks, on walks of the same body: tuned on, then kept aside.
CASES = (
    ("tuned on", "boxing on a walk", "daz_07_01", "daz_13_18"),
    ("tuned on", "punches on a walk", "mb_16_15", "mb_02_05"),
    ("tuned on", "lifting on a walk", "mb_35_01", "mb_02_06"),
    ("tuned on", "a dribble on a walk", "mb_16_15", "mb_06_10"),
    ("kept aside", "throwing on a walk", "mb_12_01", "mb_06_14"),
    ("kept aside", "throwing on a walk", "mb_32_01", "mb_06_14"),
    ("kept aside", "a kick on a walk", "mb_08_01", "daz_martial_04"),
    ("kept aside", "a dribble on a walk", "mb_35_03", "mb_06_10"),
)
LOAD = "mb_02_06"  # nobody carries a load in the captures at hand; who lifts one stands for it
WIDE = 0.2  # m; the threshold with which boxing has splice points everywhere
S = paths.SHAPES["S"]


# --- experiments -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Experiment:
    """A path walked through one graph with actions of another on it, and the seconds that each part took."""

    made: FollowResult
    seconds: tuple[float, float, float, float]


def timed(work) -> tuple:  # type: ignore[no-untyped-def]
    began = time.process_time()
    made = work()
    return made, time.process_time() - began


def graph_of(names: str) -> tuple[MotionGraph, float]:
    clips = [captured(f"cmu_{name}") for name in names.split()]
    return timed(lambda: replace(verbs.apply(BuildGraph(), clips), name="walks"))


def experiment(graph: MotionGraph, built: float, action: Clip, path: np.ndarray, how: str, label: str) -> Experiment:
    """What the document does: two graphs, splice points, and a path; seconds of each as it counts them."""
    recipe = Follow(path=path.tolist(), stretches=((0.35, 0.8, 1),), stretch_options=how)
    plain, walked = timed(lambda: verbs.apply(replace(recipe, stretches=(), stretch_options=""), [], prepared=graph))
    (splice,) = recipe.stretch_splices()
    actions_, second = timed(lambda: spliced_actions.gather([action], plain.clip, splice))
    shares = plain.gone / plain.path.length
    first, last = (int(np.searchsorted(shares, share)) for share in (0.35, 0.8))
    _, spliced = timed(lambda: spliced_actions.overlay(plain.clip, actions_, first, last))
    made = verbs.apply(recipe, [replace(action, name=label)], prepared=graph)
    return Experiment(made, (built, second, spliced, walked))


def runs() -> list[Clip]:
    return [replace(motion_file.read(AMC / f"{name}.amc").clip, name=name) for name in RUNS.split()]


def two_experiments() -> tuple[list[str], Experiment, Experiment]:
    """Boxing on an S and carrying on a straight path, as the document does them."""
    walks, built = graph_of(WALKS)
    boxing = experiment(
        walks, built, captured("cmu_daz_13_18"), S, f"splice_threshold={WIDE} action_graph=yes", "boxing"
    )
    how = "posture=1 strength=0.9 action_graph=yes splice_threshold=0.3"
    load = captured(f"cmu_{LOAD}")
    carrying = experiment(walks, built, load, np.array([[0.0, 0.0], [12.0, 0.0]]), how, "carrying")
    rows = []
    for name, printed, one in (
        ("boxing on an S", "60, 240; 120; 2400", boxing),
        ("carrying on a line", "120, 360; 1200; 600", carrying),
    ):
        (reported,) = one.made.report["follow"]["carries"]
        near = reported["least_distance"]
        rows.append(
            [
                name,
                printed,
                "; ".join(
                    [", ".join(f"{value:.1f}" for value in one.seconds[:2]), *(f"{v:.1f}" for v in one.seconds[2:])]
                ),
                f"{100.0 * one.made.report['follow']['rms']:.1f} cm",
                f"{100.0 * near:.1f} cm",
                f"{len(reported['splice_points'])}, {reported['in_step']:.0%}",
                f"{reported['graph']['component_share']:.0%}",
            ]
        )
    head = [
        "experiment",
        "printed s: two graphs; points; path",
        "ours",
        "off the path",
        "nearest of all",
        "points, of the stretch",
        "of the actions connected",
    ]
    return grid(head, rows), boxing, carrying


def two_kinds_of_legs() -> tuple[list[str], list[tuple[str, FollowResult]]]:
    """One path, through a graph of walks and through one of runs."""
    rows, made = [], []
    gentle = paths.circle(5.0)[:60]
    for name, clips in (("walks", [captured(f"cmu_{one}") for one in WALKS.split()]), ("runs", runs())):
        graph, built = timed(lambda clips=clips: verbs.apply(BuildGraph(), clips))  # type: ignore[misc]
        walked, seconds = timed(lambda graph=graph: verbs.apply(Follow(path=gentle.tolist()), [], prepared=graph))  # type: ignore[misc]
        reported, length = walked.report["follow"], len(walked.clip) / walked.clip.rate
        rows.append(
            [
                name,
                f"{len(clips)}",
                f"{built:.1f}",
                f"{seconds:.1f}",
                f"{100.0 * reported['rms_before_spread']:.1f}",
                f"{100.0 * reported['rms']:.1f}",
                f"{reported['length'] / length:.1f}",
                f"{reported['bent_share']:.0%}",
            ]
        )
        made.append((name, walked))
    head = ["legs", "clips", "graph, s", "path, s", "off the path, cm", "after spreading", "m/s", "bent"]
    return grid(head, rows), made


def thresholds() -> list[str]:
    """How far standing actions are from walks, and how much of them goes on from splice points."""
    rows = []
    for kind, what, walk, action in CASES:
        clips = [captured(f"cmu_{walk}"), captured(f"cmu_{action}")]
        shares, least = [], 0.0
        for threshold in (0.13, 0.15, WIDE, 0.3):
            reported = verbs.apply(Splice(timing="points", splice_threshold=threshold), clips).report["splice"]
            shares.append(f"{reported['in_step']:.0%}")
            least = reported["least_distance"]
        rows.append([kind, what, f"{action} on {walk}", f"{100.0 * least:.1f}", *shares])
    return grid(["", "", "clips", "nearest, cm", "points at 13 cm", "15", "20", "30"], rows)


def one_frame() -> list[str]:
    """How far legs and trunk are on the mean over the next second, entered by one frame alone or by that mean."""
    rows = []
    for kind, what, walk, action in CASES:
        clips = [resample.to_rate(captured(f"cmu_{name}"), 30.0) for name in (walk, action)]
        carried, _ = alike.like(clips[1], clips[0])
        one, other = (PointMetric.of_cloud(*levels.cloud(clip, LEVELS[0])) for clip in (clips[0], carried))
        apart, second = one.matrix(other, 5), 30
        by_frame, by_mean = [], []
        for at in range(0, len(one) - second + 1, second):
            along = apart[at : at + second]
            means = np.array([np.trace(along, j) for j in range(len(other) - second + 1)]) / second
            by_frame.append(means[along[0, : len(means)].argmin()])
            by_mean.append(means.min())
        rows.append([kind, what, *(f"{100.0 * np.mean(values):.1f}" for values in (by_frame, by_mean))])
    return grid(["", "", "entered at the nearest frame, cm", "at the least mean"], rows)


def coverage() -> list[str]:
    """How many paths can be walked, and how near, by how many clips a graph has."""
    names, rows = WALKS.split(), []
    sets = (
        ("tuned on", [S, paths.circle(4.0), paths.corner(), paths.line(10.0)]),
        ("kept aside", [paths.wandering(seed) for seed in (3, 4, 5, 6)]),
    )
    sets = tuple((kind, [*shapes, *map(paths.right, shapes)]) for kind, shapes in sets)
    for count in (1, 2, 4, len(names)):
        graph, built = graph_of(" ".join(names[:count]))
        for kind, shapes in sets:
            off = [followed(graph, shape) for shape in shapes]
            near = [100.0 * one for one in off if one is not None]
            done = f"{len(near)} of {len(off)}"
            within = f"{sum(one <= 10.0 for one in near)}"
            rows.append([f"{count}", kind, done, within, f"{np.median(near):.1f}" if near else "–", f"{built:.1f}"])
    head = ["clips, and mirrored", "paths", "walked to the end", "within 10 cm", "off, median of these, cm", "graph, s"]
    return grid(head, rows)


def followed(graph: MotionGraph, shape: np.ndarray) -> float | None:
    """How far off a path a walk is, RMS in metres, before the rest is spread; None where it can't be walked."""
    try:
        made = verbs.apply(Follow(path=shape.tolist(), plant_feet=False), [], prepared=graph)
    except LoomError:
        return None
    return float(made.report["follow"]["rms_before_spread"])


def timing() -> list[str]:
    """How near legs are between points, by the interval, and re-timed to the legs."""
    rows = []
    for kind, what, walk, action in CASES:
        clips, cells, followed = [captured(f"cmu_{walk}"), captured(f"cmu_{action}")], [], ""
        for interval in (0.5, 1.0, 2.0):
            recipe = Splice(timing="points", splice_threshold=1.0, splice_interval=interval)
            plain, timed_ = (
                verbs.apply(replace(recipe, retime=on), clips).report["splice"]["splice_points"] for on in (False, True)
            )
            cells.append(f"{100.0 * np.mean([one['distance'] for one in plain]):.1f}")
            near = [one["legs_apart_in_time"] for one in timed_ if one["legs_apart_in_time"] is not None]
            if interval == 1.0:
                followed = f"{len(near)} of {len(timed_)}" + (f", {100.0 * np.mean(near):.1f} cm" if near else "")
        rows.append([kind, what, *cells, followed])
    return grid(["", "", "every 0.5 s, cm", "1 s", "2 s", "re-timed at 1 s, legs apart"], rows)


def a_minute() -> list[str]:
    """Whether a minute of boxing repeats by the clock."""
    walks = [captured(f"cmu_{name}") for name in ("daz_02_01", "daz_07_01", "daz_09_12")]
    minute = verbs.apply(Walk(seconds=60.0, plant_feet=False), walks).clip
    boxing = captured("cmu_daz_13_18")
    punches = [replace(boxing.cut(at, at + 260), name=f"punch {k}") for k, at in enumerate(range(100, 2900, 280))]
    rows = []
    for what, clips, how in (
        ("the take, entered at points", [boxing], Splice(splice_threshold=1.0)),
        ("a graph of the take", [boxing], Splice(splice_threshold=1.0, action_graph=True)),
        ("a graph of ten punches", punches, Splice(splice_threshold=1.0, action_threshold=0.15)),
    ):
        found = spliced_actions.gather(clips, minute, how)
        spliced, reported = spliced_actions.overlay(minute, found)
        flat = 1_000_000 * spliced.places[0] + spliced.places[1]
        again = max(np.mean(np.abs(flat[lag:] - flat[:-lag]) <= 12) for lag in range(60, 1200, 6))
        used = len(np.unique(flat)) / sum(map(len, found.clips))
        rows.append([what, f"{len(reported['splice_points'])}", f"{again:.0%}", f"{used:.0%}"])
    return grid(["", "points in a minute", "of frames again after one and the same time", "of all frames played"], rows)


def edits() -> list[str]:
    """How long it takes to walk anew along a path that was changed, and how well that keeps to it."""
    walks, _ = graph_of(WALKS)
    rows = []
    for kind, shapes in (
        ("tuned on", [S, paths.circle(4.0)[:70]]),
        ("kept aside", [paths.wandering(seed) for seed in (3, 4, 5)]),
    ):
        plain = [
            timed(lambda shape=shape: verbs.apply(Follow(path=shape.tolist()), [], prepared=walks)) for shape in shapes
        ]  # type: ignore[misc]
        cells = [f"{np.mean([seconds for _, seconds in plain]):.2f}"]
        for after in (0.3, 0.5, 0.7, 0.9):
            found = []
            for shape, (before, _) in zip(shapes, plain, strict=True):
                recipe = Follow(path=edited(shape, after, 1.0))
                made, seconds = timed(lambda: follow.again(before, [], recipe))  # noqa: B023
                fresh = verbs.apply(recipe, [], prepared=walks)
                off = [one.report["follow"]["rms_before_spread"] for one in (made, fresh)]
                found.append([seconds, 100.0 * off[0], 100.0 * off[1]])
            seconds, anew, own = np.mean(found, axis=0)
            cells.append(f"{seconds:.2f} s; {anew:.1f} ({own:.1f})")
        rows.append([kind, *cells])
    head = ["paths", "first walk, s", "changed at 30 %: s; cm off (walked as a whole)", "50 %", "70 %", "90 %"]
    return grid(head, rows)


def edited(rows: np.ndarray, after: float, by: float) -> list[list[float]]:
    """A path whose part after a share of its points is led aside, gently, by so many metres."""
    share = np.clip((np.linspace(0.0, 1.0, len(rows)) - after) / (1.0 - after), 0.0, 1.0)
    found: list[list[float]] = (rows + by * (share**2)[:, None] * np.array([1.0, 0.4])).tolist()
    return found


def mass_and_hips() -> list[str]:
    """How far from a path hips and centre of mass are, by which of both follows."""
    walks, _ = graph_of(WALKS)
    rows = []
    for what in ("hips", "mass"):
        made = verbs.apply(Follow(path=S.tolist(), follows=what, plant_feet=False), [], prepared=walks)
        at = made.path.at(made.gone)
        points = (
            kinematics.points(made.clip)[:, root_motion.travelling_joint(made.clip.skeleton)],
            mass.centre_of_mass(made.clip),
        )
        off = [100.0 * float(np.sqrt((np.abs(one[:, 0] + 1j * one[:, 1] - at) ** 2).mean())) for one in points]
        rows.append([what, *(f"{value:.1f}" for value in off)])
    return grid(["what follows", "hips off the path, RMS cm", "centre of mass"], rows)


def climbed() -> list[str]:
    """How near walks keep to paths that rise: a ramp of 20 % with clips that climb it, without, and captured stairs."""
    walk = actions.walk(30.0, 5)
    gone = np.linalg.norm(kinematics.points(walk)[:, 0, :2] - kinematics.points(walk)[0, 0, :2], axis=1)
    up, down = (replace(climbs.lifted(walk, slope * gone), name=f"{slope:+.0%}") for slope in (0.2, -0.2))
    level = [walk, actions.turn_left(30.0)]
    ramp = [[0.0, 0.0, 0.0], [0.0, -4.0, 0.0], [0.0, -9.0, 1.0], [0.0, -13.0, 1.0]]
    stairs = [captured(f"cmu_{name}") for name in ("daz_07_01", "daz_02_01", "daz_09_12", "daz_13_35")]
    rows = []
    for what, clips, threshold, path in (
        ("a ramp of 1 m, clips that climb it", [*level, up, down], 0.08, ramp),
        ("the same, level clips only", level, 0.05, ramp),
        ("captured stairs of 0.6 m, kept in the graph", stairs, 0.1, None),
        ("the same, level clips only", stairs[:3], 0.1, None),
    ):
        graph = verbs.apply(BuildGraph(climbing=True, threshold=threshold), clips)
        if path is None and len(clips) == len(stairs):
            up_stairs = stairs_of(graph)
        made = verbs.apply(Follow(path=path or up_stairs, climbing=True), [], prepared=graph)
        reported = made.report["follow"]
        rows.append(
            [
                what,
                f"{100.0 * reported['height_off_max']:.1f}",
                f"{100.0 * reported['rms']:.1f}",
                f"{made.report['quality']['after']['slide_cm_s']:.1f}",
            ]
        )
    return grid(["", "height off at most, cm", "off the path on the ground, RMS cm", "slide, cm/s"], rows)


def stairs_of(graph: MotionGraph) -> list[list[float]]:
    """A level way to the stairs of the last clip, and up to their top as he went who was captured."""
    tracks, first = graph.tracks, graph.tracks.firsts[3]
    top = first + int(np.argmax(graph.inputs.ground_of(3)))
    way, ground = tracks.ground[first : top + 12 : 12], tracks.climbed[first : top + 12 : 12]
    ahead = (way[4] - way[0]) / abs(way[4] - way[0])
    places = np.concatenate([way[0] - ahead * np.linspace(2.5, 0.2, 10), way])
    heights = np.concatenate([np.zeros(10), ground - ground[0]])
    rows: list[list[float]] = np.column_stack([places.real, places.imag, heights]).tolist()
    return rows


def swings() -> dict[str, float]:
    walk, box = captured("cmu_mb_16_15"), captured("cmu_mb_02_05")
    return {
        method: trunk_swing.counter(verbs.apply(Splice(method=method), [walk, box]).clip) or 0.0
        for method in ("gaussian", "heck", "copy")
    }


def main() -> None:
    needs_clips()
    jit.kernels("action_loom.core.graph")
    reported, boxing, carrying = two_experiments()
    legs, made = two_kinds_of_legs()
    by_method = swings()
    lines = [
        *COMMANDS,
        "",
        *elements(ELEMENTS.format(**{f"swing_{name}": value for name, value in by_method.items()})),
        "",
        *words(EXPERIMENTS),
        *reported,
        "",
        *draw_experiment(boxing.made, "source_001_boxing", "Boxing on an S (Figure 3)"),
        *draw_experiment(carrying.made, "source_001_carrying", "Carrying on a line (Figure 4)"),
        *draw_correction(boxing.made.graph, captured(f"cmu_{LOAD}")),
        *words(LEGS),
        *legs,
        "",
        *draw_two(made),
        *words(COVERED),
        *coverage(),
        "",
        *words(NEAR),
        *thresholds(),
        "",
        *words(TIME),
        *timing(),
        "",
        *words(ENTERED),
        *one_frame(),
        "",
        *words(CLOCK),
        *a_minute(),
        "",
        *words(EDITED),
        *edits(),
        "",
        *words(MASS),
        *mass_and_hips(),
        "",
        *words(CLIMBED),
        *climbed(),
    ]
    put(TITLE, lines)


COMMANDS = (
    "    python tools/bench/sources_001.py",
    "    python tools/bench/edit_warp.py      # holds and snaps, in editing.md",
)
EXPERIMENTS = f"""
Its experiments on {len(WALKS.split())} captured walks and turns with their mirror images: a boxer's take of 25 s, and
one who lifts a load ({LOAD}), as no capture at hand carries one. Seconds of one processor; the printed ones are of
2008, with other clips.
"""
LEGS = """
A bow of 5 m radius through a graph of walks, and of one man's runs and veers.
"""
NEAR = """
Legs and trunk of an action from a walk's over the best second, and share played from splice points.
"""
ENTERED = """
Legs and trunk of both over the second after each second's point: entered where one frame is nearest, as in the
document, or where that second's mean is least, as here.
"""
COVERED = """
Few motions: paths through graphs of the first clips of the list, without planting. Eight paths each, half of them
their mirror images: S, circle of 4 m, corner and line; kept aside, curves at random.
"""
TIME = """
Mean distance between points, without a threshold, by their interval; runs near enough to be re-timed.
"""
CLOCK = """
A random minute of boxing: frames that come again after one time of 0.5 to 10 s, within 0.1 s.
"""
EDITED = """
The rest of a path is led aside by up to 1 m. Seconds include planting and measuring; in brackets: walked as a whole.
"""
MASS = """
What follows is smoothed; distances of both as they sway, unplanted.
"""
CLIMBED = """
Paths that rise, with `climbing`.
"""
ELEMENTS = """
the relation of hips and trunk is kept | Figure 2 | chest against pelvis, punches on a walk: gaussian
{swing_gaussian:+.2f}, heck {swing_heck:+.2f}, as keyed {swing_copy:+.2f} | picture below; [splices.md](splices.md)
"""


if __name__ == "__main__":
    main()
