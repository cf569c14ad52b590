"""Planted feet on captured clips, those tuned on and those kept aside apart; writes docs/measured/feet.md."""

import csv
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from action_loom.core import jit, verbs
from action_loom.core.check import contacts, quality, world_pose
from action_loom.core.edit.feet import planting
from action_loom.core.edit.feet.spans import BALL, Span
from action_loom.core.errors import PathError
from action_loom.core.formats import motion_file
from action_loom.core.motion import feet, kinematics, resample, trim
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import Blend, BuildGraph, Connect, Follow, Loop, Plant, Retarget
from oracles import gait, paths
from oracles.kept_aside import is_kept_aside
from oracles.material import SHARED, captured, captured_files
from quality_tables import Column, Found, apart, grid, is_aside, section

PAGE = ROOT / "docs" / "measured" / "feet.md"
BLENDS = {
    "walk + walk": "mb_02_01+mb_05_01 mb_05_01+mb_06_01 mb_16_15+mb_35_01 mb_10_04+mb_07_01 mb_02_01+mb_16_15"
    " mb_08_01+mb_12_01 mb_12_01+mb_32_01 mb_32_01+mb_35_03 mb_35_03+mb_07_12 mb_08_04+mb_08_01",
    "left + right turn": "asf_16_11+asf_16_17 asf_16_17+asf_16_15 asf_16_11+asf_16_19 asf_16_17+asf_16_19",
    "walk + run": "mb_02_01+mb_02_03 mb_07_01+mb_35_17 mb_35_01+mb_35_17 mb_05_01+mb_35_17 mb_08_01+mb_35_22"
    " mb_35_03+mb_35_22",
    "run + run": "mb_02_03+mb_35_17 asf_16_41+asf_127_04 mb_35_22+mb_49_04 mb_35_17+mb_35_22",
}
CONNECTED = {
    "walk > walk": "mb_07_01+mb_02_01 mb_02_01+mb_05_01 mb_05_01+mb_06_01 mb_06_01+mb_07_01 mb_16_15+mb_35_01"
    " asf_16_11+asf_16_15 mb_08_01+mb_12_01 mb_12_01+mb_32_01 mb_32_01+mb_35_03 mb_08_04+mb_07_12",
    "walk > run, run > walk": "mb_02_01+mb_35_17 mb_07_01+mb_02_03 mb_35_17+mb_35_01 mb_35_03+mb_35_22"
    " mb_35_22+mb_08_01",
}
WALKED = {
    "six clips of one man": "asf_16_11 asf_16_15 asf_16_17 asf_16_41 asf_16_08 asf_16_03",
    "five walks": "mb_02_01 mb_05_01 mb_06_01 mb_16_15 mb_35_01",
    "kept aside": "mb_08_01 mb_12_01 mb_32_01 mb_35_03 mb_08_04 mb_07_12 asf_16_19",
}
LOOPED = {
    "loop of a walk": "mb_02_01 mb_05_01 mb_06_01 mb_07_01 mb_16_15 mb_35_01 mb_08_01 mb_12_01 mb_32_01 mb_35_03",
    "loop of a run": "mb_02_03 mb_35_17 mb_35_22",
}
RETARGETED = {  # whose body, and whose walk
    "walk on another body": "mb_02_01+mb_16_15 daz_13_35+mb_02_01 asf_16_15+mb_05_01 mb_05_01+asf_16_11"
    " mb_02_01+mb_35_03 daz_13_35+mb_08_01",
    "run on another body": "mb_02_01+asf_16_41 daz_13_35+mb_35_17 asf_16_15+mb_35_22",
}
TAKES = {
    "captured walks": "mb_02_01 mb_05_01 mb_06_01 mb_07_01 mb_10_04 mb_16_15 mb_26_01 mb_35_01 asf_16_15 mb_08_01"
    " mb_12_01 mb_32_01 mb_35_03 mb_07_12 mb_08_04",
    "captured runs": "mb_02_03 mb_35_17 asf_16_41 mb_35_22 mb_49_04",
    "stairs and uneven ground": "daz_13_35 daz_03_01",
    "other takes": "daz_10_01 daz_13_11 daz_13_26 daz_09_12 mb_05_11 mb_06_10 asf_17_03 daz_salsa_10 daz_martial_04"
    " mb_05_03 mb_06_14 daz_13_39",
}
INTRODUCTION = (
    "For anyone who plants feet: how much slide *Plant Feet* takes off, and what it costs knee, pelvis and time."
    " `python tools/bench/feet.py` writes this page."
)
COMMON = (
    "*Plant Feet* on and off: captured clips, and blends, connections, loops, paths and retargeted clips made of them,"
    " at 120 frames a second, default options. A splice keeps the legs of its locomotion: nothing is planted. Nothing"
    " is tuned on rows with a clip kept aside (tests/oracles/kept_aside.py)."
)
STANDING = (
    "Slide before and after, cm/s, median. Middle: in the middle half of stances by gait events alone, without"
    " heights and speeds (Zeni et al. 2008; it needs toes); events of runs come before touch-down, and so do those"
    " of a walk with a run, which have been in step by their contacts since 5.3 cm/s stand here: by contacts they"
    " slide 0.01 to 0.07. Events of dances, balls and kicks are no stances. Spans: where the ball stood before."
    " Again: where contacts are detected again; a planted foot passes their limits sooner. Wanted: a middle of 0.5"
    " at most for walks, turns and paths; on spans 6 times less for walks, 4 times for runs."
)
COST = (
    "Knee: 99th percentile of its angular acceleration, over that before. Pelvis, swing: the largest shift of the"
    " pelvis and of a foot that does not stand, cm. Missed: the largest distance of a standing ankle from its place,"
    " cm. Time: processor milliseconds for 1000 frames, contacts and figures included. Wanted: knee 1.3 at most, pelvis"
    " 3 in the median, swing 10, missed 1, time 100."
)
EACH = (
    "Walks and runs of data/cmu, strides and amc, also in turns; no leaps, no stops. Middle: mean speed, cm/s, of a"
    " ball between the frames of the middle half of a contact: a clip's mean over contacts that were planted, and the"
    " worst contact. Deep: how far a ball or ankle comes under the median height of standing balls, cm, and with *Lift"
    " Feet*; stairs stay."
    " Wanted: runs 1 in the median and 3 at worst, walks 0.5 at worst, deep 1. Before legs missed the height alone and"
    " short contacts were held more: walks 0.15, worst contact 25.5 (kept aside 0.29, 2.8), runs 0.57, 6.2 (0.52, 6.4)."
    " By central differences, as these were, the 0.1 s before and after count as well: contacts of three frames at 30 a"
    " second had up to 10 (walks) and 45 (runs). The worst walk is a contact of 0.1 s in which the capture jumps by 2.6"
    " cm."
)
SLOW = 30.0  # frames a second at which they are measured, too
STEADY = re.compile(r"((slow|brisk) )?walk( stealthily)?$|walk/stride|run(/jog)?$|run (left|right)|.*(veer|90)")
MISSED = "Figures of the tables above that are not as wanted."
WHY = {
    "spans, times less": "runs touch down and leave fast; the displacement gives way there",
    "knee": "a sliding foot is caught with a nearly straight knee, 1 to 3 frames before it lands and at its toe-off; it"
    " then bends at most 1.24 times as sharply as in the sharper source",
    "pelvis": "uneven ground, or strides that differ much, lower the pelvis",
}


@dataclass(frozen=True)
class Case:
    """The figures of a clip that was planted; NaN where there is none."""

    middle: tuple[float, float]
    spans: tuple[float, float]
    again: tuple[float, float]
    knee: float
    pelvis: float
    swing: float
    missed: float
    refused: int
    milliseconds: float

    @property
    def values(self) -> tuple[float, ...]:
        cost = (self.knee, self.pelvis, self.swing, self.missed, float(self.refused), self.milliseconds)
        return (*self.middle, *self.spans, *self.again, *cost)


def main() -> None:
    if not captured_files()[0].exists():
        sys.exit("feet: the captured clips of ../shared/data are needed")
    jit.kernels("action_loom.core.edit")
    found: Found = {}
    for label, aside, clip, made, reported in material():
        case = measured(clip, made, reported)
        found.setdefault(label, []).append((aside, case.values))
        print(label, "aside" if aside else "tuned", clip.name, *(f"{value:.2f}" for value in case.values), flush=True)
    rows = [(label, values) for label, values in apart(found) if len(values)]
    parts = (
        section("Feet that stand", STANDING, "made of", SLIDES, rows),
        section("Its cost", COST, "made of", COSTS, rows),
        section("Each stance, and feet in the ground", EACH, "clips", STANCES, apart(each_stance())),
    )
    missed = ["## What was missed", "", MISSED, "", *misses(rows)]
    lines = ["# Planted feet on captured clips", "", *textwrap.wrap(INTRODUCTION, 118), ""]
    text = "\n".join([*lines, *textwrap.wrap(COMMON, 118), "", *parts[0], "", *parts[2], "", *parts[1], "", *missed])
    PAGE.write_text(text.replace(" nan ", " – ") + "\n", encoding="utf-8")


def misses(rows: list[tuple[str, np.ndarray]]) -> list[str]:
    """The table of what was not reached, and why."""
    found = []
    for label, values in rows:
        walks = not any(word in label for word in ("run", "other", "stairs"))
        wanted = [
            ("middle", "≤", 0.5 if walks else np.inf, worst(1)(values)),
            ("spans, times less", "≥", 4.0 if "run" in label else 6.0, times(2, 3)(values)),
            ("knee", "≤", 1.3, worst(6)(values)),
            ("pelvis", "≤", 3.0, median(7)(values)),
            ("swing", "≤", 10.0, worst(8)(values)),
            ("missed", "≤", 1.0, worst(9)(values)),
            ("time", "≤", 100.0, worst(11)(values)),
        ]
        for name, sign, limit, value in wanted:
            if (value < limit) if sign == "≥" else (value > limit):
                found.append((label, name, f"{value:.2f}", f"{sign} {limit:g}", WHY.get(name, "")))
    return grid(("made of", "figure", "missed", "wanted", "why"), found)


def material() -> Iterator[tuple[str, bool, Clip, Clip, dict[str, Any]]]:
    """What it is, whether a clip kept aside takes part, the clip without and with planted feet, and what is told."""
    for label, takes in TAKES.items():
        for name in takes.split():
            made = verbs.apply(Plant(), [captured(f"cmu_{name}")])
            yield label, is_aside(name), made.before, made.clip, made.report["plant"]
    every = ((Blend(), BLENDS), (Connect(), CONNECTED), (Loop(repeat=4), LOOPED), (Retarget(), RETARGETED))
    for recipe, kinds in every:
        for label, lists in kinds.items():
            for names in (one.split("+") for one in lists.split()):
                yield label, is_aside(*names), *off_and_on(recipe, [captured(f"cmu_{name}") for name in names])
    for clips in WALKED.values():
        names = clips.split()
        graph = verbs.apply(BuildGraph(), [captured(f"cmu_{name}") for name in names])
        for path in paths.SHAPES.values():
            try:
                found = off_and_on(Follow(path=path.tolist()), [], graph)
            except PathError:
                continue  # these clips do not turn that tightly
            yield "path", is_aside(*names), *found


def each_stance() -> Found:
    """The figures of `STANCES` for every steady walk and run, and for stairs and uneven ground."""
    found: Found = {}
    for folder in ("cmu", "strides", "amc"):
        for row in csv.DictReader((SHARED / folder / "INDEX.csv").open(encoding="utf-8")):
            path, about = SHARED / folder / row["file"], row["description"].lower()
            label = next((kind for kind in ("uneven", "stairs", "climb") if kind in about), "")
            if "daz" in row["file"] and not label:
                continue  # these slide by themselves, and steady ones are other conversions of what is here
            if label or STEADY.match(about):
                label = "stairs and uneven ground" if label else "runs" if "run" in about else "walks"
                clip = trim.ends(motion_file.read(path).clip).clip
                found.setdefault(label, []).append((is_kept_aside(path), stances_of(clip)))
                if label != "stairs and uneven ground":
                    slow = resample.to_rate(clip, SLOW)
                    found.setdefault(f"{label}, {SLOW:.0f} a second", []).append(
                        (is_kept_aside(path), stances_of(slow))
                    )
    return found


def stances_of(clip: Clip) -> tuple[float, ...]:
    made, done = planting.planted(clip)
    lifted, _ = planting.planted(clip, lift=True)
    stood = [foot.ball[foot.ball_stands, 2] for foot in contacts.standing_feet(world_pose.pose(clip)).values()]
    stance = float(np.median(np.concatenate(stood)))
    deep = [100.0 * (stance - feet.lows(clip.skeleton, kinematics.points(one)).min()) for one in (made, lifted)]
    rows = [span for span in done.spans if span.part == BALL]
    before, after = ([middle_of(contacts.feet(one), span, clip.rate) for span in rows] for one in (clip, made))
    return np.mean(before), np.mean(after), max(after), *deep


def middle_of(balls: dict[str, np.ndarray], span: Span, rate: float) -> float:
    """Mean speed (cm/s) of a ball between the frames of the middle half of a contact; of one frame none."""
    steps = np.diff(balls[span.foot][span.middle.first : span.middle.end, :2], axis=0)
    return 100.0 * float(np.linalg.norm(steps, axis=1).mean()) * rate if len(steps) else 0.0


def off_and_on(recipe: Any, clips: list[Clip], prepared: Any = None) -> tuple[Clip, Clip, dict[str, Any]]:
    off, on = (verbs.apply(replace(recipe, plant_feet=plant), clips, prepared=prepared) for plant in (False, True))
    if on.report["plant"] is None:
        sys.exit(f"feet: {on.clip.name}: {on.report['not_planted']}")
    return off.clip, on.clip, on.report["plant"]


def measured(clip: Clip, made: Clip, reported: dict[str, Any]) -> Case:
    began = time.process_time()
    assert planting.planted(clip)[1].report
    taken = 1e6 * (time.process_time() - began) / len(clip)
    nothing = [np.nan, np.nan]
    return Case(
        (middle_slide(clip, clip), middle_slide(made, clip)),
        tuple(reported["slide_cm_s"] or nothing),
        tuple(slide(one) for one in (clip, made)),
        reported["knee"] or np.nan,
        reported["pelvis_cm"],
        reported["swing_cm"],
        reported["away_cm"],
        len(reported["refused"]),
        taken,
    )


def slide(clip: Clip) -> float:
    value = quality.measure(clip)["slide_cm_s"]
    return np.nan if value is None else float(value)


def middle_slide(clip: Clip, of: Clip) -> float:
    """Mean speed (cm/s) of balls in the middle half of the stances of a clip, told by its gait events."""
    if "toe.L" not in of.skeleton.roles:
        return np.nan
    balls, found = contacts.feet(clip), []
    for side, strike, off in gait.stances(of):
        quarter = (off - strike) // 4
        speed = np.linalg.norm(np.gradient(balls[side][:, :2], axis=0), axis=1) * clip.rate
        found.append(100.0 * speed[strike + quarter : off - quarter].mean())
    return float(np.mean(found)) if found else np.nan


def median(place: int) -> Callable[[np.ndarray], float]:
    return lambda v: float(np.median(known(v[:, place])))


def worst(place: int) -> Callable[[np.ndarray], float]:
    return lambda v: float(known(v[:, place]).max())


def known(values: np.ndarray) -> np.ndarray:
    found = values[~np.isnan(values)]
    return found if len(found) else np.array([np.nan])


def times(before: int, after: int) -> Callable[[np.ndarray], float]:
    return lambda v: float(np.median(known(v[:, before] / v[:, after])))


SLIDES = (
    Column("middle, before", median(0), 1),
    Column("after", median(1), 2),
    Column("worst", worst(1), 2),
    Column("spans, before", median(2), 1),
    Column("after", median(3), 1),
    Column("times less", times(2, 3), 1),
    Column("again, before", median(4), 1),
    Column("after", median(5), 1),
    Column("times less", times(4, 5), 1),
)
STANCES = (
    Column("middle, before", median(0), 1),
    Column("after", median(1), 2),
    Column("worst clip", worst(1), 2),
    Column("worst contact", worst(2), 2),
    Column("deep, median", median(3), 1),
    Column("worst", worst(3), 1),
    Column("lifted: deep, median", median(4), 1),
    Column("worst", worst(4), 1),
)
COSTS = (
    Column("knee, median", median(6), 2),
    Column("worst", worst(6), 2),
    Column("pelvis, median", median(7), 1),
    Column("worst", worst(7), 1),
    Column("swing, median", median(8), 1),
    Column("worst", worst(8), 1),
    Column("missed, worst", worst(9), 2),
    Column("spans refused", lambda v: float(v[:, 10].sum()), 0),
    Column("time, median", median(11), 0),
    Column("worst", worst(11), 0),
)

if __name__ == "__main__":
    main()
