"""Motion graphs of captured clips and how paths are followed through them.

Writes docs/measured/graphs.md and its pictures.
"""

import resource
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from action_loom.core import jit, verbs
from action_loom.core.formats import bvh
from action_loom.core.graph import assemble, edge_table, posture, posture_change, turning
from action_loom.core.graph.assemble import WalkPiece
from action_loom.core.graph.motion_graph import MotionGraph
from action_loom.core.motion import kinematics, resample
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import BuildGraph, Follow
from action_loom.core.verbs.build_graph import picture as graphs_picture
from action_loom.core.verbs.follow import picture as walks
from action_loom.core.verbs.follow.result import FollowResult
from matplotlib.figure import Figure
from oracles import paths, slide
from oracles.material import captured
from quality_tables import grid

DATA = ROOT.parent / "shared" / "data" / "cmu"
IMAGES = ROOT / "docs" / "measured" / "images"
CONTINUITY = {
    "ten clips, tuned on": "mb_02_01 mb_05_01 mb_06_01 mb_07_01 mb_10_04 mb_16_15 mb_26_01 mb_35_01 asf_16_17 mb_08_07",
    "seven, kept aside": "mb_08_01 mb_12_01 mb_32_01 mb_35_03 mb_08_04 mb_07_12 asf_16_19",
}
CONTINUING = (
    "Five paths through walks of several people. Posture: the mean turn of trunk and arms from the one clip to the"
    " other, root mean square over joints, of each transition that a walk takes. Fastest hand: about the hips, 99th"
    " percentile."
)
CLIPS = """
    mb_02_01 mb_05_01 mb_06_01 mb_07_01 mb_08_01 mb_10_04 mb_12_01 mb_16_15 mb_26_01 mb_32_01 mb_35_01 mb_35_03
    mb_07_04 mb_08_04 mb_07_12 mb_08_07 mb_02_03 mb_35_17 mb_35_22 mb_49_04 asf_16_11 asf_16_17 asf_16_19 asf_16_15
    asf_16_41 asf_127_04 asf_16_08
"""
CURVES = 20
LONG = 36_000  # frames of one take
WIDE = 0.2  # m; the splice threshold with which boxing on a walk has splice points
DIGITS = (3, 3, 2, 1, 1, 3, 3, 2, 1, 1, 2)  # after the point, of a row of figures
FOR = "For those who change motion graphs or *Path*: how graphs of captured clips connect, slide, and lead along paths."
COMMAND = "    python tools/bench/graphs.py"
MATERIAL = (
    "Material: all captured walks, runs and turns (two skeletons, several people; two files are one recording) and"
    " mirror images, at 120 frames a second. Slide: mean ground speed of toes under 5 cm and 0.6 m/s, rolling included;"
    " feet are not planted ([feet.md](feet.md)). Seconds: one processor."
)
FOLLOWED = (
    "Distances of the smoothed root trajectory from the path by arc length, m, before the rest is spread over the walk"
    " and after; *bent*: edges of up to 10°/m. The source clips slide {source:.1f} cm/s. Random curves: 10 to 20 m,"
    " radii of 2 m or more."
)


def main() -> None:
    if not DATA.is_dir():
        sys.exit("graphs: the captured clips of ../shared/data are needed")
    clips = [bvh.to_clip(bvh.read(DATA / f"cmu_{name}.bvh"))[0] for name in CLIPS.split()]
    jit.kernels("action_loom.core.graph")  # compiled beforehand, as after the first use
    began = time.process_time()
    graph = replace(verbs.apply(BuildGraph(), clips), name="walks, runs and turns")
    seconds = time.process_time() - began
    lines = ["# Motion graphs and paths", "", *textwrap.wrap(FOR, 118), "", COMMAND, ""]
    lines += [*textwrap.wrap(MATERIAL, 118), ""]
    lines += built(graph, seconds) + long_take() + thresholds(clips) + transitions(graph)
    lines += followed(graph) + continuity() + turns(clips) + carried()
    (ROOT / "docs" / "measured" / "graphs.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def built(graph: MotionGraph, seconds: float) -> list[str]:
    reported = graph.report["graph"]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    draw(graphs_picture.draw(graph), "graph")
    outside = ", ".join(one["clip"].removeprefix("cmu_") for one in reported["outside"])
    heads = ("frames", "nodes", "transitions", "s", "MB at most", "frames in the largest component", "clips outside it")
    counts = (str(reported[what]) for what in ("frames", "nodes", "transitions"))
    cells = (*counts, f"{seconds:.1f}", f"{memory:.0f}", f"{reported['component_share']:.0%}", outside)
    return [*grid(heads, [cells]), "", "![Clips as lanes, the nearest transitions as arcs](images/graph.png)", ""]


def long_take() -> list[str]:
    """Twenty minutes of one walk over and over, which is like itself everywhere."""
    walk = resample.to_rate(bvh.to_clip(bvh.read(DATA / "cmu_mb_02_01.bvh"))[0], 30.0)
    clip = replace(walk.taken(np.arange(LONG) % len(walk)), cyclic=False)
    began = time.process_time()
    engine = jit.wanted()
    jit.use("numpy")
    reported = verbs.apply(BuildGraph(), [clip]).report["graph"]
    jit.use(engine)
    seconds, memory = time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    heads = (
        "one take: frames at 30 a second, with mirror image",
        "nodes",
        "transitions",
        "s, numpy alone",
        "MB at most",
    )
    cells = (*(str(reported[what]) for what in ("frames", "nodes", "transitions")), f"{seconds:.0f}", f"{memory:.0f}")
    return [*grid(heads, [cells]), ""]


def thresholds(clips: list[Clip]) -> list[str]:
    head = "| threshold | transitions | frames in the largest component | clips and images in it |"
    lines = ["## Thresholds", "", head, "|---|---|---|---|"]
    for threshold, relative in (*((metres, False) for metres in (0.03, 0.04, 0.05, 0.06, 0.08)), (0.05, True)):
        reported = verbs.apply(BuildGraph(threshold=threshold, relative=relative), clips).report["graph"]
        unit = "s × speed" if relative else "m"
        lines.append(
            f"| {threshold:g} {unit} | {reported['transitions']} | {reported['component_share']:.0%} | "
            f"{len(reported['components'][0]['clips'])} |"
        )
    return [*lines, ""]


def transitions(graph: MotionGraph) -> list[str]:
    """How transitions slide, by their distance."""
    floor = slide.tread(graph.clips[0])
    inside = graph.crosses & (graph.component[graph.start] == 0) & (graph.component[graph.end] == 0)
    chosen = np.random.default_rng(0).choice(np.flatnonzero(inside), 400, replace=False)
    found = []
    for edge in chosen:
        first = int(graph.frame[graph.start[edge]])
        piece = WalkPiece(int(graph.clip[graph.start[edge]]), first, first + 2 * graph.half, int(edge))
        found.append(slide.speed(assemble.assemble(graph, [piece]).clip, floor))
    sources = [slide.speed(clip, floor) for clip in graph.clips[: graph.inputs.given]]
    lines = ["## Slide in transitions", "", "| distance (m) | of | median cm/s | 95 % |", "|---|---|---|---|"]
    distance, slides = graph.distance[chosen], np.array(found)
    for low, high in ((0.0, 0.03), (0.03, 0.04), (0.04, 0.06), (0.0, 0.06)):
        some = slides[(distance > low) & (distance <= high)]
        lines.append(
            f"| {low:g} to {high:g} | {len(some)} | {np.nanmedian(some):.1f} | {np.nanpercentile(some, 95):.1f} |"
        )
    middle, most = np.median(sources), np.percentile(sources, 95)
    lines.append(f"| the clips themselves | {len(sources)} | {middle:.1f} | {most:.1f} |")
    return [*lines, ""]


def followed(graph: MotionGraph) -> list[str]:
    floor = slide.tread(graph.clips[0])
    source = float(np.mean([slide.speed(clip, floor) for clip in graph.clips[: graph.inputs.given]]))
    head = "| path | RMS before | RMS | most | slide cm/s | s | bent: RMS before | RMS | most | slide | s | bent |"
    lines = ["## Paths that are followed", "", *textwrap.wrap(FOLLOWED.format(source=source), 118), "", head]
    lines.append("|---" * 12 + "|")
    for name, path in paths.SHAPES.items():
        for side, rows in (("left", path), ("right", paths.right(path)))[: 1 if name == "line" else 2]:
            cells = [cell for bend in (0.0, 10.0) for cell in figures(graph, rows, bend, floor)]
            label = name if name == "line" else f"{name}, {side}"
            lines.append(f"| {label} | {shown(cells)} |")
            if (name, side) in (("S", "left"), ("corner", "right"), ("U-turn", "left")):
                draw(walks.draw(one(graph, rows, 10.0)), f"path_{name.lower().replace('-', '_')}")
    curves = np.array(
        [
            [cell for bend in (0.0, 10.0) for cell in figures(graph, paths.wandering(seed), bend, floor)]
            for seed in range(CURVES)
        ]
    )
    for label, cells in (("mean", curves.mean(axis=0)), ("worst", curves.max(axis=0))):
        lines.append(f"| {CURVES} random curves, {label} | {shown(cells)} |")
    pictures = [f"![{name}](images/path_{name.lower().replace('-', '_')}.png)" for name in ("S", "corner", "U-turn")]
    return [*lines, "", *pictures, ""]


def shown(cells: list[float] | np.ndarray) -> str:
    return " | ".join(f"{cell:.{digits}f}" for cell, digits in zip(cells, DIGITS, strict=True))


def one(graph: MotionGraph, rows: np.ndarray, bend: float) -> FollowResult:
    made = verbs.apply(Follow(path=rows.tolist(), bend=bend, plant_feet=False), [], prepared=graph)
    assert isinstance(made, FollowResult)
    return made


def figures(graph: MotionGraph, rows: np.ndarray, bend: float, floor: float) -> list[float]:
    began = time.process_time()
    made = one(graph, rows, bend)
    seconds = time.process_time() - began
    reported = made.report["follow"]
    found = [reported["rms_before_spread"], reported["rms"], reported["max"], slide.speed(made.clip, floor), seconds]
    return found + [reported["bent_share"]] * bool(bend)


def continuity() -> list[str]:
    """How often paths change over to other clips and postures, and how fast hands go, before and after it costs."""
    ways = {
        "with the legs, 1/3 s": (0.0, 0.0),
        "over 1 s": (posture.SECONDS, 0.0),
        "over 1 s, changes cost": (posture.SECONDS, edge_table.POSTURE),
    }
    rows = []
    for label, names in CONTINUITY.items():
        clips = [captured(f"cmu_{name}") for name in names.split()]
        graph = verbs.apply(BuildGraph(), clips)
        for way, (seconds, cost) in ways.items():
            with mock.patch.object(posture, "SECONDS", seconds), mock.patch.object(edge_table, "POSTURE", cost):
                made = [one(graph, shape, 0.0) for shape in paths.SHAPES.values()]
            rows.append((f"{label}: {way}", *changes(graph, made, len(clips))))
    heads = ("upper body", "transitions", "to other clips", "posture, mean °", "worst", "fastest hand, m/s", "RMS, m")
    return ["", "## Style continuity", "", *textwrap.wrap(CONTINUING, 118), "", *grid(heads, rows), ""]


def changes(graph: MotionGraph, made: list[FollowResult], clips: int) -> list[str]:
    """The figures of walks along paths: transitions, how the posture changes in them, hands about the hips."""
    edges, hands = [], []
    for walk in made:
        edge = walk.origin.edge
        begins = edge[np.flatnonzero(np.diff(edge, prepend=-1) != 0)]
        edges.append(begins[(begins >= 0) & graph.crosses[begins]])
        points, roles = kinematics.points(walk.clip), walk.clip.skeleton.roles
        about = points[:, [roles["hand.L"], roles["hand.R"]]] - points[:, [roles["hips"]]]
        speeds = np.linalg.norm(np.diff(about, axis=0), axis=2).max(axis=1) * walk.clip.rate
        hands.append(float(np.quantile(speeds, 0.99)))
    taken = np.concatenate(edges)
    turned = np.degrees(posture_change.of_edges(graph, taken))
    # Clips and then their mirror images: each person's come again.
    others = graph.clip[graph.start[taken]] % clips != graph.clip[graph.end[taken]] % clips
    off = np.mean([walk.report["follow"]["rms"] for walk in made])
    figures = (f"{turned.mean():.1f}", f"{turned.max():.1f}", f"{np.mean(hands):.2f}", f"{off:.3f}")
    return [str(len(taken)), str(int(others.sum())), *figures]


def turns(clips: list[Clip]) -> list[str]:
    """How tightly few clips turn, by how much their edges may be bent."""
    bends = (0.0, 5.0, 10.0, 20.0, 30.0)
    lines = [
        "## How tightly few clips turn",
        "",
        "The smallest radius, m, of a half circle that is followed within 0.25 m, by how far edges are bent.",
        "",
        "| clips | " + " | ".join(f"{bend:g}°/m" for bend in bends) + " |",
        "|---" * (len(bends) + 1) + "|",
    ]
    for names in (("mb_35_01",), ("mb_35_01", "asf_16_17")):
        graph = verbs.apply(BuildGraph(), [clip for clip in clips if clip.name.removeprefix("cmu_") in names])
        radii = []
        for bend in bends:
            table = edge_table.tabulate(graph, 0, np.radians([0.0, -bend, bend]) if bend else np.zeros(1))
            radius = turning.tightest(table)
            radii.append("none" if radius is None or np.isinf(radius) else f"{radius:g}")
        lines.append(f"| {', '.join(names)} | {' | '.join(radii)} |")
    return lines


def carried() -> list[str]:
    """A boxer on an S, as in the paper's Fig. 3: the walks and the boxing of one body."""
    names = ("daz_02_01", "daz_07_01", "daz_09_12", "daz_13_18")
    *legs, boxing = (bvh.to_clip(bvh.read(DATA / f"cmu_{name}.bvh"))[0] for name in names)
    wanted = Follow(path=paths.SHAPES["S"].tolist(), stretches=((0.4, 0.7, 1),), splice_threshold=WIDE)
    made = verbs.apply(wanted, [boxing], prepared=replace(verbs.apply(BuildGraph(), legs), name="walks"))
    assert isinstance(made, FollowResult)
    draw(walks.draw(made), "path_boxing", scale=1.0, folder=ROOT / "docs" / "images")
    (reported,) = made.report["follow"]["carries"]
    heads = ("from 40 to 70 % of an S", "legs and trunk off at best", "splice threshold", "played from splice points")
    shares = (100.0 * reported["least_distance"], 100.0 * WIDE, 100.0 * reported["in_step"])
    shown_shares = (f"{share:.0f} {unit}" for share, unit in zip(shares, ("cm", "cm", "%"), strict=True))
    cells = ("boxing on walks of the same body", *shown_shares)
    words = "More of this in [sources.md](sources.md)."
    picture = "![A boxer on an S](../images/path_boxing.png)"
    return ["", "## Actions on a path", "", words, "", *grid(heads, [cells]), "", picture]


def draw(figure: Figure, name: str, scale: float = 0.62, folder: Path = IMAGES) -> None:
    figure.set_size_inches(*(figure.get_size_inches() * (1.0 if name == "graph" else scale)))
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / f"{name}.png", dpi=80)


if __name__ == "__main__":
    main()
