"""Clips that were placed, and whose travel was moved: how exact, smooth and fast.

Writes docs/measured/editing.md.
"""

import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from action_loom.core import verbs
from action_loom.core.motion import cycles, kinematics, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import Loop, Place, Root
from action_loom.core.weave import root_carrier
from oracles.material import captured, captured_files, under
from page_sections import put
from quality_tables import grid, is_aside

TAKES = (
    "mb_02_01 mb_05_01 mb_16_15 mb_35_01 asf_16_11 asf_16_17 mb_02_03 mb_35_17 asf_16_41 daz_09_12 daz_13_11 daz_10_01"
    " mb_08_01 mb_12_01 mb_35_03 mb_08_04 asf_16_19 mb_35_22 mb_49_04 mb_06_14 daz_martial_04 mb_49_06"
)
LOOPED = (
    "mb_02_01 mb_05_01 mb_06_01 mb_07_01 mb_16_15 mb_35_01 mb_02_03 mb_35_17"
    " mb_08_01 mb_12_01 mb_32_01 mb_35_03 mb_35_22"
)
SMOOTHED = (0.0, 0.1, 0.3, 0.5)
INTRODUCTION = (
    "*Place* at x 2.5, y -1.25 facing 135°, on {tuned} captured clips tuned on and {aside} kept aside: the largest"
    " errors. After: the second half of a clip, turned and moved, placed after the first. Again: placed a second time."
)
COMMAND = "    python tools/bench/edit_place.py"
ROOTED = (
    "*Root Motion* onto a root bone above the hips. World: the most that another joint moves. Acceleration: 99th"
    " percentile of the root's, median of clips. Hips: how far they are from over the root, mean and most. Seam: the"
    " root's sharpest acceleration round a cycle's seam over that elsewhere, most."
)
PLACED_HEADS = ("clips", "off (m, rad)", "poses off (m)", "after, off (m)", "again, off (m)", "ms")
ROOTED_HEADS = ("clips", "smooth (s)", "world (m)", "acceleration (m/s²; 0 s: the hips')")
ROOTED_HEADS += ("hips (cm)", "cycles of walks and runs: hips (cm)", "seam", "ms")


def main() -> None:
    if not captured_files()[0].exists():
        sys.exit("edit_place: the captured clips of ../shared/data are needed")
    clips = {
        aside: [captured(f"cmu_{take}") for take in TAKES.split() if is_aside(take) == aside] for aside in (False, True)
    }
    counts = {"tuned": len(clips[False]), "aside": len(clips[True])}
    lines = [*_text(INTRODUCTION.format(**counts)), "", COMMAND, "", *grid(PLACED_HEADS, ())]
    for aside, some in clips.items():
        values = np.array([placed(clip) for clip in some])
        most, middle = values.max(axis=0), np.median(values[:, 4])
        lines.append(f"| {_kind(aside)} | {' | '.join(f'{value:.0e}' for value in most[:4])} | {middle:.0f} |")
    lines += ["", *_text(ROOTED), "", *grid(ROOTED_HEADS, ())]
    for aside, some in clips.items():
        loops = [looped(captured(f"cmu_{take}")) for take in LOOPED.split() if is_aside(take) == aside]
        for seconds in SMOOTHED:
            lines.append(f"| {_kind(aside)} | {seconds:g} | {rooted(some, loops, seconds)} |")
    put("editing.md", "Place and root motion", lines)


def _text(text: str) -> list[str]:
    return textwrap.wrap(text, 118)


def _kind(aside: bool) -> str:
    return "kept aside" if aside else "tuned"


def placed(clip: Clip) -> tuple[float, ...]:
    """How far a clip is off that was placed, in place, pose, after its first half and when placed again; and ms."""
    recipe = Place(x=2.5, y=-1.25, face="way", facing=135.0)
    began = time.process_time()
    made = verbs.apply(recipe, [clip]).clip
    spent = time.process_time() - began
    facing = np.exp(1j * root_motion.heading(made)[0]) - np.exp(1j * np.radians(135.0))
    off = max(abs(facing), np.abs(root_motion.ground_frames(made)[0][0] - [2.5, -1.25]).max())
    poses = np.abs(cycles.in_ground_frames(made) - cycles.in_ground_frames(clip)).max()
    again = np.abs(kinematics.points(verbs.apply(recipe, [made]).clip) - kinematics.points(made)).max()
    half = len(clip) // 2
    moved = root_motion.placed(clip.cut(half, len(clip)), 2.0, np.array([5.0, 5.0]))
    joined = verbs.apply(Place(), [moved, clip.cut(0, half + 1)]).clip
    after = np.abs(kinematics.points(joined) - kinematics.points(clip)[half:]).max()
    return float(off), float(poses), float(after), float(again), 1e6 * spent / len(clip)


def looped(clip: Clip) -> Clip:
    return replace(verbs.apply(Loop(), [clip]).clip, cyclic=True)


def rooted(clips: list[Clip], loops: list[Clip], seconds: float) -> str:
    """The cells of a row: world error, acceleration, how far the hips are from over the root, the same of cycles."""
    rows, laps = [], []
    for clip in (under(one, "carrier") for one in clips):
        began = time.process_time()
        made = verbs.apply(Root(smooth=seconds), [clip])
        spent = 1e6 * (time.process_time() - began) / len(clip)
        kept = np.abs(kinematics.points(made.clip) - kinematics.points(clip))[:, 1:].max()
        reported = made.report["root"]
        rows.append((kept, reported["acceleration_m_s2"][1], *reported["from_hips_cm"], spent))
    for clip in (under(one, "carrier") for one in loops):
        made = verbs.apply(Root(smooth=seconds), [clip])
        last = len(clip) - 1
        way = kinematics.world_of(cycles.unrolled(made.clip, 1, 1), [root_carrier.root_bone(clip)])[1][:, 0]
        second = np.linalg.norm(np.diff(way, n=2, axis=0), axis=1)
        seam = second[last - 3 : last + 2].max() / max(second[last // 4 : 3 * last // 4].max(), 1e-12)
        laps.append((*made.report["root"]["from_hips_cm"], seam))
    kept, sharp, mean, most, spent = np.array(rows).T
    lap_mean, lap_most, seam = np.array(laps).T
    return (
        f"{kept.max():.0e} | {np.median(sharp):.1f} | {mean.mean():.1f}, {most.max():.1f}"
        f" | {lap_mean.mean():.1f}, {lap_most.max():.1f} | {seam.max():.1f} | {np.median(spent):.0f}"
    )


if __name__ == "__main__":
    main()
