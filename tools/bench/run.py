"""make bench: time each line, and compare with other libraries and Blender's own methods.

Writes a section of docs/measured.md. Uses captured clips if ../shared/data exists, otherwise generated clips.
"""

import argparse
import datetime
import os
import platform
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import growth
from action_loom.core import jit
from here import LINES
from material import Material, make_material
from processes import BLENDER, COMMANDS, EVERYWHERE, Found, measure_blenders, measure_commands
from table import DisagreementError, Machine, Row, measure, measure_machine

sys.path.append(str(Path(__file__).resolve().parent.parent))

import page_sections

KEYS = (*LINES, *COMMANDS, *BLENDER)
LIBRARIES = (
    "scipy", "librosa", "tslearn", "dtw-python", "dtaidistance", "aeon", "networkx", "rustworkx", "faiss-cpu",
    "hnswlib", "upc-pymotion", "pybvh",
)  # fmt: skip
INTRODUCTION = (
    "`make bench` on {date}: {machine}, {processor}, Python {python}, numpy {numpy}, numba {numba}; {runs} runs of"
    " each, fewer of what takes long. Material: {material}.",
    "Medians after a warm-up in milliseconds, or seconds (s); in brackets the multiple of our time; ≈: a part was"
    " timed, the rest extrapolated. All in a row got the same input in turns, in one run, after their answers were"
    " compared. Times are the processor's (in Blender its main thread's, so threaded work looks faster than it is),"
    " and vary by a third and more on a shared machine; ratios are more reliable.{threads}",
    "*Floor*: at least the time for copying the bytes or multiplying the numbers here ({bandwidth:.0f} GB/s when"
    " copying 8 MB, {rate:.0f} GFLOP/s in a product of 1000 × 1000 doubles, in the same run); in Blender, the bare"
    " calls that hand over the keys. A *pace* is a fixed piece of work of numpy and Python, {pace:.2f} ms here; targets"
    " are multiples of it, or of others' times. Libraries: {libraries}.",
)


def main() -> None:
    options = parse_arguments()
    runs, longest = (3, 0.6) if options.quick else (15, 8.0)
    part = options.quick or bool(options.line)

    def wanted(key: str) -> bool:
        return not options.line or key == options.line or key.startswith(f"{options.line}-")

    if jit.compiler():
        jit.use("numba")  # by default, numpy computes while kernels are compiled
    machine = measure_machine()
    with tempfile.TemporaryDirectory() as folder:
        material = make_material(Path(folder))
        try:
            rows = measure_here(material, machine, wanted, runs, longest)
            rows += measure_commands(material, wanted, 1 if options.quick else 3)
            found = measure_blenders(options.zip, material, wanted, runs, quick=part)
        except DisagreementError as disagreement:
            sys.exit(f"bench: {disagreement}")
        lines = introduce(machine, material, runs) + compose_table([*rows, *found.rows], machine.pace)
    lines += compose_versions(found) if len(found.versions) > 1 else []
    lines += [] if part else compose_growth(growth.measure_growth(material))
    print("\n".join(["", *lines]))
    if not part:
        page_sections.put("Speed", lines)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few runs, newest Blender only; docs/ stays as it is")
    parser.add_argument("--line", default="", help="only the lines whose key begins so; docs/ stays as it is")
    parser.add_argument("zip", help="the built extension, for the times in Blender")
    options = parser.parse_args()
    if options.line and not any(key == options.line or key.startswith(f"{options.line}-") for key in KEYS):
        parser.error(f"there is no line {options.line}: {', '.join(KEYS)}")
    return options


def measure_here(
    material: Material, machine: Machine, wanted: Callable[[str], bool], runs: int, longest: float
) -> list[Row]:
    """Measure the lines that run in this process."""
    rows = []
    for key in filter(wanted, LINES):
        about, target, prepare = LINES[key]
        print(about, flush=True)
        case = prepare(material)
        try:
            figures = measure(case, runs, longest)
        except DisagreementError as disagreement:
            raise DisagreementError(f"{key}: {disagreement}") from None
        rows.append(Row(about, target, replace(figures, floor=machine.floor(case.moved, case.operations))))
    return rows


# --- the section of the page ----------------------------------------------------------------------------------------


def introduce(machine: Machine, material: Material, runs: int) -> list[str]:
    info = Path("/proc/cpuinfo")
    processors = [line for line in info.read_text().splitlines() if line.startswith("model name")]
    values = {
        "date": datetime.date.today(),
        "machine": platform.machine(),
        "processor": f"{processors[0].partition(':')[2].strip()}, {len(processors)} cores" if processors else "",
        "python": platform.python_version(),
        "runs": runs,
        "material": material.description,
        "threads": " Matrix products use one thread." if os.environ.get("OPENBLAS_NUM_THREADS") == "1" else "",
        "bandwidth": machine.bandwidth / 1e9,
        "rate": machine.rate / 1e9,
        "pace": machine.pace,
        "libraries": ", ".join(f"{name} {find_version(name)}" for name in LIBRARIES),
    } | {name: find_version(name) for name in ("numpy", "numba")}
    return [line for text in INTRODUCTION for line in [*textwrap.wrap(text.format(**values), 118), ""]]


def find_version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed here"


def compose_table(rows: Iterable[Row], pace: float) -> list[str]:
    lines = []
    for row in rows:
        figures, target, show = row.figures, row.target, show_memory if row.is_memory else show_time
        rivals = [
            f"{name} {'≈ ' * (name in figures.extrapolated)}{show(taken)} ({show_ratio(taken / figures.ours)}×)"
            for name, taken in figures.rivals.items()
        ]
        unit = "MB" if row.is_memory else "paces"
        limits = [f"≤ {target.most:g} {unit}"] if target.most else []
        limits += [f"≥ {ratio:g}× {name}" for name, ratio in target.ratios.items()]
        lines.append((
            row.about,
            f"**{show(figures.ours)}**",
            "<br>".join([*rivals, *(f"{name}: not installed here" for name in figures.missing)]),
            f"{show(figures.floor)} ({show_ratio(figures.ours / figures.floor)}×)" if figures.floor else "",
            ", ".join(limits),
            ("yes" if row.meets(pace) else ": ".join(filter(None, ("**no**", target.reason)))) if limits else "",
        ))  # fmt: skip
    return page_sections.table(("", "ours", "others", "floor (ours)", "target", "met"), lines)


def compose_versions(found: Found) -> list[str]:
    def cells(key: str) -> list[str]:
        show = show_memory if "MB" in BLENDER[key][0] else show_time
        return [show(figures[key].ours) if key in figures else "" for figures in found.versions.values()]

    rows = [(BLENDER[key][0], *cells(key)) for key in EVERYWHERE if any(cells(key))]
    return ["", "### In every Blender", "", *page_sections.table(("ours", *found.versions), rows)]


def compose_growth(rows: Iterable[tuple[str, ...]]) -> list[str]:
    about = "Sizes double three times; exponents of time and of the memory that the work takes, by numba."
    head = ("", "seconds", "time", "memory", "more than 1.1, because")
    return ["", "### Growth", "", about, "", *page_sections.table(head, rows)]


def show_ratio(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10.0 else f"{ratio:.1f}"


def show_memory(megabytes: float) -> str:
    return f"{megabytes:.{0 if megabytes >= 100.0 else 1}f}"


def show_time(milliseconds: float) -> str:
    """Format a time: milliseconds with two or three digits, or seconds if it is at least one second."""
    if milliseconds >= 1000.0:
        return f"{milliseconds / 1000.0:.{1 if milliseconds < 1e5 else 0}f} s"
    return f"{milliseconds:.{0 if milliseconds >= 100.0 else 1 if milliseconds >= 1.0 else 2}f}"


if __name__ == "__main__":
    main()
