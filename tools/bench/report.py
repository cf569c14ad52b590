"""The page with the figures."""

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
    "scipy", "statsmodels", "librosa", "tslearn", "dtw-python", "dtaidistance", "fastdtw", "upc-pymotion", "pybvh",
    "bvhio",
)  # fmt: skip
HOW = (
    "Milliseconds, or seconds where it says so; medians after a warm-up. Everything in a line was given the same input"
    " and measured in turns, in the same run; answers were compared before times were taken. In brackets: how many"
    " times as long as ours. ≈: some of the work was timed and the rest extrapolated.",
    "*Floor*: the time that copying the bytes or multiplying the numbers takes here, at least: {bandwidth:.0f} GB/s"
    " when copying 8 MB, {rate:.0f} GFLOP/s in a product of 1000 × 1000 doubles, measured in the same run; in Blender,"
    " the bare calls that hand over the keys. {threads}Times are the processor's, which other programs"
    " disturb least; in Blender those of its main thread, so what it spreads over several looks faster than it is;"
    " of skins those of all. Absolute times wander by a third and more on a"
    " shared machine like this one: ratios say more.",
)
COMPARED = (
    "The largest difference between our answer and theirs. Distances: of all values that both have. Paths: of their"
    " costs, relative. Means of rotations: degrees; ours is the mean of arcs (its weighted logarithms, by scipy, sum to"
    " less than 1e-6), theirs that of chords. BVH: degrees and lengths of all values (bvhio keeps quaternions in single"
    " precision: degrees; Blender's import: angles of its keys). Keys in Blender: quaternions. dtw-python was given our"
    " steps as a pattern; symmetricP1, its own nearest one, asks another question, and so does an import that makes"
    " another armature: these were not compared."
)


def page(
    rows: Sequence[Row], found: Found, machine: Machine, material: Material, runs: int, *, whole: bool
) -> list[str]:
    lines = ["# Benchmarks", "", *_wrapped(_where(runs)), "", *_wrapped(f"Material: {material.reported}."), ""]
    threads = "Matrix products use one thread. " if os.environ.get("OPENBLAS_NUM_THREADS") == "1" else ""
    for text in HOW:
        words = text.format(bandwidth=machine.bandwidth / 1e9, rate=machine.rate / 1e9, threads=threads)
        lines += [*_wrapped(words), ""]
    lines += [*_table(rows), ""]
    if len(found.versions) > 1:
        lines += [*_every_blender(found), ""]
    if found.steps:
        lines += [*_steps(found), ""]
    lines += ["## What was compared", "", *_compared(rows), ""]
    if whole:
        lines += ["How time and memory grow with the length and number of clips: [growth.md](growth.md)."]
    return lines


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


def _table(rows: Iterable[Row]) -> list[str]:
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
    """Milliseconds in two or three digits, seconds from one second on."""
    if milliseconds >= 1000.0:
        return f"{milliseconds / 1000.0:.{1 if milliseconds < 1e5 else 0}f} s"
    return f"{milliseconds:.{0 if milliseconds >= 100.0 else 1 if milliseconds >= 1.0 else 2}f}"


def _every_blender(found: Found) -> list[str]:
    lines = [
        "## In every Blender",
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
    lines = ["## Where pressing Weave spends its time", "", f"| | {' | '.join(LINES[key][0] for key in keys)} |"]
    lines.append(f"|---|{'---|' * len(keys)}")
    lines += [
        f"| {step} | {' | '.join(f'{found.steps[key][step]:.0%}' for key in keys)} |" for step in found.steps[keys[0]]
    ]
    return [*lines, "", "Shares under a profiler, which makes many small calls look dearer than they are."]


def _compared(rows: Iterable[Row]) -> list[str]:
    lines = [*_wrapped(COMPARED), ""]
    for row in rows:
        if row.figures.apart:
            message = ", ".join(f"{name} {value:.1e}" for name, value in row.figures.apart.items())
            lines.append(f"- {row.about}: {message}")
    versions = []
    for name in CONTENDERS:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            versions.append(f"{name}: could not be installed here")
    return [*lines, "", *_wrapped(f"Versions: {', '.join(versions)}; plain numpy is numpy {np.__version__}.")]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 118)
