"""Timewarp matrices as files: the re-timing of a clip to its reference, in frames of both clips as given."""

from collections.abc import Sequence

import numpy as np

from ..errors import ClipError, OptionError
from ..motion.clip import Clip
from ..motion.quat import Array
from ..recipes.base import Recipe
from ..recipes.matching import Matching
from ..sync import timewarp_matrix
from ..verbs import VERBS
from ..weave.results import BlendResult

LARGEST = 16_000_000  # cells per file; larger registrations are subsampled, too


def has(recipe: type[Recipe] | Recipe) -> bool:
    """Return whether a verb registers clips, and thus has a timewarp matrix."""
    return VERBS[recipe.verb].depends is Matching


def check(recipe: Recipe, clips: int) -> None:
    """Raise OptionError unless there is exactly one timewarp matrix."""
    if not has(recipe):
        raise OptionError(
            f"{recipe.verb} re-times no clip to another, so there is no timewarp matrix; sync and blend do"
        )
    if clips != 2:
        raise OptionError(
            f"a timewarp matrix is of a clip and its reference; {clips} are given: sync each with the reference"
        )


def compose(made: BlendResult, given: Sequence[Clip]) -> bytes:
    """Return a CSV file of the timewarp matrix (M, N) of two registered clips, in their frames as given.

    It has a row for each of the M frames of the re-timed clip and a column for each of the N frames of the reference: 0
    … M−1 times the matrix are the frames played. Columns add up to 1, or to 0 for omitted frames. Cycles wrap to their
    first frame. Raises ClipError for a matrix of more than 16 million cells.
    """
    other = 1 - made.prepared.reference
    rows, columns = len(given[other]), len(given[made.prepared.reference])
    if rows * columns > LARGEST:
        raise ClipError(
            f"{given[other].name}: its timewarp matrix would have {rows:,} rows of {columns:,} numbers, more than "
            f"{LARGEST:,} in all: cut the clips"
        )
    return _csv(timewarp_matrix.matrix(_frames(made, other, columns), rows))


def _frames(made: BlendResult, other: int, columns: int) -> Array:
    """Return the given frames (N,) of the re-timed clip at each frame of the reference, NaN if omitted."""
    ready, registered = made.prepared, made.registration
    ours = ready.frame_maps[ready.reference]
    at = (np.arange(columns) - ours.first) / ours.step
    if registered.cyclic:
        left_out = (at < 0.0) | (at > len(ready.clips[ready.reference]) - 1)
        frames = registered.frames(at)[other] % (len(ready.clips[other]) - 1)
    else:
        left_out = (at < registered.first) | (at > registered.last)
        frames = registered.frames(at)[other]
        if ready.counts and ready.counts[other] > 1:
            frames = frames % ((len(ready.clips[other]) - 1) // ready.counts[other])
    return np.where(left_out, np.nan, ready.given_frames(other, frames))


def _csv(matrix: Array) -> bytes:
    """Return numbers (M, N), most of them 0, as lines of a CSV file."""
    lines = []
    for row in matrix:
        cells = ["0"] * len(row)
        for column in np.flatnonzero(row):
            cells[column] = f"{row[column]:.12g}"
        lines.append(",".join(cells))
    return ("\n".join(lines) + "\n").encode()
