"""make bench: time each step, and compare with other libraries and Blender's own methods.

Writes a section of docs/measured.md. Uses captured clips if ../shared/data exists, otherwise generated clips.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import blenders
import distances
import floor
import line
import loops
import material
import motion_files
import report
import rotations
import searches
import start
import surfaces
import warping

sys.path.append(str(Path(__file__).resolve().parent.parent))

import page_sections
from floor import Machine
from line import DisagreementError, Row
from material import Material

LINES = [
    *distances.lines(),
    *warping.lines(),
    *rotations.lines(),
    *loops.lines(),
    *motion_files.lines(),
    *surfaces.lines(),
    *searches.lines(),
]
KEYS = [*(one.key for one in LINES), *start.KEYS, *blenders.LINES]


def main() -> None:
    options = asked()
    runs, longest = (3, 0.6) if options.quick else (15, 8.0)

    def wanted(key: str) -> bool:
        return not options.line or key == options.line or key.startswith(f"{options.line}-")

    machine = floor.measure()
    with tempfile.TemporaryDirectory() as folder:
        clips = material.make(Path(folder))
        try:
            rows = here(clips, machine, wanted, runs, longest)
            rows += start.rows(clips, wanted, 1 if options.quick else 3, quick=options.quick)
            part = options.quick or bool(options.line)
            found = blenders.measure(options.zip, clips, wanted, runs, quick=part)
        except DisagreementError as disagreement:
            sys.exit(f"bench: {disagreement}")
        lines = report.compose([*rows, *found.rows], found, machine, clips, runs)
    print("\n".join(["", *lines]))
    if not part:
        page_sections.put(report.TITLE, lines)
    elif not options.quick:
        page_sections.put_rows(report.TITLE, report.table([*rows, *found.rows]))


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few runs, newest Blender only; docs/ stays as it is")
    parser.add_argument("--line", default="", help="only the lines whose key begins so, also in docs/")
    parser.add_argument("zip", help="the built extension, for the times in Blender")
    options = parser.parse_args()
    if options.line and not any(key == options.line or key.startswith(f"{options.line}-") for key in KEYS):
        parser.error(f"there is no line {options.line}: {', '.join(KEYS)}")
    return options


def here(clips: Material, machine: Machine, wanted: Callable[[str], bool], runs: int, longest: float) -> list[Row]:
    """Measure the benchmarks that run in this process."""
    rows = []
    for one in LINES:
        if not wanted(one.key):
            continue
        print(one.about, flush=True)
        case = one.prepare(clips)
        try:
            figures = line.measure(case, runs, longest)
        except DisagreementError as disagreement:
            raise DisagreementError(f"{one.key}: {disagreement}") from None
        figures = replace(figures, floor=machine.floor(case.moved, case.operations))
        rows.append(Row(one.key, one.about, one.target, figures))
    return rows


if __name__ == "__main__":
    main()
