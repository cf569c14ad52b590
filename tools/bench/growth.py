"""How time and peak memory grow with the length and number of clips.

Writes docs/measured/growth.md and docs/measured/images/growth.png.

`make bench` calls it at its end; by itself: .venv-bench/bin/python tools/bench/growth.py. Every case runs in a process
of its own, which alone knows how much memory it took.
"""

import json
import resource
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.motion.limits import MOST_POSES

ROOT = Path(__file__).resolve().parent.parent.parent
CAPTURED = ROOT.parent / "shared" / "data" / "cmu" / "cmu_mb_26_01.bvh"
LENGTHS = (500, 1000, 2000, 4000, 8000, 16000, 32000, 64000)  # frames of two clips
COUNTS = (2, 3, 4, 6, 8)  # clips
LONG = 2000  # frames of each, where their number grows
BODIES = (625, 1250, 2500, 5000, 10_000)  # joints of two clips of that many frames:
SHORT = 300
ROWS = (62_500, 125_000, 250_000, 500_000, 1_000_000)  # of which Drive searches the nearest, as often as:
SEARCHES, FEATURES = 16, 27
SWAY, PERIOD = 0.15, 240.0  # a copy runs so much faster and slower, every so many frames
WARM_UP = 200  # frames
ENOUGH = 2.0  # s; what takes less is run again
FOR = "For those who change matching or blending, or plan long clips: what more frames and more clips cost."
COMMAND = "    .venv-bench/bin/python tools/bench/growth.py      # also at the end of: make bench"
ABOUT = (
    "`sync` and `blend` of clips of 31 joints that do the same in different time, default options. Processor time with"
    " one thread, and peak memory over that before; each case in a warm process of its own."
)
MORE = (
    f"`sync` of two clips of {SHORT} frames with more joints (chains of 100), and {SEARCHES} searches of *Drive* among"
    f" more rows of {FEATURES} numbers. Expected: no more than in proportion (power 1)."
)
METHOD = (
    "Matrices of distances and steps take most memory, up to 4000 × 4000 pairs of frames; longer clips are matched at"
    " every second (third, …) frame, then at full rate in a band round the path and in pieces."
)


@dataclass(frozen=True)
class Measured:
    """Of one case: seconds of processor time altogether and for matching alone, and the megabytes it took at most."""

    verb: str
    frames: int
    clips: int
    seconds: float
    matching: float
    megabytes: float


def main() -> None:
    by_length = {verb: [measured(verb, frames, 2) for frames in LENGTHS] for verb in ("sync", "blend")}
    by_count = [measured("blend", LONG, clips) for clips in COUNTS]
    more = [[measured(kind, size, 2) for size in sizes] for kind, sizes in (("joints", BODIES), ("rows", ROWS))]
    draw(by_length, by_count, ROOT / "docs" / "measured" / "images" / "growth.png")
    text = "\n".join([*page(by_length, by_count), "", *of_more(more)]) + "\n"
    (ROOT / "docs" / "measured" / "growth.md").write_text(text, encoding="utf-8")
    print(text)


def measured(verb: str, frames: int, clips: int) -> Measured:
    print(f"{verb}: {clips} clips of {frames} frames", flush=True)
    command = [sys.executable, str(Path(__file__)), verb, str(frames), str(clips)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Measured(verb, frames, clips, **json.loads(answer.splitlines()[-1]))


def case(verb: str, size: int, count: int) -> None:
    """Run one case in this process and print its figures."""
    if verb == "rows":
        work = searching(size)
    else:
        recipe = verbs.VERBS["sync" if verb == "joints" else verb].recipe()
        weaving(recipe, alike(WARM_UP, count))()
        work = weaving(recipe, with_joints(size) if verb == "joints" else alike(size, count))
    before = memory_now()
    runs = [work()]
    while sum(seconds for seconds, _ in runs) < ENOUGH:
        runs.append(work())
    seconds, matching = sorted(runs)[len(runs) // 2]
    print(json.dumps({"seconds": seconds, "matching": matching, "megabytes": memory_at_most() - before}))


def weaving(recipe: Any, clips: list[Any]) -> Callable[[], tuple[float, float]]:
    """What weaves clips, and returns the seconds that it took, altogether and for matching."""

    def work() -> tuple[float, float]:
        began = time.process_time()
        found = verbs.prepare(recipe, clips)
        matched = time.process_time()
        verbs.apply(recipe, clips, prepared=found)
        return time.process_time() - began, matched - began

    return work


def searching(count: int) -> Callable[[], tuple[float, float]]:
    """What searches rows that go on as features of clips do."""
    from action_loom.core.drive.search import Index

    random = np.random.default_rng(1)
    rows = np.sin(0.05 * np.cumsum(random.normal(size=(count, FEATURES)), axis=0)).astype(np.float32)
    index = Index(rows, np.arange(count))
    queries = rows[random.integers(count, size=SEARCHES)] + np.float32(0.15)

    def work() -> tuple[float, float]:
        began = time.process_time()
        for query in queries:
            index.nearest(query)
        return time.process_time() - began, 0.0

    return work


def with_joints(count: int) -> list[Any]:
    """Two clips of bodies with so many joints."""
    import joints
    from action_loom.core.formats import bvh

    joints.JOINTS, joints.FRAMES = count, SHORT
    parents, clips = np.where(np.arange(count) % 100 == 1, 0, np.arange(count) - 1), []
    with tempfile.TemporaryDirectory() as folder:
        for k in range(2):
            path = Path(folder) / f"{k}.bvh"
            path.write_text(joints.body(parents, False, k))
            clips.append(bvh.to_clip(bvh.read(path))[0])
    return clips


def alike(frames: int, count: int) -> list[Any]:
    """Copies of a clip played forth and back until it is long enough, each in a time and a bearing of its own."""
    from dataclasses import replace

    from action_loom.core.figure import actions
    from action_loom.core.formats import bvh
    from action_loom.core.motion import quat, resample

    source = bvh.to_clip(bvh.read(CAPTURED))[0] if CAPTURED.exists() else actions.walk(rate=120.0)
    last, rng, clips = len(source) - 1.0, np.random.default_rng(0), []
    for k in range(count):
        even = np.arange(frames, dtype=float)
        uneven = even + SWAY * PERIOD / (2.0 * np.pi) * np.sin(2.0 * np.pi * even / PERIOD + k)
        there_and_back = last - np.abs(np.abs(uneven) % (2.0 * last) - last)
        clip = resample.sample(source, there_and_back)
        bearing = quat.exp(0.05 * rng.normal(size=(len(source.skeleton), 3)))
        clips.append(replace(clip, name=f"clip{k}", rotations=quat.mul(clip.rotations, bearing)))
    return clips


def memory_now() -> float:
    """Megabytes that this process holds; where the system does not tell, the most it has held."""
    statistics = Path("/proc/self/statm")
    if not statistics.exists():
        return memory_at_most()
    return int(statistics.read_text().split()[1]) * resource.getpagesize() / 1e6


def memory_at_most() -> float:
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / 1e6 if sys.platform == "darwin" else kilobytes * 1024 / 1e6


def draw(by_length: dict[str, list[Measured]], by_count: list[Measured], path: Path) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10, 7.2), layout="constrained")
    for verb, color in (("sync", "tab:blue"), ("blend", "tab:orange")):
        found = by_length[verb]
        lengths = [one.frames for one in found]
        axes[0, 0].loglog(lengths, [one.seconds for one in found], "o-", color=color, label=verb)
        axes[0, 1].loglog(lengths, [one.megabytes for one in found], "o-", color=color, label=verb)
    blends = by_length["blend"]
    lengths = np.array([one.frames for one in blends])
    rest = [one.seconds - one.matching for one in blends]
    axes[0, 0].loglog(lengths, rest, "o:", color="tab:orange", label="blend without matching")
    _guide(axes[0, 0], lengths, blends[-1].seconds, 2, "∝ frames²")
    _guide(axes[0, 0], lengths, rest[-1], 1, "∝ frames")
    _guide(axes[0, 1], lengths, blends[-1].megabytes, 2, "∝ frames²")
    _guide(axes[0, 1], lengths, blends[-1].megabytes, 1, "∝ frames")
    counts = [one.clips for one in by_count]
    axes[1, 0].plot(counts, [one.seconds for one in by_count], "o-", color="tab:orange", label="blend")
    axes[1, 0].plot(
        counts, [one.seconds - one.matching for one in by_count], "o:", color="tab:orange", label="without matching"
    )
    axes[1, 1].plot(counts, [one.megabytes for one in by_count], "o-", color="tab:orange", label="blend")
    for row, xlabel, what in ((0, "frames a clip", "two clips"), (1, "clips", f"clips of {LONG} frames")):
        for column, (name, unit) in enumerate((("processor time", "s"), ("peak memory", "MB"))):
            one = axes[row, column]
            one.set(xlabel=xlabel, ylabel=f"{name}, {unit}", title=f"{name}, {what}")
            one.grid(alpha=0.3, which="both" if row == 0 else "major")
            one.legend(frameon=False, fontsize=9)
            if row == 1:
                one.set_ylim(bottom=0.0)
            else:
                one.set_xticks(lengths, [str(n) for n in lengths])
                one.minorticks_off()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _guide(axes: Any, lengths: np.ndarray, end: float, power: int, label: str) -> None:
    values = end * (lengths / lengths[-1]) ** power
    axes.loglog(lengths, values, "--" if power == 2 else ":", color="0.6", linewidth=1, label=label)


def page(by_length: dict[str, list[Measured]], by_count: list[Measured]) -> list[str]:
    about, method = (textwrap.wrap(words, 118) for words in (ABOUT, METHOD))
    heads = ("", "clips", "frames", "time, s", "of it matching", "peak memory, MB")
    rows = (_row(one) for one in [*by_length["sync"], *by_length["blend"], *by_count])
    return [
        *("# How time and memory grow", "", *textwrap.wrap(FOR, 118), "", COMMAND, "", *about, ""),
        *("![Time and memory against the length and the number of clips](images/growth.png)", ""),
        *(*grid(heads, rows), "", *method, "", *grid(("growth of a blend", ""), _growth(by_length["blend"], by_count))),
    ]


def of_more(more: Sequence[list[Measured]]) -> list[str]:
    """The section on joints and rows; where a case holds them its `frames` are how many there are."""
    rows = []
    for found in more:
        times = ", ".join(f"{one.frames:,}: {_shortly(one.seconds)}" for one in found)
        power = f"{_power(found, lambda one: one.seconds):.1f}"
        rows.append((found[0].verb, times, power, f"{found[-1].megabytes:.0f}"))
    heads = ("", "seconds", "power at the end", "peak memory at the end, MB")
    return ["## Joints and rows", "", *textwrap.wrap(MORE, 118), "", *grid(heads, rows)]


def _shortly(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds >= 0.1 else f"{seconds:.4f}"


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *(f"| {' | '.join(row)} |" for row in rows)]


def _row(one: Measured) -> tuple[str, ...]:
    share = f"{one.matching / one.seconds:.0%}"
    return (one.verb, str(one.clips), str(one.frames), f"{one.seconds:.2f}", share, f"{one.megabytes:.0f}")


def _growth(by_length: list[Measured], by_count: list[Measured]) -> list[tuple[str, str]]:
    last, few, many = by_length[-1], by_count[0], by_count[-1]
    pairs = many.clips - few.clips
    seconds, megabytes = (many.seconds - few.seconds) / pairs, (many.megabytes - few.megabytes) / pairs
    return [
        ("time towards the end: frames to the power", f"{_power(by_length, lambda one: one.seconds):.1f}"),
        ("memory: frames to the power", f"{_power(by_length, lambda one: one.megabytes):.1f}"),
        (f"memory of a frame at {last.frames}", f"{1e3 * last.megabytes / last.frames:.0f} kB"),
        (f"a further clip of {LONG} frames, the reference chosen", f"{seconds:.2f} s, {megabytes:.0f} MB"),
        ("the nearest reference (`medoid`) of N clips: pairs matched before", "N (N − 1) / 2"),
        ("most poses (joints × frames) of a clip; more is refused", f"{MOST_POSES // 10**6} million"),
    ]


def _power(found: list[Measured], of: Callable[[Measured], float]) -> float:
    """The exponent with which a figure grows from the last case but one to the last."""
    one, other = found[-2:]
    return float(np.log(of(other) / of(one)) / np.log(other.frames / one.frames))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        case(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
