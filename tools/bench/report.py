"""Write the section of docs/measured.md with the time of each step."""

import datetime
import os
import platform
import textwrap
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

import numpy as np
from blenders import EVERYWHERE, LINES, Found
from floor import Machine
from line import Row
from material import Material

CONTENDERS = (
    "scipy", "statsmodels", "librosa", "tslearn", "dtw-python", "dtaidistance", "fastdtw", "aeon", "networkx",
    "rustworkx", "faiss-cpu", "hnswlib", "upc-pymotion", "pybvh", "bvhio",
)  # fmt: skip
TITLE = "Speed"
TIMES = (
    "Medians after a warm-up in milliseconds, or seconds (s); in brackets the multiple of our time; ≈: a part was"
    " timed, the rest extrapolated. All in a row got the same input in turns, in one run, after their answers were"
    " compared. Times are the processor's (in Blender its main thread's, so threaded work looks faster than it"
    " is{skins}), and vary by a third and more on a shared machine; ratios are more reliable.{threads}",
    "*Floor*: at least the time for copying the bytes or multiplying the numbers here ({bandwidth:.0f} GB/s when"
    " copying 8 MB, {rate:.0f} GFLOP/s in a product of 1000 × 1000 doubles, in the same run); in Blender, the bare"
    " calls that hand over the keys.",
)
VERSIONS = "Rows that are measured in every Blender; below each, with …, other ways to do the same."
STEPS = "Shares under a profiler, which exaggerates many small calls."
COMPARED = (
    "The largest difference between our answer and theirs. Distances: all values that both have. Paths: their costs,"
    " relative. Means of rotations: degrees; ours is the mean of arcs (its weighted logarithms, by scipy, sum to less"
    " than 1e-6), theirs of chords. BVH: degrees and lengths of all values (bvhio stores quaternions in single"
    " precision: degrees; Blender's import: angles of its keys). Keys in Blender: quaternions. dtw-python got our steps"
    " as a pattern. Walks: frames; components: how many are others. Nearest rows: squared distances, relative; of HNSW"
    " and hnswlib, which may miss some, the share that they miss. Not compared, since they answer another question:"
    " symmetricP1, its nearest own pattern, aeon's other elastic distances (MSM, ERP, TWE), an import that makes"
    " another armature, and *Decimate*, whose curves err as much as ours."
)


def compose(rows: Sequence[Row], found: Found, machine: Machine, material: Material, runs: int) -> list[str]:
    """Return the lines of the section."""
    lines = [*_wrapped(f"{_where(runs)} Material: {material.reported}."), ""]
    threads = " Matrix products use one thread." if os.environ.get("OPENBLAS_NUM_THREADS") == "1" else ""
    skins = "; of skins those of all threads" if any(row.key.startswith("skin-") for row in rows) else ""
    for text in TIMES:
        words = text.format(bandwidth=machine.bandwidth / 1e9, rate=machine.rate / 1e9, threads=threads, skins=skins)
        lines += [*_wrapped(words), ""]
    lines += [*table(rows), ""]
    if len(found.versions) > 1:
        lines += [*_every_blender(found), ""]
    if found.steps:
        lines += [*_steps(found), ""]
    return [*lines, "### Agreement of the answers", "", *_compared(rows)]


def _where(runs: int) -> str:
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "numba"))
    return (
        f"`make bench` on {datetime.date.today()}: {platform.machine()}, {_processor()}, Python "
        f"{platform.python_version()}, {versions}; {runs} runs of each, fewer of what takes long."
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown CPU")
    return f"{name}, {sum(line.startswith('processor') for line in lines)} cores"


def table(rows: Iterable[Row]) -> list[str]:
    """Return the lines of the table of times."""
    head = ["", "ours", "others", "floor", "ours / floor", "target", "met"]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for row in rows:
        figures = row.figures
        others = [
            f"{name} {'≈ ' if name in figures.extrapolated else ''}{shown(taken)} ({_times(taken / figures.ours)}×)"
            for name, taken in figures.rivals.items()
        ]
        others += [f"{name}: not installed here" for name in figures.missing]
        has_target = bool(row.target.most or row.target.ratios)
        cells = [
            row.about,
            f"**{shown(figures.ours)}**",
            "<br>".join(others),
            shown(figures.floor) if figures.floor else "",
            _times(figures.ours / figures.floor) if figures.floor else "",
            _target(row),
            ("yes" if row.met else "**no**") if has_target else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _target(row: Row) -> str:
    message = [f"≤ {shown(row.target.most)}"] if row.target.most else []
    return ", ".join([*message, *(f"≥ {ratio:g}× {name}" for name, ratio in row.target.ratios.items())])


def _times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10.0 else f"{ratio:.1f}"


def shown(milliseconds: float) -> str:
    """Format a time: milliseconds with two or three digits, or seconds if it is at least one second."""
    if milliseconds >= 1000.0:
        return f"{milliseconds / 1000.0:.{1 if milliseconds < 1e5 else 0}f} s"
    return f"{milliseconds:.{0 if milliseconds >= 100.0 else 1 if milliseconds >= 1.0 else 2}f}"


def _every_blender(found: Found) -> list[str]:
    lines = [
        "### In every Blender",
        "",
        VERSIONS,
        "",
        f"| | {' | '.join(found.versions)} |",
        f"|---|{'---|' * len(found.versions)}",
    ]
    for key in EVERYWHERE:
        by_version = [figures.get(key) for figures in found.versions.values()]
        there = [figures for figures in by_version if figures is not None]
        if not there:
            continue
        ours = [shown(one.ours) if one else "" for one in by_version]
        lines.append(f"| **{LINES[key][0]}** | {' | '.join(ours)} |")
        for name in there[0].rivals:
            cells = [shown(one.rivals[name]) if one and name in one.rivals else "" for one in by_version]
            lines.append(f"| … {name} | {' | '.join(cells)} |")
        if there[0].floor:
            lines.append(f"| … the bare calls | {' | '.join(shown(one.floor) if one else '' for one in by_version)} |")
    return lines


def _steps(found: Found) -> list[str]:
    keys = list(found.steps)
    lines = ["### Where pressing Weave spends its time", "", STEPS, ""]
    lines.append(f"| | {' | '.join(LINES[key][0] for key in keys)} |")
    lines.append(f"|---|{'---|' * len(keys)}")
    lines += [
        f"| {step} | {' | '.join(f'{found.steps[key][step]:.0%}' for key in keys)} |" for step in found.steps[keys[0]]
    ]
    return lines


def _compared(rows: Iterable[Row]) -> list[str]:
    lines = [*_wrapped(COMPARED), "", "| step | largest difference |", "|---|---|"]
    for row in rows:
        if row.figures.apart:
            differences = "<br>".join(f"{name} {value:.1e}" for name, value in row.figures.apart.items())
            lines.append(f"| {row.about} | {differences} |")
    lines += ["", "| library | version |", "|---|---|", f"| numpy | {np.__version__} |"]
    for name in CONTENDERS:
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            version = "not installed here"
        lines.append(f"| {name} | {version} |")
    return lines


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 118)
