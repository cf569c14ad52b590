"""Key poses and reaching on captured clips and characters; writes two sections of docs/measured/editing.md."""

import sys
import textwrap
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

import page_sections
from action_loom.core import jit, verbs
from action_loom.core.edit import reaching
from action_loom.core.errors import SkeletonError
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import KeyPoses, Reach, Retarget
from oracles.material import captured, captured_files, character
from quality_tables import Column, Found, apart, grid, is_aside, table

TAKES = {
    "walks": "mb_02_01 mb_05_01 asf_16_15 mb_16_15 mb_35_01 mb_08_01 mb_12_01 mb_35_03",
    "runs": "mb_02_03 mb_35_17 mb_35_22 mb_49_04",
    "turns and others": "asf_16_11 daz_10_01 daz_13_11 mb_05_11 daz_09_12 asf_16_19 mb_05_03 daz_13_39",
}
CHARACTERS = ("mannequiny", "RobotExpressive", "boxman", "godot_player", "Fox")
EVERY = (0.25, 0.5)  # s between poses
NOWHERE = np.zeros(3)
COMMAND = "    python tools/bench/edit_poses.py"
KEYS = (
    "Poses of a captured clip at even times, 120 frames a second, and what is woven between. Missed: largest error at a"
    " pose, 1e-15 rad. Off: joints from the capture, RMS of a clip, mm. Acceleration: 99th percentile of the joints',"
    " rad/s². At poses: change of angular velocity over that elsewhere (sharpest joint of a frame, p90; 1: no jump)."
)
REACHES = "Hands, feet and ends of chains that reach random places; a hand or foot keeps its rotation. Wanted: 0.1 mm."
REACH_COLUMNS = (
    (
        "off",
        "both arms and legs, a place in every frame from 2 % above folded to 99.9 % of the length: largest distance",
    ),
    ("too far: off", "a place beyond reach in every frame: the most that bones point past it"),
    ("span: off", "a place before the chest, right hand, 0.1 s with an ease of 0.3 s, ten a clip: most where in reach"),
    ("elbow, shoulder", "99th percentile of angular acceleration, of changed frames over the clip's; median of spans"),
    ("(elbow, 0.6 s)", "the same with an ease of 0.6 s"),
    ("arm chain, spine", "from the collar and up to the head, places where another pose of theirs was (20° a joint)"),
    ("ms", "of the processor for 1000 changed frames"),
    (
        "characters",
        "walk as a captured man, the fox sways; spans of the mannequiny alone, the boxman is refused (no elbows)",
    ),
    (
        "missed",
        "runs and turns: where the shoulder passes the held hand or trembles, the elbow is sharper than the clip's",
    ),
)


def main() -> None:
    if not captured_files()[0].exists():
        sys.exit("edit_poses: the captured clips of ../shared/data are needed")
    jit.kernels("action_loom.core.motion")
    page_sections.put("editing.md", "Key poses", key_poses())
    page_sections.put("editing.md", "Reach", reach())


def clips() -> Iterator[tuple[str, bool, Clip]]:
    """What it is, whether it is kept aside, and the clip."""
    for label, takes in TAKES.items():
        for name in takes.split():
            yield label, is_aside(name), captured(f"cmu_{name}")


# --- key poses ------------------------------------------------------------------------------------------------------


def key_poses() -> list[str]:
    lines = [*textwrap.wrap(KEYS, 118), "", COMMAND]
    columns = (
        Column("missed", lambda v: 1e15 * float(v[:, 0].max()), 2),
        Column("off", lambda v: float(np.median(v[:, 1])), 1),
        Column("worst", lambda v: float(v[:, 1].max()), 1),
        Column("acceleration", lambda v: float(np.median(v[:, 2])), 0),
        Column("worst", lambda v: float(v[:, 2].max()), 0),
        Column("at poses", lambda v: float(np.median(v[:, 3])), 2),
        Column("ms for 1000 frames", lambda v: float(np.median(v[:, 4])), 0),
    )
    for every in EVERY:
        found: Found = {}
        for _, aside, clip in clips():
            for way in ("ease", "squad", "monotone"):
                found.setdefault(way, []).append((aside, between(clip, way, every)))
        lines += ["", f"A pose every {every:g} s:", "", *table("interpolation", columns, apart(found))]
    return lines


def between(clip: Clip, way: str, every: float) -> tuple[float, ...]:
    """How far poses are missed, and what lies between, how sharp it is, at poses too, and how long it takes."""
    recipe = KeyPoses(between=way, interval=every)
    began = time.process_time()
    made = verbs.apply(recipe, [clip])
    taken = 1e6 * (time.process_time() - began) / len(made.clip)
    frames = np.array([pose["frame"] for pose in made.report["key_poses"]["poses"]])
    at = np.array(made.arrive)
    missed = turn(clip.rotations[frames], made.clip.rotations[at]).max()
    given = clip.cut(0, len(made.clip))
    off = np.linalg.norm(kinematics.points(made.clip) - kinematics.points(given), axis=2)[
        :, given.skeleton.point_weights > 0.0
    ]
    change = sharpness(made.clip)
    jumps = change[at[1:-1] - 1].max(axis=1)
    rest = np.delete(change, at[1:-1] - 1, axis=0).max(axis=1)
    return (
        float(missed),
        1000.0 * float(np.sqrt((off**2).mean())),
        float(np.percentile(change, 99.0)) * clip.rate**2,
        float(np.percentile(jumps, 90.0) / np.percentile(rest, 90.0)),
        taken,
    )


def turn(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(quat.log(quat.mul(quat.inv(one), other)), axis=-1))


def sharpness(clip: Clip) -> np.ndarray:
    """Angular acceleration (F−2, J) of joints, radians a frame a frame."""
    steps = quat.log(quat.mul(quat.inv(clip.rotations[:-1]), clip.rotations[1:]))
    return np.asarray(np.linalg.norm(np.diff(steps, axis=0), axis=-1))


# --- reach ----------------------------------------------------------------------------------------------------------


def reach() -> list[str]:
    found: Found = {}
    for label, aside, clip in [*clips(), *(("characters", False, moving(name)) for name in CHARACTERS)]:
        found.setdefault(label, []).append((aside, reaches(clip)))
        print(label, clip.name, *(f"{value:.4g}" for value in found[label][-1][1]), flush=True)

    def worst(place: int):  # type: ignore[no-untyped-def]
        return lambda v: float(np.nanmax(v[:, place]))

    def median(place: int):  # type: ignore[no-untyped-def]
        return lambda v: float(np.nanmedian(v[:, place]))

    columns = (
        Column("off (mm)", worst(0), 5),
        Column("too far: off (°)", worst(1), 5),
        Column("span: off (mm)", worst(2), 5),
        Column("elbow, times", median(3), 2),
        Column("worst", worst(3), 2),
        Column("shoulder, times", median(4), 2),
        Column("(elbow, 0.6 s)", median(5), 2),
        Column("arm chain (mm)", worst(6), 4),
        Column("spine (mm)", worst(7), 4),
        Column("limb, ms", median(8), 0),
        Column("chain, ms", median(9), 0),
    )
    rows = [(label, values) for label, values in apart(found) if len(values)]
    lines = [line.replace("characters, tuned on", "characters") for line in table("clips", columns, rows)]
    return [*textwrap.wrap(REACHES, 118), "", COMMAND, "", *grid(("column", "what it is"), REACH_COLUMNS), "", *lines]


def moving(name: str) -> Clip:
    """A character that walks as a captured man did, or sways about its rest pose where it is no man."""
    body, rng = character(name), np.random.default_rng(3)
    still = np.tile(quat.IDENTITY, (120, len(body), 1))
    clip = Clip(name, body, 30.0, still, np.zeros((120, len(body), 3)))
    try:
        return verbs.apply(Retarget(plant_feet=False), [clip, captured("cmu_mb_02_01")]).clip
    except SkeletonError:
        turns = quat.exp(root_motion.smooth(0.3 * rng.normal(size=(120, len(body), 3)), 5.0))
        return replace(clip, rotations=turns)


def reaches(clip: Clip) -> tuple[float, ...]:
    rng = np.random.default_rng(5)
    near, far, taken = [], [], []
    for part in reaching.PARTS:
        try:
            limb = reaching.limb_of(clip, part)
        except SkeletonError:
            continue  # a box figure has no hands
        begin, length, goals = anywhere(rng, clip, limb)
        began = time.process_time()
        made = reaching.reached(clip, reaching.Asked(limb, goals, np.ones(len(clip)), NOWHERE))
        taken.append(1e6 * (time.process_time() - began) / len(clip))
        near.append(1000.0 * np.linalg.norm(reaching.ends(made, limb, NOWHERE) - goals, axis=1).max())
        way = goals - begin
        away = begin + way * (rng.uniform(1.01, 3.0, len(clip)) * length / np.linalg.norm(way, axis=1))[:, None]
        made = reaching.reached(clip, reaching.Asked(limb, away, np.ones(len(clip)), NOWHERE))
        places = kinematics.points(made)[:, [limb.upper, limb.lower, limb.end]]
        for bone in np.diff(places, axis=1).transpose(1, 0, 2):
            sine = np.linalg.norm(np.cross(bone, way), axis=1)
            far.append(np.degrees(np.arctan2(sine, (bone * way).sum(axis=1))).max())
    both = [chains(rng, clip, *names) for names in (("clavicle.R", "hand.R"), ("spine", "head"))]
    ends, chain_ms = zip(*both, strict=True)
    slow, quick = spans(clip, 0.6), spans(clip, 0.3)
    worst = [max(values, default=np.nan) for values in (near, far, taken)]
    return *worst[:2], quick[0], quick[1], quick[2], slow[1], *ends, worst[2], max(chain_ms)


def anywhere(rng: np.random.Generator, clip: Clip, limb: "reaching.Limb") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where a limb begins (F, 3), how long it is (F,), and a place for each frame that it reaches."""
    begin, middle, end = (kinematics.points(clip)[:, joint] for joint in (limb.upper, limb.lower, limb.end))
    one, other = np.linalg.norm(middle - begin, axis=1), np.linalg.norm(end - middle, axis=1)
    way = rng.normal(size=begin.shape)
    far = rng.uniform(np.abs(one - other) + 0.02 * (one + other), 0.999 * (one + other))
    return begin, one + other, begin + far[:, None] * way / np.linalg.norm(way, axis=1, keepdims=True)


def chains(rng: np.random.Generator, clip: Clip, first: str, last: str) -> tuple[float, float]:
    """How far (mm) a chain is from where another pose of its own was, at most, and how long it takes; in 200 frames."""
    roles, names = clip.skeleton.roles, clip.skeleton.names
    if first not in roles or last not in roles:
        return np.nan, np.nan
    part = clip.taken(np.linspace(0, len(clip) - 1, 200).round().astype(int))
    chain = reaching.chain_of(part, f"{names[roles[first]]} > {names[roles[last]]}", whole=False)
    joints = list(chain.joints)
    axes = rng.normal(size=(200, len(joints), 3))
    axes *= np.radians(rng.uniform(0.0, 20.0, (200, len(joints), 1))) / np.linalg.norm(axes, axis=2, keepdims=True)
    other = part.rotations.copy()
    other[:, joints] = quat.mul(other[:, joints], quat.exp(axes))
    goals = reaching.ends(replace(part, rotations=other), chain, NOWHERE)
    began = time.process_time()
    made = reaching.reached(part, reaching.Asked(chain, goals, np.ones(200), NOWHERE))
    taken = 1e6 * (time.process_time() - began) / 200
    return 1000.0 * float(np.linalg.norm(reaching.ends(made, chain, NOWHERE) - goals, axis=1).max()), taken


def spans(clip: Clip, ease: float) -> tuple[float, float, float]:
    """How far (mm) hands are off over spans, and how sharply elbow and shoulder turn, in times of before."""
    try:
        limb = reaching.limb_of(clip, "right_arm")
    except SkeletonError:
        return np.nan, np.nan, np.nan
    if clip.skeleton.four_footed:
        return np.nan, np.nan, np.nan  # it sways as softly as nothing else here: times of that tell nothing
    rng, middle, rate = np.random.default_rng(6), len(clip) // 2, clip.rate
    begin, length, _ = anywhere(rng, clip, limb)
    facing = root_motion.ground_frames(clip)[1][middle]
    off, elbow, shoulder = [], [], []
    before = sharpness(clip)
    for _ in range(10):
        aside, ahead, up = rng.uniform([-0.5, 0.3, -0.5], [0.5, 0.7, 0.5])
        place = begin[middle] + length[middle] * quat.rotate(
            quat.about_axis("Z", np.array(facing)), np.array([aside, ahead, up])
        )
        last = min(middle + round(0.1 * rate), len(clip) - 1)
        recipe = Reach(target=(tuple(place),), from_frame=middle, to_frame=last, ease=ease)
        made = verbs.apply(recipe, [clip])
        if made.report["reach"]["out_of_reach"] is None:
            off.append(made.report["reach"]["off_mm"])
        changed = np.flatnonzero(made.share[1:-1] > 0.0)
        after = sharpness(made.clip)
        for joint, ratios in ((limb.lower, elbow), (limb.upper, shoulder)):
            ratios.append(np.percentile(after[changed, joint], 99.0) / np.percentile(before[changed, joint], 99.0))
    return max(off, default=np.nan), float(np.median(elbow)), float(np.median(shoulder))


if __name__ == "__main__":
    main()
