"""Clips on other bodies, beside the rule of most plug-ins; writes docs/measured/bodies.md.

With the extension's zip and a Blender's Python, characters that others made take a captured walk there, too.
"""

import itertools
import json
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from action_loom.core import verbs
from action_loom.core.bodies import carry, rest_check, rest_frames
from action_loom.core.check import contacts, quality
from action_loom.core.edit.feet.spans import BALL, Span
from action_loom.core.motion import feet, kinematics, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import Retarget
from action_loom.core.weave import planting
from oracles import bodies
from oracles.material import as_captured, captured, captured_files
from oracles.takes import capture
from quality_tables import Column, Found, apart, grid, is_aside, section

PAGE = ROOT / "docs" / "measured" / "bodies.md"
LONGEST = 600  # frames of a clip that are used
INTRODUCTION = (
    "For anyone who puts clips on other characters: how exactly limbs, joints and feet arrive. `python"
    " tools/bench/bodies.py ZIP PYTHON` writes this page (the extension's zip, a Blender's Python)."
)
COMMON = (
    "Captured clips, before feet are planted; nothing is tuned on the third kept aside (tests/oracles/kept_aside.py)."
    " *Usual rule* (Rokoko, KeeMap, without corrections by hand): every bone keeps its world rotation since rest. That"
    " limbs keep their directions is built in."
)
PAIRS = [("mb_16_15", "asf_16_15"), ("asf_16_15", "mb_16_15"), ("mb_07_01", "daz_07_01"), ("mb_02_01", "daz_02_01")]
BODIES = {
    "mb, 31 joints": "cmu_mb_02_01",
    "asf, 31": "cmu_asf_16_15",
    "daz, 43, no toes": "cmu_daz_02_01",
    "Geno, 75, arms up": "GenoView__Geno_bind",
    "55": "bvh-python__test_freebvh",
    "19, arms down, one joint of the spine": "bvh-python__test_mocapbank",
    "24, faces the other way": "pybvh__standard_skeleton",
    "31, legs and arms up": "anim_utils__mh_cmu_skeleton_pose",
}


WALKS = ["mb_02_01", "mb_16_15", "mb_35_01", "asf_16_11", "mb_08_01", "mb_12_01", "mb_35_03"]
WITHOUT_TOES = {
    "18, no toes": "bvh-parser__example",
    "18 more, no toes": "bvh-parser__simple",
    "no toes, T": "BVH-Pose-Editor__tpose",
}
TOUCHING = {
    "boxing": ("cmu_daz_13_18",),
    "directing traffic": ("cmu_daz_13_26",),
    "getting up, exercises": ("127_32", "cmu_14_14"),
    "salsa": ("cmu_daz_salsa_10",),
    "sitting down": ("cmu_daz_14_27",),
}
MISSED = {"RobotExpressive": "3.1 m tall, its feet hang on its root"}


def main() -> None:
    if not captured_files("cmu")[0].exists():
        sys.exit("bodies: the captured clips of ../shared/data are needed")
    lines = ["# Clips on other bodies", "", *textwrap.wrap(INTRODUCTION, 118), "", *textwrap.wrap(COMMON, 118), ""]
    in_blender = (on_characters,) if len(sys.argv) == 3 else ()
    for part in (rests, conversions, others, hands, standing, *in_blender, impossible, times):
        lines += [*part(), ""]
        print("\n".join(lines[-14:]), flush=True)
    PAGE.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")


def clips() -> list[tuple[str, Clip]]:
    names = [path.stem for path in captured_files("cmu")]
    return [(name.removeprefix("cmu_"), captured(name).cut(0, LONGEST)) for name in names]


def off(clip: Clip, made: dict[str, np.ndarray]) -> np.ndarray:
    """The angles (F, limbs) between the limbs of a clip and others'."""
    ours = bodies.directions(clip.skeleton, kinematics.world(clip)[1])
    return np.column_stack([bodies.apart(ours[role], made[role]) for role in ours if role in made])


def placed(clip: Clip) -> dict[str, np.ndarray]:
    return bodies.directions(clip.skeleton, kinematics.world(clip)[1])


def trip(clip: Clip, back: Clip, roles: set[str]) -> float:
    """The largest angle between the world turns of joints that play roles which both bodies have."""
    joints = [clip.skeleton.roles[role] for role in roles]
    one, other = (kinematics.world(c)[0][:, joints] for c in (clip, back))
    return float(np.degrees(np.linalg.norm(quat.log(quat.mul(quat.inv(one), other)), axis=-1)).max())


def rests() -> list[str]:
    """The same body at rest in other poses."""
    found: Found = defaultdict(list)
    for (name, clip), (seed, pose) in itertools.product(clips(), enumerate(bodies.RESTS)):
        body = bodies.resting_by_role(clip.skeleton, pose, seed)
        made, _ = carry.onto_body(clip, body, hands=False)
        back, _ = carry.onto_body(made, clip.skeleton, hands=False)
        apart_mm = 1000.0 * np.linalg.norm(kinematics.world(made)[1] - kinematics.world(clip)[1], axis=2)
        usual = off(clip, bodies.turned_by(body, bodies.rule_of_names(clip, body)))
        figures = (apart_mm.max(), off(clip, placed(made)).max(), trip(clip, back, set(body.roles)), usual.max())
        found[pose].append((is_aside(name), tuple(map(float, figures))))
    columns = [
        Column("joints off at most, mm", lambda v: v[:, 0].max(), 3),
        Column("limbs, °", lambda v: v[:, 1].max(), 4),
        Column("there and back, °", lambda v: v[:, 2].max(), 4),
        Column("limbs by the usual rule, °", lambda v: v[:, 3].max(), 1),
    ]
    words = (
        "The same body, its rest pose (T, legs 20° apart) turned to a made one, bones along any axes: joints have to"
        " stay where they were. The largest of all clips and frames."
    )
    return section("The same body in another rest pose", words, "rest pose", columns, apart(found))


def conversions() -> list[str]:
    """Two conversions of one recording."""
    rows = []
    for one, other in PAIRS:
        clip, truth = (as_captured(f"cmu_{name}") for name in (one, other))
        frames = min(len(clip), len(truth))
        clip, truth = clip.cut(1, frames), truth.cut(1, frames)
        made, _ = carry.onto_body(clip, truth.skeleton)
        usual = bodies.turned_by(truth.skeleton, bodies.rule_of_names(clip, truth.skeleton))
        limbs = [role for role in placed(truth) if role in placed(made)]
        figures = []
        for by in (placed(made), usual):
            for part in (("thigh", "shin"), ("upper_arm", "forearm")):
                chosen = [role for role in limbs if role.startswith(part)]
                angles = np.array([bodies.apart(by[role], placed(truth)[role]) for role in chosen])
                figures += [angles.mean(), np.quantile(angles, 0.95)]
        rows.append((f"{one} on the body of {other}", np.array([figures])))
    heads = ("legs, mean, °", "95 %", "arms, mean, °", "95 %", "legs by the usual rule, °", "95 %", "arms", "95 %")
    columns = [Column(head, lambda v, k=k: v[0, k], 1) for k, head in enumerate(heads)]
    words = (
        "The angle between our bones and those of the other conversion; all tuned on. daz is no truth: limbs point as"
        " the source's do, so its figures are the distance between the conversions."
    )
    return section("Two conversions of one recording", words, "clip", columns, rows)


def others() -> list[str]:
    """Every captured clip on bodies of other sources."""
    found: Found = defaultdict(list)
    for (name, clip), (label, source) in itertools.product(clips(), BODIES.items()):
        like = as_captured(source)
        pose = rest_check.choose(like)
        made, carried = carry.onto_body(clip, like.skeleton, None, pose, hands=False)
        back, _ = carry.onto_body(made, clip.skeleton, pose, hands=False)
        usual = off(clip, bodies.turned_by(like.skeleton, bodies.rule_of_names(clip, like.skeleton)))
        slides = [quality.measure(one)["slide_cm_s"] or 0.0 for one in (clip, made)]
        shared = set(clip.skeleton.roles) & set(like.skeleton.roles)
        limbs = float(off(clip, placed(made)).max())
        figures = (carried.scale, limbs, trip(clip, back, shared), usual.mean(), *slides, 100.0 * carried.lift)
        found[label].append((is_aside(name), tuple(map(float, figures))))
    columns = [
        Column("scale", lambda v: np.median(v[:, 0]), 2),
        Column("limbs off at most, °", lambda v: v[:, 1].max(), 4),
        Column("there and back, °", lambda v: v[:, 2].max(), 4),
        Column("limbs by the usual rule, mean, °", lambda v: v[:, 3].mean(), 1),
        Column("slide of the source, cm/s", lambda v: np.median(v[:, 4]), 1),
        Column("on the body", lambda v: np.median(v[:, 5]), 1),
        Column("lifted, cm, median", lambda v: np.median(v[:, 6]), 1),
        Column("worst", lambda v: v[:, 6].max(), 1),
    ]
    words = (
        "Every clip on the body of each file. Limbs: thighs, shins, upper arms, forearms. There and back: world"
        " rotations of joints whose roles both have. Slide: medians."
    )
    return section("Other bodies", words, "body", columns, apart(found))


def hands() -> list[str]:
    """How far palms are from what they touch in the source, on bodies of other proportions."""
    found: Found = defaultdict(list)
    for (label, names), source in itertools.product(TOUCHING.items(), (BODIES | WITHOUT_TOES).values()):
        like = as_captured(source)
        for name in names:
            clip = capture(name)
            alone, _ = carry.onto_body(clip, like.skeleton, None, rest_check.choose(like), hands=False)
            made, carried = carry.onto_body(clip, like.skeleton, None, rest_check.choose(like))
            touches = carried.touches
            if touches.before == 0.0:
                continue  # the clip's own body
            hard = [acceleration(one) for one in (alone, made)]
            figures = (touches.before, touches.after, max(touches.moved.values()))
            found[label].append(
                (is_aside(name.removeprefix("cmu_")), (*(100.0 * f for f in figures), hard[1] / hard[0]))
            )
    columns = [
        Column("limbs alone: cm, median", lambda v: np.median(v[:, 0]), 1),
        Column("worst", lambda v: v[:, 0].max(), 1),
        Column("hands kept: cm, median", lambda v: np.median(v[:, 1]), 2),
        Column("worst", lambda v: v[:, 1].max(), 1),
        Column("moved at most, cm, median", lambda v: np.median(v[:, 2]), 1),
        Column("acceleration, times, median", lambda v: np.median(v[:, 3]), 2),
        Column("worst", lambda v: v[:, 3].max(), 2),
    ]
    words = (
        "Clips in which palms touch a hand, an arm, a thigh or the trunk, on the bodies above and below but their own:"
        " how far palms are from that place, in units of the part, 95 % of the frames that touch; first as limbs alone"
        " have it. Acceleration: of the faster hand, 99.5 %, over that of limbs alone. Worst: an arm across to the"
        " other elbow, which bodies with broad shoulders and short arms can't reach; that is said."
    )
    return section("Hands on the body", words, "clips", columns, apart(found))


def acceleration(clip: Clip) -> float:
    joints = [clip.skeleton.roles[f"hand.{side}"] for side in "LR"]
    steps = np.diff(kinematics.world(clip)[1][:, joints], n=2, axis=0)
    return float(np.quantile(np.linalg.norm(steps, axis=2), 0.995, axis=0).max())


def standing() -> list[str]:
    """How well feet stand when walks are put on bodies, with their feet planted."""
    found: Found = defaultdict(list)
    for walk, (label, source) in itertools.product(WALKS, (BODIES | WITHOUT_TOES).items()):
        clip = captured(f"cmu_{walk}")
        made = verbs.apply(Retarget(), [as_captured(source), clip])
        alone = verbs.apply(Retarget(plant_feet=False), [as_captured(source), clip]).clip
        balls, speeds, heights = contacts.feet(made.clip), [], []
        for span in planting.find(clip, made.clip.skeleton):
            if span.part == BALL and made.report["plant"] is not None:
                speed = np.linalg.norm(np.gradient(balls[span.foot][:, :2], axis=0), axis=1) * made.clip.rate
                speeds.append(100.0 * float(speed[span.middle.first : span.middle.end].mean()))
                scale = made.report["retarget"]["scale"]
                heights.append([standing_height(clip, one, span, scale) for one in (alone, made.clip)])
        if speeds:  # legs of the walk's own body are left as they are
            refused = len(made.report["plant"]["refused"])
            found[label].append((is_aside(walk), (np.mean(speeds), max(speeds), refused, *unlike(heights))))
    columns = [
        Column("middle, cm/s, median", lambda v: np.median(v[:, 0]), 2),
        Column("worst clip", lambda v: v[:, 0].max(), 2),
        Column("worst contact", lambda v: v[:, 1].max(), 2),
        Column("left out", lambda v: v[:, 2].sum(), 0),
        Column("stances apart: limbs alone, cm", lambda v: v[:, 3].max(), 1),
        Column("planted", lambda v: v[:, 4].max(), 1),
    ]
    words = (
        "Walks on the body of each file, feet planted. Middle: speed in the middle half of the source's contacts, of"
        " balls; of ankles where there are no toes. When ankles were held wherever the source's balls stand, walks on"
        " the three bodies without toes had middles of 2.7, 1.8 and 2.1 in the median, 23.7 at worst, and 76 contacts"
        " left out; on the box figure 23.2 and 60, now 0.00 (3.9 in the worst contact, of few frames at 30 a"
        " second) and 0. Stances apart: how unlike the heights of a walk's stances are, against those of the source,"
        " scaled; the worst walk."
    )
    return section("Feet on other bodies", words, "body", columns, apart(found))


def standing_height(clip: Clip, made: Clip, span: Span, scale: float) -> float:
    """By how many cm a foot stands higher than the source's, scaled; by ankles on bodies without balls."""
    (ball, ankle), (own, own_ankle) = (feet.balls_and_ankles(one.skeleton)[span.foot] for one in (clip, made))
    places = (ankle, own_ankle) if own == own_ankle else (ball, own)
    middle = slice(span.middle.first, span.middle.end)
    theirs, ours = (kinematics.points(one)[middle, at, 2] for one, at in zip((clip, made), places, strict=True))
    return 100.0 * float(np.mean(ours - scale * theirs))


def unlike(heights: list[list[float]]) -> list[float]:
    """How far apart (cm) the stances of a walk are, above or under the source's, as limbs have it and planted."""
    return [float(np.ptp(row)) for row in np.array(heights).T]


def on_characters() -> list[str]:
    """A captured walk on characters in Blender: imported, blended with their idle, along an S."""
    with tempfile.TemporaryDirectory() as folder:
        script = ROOT / "tools" / "bodies_in_blender.py"
        captures, characters = captured_files("cmu")[0].parent, captured_files("cmu")[0].parent.parent / "characters"
        command = [sys.argv[2], str(script), sys.argv[1], str(captures), str(characters), folder]
        subprocess.run(command, check=True, cwd=script.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = json.loads((Path(folder) / "bodies.json").read_text(encoding="utf-8"))
    return character_table(found)


def character_table(found: dict[str, dict]) -> list[str]:
    """The section of what `bodies_in_blender` found."""
    words = (
        "cmu_mb_02_01 at 30 frames a second in Blender 5.2; nothing is tuned on these. Limbs: before feet are planted."
        " Slide: all frames that are found to stand, touch-down and lift-off included; idle: blended 50:50; the S: six"
        " body heights."
    )
    rows = [
        "| character | limbs off, ° | slide as it comes, cm/s | planted | with its idle | along an S | missed |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, one in found.items():
        made = ("as it comes", "planted", "idle and walk", "along an S")
        slides = " | ".join(f"{one[each]['slide_cm_s']:.1f}" if each in one else "refused" for each in made)
        rows.append(f"| {name} | {one['limbs']:.2f} | {slides} | {MISSED.get(name, '')} |")
    return ["## Characters in Blender", "", *textwrap.wrap(words, 118), "", *rows]


def impossible() -> list[str]:
    """How many rest poses are reported as impossible to stand in."""
    seen, wrong = set(), []
    for path in [*captured_files("cmu"), *captured_files("odd")]:
        clip = as_captured(path.stem)
        pose = rest_frames.at_rest(clip.skeleton)
        key = (clip.skeleton.names, np.round(pose.points, 3).tobytes())
        if key in seen or not {"thigh.L", "shin.L"} <= set(clip.skeleton.roles):
            continue
        seen.add(key)
        if not rest_check.tilt(clip.skeleton, pose.points).possible:
            wrong.append(rest_check.choose(clip).why.partition(";")[0])
    made = sum(
        bodies.is_possible(bodies.resting_by_role(as_captured("cmu_mb_16_15").skeleton, rest)) for rest in bodies.RESTS
    )
    words = "Rest poses that are reported as impossible to stand in; all made ones are possible."
    rows = [
        ("skeletons with legs", str(len(seen)), str(len(wrong)), "<br>".join(wrong)),
        ("made rest poses", str(len(bodies.RESTS)), str(len(bodies.RESTS) - made), ""),
    ]
    return ["## Impossible rest poses", "", words, "", *grid(("rest poses", "of", "impossible", "message"), rows)]


def times() -> list[str]:
    """Processor time for a thousand frames."""
    like = as_captured("GenoView__Geno_bind")
    clip = captured("cmu_mb_16_15")
    laps = clip.taken(np.arange(1000) % len(clip))
    carry.onto_body(laps, like.skeleton)
    taken = []
    for _ in range(5):
        began = time.process_time()
        carry.onto_body(laps, like.skeleton)
        taken.append(1000.0 * (time.process_time() - began))
    row = ("1000", "31", str(len(like.skeleton)), f"{np.median(taken):.0f}")
    heads = ("frames", "joints of the clip", "joints of the body", "processor time, ms")
    return ["## Time", "", "Median of five runs.", "", *grid(heads, [row])]


if __name__ == "__main__":
    main()
