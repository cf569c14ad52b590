"""Shared by the scripts that write docs/measured/sources.md: tables of elements, pictures, pairs of captured clips."""

import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import page_sections
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

from action_loom.core.motion import resample
from action_loom.core.motion.clip import Clip
from action_loom.core.plots.png import as_png
from action_loom.core.recipes.matching import Matching
from action_loom.core.weave import preprocess
from oracles import gait, paths, timewarps  # noqa: F401  (for the scripts, which have no path to them)
from oracles.material import captured, captured_files
from quality_tables import grid, is_aside

HEADS = ("element", "printed", "ours", "where")
LARGEST = 150_000  # bytes of a picture
WALKS = (
    "mb_02_01+mb_05_01 mb_05_01+mb_06_01 mb_16_15+mb_35_01 mb_10_04+mb_07_01 mb_02_01+mb_16_15 mb_08_01+mb_12_01"
    " mb_12_01+mb_32_01 mb_32_01+mb_35_03 mb_35_03+mb_07_12 mb_08_04+mb_08_01"
)
WALKS_AND_RUNS = (
    "mb_02_01+mb_02_03 mb_07_01+mb_35_17 mb_35_01+mb_35_17 mb_05_01+mb_35_17 mb_08_01+mb_35_22 mb_35_03+mb_35_22"
)
SETS = ((False, "tuned on"), (True, "kept aside"))


@dataclass(frozen=True, eq=False)
class Pair:
    """Two clips of one body and rate, cut to the stretch in which they correspond."""

    aside: bool
    reference: Clip
    clip: Clip


def needs_clips() -> None:
    """End with a sentence where there are no captured clips."""
    if not captured_files()[0].exists():
        sys.exit("The captured clips of ../shared/data are needed")


def pairs(names: str, rate: float = 0.0) -> list[Pair]:
    """Return pairs `a+b`, each cut to where they correspond by default options; at another rate if one is given.

    Both clips of the documents were cut to correspond, so that a path leads from corner to corner.
    """
    found = []
    for one, other in (pair.split("+") for pair in names.split()):
        ready = preprocess.register([captured(f"cmu_{one}"), captured(f"cmu_{other}")], Matching())
        ends = ready.registration.frames(ready.registration.grid[[0, -1]])
        parts = [
            clip.cut(round(first), round(last) + 1)
            for clip, (first, last) in zip(ready.prepared.clips, ends, strict=True)
        ]
        if rate:
            parts = [resample.to_rate(part, rate) for part in parts]
        found.append(Pair(is_aside(one, other), parts[0], parts[1]))
    return found


def elements(text: str) -> list[str]:
    """Lines of the table of a document's elements: element | printed | ours | where, blank lines between them."""
    rows = [" ".join(block.split()).split(" | ") for block in text.strip().split("\n\n")]
    wrong = [row for row in rows if len(row) != len(HEADS) or any("|" in cell for cell in row)]
    if wrong:
        sys.exit(f"These are no rows of {len(HEADS)}: {wrong}")
    return grid(HEADS, rows)


def words(text: str) -> list[str]:
    return [*textwrap.wrap(" ".join(text.split()), 118, break_on_hyphens=False, break_long_words=False), ""]


def picture(figure: Figure, name: str, about: str) -> list[str]:
    """Write a picture into docs/measured/images and return the lines that show it."""
    image = as_png(figure)
    if len(image) > LARGEST:
        sys.exit(f"{name} has {len(image)} bytes, more than {LARGEST}")
    (ROOT / "docs" / "measured" / "images" / f"{name}.png").write_bytes(image)
    return [f"![{about}](images/{name}.png)", ""]


def median_and_most(values: Sequence[float] | np.ndarray, digits: int = 0) -> str:
    """The median, and the 90th percentile behind a stroke."""
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if not len(known):
        return "–"
    return f"{np.median(known):.{digits}f} / {np.percentile(known, 90):.{digits}f}"


def distances(axis: Axes, matrix: np.ndarray) -> None:
    """Draw distances (M, N), the reference along x, bright where they are far, in few greys: small files."""
    axis.imshow(matrix.T, origin="lower", cmap=colormaps["gray"].resampled(24), aspect="auto", interpolation="nearest")


def put(title: str, lines: Sequence[str]) -> None:
    """Write a document's section of docs/measured/sources.md, and print it."""
    page_sections.put("sources.md", title, lines)
    print("\n".join(lines))
