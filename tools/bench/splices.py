"""Splices of captured actions onto walks and runs by every method: docs/measured/splices.md and its pictures."""

import sys
import textwrap
from pathlib import Path

import numpy as np
from action_loom.core import verbs
from action_loom.core.check import quality, trunk_swing
from action_loom.core.formats import bvh
from action_loom.core.motion import kinematics, quat, resample, retarget, root_motion, trim
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import Splice
from action_loom.core.weave.results import SpliceResult
from action_loom.core.weave.splice import points, torso
from action_loom.core.weave.splice.played import PlayedClip
from matplotlib.axes import Axes
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT.parent / "shared" / "data" / "cmu"
METHODS = ("gaussian", "heck", "copy", "additive")
CASES = (
    ("boxing on a walk", "daz_07_01", "daz_13_18"), ("waving on a walk", "daz_07_01", "daz_13_26"),
    ("punches on a walk", "mb_16_15", "mb_02_05"), ("lifting on a walk", "mb_16_15", "mb_02_06"),
    ("punches on a run", "mb_02_03", "mb_02_05"), ("lifting on a run", "mb_02_03", "mb_02_06"),
    ("boxing on a run", "daz_09_01", "daz_13_18"), ("waving on a run", "daz_09_01", "daz_13_26"),
)  # fmt: skip
AGAINST = 6  # the cases, the first ones, whose locomotion swings its chest against its pelvis
TIMED = (
    ("a walk", "mb_35_01", "mb_12_01"), ("a walk", "mb_35_03", "mb_07_01"),
    ("a walk on one that turns", "mb_26_01", "mb_35_01"), ("a run on a walk", "mb_05_01", "mb_35_17"),
    ("a dribble", "mb_35_03", "mb_06_10"), ("boxing", "daz_07_01", "daz_13_18"),
    ("waving", "daz_07_01", "daz_13_26"), ("punches", "mb_16_15", "mb_02_05"),
    ("lifting", "mb_16_15", "mb_02_06"),
)  # fmt: skip
RETIMED = ("mb_16_15", "mb_02_01", "mb_35_01", "mb_26_01", "daz_07_01", "mb_35_17", "mb_02_03")
COLOURS = {
    "locomotion": "#1f4e79", "action": "#f0a030", "gaussian": "#a83a36", "heck": "#3c9a6d",
    "copy": "#888888", "additive": "#7b5ea7",
}  # fmt: skip
VIEW = np.radians(35.0)  # the figures are seen from ahead, so far to the side


def main() -> None:
    if not DATA.is_dir():
        sys.exit("splices: the captured clips of ../shared/data are needed")
    made = [{m: verbs.apply(Splice(method=m), [clip(a), clip(b)]) for m in METHODS} for _, a, b in CASES]
    lines = [
        "# Splices, by method",
        "",
        *prose(INTRODUCTION),
        "",
        EXPLAINED,
        "",
        *table(["method", "what it does"], [[f"`{m}`", does] for m, does in DOES]),
    ]
    lines += [*by_case(made), *by_method(made), *retimed(), *splice_points()[:-1]]
    (ROOT / "docs" / "measured" / "splices.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    images = ROOT / "docs" / "measured" / "images"
    draw_poses(made[0]).savefig(images / "splice_poses.png", dpi=80)
    draw_swing(made[2]).savefig(images / "splice_swing.png", dpi=80)
    print("\n".join(lines))


INTRODUCTION = (
    "For anyone who chooses a method of *Splice*: how the chest swings, and what is kept of both clips. `python"
    " tools/bench/splices.py` writes this page."
)
EXPLAINED = "The upper body of an action on the legs of a locomotion."
DOES = (
    ("gaussian", "turns the trunk as the locomotion's is turned, averaged over neighbouring frames (Nomura et al.)"),
    ("heck", "the same less its mean: the action's posture stays (Heck, Kovar & Gleicher 2006)"),
    ("copy", "takes the channels as they are"),
    ("additive", "adds what the locomotion's trunk does to the action's own"),
)
SWING = (
    "Correlation of the rotations of chest and pelvis about the vertical, without what is slower than a step: near −1"
    " they swing against each other, as most walking people's do; near +1 together."
)
MEANS = (
    f"Means over the {AGAINST} cases whose locomotion swings its chest against the pelvis. Chests: correlation of the"
    " swing with theirs. *Lean*: inclination of the trunk from the vertical, less the action's. *Roughness*:"
    " acceleration of the body's points, over the larger of the sources'."
)
MISSED = {  # of the methods and their options: what one sees
    "gaussian": "the action's twist and crouch are lost",
    "heck": "the action's twist is lost but for its mean",
    "gaussian, posture 1": "the action's twist is lost but for its mean",
    "gaussian, smoothing 0.125 s": "the action's crouch and some of its twist are lost",
    "copy": "the trunk turns with the pelvis",
    "additive": "swings least",
}
TWICE = (
    "A walk's own upper body, turned, moved, 1.2 times as long and with a wobble of ±6 frames of 120 a second, spliced"
    " onto the walk by `gaussian`: distance of all points from the walk."
)
POINTS = (
    "*Timing* by `auto`: in step where the likeness of the legs along the registration is 0.5 or more. *Splice points*,"
    " for locomotions without an end: in how many intervals of a second an action is played that was entered where it"
    " is near enough. *Compared*: shoulders and trunk halves up to 6 cm, halves to 9, centre of mass to 13; mean"
    " distance."
)


def prose(text: str) -> list[str]:
    return textwrap.wrap(text, 118)


def clip(name: str) -> Clip:
    return trim.ends(bvh.to_clip(bvh.read(DATA / f"cmu_{name}.bvh"))[0]).clip


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)] + [""]


def by_case(made: list[dict[str, SpliceResult]]) -> list[str]:
    rows = []
    for (what, locomotion, action), woven in zip(CASES, made, strict=True):
        reported = woven["gaussian"].report["splice"]
        results = [f"{woven[m].report['splice']['swing']['result']:+.2f}" for m in METHODS]
        turned = np.mean(reported["correction_degrees"])
        cells = [
            what,
            f"{action} on {locomotion}",
            f"{reported['swing']['locomotion']:+.2f}",
            *results,
            f"{turned:.0f}°",
        ]
        rows.append(cells)
    head = ["", "clips", "locomotion", *METHODS, "trunk turned by"]
    picture = ["![Pelvis and chest over time](images/splice_swing.png)", ""]
    poses = ["![A boxer on a walk](images/splice_poses.png)", ""]
    return ["## Chest against pelvis", "", *prose(SWING), "", *table(head, rows), *picture, *poses]


def by_method(made: list[dict[str, SpliceResult]]) -> list[str]:
    variants: dict[str, list[SpliceResult]] = {m: [woven[m] for woven in made[:AGAINST]] for m in METHODS}
    others = {"gaussian, posture 1": Splice(posture=1.0), "gaussian, smoothing 0.125 s": Splice(smoothing=0.125)}
    for name, recipe in others.items():
        variants[name] = [verbs.apply(recipe, [clip(a), clip(b)]) for _, a, b in CASES[:AGAINST]]
    rows = [[name, *(f"{value:+.2f}" for value in figures(woven))] for name, woven in variants.items()]
    rows = [[*row[:4], f"{float(row[4]):+.1f}°", row[5].lstrip("+"), MISSED.get(row[0], "")] for row in rows]
    head = ["", "chest with pelvis", "locomotion's chest", "action's chest", "lean", "roughness", "missed"]
    return ["## What each keeps", "", *prose(MEANS), "", *table(head, rows)]


def acceleration(clip: Clip) -> float:
    return quality.measure(clip)["acceleration_m_s2"]


def figures(woven: list[SpliceResult]) -> np.ndarray:
    found = []
    for one in woven:
        yaws = [trunk_swing.yaws(c) for c in (one.clip, one.locomotion, one.action)]
        chests = [chest for _, chest in yaws]
        found.append(
            [
                np.corrcoef(*yaws[0])[0, 1],
                np.corrcoef(chests[0], chests[1])[0, 1],
                np.corrcoef(chests[0], chests[2])[0, 1],
                lean(one.clip) - lean(one.action),
                acceleration(one.clip) / max(acceleration(c) for c in (one.locomotion, one.action)),
            ]
        )
    return np.mean(found, axis=0)


def lean(clip: Clip) -> float:
    """Mean angle (degrees) from the vertical of the line from the lowest spine joint to the neck."""
    places, roles = kinematics.world(clip)[1], clip.skeleton.roles
    line = places[:, roles["neck"]] - places[:, roles["spine"]]
    return float(np.degrees(np.arctan2(np.linalg.norm(line[:, :2], axis=1), line[:, 2])).mean())


def retimed() -> list[str]:
    rows = []
    for name in RETIMED:
        walk = clip(name)
        last, count = len(walk) - 1.0, round(1.2 * (len(walk) - 1)) + 1
        wobble = 6.0 * np.sin(np.linspace(0.0, (4.0 if last > 200 else 2.0) * np.pi, count))
        frames = np.clip(np.linspace(0.0, last, count) + wobble, 0.0, last)
        other = resample.sample(root_motion.placed(walk, 1.1, np.array([3.0, -2.0])), frames)
        made = verbs.apply(Splice(), [walk, other]).clip
        off = 100.0 * np.linalg.norm(kinematics.points(made) - kinematics.points(walk), axis=2)
        rows.append([name, f"{np.sqrt((off**2).mean()):.3f}", f"{off.max():.2f}"])
    return ["## A walk on itself", "", *prose(TWICE), "", *table(["clip", "RMS cm", "largest cm"], rows)]


def splice_points() -> list[str]:
    rows = []
    for what, name, other in TIMED:
        locomotion, action = clip(name), clip(other)
        reported = verbs.apply(Splice(), [locomotion, action]).report["splice"]
        kind = "in step" if reported["timing"] == "sync" else "own speed"
        planned = points.plan(locomotion, PlayedClip(retarget.onto(action, locomotion.skeleton)))
        found = [piece for piece in planned.pieces if piece.level]
        intervals = -(-len(locomotion) // round(locomotion.rate))
        seconds = sum(-(-(piece.end - piece.first) // round(locomotion.rate)) for piece in found)
        levels = ", ".join(dict.fromkeys(str(piece.level) for piece in found)) or "none"
        distance = f"{100.0 * np.mean([piece.distance for piece in found]):.1f} cm" if found else "–"
        rows.append(
            [
                what,
                f"{other} on {name}",
                f"{reported['likeness']:.2f}",
                kind,
                f"{seconds} of {intervals}",
                levels,
                distance,
            ]
        )
    head = ["", "clips", "likeness of the legs", "timing", "splice points", "compared", "apart there"]
    return ["## Timing and splice points", "", *prose(POINTS), "", *table(head, rows)]


def draw_swing(made: dict[str, SpliceResult]) -> Figure:
    """Pelvis and chest over time, a method beside the other."""
    figure = Figure(figsize=(11.0, 3.4), layout="constrained")
    for axis, method in zip(figure.subplots(1, len(METHODS), sharey=True), METHODS, strict=True):
        one = made[method]
        pelvis, chest = (np.degrees(yaw) for yaw in trunk_swing.yaws(one.clip))
        axis.plot(pelvis, color="black", lw=1.0, ls="--", label="pelvis")
        walks = np.degrees(trunk_swing.yaws(one.locomotion)[1])
        axis.plot(walks, color=COLOURS["locomotion"], lw=1.0, label="walk's chest")
        axis.plot(chest, color=COLOURS["gaussian"], lw=2.0, label="result's chest")
        axis.set_title(f"{method} ({one.report['splice']['swing']['result']:+.2f})", fontsize=10)
        axis.set_xlabel("frame")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    figure.axes[0].set_ylabel("swing about the vertical (°)")
    return figure


def draw_poses(made: dict[str, SpliceResult]) -> Figure:
    """The same moments of locomotion, action and every result, a row each."""
    first = made["gaussian"]
    rows = {"locomotion": first.locomotion, "action": first.action} | {m: made[m].clip for m in METHODS}
    moments = np.linspace(20, len(first.clip) - 20, 10).astype(int)
    figure = Figure(figsize=(9.0, 8.6), layout="constrained")
    axes = figure.subplots(len(rows), 1)
    for axis, (name, clip) in zip(axes, rows.items(), strict=True):
        for column, frame in enumerate(moments):
            draw_figure(axis, clip, int(frame), column * 0.95, COLOURS[name])
        axis.set_ylabel(name, fontsize=11)
        axis.set_aspect("equal")
        axis.set_xlim(-0.6, 0.95 * (len(moments) - 1) + 0.6)
        axis.set_ylim(-0.03, 1.72)
        axis.set_xticks([])
        axis.set_yticks([])
        for side in axis.spines.values():
            side.set_visible(False)
    return figure


def draw_figure(axis: Axes, clip: Clip, frame: int, across: float, colour: str) -> None:
    """One pose, its upper body in colour."""
    skeleton, faced = clip.skeleton, torso.facing(clip)[frame]
    places = kinematics.world(clip.cut(frame, frame + 1))[1][0]
    places = places - np.append(places[skeleton.roles["hips"], :2], 0.0)
    # Who faces +y after this looks to the viewer, a little to the side.
    seen = quat.rotate(quat.about_axis("Z", np.array(np.pi + VIEW - faced)), places)
    below = {skeleton.roles["spine"]}
    for joint, parent in enumerate(skeleton.parents):
        if parent in below:
            below.add(joint)
        if parent >= 0 and not skeleton.names[joint].lower().startswith(("lefteye", "righteye")):
            upper = joint in below
            line = seen[[parent, joint]]
            axis.plot(across + line[:, 0], line[:, 2], color=colour if upper else "#555555", lw=2.4 if upper else 1.4,
                      solid_capstyle="round")  # fmt: skip


if __name__ == "__main__":
    main()
