"""Quality on captured clips, those tuned on and those kept aside apart; writes docs/measured/quality.md."""

import itertools
import sys
import textwrap
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "core" / "sync")]

from action_loom.core import verbs
from action_loom.core.check import contacts, world_pose
from action_loom.core.errors import RegistrationError
from action_loom.core.motion import kinematics, resample, retarget
from action_loom.core.motion.clip import Clip
from action_loom.core.sync import cycle_search, registration
from action_loom.core.verbs import Blend, Synchronise
from action_loom.core.weave.results import BlendResult
from oracles import gait
from oracles.material import captured, captured_files
from quality_seams import connections, loop_seams, methods, stances_along_paths
from quality_tables import Column, Found, apart, is_aside, section, share
from test_registration import moving, retimed, time_map

PAGE = ROOT / "docs" / "measured" / "quality.md"
WALKS = [
    "mb_02_01",
    "mb_05_01",
    "mb_06_01",
    "mb_07_01",
    "mb_10_04",
    "mb_16_15",
    "mb_26_01",
    "mb_35_01",
    "mb_08_01",
    "mb_12_01",
    "mb_32_01",
    "mb_35_03",
    "mb_07_12",
]
RUNS = ["mb_02_03", "mb_35_17", "mb_35_22", "mb_49_04"]
UNLIKE = [
    "asf_16_15+asf_17_03",
    "mb_07_01+mb_35_17",
    "mb_02_01+mb_02_03",
    "asf_16_15+asf_16_41",
    "mb_35_01+mb_35_17",
    "asf_127_04+asf_16_15",
    "mb_10_04+mb_26_01",
    "mb_05_01+mb_35_17",
    "mb_16_15+mb_02_03",
    "asf_16_11+asf_17_03",
    "mb_07_01+mb_49_04",
    "mb_08_01+mb_35_22",
    "mb_12_01+mb_07_12",
    "mb_32_01+mb_35_22",
    "mb_35_03+mb_08_04",
    "asf_16_15+asf_16_19",
]
SWEEPS = ["mb_35_01+mb_35_17", "mb_02_01+mb_02_03", "asf_16_15+asf_16_41", "mb_35_03+mb_35_22", "mb_07_01+mb_35_17"]
LONGEST = 600  # frames of a clip that is re-timed; of longer ones those from 300 on
INTRODUCTION = (
    "For anyone who judges results on captured motion: errors of registration, blends, connections, paths and loops."
    " `python tools/bench/quality.py` writes this page."
)
COMMON = (
    "Clips at 120 frames a second, default options without Plant Feet. Nothing has been tuned on those kept aside, a"
    " third of every kind, or on pairs with one, since the list (tests/oracles/kept_aside.py) was made."
)


def main() -> None:
    if not captured_files()[0].exists():
        sys.exit("quality: the captured clips of ../shared/data are needed")
    lines = ["# Quality on captured clips", "", *textwrap.wrap(INTRODUCTION, 118), "", *textwrap.wrap(COMMON, 118), ""]
    for part in (copies, steps, blends, sweeps, connections, methods, stances_along_paths, loops, loop_seams):
        lines += [*part(), ""]
        print("\n".join(lines[-6:]), flush=True)
    PAGE.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")


def copies() -> list[str]:
    """How far registration is off for a clip's own re-timed, turned, moved copy."""
    found: Found = {"clean": [], "noisy": []}
    for name in (path.stem for path in captured_files("cmu")):
        whole = captured(name)
        clip = whole.cut(300, 300 + LONGEST) if len(whole) > 300 + LONGEST else whole.cut(0, min(len(whole), LONGEST))
        for turn, (kind, seed) in itertools.product((0.0, 0.55), (("clean", None), ("noisy", 11))):
            frames = time_map(len(clip), turn)
            curve = registration.register_pair(clip, retimed(clip, frames, seed), Synchronise())
            reference = np.arange(curve.first, curve.last + 1)
            error = np.abs(curve.frames - np.interp(reference, frames, np.arange(len(clip))))
            moves = moving(clip)[reference]
            most = float(error[moves].max()) if moves.any() else 0.0
            found[kind].append((is_aside(name.removeprefix("cmu_")), (float(np.median(error)), most)))
    words = (
        "A clip against its own copy, retimed by slopes of ½ to 2 (two maps), turned, moved; noisy: by 0.5° a joint and"
        " 2 mm. Moving: at 0.3 m/s or more."
    )
    columns = (
        Column("median, frames", lambda v: float(np.median(v[:, 0])), 2),
        Column("moving: within 2 frames, %", share(lambda v: v[:, 1] <= 2.0), 0),
        Column("moving: worst, frames", lambda v: float(v[:, 1].max()), 1),
    )
    return section("Own copies", words, "copies", columns, apart(found))


def steps() -> list[str]:
    """By how many milliseconds strikes and toe-offs of different people miss each other."""
    found: Found = {"walks": [], "runs and walk–run": []}
    pairs = [(pair, "walks") for pair in itertools.combinations(WALKS, 2) if subject(pair[0]) != subject(pair[1])]
    pairs += [(pair, "runs and walk–run") for pair in itertools.combinations(RUNS, 2)]
    pairs += [((walk, run), "runs and walk–run") for walk, run in zip(WALKS, 4 * RUNS, strict=False)]
    for (one, other), kind in pairs:
        reference, clip = both(one, other)
        curve = registration.register_pair(reference, clip, Synchronise())
        errors = tuple(median_of(gait.event_errors(curve, reference, clip, event)) for event in ("strike", "off"))
        found[kind].append((is_aside(one, other), errors))
    words = (
        "Strike: a foot farthest ahead of the hips; toe-off: a toe farthest behind. Before ends of steps were "
        "paired: walks 3.1 and 6.0 (worst 41, 45), runs and walk–run 44.6, 30.4 (51, 49); kept aside 3.2, 6.3 "
        "(10, 30), 13.7, 15.2 (63, 68). By contacts two runs kept aside are 12 and 19 ms off (before 17, 38), a "
        "walk and a run 42 and 97 (54, 111): no increasing curve meets both. The worst pair is hardly alike, "
        "which is said."
    )
    columns = (
        Column("strike, ms, median of medians", lambda v: float(np.nanmedian(v[:, 0])), 1),
        Column("worst pair", lambda v: float(np.nanmax(v[:, 0])), 0),
        Column("toe-off, ms, median of medians", lambda v: float(np.nanmedian(v[:, 1])), 1),
        Column("worst", lambda v: float(np.nanmax(v[:, 1])), 0),
        Column("pairs over 30 ms", lambda v: float((v > 30.0).any(axis=1).sum()), 0),
    )
    return section("Steps of different people", words, "pairs", columns, apart(found))


def blends() -> list[str]:
    """How far standing feet sink, and how much they slide more than those of the worse source."""
    found: Found = {"unlike pairs": []}
    for pair in UNLIKE:
        one, other = pair.split("+")
        try:
            made = verbs.apply(Blend(plant_feet=False), [captured(f"cmu_{one}"), captured(f"cmu_{other}")])
        except RegistrationError as error:
            print(pair, error)
            continue
        assert isinstance(made, BlendResult)
        quality = made.report["quality"]
        worse = max(source["slide_cm_s"] or 0.0 for source in quality["before"])
        more = (quality["after"]["slide_cm_s"] or 0.0) - worse
        found["unlike pairs"].append((is_aside(one, other), (sink(made), more, knees(made))))
    words = (
        "Walk with sneak, run or turn, 50:50. Sink: depth of a ball that stands in both sources, below their mean"
        " height. Knee: its angular acceleration. Source: the worse one."
    )
    columns = (
        Column("sink (95 %), cm, median pair", lambda v: float(np.median(v[:, 0])), 2),
        Column("worst", lambda v: float(v[:, 0].max()), 2),
        Column("slide over the source's, cm/s, median", lambda v: float(np.median(v[:, 1])), 1),
        Column("worst", lambda v: float(v[:, 1].max()), 1),
        Column("knee (99.5 %) over the source's, median", lambda v: float(np.median(v[:, 2])), 2),
        Column("worst", lambda v: float(v[:, 2].max()), 2),
    )
    return section("Blends of unlike postures", words, "blends", columns, apart(found))


def sink(made: BlendResult) -> float:
    """How far balls that stand in both sources are below their mean height (cm), 95th percentile."""
    sources = [
        resample.sample(clip, frames)
        for clip, frames in zip(made.prepared.clips, made.registration.frames(made.reference_frames), strict=True)
    ]
    feet = [contacts.standing_feet(world_pose.pose(clip)) for clip in (*sources, made.clip)]
    below = []
    for name, foot in feet[-1].items():
        stands = np.logical_and.reduce([one[name].ball_stands for one in feet[:-1]])
        mean = np.mean([one[name].ball[:, 2] for one in feet[:-1]], axis=0)
        below.append(np.maximum(mean - foot.ball[:, 2], 0.0)[stands])
    every = np.concatenate(below)
    return 100.0 * float(np.percentile(every, 95.0)) if len(every) else 0.0


def knees(made: BlendResult) -> float:
    """The angular acceleration of the knees over that of the worse source, 99.5th percentiles."""
    sources = [_knees(clip) for clip in made.prepared.clips]
    return _knees(made.clip) / max(sources)


def _knees(clip: Clip) -> float:
    roles, points, angles = clip.skeleton.roles, kinematics.points(clip), []
    for side in "LR":
        hip, knee, ankle = (points[:, roles[f"{role}.{side}"]] for role in ("thigh", "shin", "foot"))
        one, other = hip - knee, ankle - knee
        cosine = (one * other).sum(axis=1) / (np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1))
        angles.append(np.arccos(np.clip(cosine, -1.0, 1.0)))
    return float(np.percentile(np.abs(np.diff(angles, 2, axis=1)) * clip.rate**2, 99.5))


def sweeps() -> list[str]:
    """Whether slide jumps from a weight to the next between a walk and a run."""
    found: Found = {"walk to run": []}
    for pair in SWEEPS:
        one, other = pair.split("+")
        clips = [captured(f"cmu_{one}"), captured(f"cmu_{other}")]
        slides = [
            verbs.apply(Blend(weights=shares, plant_feet=False), clips).report["quality"]["after"]["slide_cm_s"]
            for shares in ((1.0 - weight, weight) for weight in np.linspace(0.0, 1.0, 11))
        ]
        found["walk to run"].append(
            (is_aside(one, other), (float(np.abs(np.diff(slides)).max()), float(np.ptp(slides))))
        )
    words = "Largest change of slide for a weight step of 0.1, and range; worst pair."
    columns = (
        Column("jump, cm/s", lambda v: float(v[:, 0].max()), 1),
        Column("range, cm/s", lambda v: float(v[:, 1].max()), 1),
    )
    return section("Slide from walk to run", words, "sweeps", columns, apart(found))


def loops() -> list[str]:
    """What both finders say of every clip."""
    lines = ["| clip | cycle: score, s | autocorrelation: score, s |", "|---|---|---|"]
    for path in captured_files("cmu"):
        name, cells = path.stem.removeprefix("cmu_"), []
        clip = captured(path.stem)
        for finder in (cycle_search.find, cycle_search.find_by_autocorrelation):
            try:
                best = finder(clip).best
                sure = (
                    ""
                    if best.score >= cycle_search.PERIODIC
                    else ", weak"
                    if best.score >= cycle_search.WEAK
                    else ", none"
                )
                cells.append(f"{best.score:.2f}, {best.length / clip.rate:.2f}{sure}")
            except RegistrationError:
                cells.append("none")
        lines.append(f"| {name}{' (kept aside)' if is_aside(name) else ''} | {' | '.join(cells)} |")
    words = "Best cycles: weak under a score of 0.6, none under 0.45."
    return ["## Cycles", "", *textwrap.wrap(words, 118), "", *lines]


def both(one: str, other: str) -> tuple[Clip, Clip]:
    reference = captured(f"cmu_{one}")
    return reference, retarget.onto(captured(f"cmu_{other}"), reference.skeleton)


def subject(name: str) -> str:
    return name.split("_")[1]


def median_of(values: np.ndarray) -> float:
    return float(np.median(values)) if len(values) else float("nan")


if __name__ == "__main__":
    main()
