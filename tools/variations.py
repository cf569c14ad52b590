"""Measure endless variations of captured clips beside other ways to make them; prints a table for each kind of clip.

    .venv/bin/python tools/variations.py --seeds 2            clips kept aside, and those used for tuning
    .venv/bin/python tools/variations.py --noise              noise as guide, too
    .venv/bin/python tools/variations.py --others FOLDER      results of other versions: FOLDER/NAME/CLIP.SEED.bvh
    .venv/bin/python tools/variations.py --write FOLDER       the results as files, CLIP.SEED.bvh
    .venv/bin/python tools/variations.py --limits             poses, stretch, end, loop, by written files

used : rows of the source (30 a second) that are nearest to some pose of the result, %; a result that is longer by half
near : mean distance of a pose from the nearest one of the source, cm
slide : of standing feet, cm/s, and the source's; hard : accelerations at seams, in shares of the source's 99.5 %
differ : distance of poses from those of the source in its order, 1 for unrelated ones; apart : of two seeds
limits : worst angles of five poses and of a kept second, radians; an end's cm and degrees; a loop's radians and its
    acceleration where it closes, in shares of the source's 99.5 %; differ at variation 0, 0.5, 0.75, 1
"""

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from action_loom.core import verbs
from action_loom.core.errors import LoomError
from action_loom.core.formats import motion_file
from action_loom.core.graph import inputs
from action_loom.core.motion import cycles, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.quality import quality
from action_loom.core.variation import guide, hardness, source

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from oracles.kept_aside import is_kept_aside
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(__file__).resolve().parent / "fuzz"))
import plain_bvh

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
LONGEST = 60.0  # s of a result
SHORTEST = 2.5  # s of a clip
ASIDE = (
    "cmu/cmu_mb_08_01", "cmu/cmu_mb_12_01", "cmu/cmu_mb_32_01", "cmu/cmu_mb_35_03", "cmu/cmu_mb_08_04",
    "cmu/cmu_mb_05_03", "cmu/cmu_daz_salsa_10", "cmu/cmu_daz_14_27", "cmu/cmu_mb_06_14", "cmu/cmu_daz_10_03",
    "cmu/cmu_daz_martial_04", "cmu/cmu_daz_13_39", "cmu/cmu_mb_49_06", "cmu/cmu_asf_16_19",
    "strides/cmu_mb_08_02", "strides/cmu_mb_08_03", "amc/16_14", "amc/16_22", "amc/127_05", "amc/127_18",
    "amc/127_21",
)  # fmt: skip
TUNED = (
    "cmu/cmu_daz_13_26", "cmu/cmu_daz_13_18", "cmu/cmu_mb_02_05", "cmu/cmu_mb_02_06", "cmu/cmu_mb_05_11",
    "cmu/cmu_mb_26_01", "cmu/cmu_daz_09_12", "cmu/cmu_mb_06_10",
)  # fmt: skip


@dataclass(frozen=True)
class Figures:
    """The figures of a result; NaN if unknown."""

    used: float
    near: float
    slide: float
    source_slide: float
    seams: float
    hard: float
    differ: float
    cpu: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--noise", action="store_true")
    parser.add_argument("--others", type=Path)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--limits", action="store_true")
    parser.add_argument("--only", default="", help="clips whose names have this part")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for title, names in (("aside", ASIDE), ("tuned", TUNED)):
        files = [path for name in names if asked.only in name for path in _files(name)]
        assert all(is_kept_aside(path) == (title == "aside") for path in files)
        print(f"\n{title}: {len(files)} clips, {asked.seeds} seeds")
        if asked.limits and files:
            worst = np.array([_measure_limits(path) for path in files])
            print(f"{'worst':20} {_limits_line(np.nanmax(worst, axis=0))}")
            print(f"{'mean':20} {_limits_line(np.nanmean(worst, axis=0))}")
        _table([] if asked.limits else files, asked)


def _files(name: str) -> list[Path]:
    return [path for suffix in (".bvh", ".amc") if (path := DATA / f"{name}{suffix}").exists()]


def _table(files: list[Path], asked: argparse.Namespace) -> None:
    """Print a row for each clip and way, and the means of the ways."""
    every: dict[str, list[Figures]] = {}
    for path in files:
        clip = motion_file.read(path).clip
        rows = source.gather(inputs.gather([clip], images=False))
        if clip.seconds < SHORTEST:
            print(f"{path.stem}: {clip.seconds:.1f} s are too short to judge")
        results: dict[str, list[Clip]] = {}
        for way, seed, result, seams, cpu in _results(path, clip, asked):
            if isinstance(result, str):
                print(f"{path.stem:20} {way:8} {seed} {result[:100]}")
                continue
            results.setdefault(way, []).append(result)
            figures = measure(rows, clip, result, seams, cpu)
            every.setdefault(way, []).append(figures)
            print(f"{path.stem:20} {way:8} {seed} {_line(figures)}", flush=True)
        for way, made in results.items():
            if len(made) > 1:
                apart = _differ(rows, *(rows.poses_of([one]) for one in made[:2]))
                print(f"{path.stem:20} {way:8} apart {apart:.2f}")
    for way, found in every.items():
        print(f"{'mean':20} {way:8} {len(found):2} {_line(Figures(*np.nanmean([_row(one) for one in found], axis=0)))}")


def _row(figures: Figures) -> list[float]:
    return [getattr(figures, name) for name in Figures.__dataclass_fields__]


def _line(one: Figures) -> str:
    return (
        f"used {100.0 * one.used:3.0f} near {one.near:4.2f} slide {one.slide:4.1f} ({one.source_slide:4.1f})"
        f" seams/min {one.seams:5.1f} hard {one.hard:4.2f} differ {one.differ:4.2f} cpu {one.cpu:5.2f}"
    )


def _results(
    path: Path, clip: Clip, asked: argparse.Namespace
) -> Iterator[tuple[str, int, Clip | str, list[int], float]]:
    """Return way, seed, result or error, frames of seams, and seconds of CPU of each result."""
    seconds = min(1.5 * clip.seconds, LONGEST)
    own = guide.make
    for way in ("endless", "noise") if asked.noise else ("endless",):
        guide.make = _noise if way == "noise" else own
        for seed in range(1, asked.seeds + 1):
            began = time.process_time()
            try:
                made = verbs.apply(verbs.Walk(seconds=seconds, seed=seed), [clip])
            except LoomError as error:
                yield way, seed, str(error), [], 0.0
                continue
            cpu = time.process_time() - began
            if asked.write and way == "endless":
                asked.write.mkdir(parents=True, exist_ok=True)
                file = asked.write / f"{path.stem}.{seed}.bvh"
                file.write_bytes(motion_file.compose(made.clip, file))
            yield way, seed, made.clip, [frame for frame, _ in made.report["walk"]["seams"]], cpu
    guide.make = own
    for folder in sorted(asked.others.iterdir()) if asked.others else ():
        for seed in range(1, asked.seeds + 1):
            file = folder / f"{path.stem}.{seed}.bvh"
            if file.exists():
                yield folder.name, seed, motion_file.read(file).clip, [], float("nan")
            else:
                yield folder.name, seed, "refused", [], float("nan")


def _measure_limits(path: Path) -> list[float]:
    """Return the figures of `limits` of a clip, and print them; NaN where no way leads on."""
    clip = motion_file.read(path).clip
    if clip.seconds < SHORTEST:
        return [np.nan] * 10
    rows = verbs.prepare(verbs.Walk(), [clip])
    seconds, maps, count = float(min(1.5 * rows.seconds(), 20.0)), rows.inputs.frame_maps[0], len(rows.inputs.clips[0])
    some = np.random.default_rng(1).integers(0, maps.cycle or count, 6).tolist()
    frames = [float(maps.given_frame(frame)) for frame in (*some[:5], min(some[5], max(count - clip.rate - 1, 0)))]
    own = _joints(clip)

    def made(**values: object) -> Clip:
        return verbs.apply(verbs.Walk(seconds=seconds, **values), [clip], prepared=rows).clip

    def poses() -> list[float]:
        times = np.linspace(0.0, seconds, 5).tolist()
        keyed = _joints(made(poses=tuple((when, 1.0, frame) for when, frame in zip(times, frames, strict=False))))
        at = [min(round(when * clip.rate), len(keyed) - 1) for when in times]
        return [_angles(own[np.array(frames[:5], dtype=int)], keyed[at])]

    def verbatim() -> list[float]:
        first, begins = int(frames[5]), round(0.3 * seconds * clip.rate)
        last = min(first + round(clip.rate), maps.given_frame(count - 1))
        kept = _joints(made(verbatim=((0.3 * seconds, 1.0, float(first), float(last)),)))
        return [_angles(own[first:last], kept[begins : begins + last - first])]

    def end() -> list[float]:
        asked = _gone(made())[0] * 0.9j**0.1
        place, turned = _gone(_written(made(way=((asked.real, asked.imag, 20.0),))))
        return [100.0 * abs(place - asked), abs((turned - 20.0 + 180.0) % 360.0 - 180.0)]

    def loop() -> list[float]:
        looped = made(loop=True)
        closed = _joints(looped)
        twice = hardness.accelerations(cycles.unroll_cycle(looped, 0, 1))[len(closed) - 20 : len(closed) + 20]
        return [_angles(closed[:1], closed[-1:]), float(twice.max() / hardness.usual([clip]))]

    def differ() -> list[float]:
        shown = [rows.poses_of([made(variation=share)]) for share in (0.0, 0.5, 0.75, 1.0)]
        return [_differ(rows, one, _in_order(rows, one)) for one in shown]

    figures: list[float] = []
    for limit, size in ((poses, 1), (verbatim, 1), (end, 2), (loop, 2), (differ, 4)):
        try:
            figures += limit()
        except LoomError as error:
            print(f"{path.stem}: {limit.__name__}: {error}")
            figures += [np.nan] * size
    print(f"{path.stem:20} {_limits_line(figures)}", flush=True)
    return figures


def _gone(clip: Clip) -> tuple[complex, float]:
    """Return where a clip ends, seen from where it begins, x + iy, metres, and how far it has turned, degrees."""
    ground, facing = root_motion.ground_frames(clip)
    place = complex(*(ground[-1] - ground[0])) * np.exp(-1j * facing[0])
    return place, float(np.degrees(facing[-1] - facing[0]))


def _limits_line(figures: list[float] | np.ndarray) -> str:
    keys, kept, off, turned, closes, hard, *differ = figures
    return (
        f"poses {keys:.0e} verbatim {kept:.0e} end {off:.3f} cm {turned:.2f}° loop {closes:.0e} hard {hard:.2f}"
        f" differ {' '.join(f'{one:.2f}' for one in differ)}"
    )


def _written(clip: Clip) -> Clip:
    """Return a clip as it is read back from its file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.bvh"
        path.write_bytes(motion_file.compose(clip, path))
        return motion_file.read(path).clip


def _joints(clip: Clip) -> np.ndarray:
    """Return quaternions (F, J, 4) of joints by another reader of a clip's file; the first is the root's vertical."""
    read = plain_bvh.read(motion_file.compose(clip, "made.bvh"))
    values, at, found = np.array(read["rows"]), 0, []
    for channels in read["channels"]:
        turns = [k for k, name in enumerate(channels) if name.lower().endswith("rotation")]
        order = "".join(channels[k][0].upper() for k in turns)
        found.append(Rotation.from_euler(order, values[:, [at + k for k in turns]], degrees=True) if turns else None)
        at += len(channels)
    up = np.pad(found[0].inv().apply([0.0, 1.0, 0.0]), ((0, 0), (0, 1)))
    return np.stack([up, *(turn.as_quat() for turn in found[1:] if turn is not None)], axis=1)


def _angles(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest angle between joints, radians; small ones are exact."""
    apart = np.minimum(np.linalg.norm(one - other, axis=-1), np.linalg.norm(one + other, axis=-1))
    return float(2.0 * np.arcsin(np.minimum(0.5 * apart, 1.0)).max(initial=0.0))


def _in_order(rows: source.Source, poses: np.ndarray) -> np.ndarray:
    """Return a pose of the source for each given one, in the source's order."""
    return rows.features[np.arange(len(poses)) % len(rows), : source.COMPONENTS]


def _noise(
    rows: source.Source,
    count: int,
    _variation: float,
    seed: int,
    _pinned: guide.Pinned,
    _shares: np.ndarray,
    **_loop: bool,
):
    """Return noise of the source's own spread in place of a guide."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, rows.features.shape[1])) * rows.features.std(axis=0)


def measure(rows: source.Source, clip: Clip, result: Clip, seams: list[int], cpu: float) -> Figures:
    """Return the figures of a result of a clip; rows : the clip's."""
    poses = rows.poses_of([result])
    apart = _distances(poses, rows.features[:, : source.COMPONENTS])
    hard = hardness.find_hardest(
        hardness.accelerations(result), [(at, 1.0 / 6.0) for at in seams], result.rate, hardness.usual([clip])
    )
    return Figures(
        len(np.unique(apart.argmin(axis=1))) / len(rows),
        100.0 * float(apart.min(axis=1).mean()),
        quality.measure(result)["slide_cm_s"] or 0.0,
        quality.measure(clip)["slide_cm_s"] or 0.0,
        60.0 * len(seams) / result.seconds,
        max((times for _, times in hard), default=float("nan")),
        _differ(rows, poses, _in_order(rows, poses)),
        cpu,
    )


def _distances(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    square = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2.0 * one @ other.T
    return np.sqrt(np.maximum(square, 0.0))


def _differ(rows: source.Source, one: np.ndarray, other: np.ndarray) -> float:
    """Return the mean distance of poses at the same time, in shares of that of unrelated poses."""
    count = min(len(one), len(other))
    poses = rows.features[:, : source.COMPONENTS]
    usual = _distances(poses, poses).mean()
    return float(np.sqrt(((one[:count] - other[:count]) ** 2).sum(axis=1)).mean() / usual)


if __name__ == "__main__":
    main()
