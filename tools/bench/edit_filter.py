"""Filtering of captured clips and characters: spikes, noise, peaks, contacts, beside others' filters.

Writes docs/measured/editing.md.

Argument: a Blender's Python, for characters and Blender's own filters; without it they are left out, which is said.
"""

import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import signal

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

import page_sections
from action_loom.core import jit, verbs
from action_loom.core.check import contacts, quality
from action_loom.core.edit import bands, low_pass, spikes
from action_loom.core.motion import cycles, kinematics, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.verbs import Filter
from oracles import planted_spikes
from oracles.material import captured, captured_files
from quality_tables import Column, Found, apart, grid, is_aside, table

OUT = ROOT / "build" / "filter"
TITLE = "Filtering"
CHARACTERS = ROOT.parent / "shared" / "data" / "characters"
NAMES = ("mannequiny", "RobotExpressive", "Fox", "boxman", "godot_player")
BLOWS = "blows, 12 Hz"
KINDS = {
    "walks": "mb_02_01 mb_05_01 mb_07_01 mb_16_15 mb_35_01 asf_16_15 asf_16_17 mb_08_01 mb_12_01 mb_35_03 asf_16_19",
    "runs": "mb_02_03 mb_35_17 asf_16_41 daz_09_01 mb_35_22 daz_09_02 mb_49_04",
    "jumps": "asf_16_03 daz_13_11 mb_02_04 daz_13_39",
    BLOWS: "mb_02_05 daz_13_18 daz_10_01 daz_martial_04 daz_10_03",
    "other takes": "daz_13_26 mb_05_11 mb_06_10 asf_17_03 mb_02_06 mb_05_03 mb_06_14 daz_salsa_10 daz_14_27",
}
SEEN = 1.0 / 30.0  # s
LONGEST = 1200  # frames of a take
SPIKY = "mb_02_01 mb_35_17 mb_02_05 asf_16_03 mb_07_01 mb_02_03 daz_13_18 asf_16_17 daz_10_01 asf_16_41 daz_13_11"
SPIKY_ASIDE = "mb_08_01 mb_35_22 daz_10_03 asf_16_19 mb_06_14 mb_05_03 daz_13_39 daz_salsa_10 mb_12_01 mb_35_03"
IN_BLENDER = ("mb_02_01", "mb_35_17", "asf_16_03", "mb_02_05", "mb_08_01", "daz_10_03")
ENDS = ("hand.L", "hand.R", "foot.L", "foot.R")
SEED = 11
BEGIN = (
    "*Filter* on captured clips and characters with noise of 0.5° about each axis and 2 mm on places; joints with a"
    " role but toes. Times: ms of the processor for 1000 frames."
)
COMMAND = "    python tools/bench/edit_filter.py BLENDERS_PYTHON"
SPIKES = (
    "Planted spikes of 15 to 60° and one to three frames in about 2 % of each joint's frames; `longest_spike` 3, 18"
    " joints. Wanted: found 98 %, others 0.25 %, left 1°."
)
SPIKES_COLUMNS = (
    ("found, others", "share of frames with spikes, and without, that were changed; mean of clips and worst"),
    ("left", "mended frames from the clean clip, median and 95 %"),
    ("alone; as it is", "changed without spikes; changed without noise, too: captures have spikes of their own"),
)
NOISE = "Noise, *Filter* without feet at 8 Hz, blows at 12. Wanted: places 2 times less, peak 0.95, IoU 0.95."
NOISE_COLUMNS = (
    ("places", "RMS distance from the clean clip's, mm"),
    ("SG", "Savitzky and Golay (cubic, 0.15 s, of scipy) after the same spikes were mended"),
    ("jerk, peak", "over the clean clip's; peak: highest speed over 1/30 s of the fastest hand or foot"),
    ("of a frame", "peak over two frames at 120 a second, where captures have noise of their own"),
    ("IoU; planted", "where feet stand, against the clean clip, feet not planted and planted"),
    ("slide", "of standing balls, cm/s: clean, with noise, filtered, planted"),
    ("ms; all", "filtering alone; with feet and figures"),
)
MISSED = "Of single takes, feet not planted; the salsa's capture jumps by 30 to 60° from frame to frame for a second."
AS_MADE = (
    "Characters at game rates; tuned on their clips: how long a spike lasts and how far it stands out. As made: % of"
    " rotations, and clips, changed as spikes by default; closed: gap of filtered cycles, with a band of 1.5, mm."
)
BESIDE = (
    "Beside Blender's *Smooth (Butterworth)*, order 4, of the same cutoff, and *Smooth (Gaussian)* that passes as much"
    " of it, on the same mended curves. Places and ends (first and last 0.1 s): mm; s: all curves."
)


def main(blender: str) -> None:
    if not captured_files()[0].exists():
        sys.exit("edit_filter: the captured clips of ../shared/data are needed")
    jit.kernels("action_loom.core.edit")
    OUT.mkdir(parents=True, exist_ok=True)
    heads = ("column", "what it is")
    lines = [
        *wrapped(BEGIN),
        "",
        COMMAND,
        "",
        *wrapped(SPIKES),
        "",
        *grid(heads, SPIKES_COLUMNS),
        "",
        *spikes_found(),
        "",
    ]
    found, stands, missed = noise_taken_off()
    lines += [*wrapped(NOISE), "", *grid(heads, NOISE_COLUMNS), "", *found, "", *stands, "", *wrapped(MISSED), ""]
    lines += [*grid(("missed", "figure", "reached", "wanted"), missed or [("nothing", "–", "–", "–")]), ""]
    if blender:
        lines += [*wrapped(AS_MADE), "", *characters(blender), "", *wrapped(BESIDE), "", *beside(blender), ""]
    else:
        lines += ["Characters and Blender's own filters were not measured this time.", ""]
    lines += gains()
    page_sections.put("editing.md", TITLE, [line.replace(" nan; nan ", " – ") for line in lines])


def wrapped(words: str) -> list[str]:
    return textwrap.wrap(words, 118)


def clip_of(name: str, every: int = 1) -> Clip:
    clip = captured(f"cmu_{name}")
    return clip.cut(0, min(len(clip), LONGEST)).thinned(every)


def noisy(clip: Clip, rng: np.random.Generator) -> Clip:
    moving = (clip.translations != clip.translations[:1]).any(axis=(0, 2))
    shake = 0.002 * rng.normal(size=clip.translations.shape) * moving[:, None]
    rotations = planted_spikes.noisy(clip.rotations, rng)
    return replace(clip, rotations=rotations, translations=clip.translations + shake)


# --- spikes ---------------------------------------------------------------------------------------------------------


def spikes_found() -> list[str]:
    rows: Found = {}
    for every in (1, 2, 4, 5):
        for name in [*SPIKY.split(), *SPIKY_ASIDE.split()]:
            clip = clip_of(name, every)
            values = spiky(clip, planted_spikes.body(clip))
            rows.setdefault(f"{120 // every} fps", []).append((is_aside(name), values))
            print(120 // every, name, *(f"{value:.2f}" for value in values), flush=True)
    columns = (
        Column("found %", mean(0), 2),
        Column("worst", lowest(0), 1),
        Column("others %", mean(1), 3),
        Column("worst", highest(1), 2),
        Column("left °", median(2), 2),
        Column("95 %", median(3), 1),
        Column("alone %", mean(4), 3),
        Column("as it is %", mean(5), 3),
        Column("ms", median(6), 0),
    )
    return table("clips at", columns, apart(rows))


def spiky(clip: Clip, joints: list[int]) -> tuple[float, ...]:
    """Of a clip with planted spikes: found %, others %, left (median, 95 %), changed of noise alone, as it is, ms."""
    rng, clean = np.random.default_rng(SEED), clip.rotations[:, joints]
    alone = planted_spikes.noisy(clean, rng)
    given, truth = planted_spikes.planted(alone, rng)
    began = time.process_time()
    flags = spikes.turned(given, clip.rate, planted_spikes.LONGEST)
    made = spikes.mended_turns(given, flags)
    took = time.process_time() - began
    left = planted_spikes.degrees(made, clean)[truth]
    none = [100.0 * float(spikes.turned(one, clip.rate, planted_spikes.LONGEST).mean()) for one in (alone, clean)]
    shares = 100.0 * float(flags[truth].mean()), 100.0 * float(flags[~truth].mean())
    return (*shares, float(np.median(left)), float(np.quantile(left, 0.95)), *none, 1e6 * took / len(clip))


# --- noise ----------------------------------------------------------------------------------------------------------


def noise_taken_off() -> tuple[list[str], list[str], list[tuple[str, ...]]]:
    """Tables of noise and of feet, and what was missed, a row each."""
    rows: Found = {}
    missed: list[tuple[str, ...]] = []
    for kind, names in KINDS.items():
        for name in names.split():
            values = of_noise(clip_of(name), cutoff_of(kind))
            rows.setdefault(kind, []).append((is_aside(name), values))
            missed += misses(f"{name}{', kept aside' if is_aside(name) else ''} ({kind})", values)
            print(kind, name, *(f"{value:.2f}" for value in values), flush=True)
    noise = (
        Column("places, noise", median(0), 1),
        Column("filtered", median(1), 1),
        Column("times less", ratio(0, 1), 1),
        Column("least", least_ratio(0, 1), 1),
        Column("SG", median(2), 1),
        Column("jerk", median(3), 2),
        Column("jerk, SG", median(4), 1),
        Column("peak", median(5), 2),
        Column("lowest", lowest(5), 2),
        Column("peak, SG", median(6), 2),
        Column("of a frame", median(15), 2),
        Column("lowest", lowest(15), 2),
    )
    feet = (
        Column("IoU", median(7), 3),
        Column("lowest", lowest(7), 2),
        Column("planted", median(8), 3),
        Column("lowest", lowest(8), 2),
        Column("slide, clean", median(9), 1),
        Column("noise", median(10), 0),
        Column("filtered", median(11), 1),
        Column("planted", median(12), 1),
        Column("ms", median(13), 0),
        Column("ms, all", median(14), 0),
    )
    found = [row for row in apart(rows) if len(row[1])]
    return table("takes", noise, found), table("takes", feet, found), missed


def misses(name: str, values: tuple[float, ...]) -> list[tuple[str, ...]]:
    figures_of = (("times less", values[0] / values[1], 2.0), ("peak", values[5], 0.95), ("IoU", values[7], 0.95))
    return [(name, what, f"{value:.2f}", f"{wanted:g}") for what, value, wanted in figures_of if value < wanted]


def cutoff_of(kind: str) -> float:
    return 12.0 if kind == BLOWS else 8.0


def of_noise(clip: Clip, cutoff: float) -> tuple[float, ...]:
    given = noisy(clip, np.random.default_rng(SEED))
    began = time.process_time()
    made = verbs.apply(Filter(cutoff=cutoff, keep_contacts=False), [given])
    alone = time.process_time() - began
    began = time.process_time()
    planted = verbs.apply(Filter(cutoff=cutoff, keep_contacts=True), [given])
    took = time.process_time() - began
    other = savitzky_golay(made.filtered.mended)
    slides = [quality.measure(one)["slide_cm_s"] or np.nan for one in (clip, given, made.clip, planted.clip)]
    return (
        places(given, clip),
        places(made.clip, clip),
        places(other, clip),
        jerk(made.clip) / jerk(clip),
        jerk(other) / jerk(clip),
        peak(made.clip, clip, SEEN),
        peak(other, clip, SEEN),
        iou(made.clip, clip),
        iou(planted.clip, clip),
        *slides,
        1e6 * alone / len(clip),
        1e6 * took / len(clip),
        peak(made.clip, clip),
    )


def joints_of(clip: Clip) -> list[int]:
    return sorted(set(planted_spikes.body(clip)))


def places(clip: Clip, clean: Clip, frames: np.ndarray | slice = slice(None)) -> float:
    """How far joints with a role are from where they were, mm, root mean square."""
    away = (kinematics.world(clip)[1] - kinematics.world(clean)[1])[:, joints_of(clip)][frames]
    return 1000.0 * float(np.sqrt((away**2).sum(axis=2).mean()))


def jerk(clip: Clip) -> float:
    paths = kinematics.world(clip)[1][:, joints_of(clip)]
    return float(np.sqrt((np.diff(paths, n=3, axis=0) ** 2).mean())) * clip.rate**3


def peak(clip: Clip, clean: Clip, over: float = 0.0) -> float:
    """The highest speed of the hand or foot that is fastest in the clean clip, over that; of `over` seconds."""
    half = max(1, round(0.5 * over * clip.rate))
    ends = [clip.skeleton.roles[role] for role in ENDS if role in clip.skeleton.roles]
    now, then = (
        np.linalg.norm(places[2 * half :] - places[: -2 * half], axis=2).max(axis=0)
        for places in (kinematics.world(one)[1][:, ends] for one in (clip, clean))
    )
    if not ends or then.max() < 0.01:
        return np.nan
    fastest = int(np.argmax(then))
    return float(now[fastest] / then[fastest])


def iou(clip: Clip, clean: Clip) -> float:
    one, other = contacts.detect(clip), contacts.detect(clean)
    either = sum((one[foot] | other[foot]).sum() for foot in one)
    return float(sum((one[foot] & other[foot]).sum() for foot in one) / either) if either else np.nan


def savitzky_golay(clip: Clip) -> Clip:
    window = min(2 * round(0.075 * clip.rate) + 1, len(clip) - 1 + len(clip) % 2)
    smooth = signal.savgol_filter(quat.continuous(clip.rotations), window, 3, axis=0)
    return replace(
        clip,
        rotations=quat.normalize(smooth),
        translations=signal.savgol_filter(clip.translations, window, 3, axis=0),
    )


# --- in Blender -----------------------------------------------------------------------------------------------------


def characters(blender: str) -> list[str]:
    lines = [
        "| character | fps | clips | as made | found % | others % | places, noise | filtered | peak, lowest | closed |"
    ]
    lines.append("|---" * 10 + "|")
    for name in NAMES:
        for rate in (24, 30):
            file = OUT / f"{name}_{rate}.npz"
            in_blender(blender, "clips", CHARACTERS / f"{name}.glb", rate, file)
            lines.append(f"| {name} | {rate} | {' | '.join(of_character(list(clips_in(file))))} |")
            print(lines[-1], flush=True)
    return lines


def clips_in(file: Path) -> Iterator[Clip]:
    arrays = np.load(file)
    roles = {role: int(joint) for role, joint in (row.split("=") for row in arrays["roles"].tolist())}
    parts = (arrays[part] for part in ("parents", "offsets", "orients", "tips"))
    skeleton = Skeleton(tuple(arrays["names"].tolist()), *parts, roles)
    rate = float(file.stem.rpartition("_")[2])
    for name in (one.removesuffix("/cyclic") for one in arrays.files if one.endswith("/cyclic")):
        turns, moves = arrays[f"{name}/rotations"], arrays[f"{name}/translations"]
        yield Clip(name, skeleton, rate, turns, moves, cyclic=bool(arrays[f"{name}/cyclic"]))


def of_character(clips: list[Clip]) -> list[str]:
    as_made, found, noise, closed = [], [], [], []
    for clip in clips:
        as_made.append(float(spikes.turned(clip.rotations, clip.rate).mean()))
        joints = joints_of(clip)
        if len(clip) >= 24:
            found.append(spiky(clip, joints)[:2])
        given = noisy(clip, np.random.default_rng(SEED))
        made = verbs.apply(Filter(keep_contacts=False), [given]).clip
        noise.append((places(given, clip), places(made, clip), peak(made, clip)))
        if clip.cyclic or cycles.closes(clip):
            last = replace(clip, rotations=given.rotations.copy(), translations=given.translations.copy())
            last.rotations[-1], last.translations[-1] = last.rotations[0], last.translations[0]
            closed.append(1000.0 * cycles.gap(verbs.apply(Filter(band_3=1.5), [replace(last, cyclic=True)]).clip))
    planted, errors = np.array(found), np.array(noise)
    return [
        str(len(clips)),
        f"{100.0 * np.mean(as_made):.3f} %, {sum(share > 0.0 for share in as_made)}",
        f"{planted[:, 0].mean():.1f}",
        f"{planted[:, 1].mean():.2f}",
        f"{np.median(errors[:, 0]):.1f}",
        f"{np.median(errors[:, 1]):.1f}",
        f"{np.nanmedian(errors[:, 2]):.2f}; {np.nanmin(errors[:, 2]):.2f}",
        f"{max(closed):.4f}" if closed else "–",
    ]


def beside(blender: str) -> list[str]:
    given, cases = {}, {}
    for name in IN_BLENDER:
        clip = clip_of(name)
        cutoff = next(cutoff_of(kind) for kind, names in KINDS.items() if name in names.split())
        done = verbs.apply(Filter(cutoff=cutoff, keep_contacts=False), [noisy(clip, np.random.default_rng(SEED))])
        mended, cases[name] = done.filtered.mended, (clip, cutoff, done)
        turns = quat.continuous(mended.rotations).reshape(len(clip), -1)
        moves = mended.translations.reshape(len(clip), -1)
        given |= {f"{name}/values": np.hstack([turns, moves]), f"{name}/rate": clip.rate, f"{name}/cutoff": cutoff}
    np.savez(OUT / "curves.npz", **given)
    in_blender(blender, "smooth", OUT / "curves.npz", OUT / "smoothed.npz")
    theirs = np.load(OUT / "smoothed.npz")
    lines = ["| take | Hz | *Filter* | ends | s | Butterworth | ends | peak | s | Gaussian | ends | peak | s |"]
    lines.append("|---" * 13 + "|")
    for name, (clip, cutoff, done) in cases.items():
        began = time.process_time()
        low_pass.both_ways(given[f"{name}/values"], cutoff, clip.rate)
        cells = [f"{name}{', kept aside' if is_aside(name) else ''}", f"{cutoff:g}"]
        cells += [*figures(done.clip, clip)[:2], f"{time.process_time() - began:.3f}"]
        for how in ("butterworth", "gaussian"):
            cells += [*figures(curves(theirs[f"{name}/{how}"], clip), clip), f"{theirs[f'{name}/{how} seconds']:.3f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def curves(values: np.ndarray, clip: Clip) -> Clip:
    count = 4 * len(clip.skeleton)
    turns = quat.normalize(values[:, :count].reshape(clip.rotations.shape))
    return replace(clip, rotations=turns, translations=values[:, count:].reshape(clip.translations.shape))


def figures(made: Clip, clip: Clip) -> list[str]:
    ends = round(0.1 * clip.rate)
    frames = np.r_[0:ends, len(clip) - ends : len(clip)]
    return [f"{places(made, clip):.1f}", f"{places(made, clip, frames):.1f}", f"{peak(made, clip, SEEN):.2f}"]


def in_blender(blender: str, *arguments: object) -> None:
    command = [blender, str(ROOT / "tools" / "bench" / "filter_in_blender.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not Path(str(arguments[-1])).exists():
        sys.exit(f"{done.stdout}\n{done.stderr}")


# --- bands ----------------------------------------------------------------------------------------------------------


def gains() -> list[str]:
    """A table on bands: how exact they are, and how long they take."""
    worst, took = 0.0, []
    for name in SPIKY.split():
        clip = clip_of(name)
        about, vectors = bands.rotation_vectors(clip.rotations, np.zeros(len(clip.skeleton), dtype=bool), clip.rate)
        split = bands.split(vectors.reshape(len(clip), -1), 7)
        again = quat.mul(about, quat.exp(np.sum(split, axis=0).reshape(vectors.shape)))
        worst = max(worst, float(np.abs(quat.same_side(again, clip.rotations) - clip.rotations).max()))
        began = time.process_time()
        verbs.apply(Filter(spikes=False, cutoff=0.0, keep_contacts=False, band_3=1.5), [clip])
        took.append(1e6 * (time.process_time() - began) / len(clip))
    heads = ("all bands of a clip put together: largest difference", "other gains, ms, figures included", "takes")
    return grid(heads, [(f"{worst:.0e}", f"{np.median(took):.0f}", str(len(took)))])


# --- columns --------------------------------------------------------------------------------------------------------


def median(column: int) -> Callable[[np.ndarray], float]:
    return lambda values: float(np.nanmedian(values[:, column]))


def mean(column: int) -> Callable[[np.ndarray], float]:
    return lambda values: float(values[:, column].mean())


def lowest(column: int) -> Callable[[np.ndarray], float]:
    return lambda values: float(np.nanmin(values[:, column]))


def highest(column: int) -> Callable[[np.ndarray], float]:
    return lambda values: float(values[:, column].max())


def ratio(over: int, under: int) -> Callable[[np.ndarray], float]:
    return lambda values: float(np.median(values[:, over] / values[:, under]))


def least_ratio(over: int, under: int) -> Callable[[np.ndarray], float]:
    return lambda values: float((values[:, over] / values[:, under]).min())


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
