"""The few numbers that rows are kept as: directions in which captured people differ most (methods: Libraries of clips).

One basis for every library, part of the program: so rows of two libraries can be compared, a clip that is added
changes no other's, and any number of machines write the same bytes. `tools/library_basis.py` fits it.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from . import feature

SIZE = 24
FILE = Path(__file__).with_name("basis.npz")

Rows = NDArray[np.float32]


@cache
def _fitted() -> tuple[Rows, Rows]:
    """Return the mean row (WIDTH,) and the directions (WIDTH, SIZE), at right angles and of length 1."""
    with np.load(FILE) as file:
        return file["mean"], file["directions"]


def shortened(numbers: Rows) -> Rows:
    """Return rows (N, WIDTH) of `feature.rows` as (N, SIZE); what a body does not have is as in the mean."""
    mean, directions = _fitted()
    short: Rows = np.nan_to_num(numbers - mean) @ directions
    return short


def lengthened(short: Rows) -> Rows:
    """Return rows (N, SIZE) as the numbers (N, WIDTH) that they tell of: near those of the clip, for pictures."""
    mean, directions = _fitted()
    numbers: Rows = short @ directions.T + mean
    return numbers


def kept(numbers: Rows) -> float:
    """Return the share of what rows (N, WIDTH) differ from the mean by that is left in `shortened` ones."""
    about = np.nan_to_num(numbers - _fitted()[0]).astype(np.float64)
    whole = float((about**2).sum())
    return float((shortened(numbers).astype(np.float64) ** 2).sum()) / whole if whole > 0.0 else 1.0


@cache
def of_part(part: str) -> Rows:
    """Return the matrix (SIZE, K) that leads from short rows to numbers whose distance is that of a part of the body.

    Distances of legs or arms alone are quadratic forms of the whole body's numbers: nothing more has to be kept.
    """
    if part == "whole":
        return np.eye(SIZE, dtype=np.float32)
    of_columns = _fitted()[1][feature.columns_of(part)].astype(np.float64)
    shares, ways = np.linalg.eigh(of_columns.T @ of_columns)
    most = shares > 1e-3 * shares.max()
    matrix: Rows = (ways[:, most] * np.sqrt(shares[most])).astype(np.float32)
    return matrix


def fit(clips: list[Rows]) -> tuple[Rows, Rows]:
    """Return mean and directions of the rows of clips and their mirror images, at most 2,000 rows of each.

    A basis of whom mostly walks would have no numbers left for what others do.
    """
    taken = [rows[np.linspace(0, len(rows) - 1, min(len(rows), 2000)).astype(np.int64)] for rows in clips]
    both = np.concatenate([side for rows in taken for side in (rows, feature.mirrored(rows))]).astype(np.float64)
    mean = np.nanmean(both, axis=0)
    about = np.nan_to_num(both - mean)
    _, ways = np.linalg.eigh(about.T @ about)
    directions = ways[:, ::-1][:, :SIZE]
    signs = np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(SIZE)])
    return mean.astype(np.float32), (directions * signs).astype(np.float32)
