"""Filter as it is by default, beside a cutoff and Savitzky and Golay, at four frame rates.

Writes a section of docs/measured/editing.md.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

import edit_filter
import page_sections
from action_loom.core import verbs
from action_loom.core.motion import kinematics
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import Filter
from edit_filter import SEED, clip_of, median, noisy, peak, places, savitzky_golay, wrapped
from quality_tables import Column, Found, apart, is_aside, table

TITLE = "Filtering, as measured"
BEGIN = (
    "*Filter* by default, spikes off since captures have their own, on the takes of the last section with its noise"
    " of 0.5° about each axis and 2 mm on places. Left: share of the noise's RMS, by places; 8 Hz: by `cutoff` 8; SG:"
    " Savitzky and Golay, cubic over 0.15 s. Peak: fastest hand or foot over the clean clip's. Moved: a clean clip's"
    " joint that moves most, mm. Wanted: 0.5 in nine of ten clips, never over 0.8; peak 0.9; moved 5."
)
COMMAND = "    python tools/bench/filter_measured.py"


def main() -> None:
    rows: Found = {}
    for every in (1, 2, 4, 5):
        for name in " ".join(edit_filter.KINDS.values()).split():
            values = of_clip(clip_of(name, every))
            rows.setdefault(f"{120 // every} fps", []).append((is_aside(name), values))
            print(120 // every, name, *(f"{value:.2f}" for value in values), flush=True)
    columns = (
        Column("left", median(0), 2),
        Column("of nine in ten", ninth(0), 2),
        Column("worst", ninth(0, 1.0), 2),
        Column("8 Hz", median(1), 2),
        Column("SG", median(2), 2),
        Column("peak", median(3), 2),
        Column("lowest", ninth(3, 0.0), 2),
        Column("moved", median(4), 1),
        Column("worst", ninth(4, 1.0), 0),
    )
    lines = [*wrapped(BEGIN), "", COMMAND, "", *table("clips at", columns, apart(rows))]
    page_sections.put("editing.md", TITLE, lines)


def of_clip(clip: Clip) -> tuple[float, ...]:
    given = noisy(clip, np.random.default_rng(SEED))
    off = Filter(spikes=False)
    made, at_8 = (verbs.apply(recipe, [given]).clip for recipe in (off, Filter(spikes=False, cutoff=8.0)))
    left = [places(one, clip) / places(given, clip) for one in (made, at_8, savitzky_golay(given))]
    moved = kinematics.points(verbs.apply(off, [clip]).clip) - kinematics.points(clip)
    return (*left, peak(made, clip), 1000.0 * float(np.linalg.norm(moved, axis=2).max()))


def ninth(column: int, share: float = 0.9) -> Callable[[np.ndarray], float]:
    return lambda values: float(np.nanquantile(values[:, column], share))


if __name__ == "__main__":
    main()
