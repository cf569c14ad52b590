"""Parts of the program that document 000 prints, carried over as they are to be measured beside ours [TMPS]."""

from dataclasses import dataclass

import numpy as np


def their_transform(one: np.ndarray, other: np.ndarray) -> tuple[float, np.ndarray]:
    """CalcTransformBetweenFigures: the turn and the shift that bring points (P, 3; y up) onto others."""
    (x, y, z), (u, v, w), count = one.T, other.T, len(one)
    right, bottom = x.sum() * w.sum() - u.sum() * z.sum(), x.sum() * u.sum() + z.sum() * w.sum()
    turn = np.arctan2((x * w - u * z).sum() - right / count, (x * u + z * w).sum() - bottom / count)
    cos, sin = np.cos(turn), np.sin(turn)
    shift = [x.sum() - u.sum() * cos - w.sum() * sin, (y - v).sum(), z.sum() + u.sum() * sin - w.sum() * cos]
    return float(turn), np.array(shift) / count


def their_distance(one: np.ndarray, other: np.ndarray) -> float:
    """calc_pose_distance."""
    turn, shift = their_transform(one, other)
    cos, sin = np.cos(turn), np.sin(turn)
    brought = other @ np.array([[cos, 0.0, -sin], [0.0, 1.0, 0.0], [sin, 0.0, cos]]) + shift
    return float(np.sqrt(((one - brought) ** 2).sum() / len(one)))


def their_smoothing(cells: np.ndarray, radius: int) -> np.ndarray:
    """CalcSmoothRegistrationCurve: cells (frame of the clip, of the reference) made anew of averaged middles."""
    columns = np.arange(cells[-1, 1] + 1)
    middles = [int(cells[cells[:, 1] == c, 0].min() + cells[cells[:, 1] == c, 0].max()) // 2 for c in columns]
    padded = np.pad(middles, radius, mode="edge")
    smooth = [int(padded[c : c + 2 * radius + 1].mean()) for c in columns]
    path: list[tuple[int, int]] = []

    def add(row: int, column: int) -> None:
        if len(path) < 2 or path[-2] != (row - 1, column - 1):
            path.append((row, column))
        else:
            path[-1] = (row, column)

    back = 0
    for column in columns[:-1]:
        following = (smooth[column] + smooth[column + 1] + 1) // 2
        for row in range(back, following + 1):
            add(row, int(column))
        back = following
    for row in range(back, int(cells[-1, 0]) + 1):
        add(row, int(columns[-1]))
    return np.array(path)


@dataclass(frozen=True)
class Frames:
    """The frames (N,) of a clip at those of the reference, as curves are asked for them."""

    values: np.ndarray
    first: int = 0

    @property
    def last(self) -> int:
        return len(self.values) - 1

    def at(self, frames: np.ndarray) -> np.ndarray:
        return np.interp(frames, np.arange(len(self.values)), self.values)
