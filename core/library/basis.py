"""The basis of a library's rows: principal directions of captured motion (methods: Libraries of clips).

All libraries share one basis, which is part of the program. Rows of different libraries are therefore comparable, a
new clip does not change other rows, and any number of machines write the same bytes. `tools/library_basis.py` fits it.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from . import feature

SIZE = 24  # numbers stored per row
FILE = Path(__file__).with_name("basis.npz")

Rows = NDArray[np.float32]


@cache
def _load_basis() -> tuple[Rows, Rows]:
    """Return the mean row (WIDTH,) and the orthonormal directions (WIDTH, SIZE)."""
    with np.load(FILE) as file:
        return file["mean"], file["directions"]


def shorten_rows(numbers: Rows) -> Rows:
    """Return rows (N, WIDTH) of `feature.rows` as (N, SIZE); missing joints are replaced by the mean."""
    mean, directions = _load_basis()
    short: Rows = np.nan_to_num(numbers - mean) @ directions
    return short


def expand_rows(short: Rows) -> Rows:
    """Return rows (N, SIZE) expanded to (N, WIDTH), close to the clip's original numbers, for pictures.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.library import basis, feature
        >>> numbers = feature.rows(actions.walk())
        >>> bool(abs(basis.expand_rows(basis.shorten_rows(numbers)) - numbers).max() < 0.01)
        True
    """
    mean, directions = _load_basis()
    numbers: Rows = short @ directions.T + mean
    return numbers


def lower_foot(short: Rows) -> Rows:
    """Return the height (N,) of the lower foot's ball above the floor in rows (N, SIZE), in body heights.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.library import basis, feature
        >>> bool(basis.lower_foot(basis.shorten_rows(feature.rows(actions.walk()))).max() < 0.1)
        True
    """
    mean, directions = _load_basis()
    numbers: Rows = short @ directions[feature.BALLS].T + mean[feature.BALLS]
    return numbers.min(axis=1) / feature.BALL_SCALE


def kept_variance(numbers: Rows) -> float:
    """Return the share of the variance of rows (N, WIDTH) that their `shorten_rows` rows keep."""
    about = np.nan_to_num(numbers - _load_basis()[0]).astype(np.float64)
    whole = float((about**2).sum())
    return float((shorten_rows(numbers).astype(np.float64) ** 2).sum()) / whole if whole > 0.0 else 1.0


@cache
def of_part(part: str) -> Rows:
    """Return the matrix (SIZE, K) that maps short rows to coordinates for the distance of a part of the body.

    The distance of legs or arms alone is a quadratic form of the SIZE numbers, so no other numbers need to be stored.
    """
    if part == "whole":
        return np.eye(SIZE, dtype=np.float32)
    of_columns = _load_basis()[1][feature.columns_of(part)].astype(np.float64)
    shares, directions = np.linalg.eigh(of_columns.T @ of_columns)
    most = shares > 1e-3 * shares.max()  # the other directions hardly change the distance
    matrix: Rows = (directions[:, most] * np.sqrt(shares[most])).astype(np.float32)
    return matrix


def fit(clips: list[Rows]) -> tuple[Rows, Rows]:
    """Return mean and directions of the rows of clips and their mirror images, at most 2,000 rows of each.

    The limit prevents long walking clips from dominating the basis.
    """
    taken = [rows[np.linspace(0, len(rows) - 1, min(len(rows), 2000)).astype(np.int64)] for rows in clips]
    both = np.concatenate([side for rows in taken for side in (rows, feature.mirror_rows(rows))]).astype(np.float64)
    mean = np.nanmean(both, axis=0)
    about = np.nan_to_num(both - mean)
    _, vectors = np.linalg.eigh(about.T @ about)
    directions = vectors[:, ::-1][:, :SIZE]
    signs = np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(SIZE)])
    return mean.astype(np.float32), (directions * signs).astype(np.float32)
