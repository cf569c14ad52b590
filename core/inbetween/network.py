"""A small network that learns departures from interpolation, by the places of the body's points (methods: Fill).

Its error is measured on windows that it has not seen, before it learns from these, too.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from .rows import Longs, Singles
from .windows import Poses, list_described_joints, to_body, waves

HIDDEN = (512, 512)  # widths of the hidden layers
COMPONENTS = 128  # principal components of departures that the network predicts
SAMPLE = 4000  # windows from which these components are computed
STEPS = 2500  # steps of training
BEFORE = 0.6  # share of these steps in which the held-out windows are not used
BATCH = 128  # windows per step
FRAMES = 4  # frames per window in which the positions of points are compared
PACE = 3e-3  # largest step size
WARM = 100  # steps over which the step size grows from 0
DECAY = 0.01  # weight decay
DROPPED = 0.1  # share of units dropped in each step (dropout)
MOMENTA, TINY = (0.9, 0.98), 1e-8  # the two decay rates of Adam, and the term that prevents its division by zero
# Squared errors well below these hardly count: for points per coordinate, and for rotations relative to the usual one.
NEAR, NEAR_TURN = 0.0015, 0.01
SPREAD = 0.01  # added to standard deviations (for features, times their overall one), so that none is zero
LEVER = 0.01  # added to the weights of joints, for the same reason
POINTS = 2.0  # weight of the error of points, relative to the error of rotations
TOGETHER = 2000  # windows computed at once


@dataclass(frozen=True, eq=False)
class Network:
    """Layers from features less `means` over `sizes` (F,) to components, times `basis` (C, D) plus `mean` (D,)."""

    means: Singles
    sizes: Singles
    layers: list[tuple[Singles, Singles]]
    basis: Singles
    mean: Singles

    def predict(self, given: Array | Singles) -> Singles:
        """Return the departures (N, D) of windows with features (N, F)."""
        value = ((given - self.means) / self.sizes).astype(np.float32)
        parts = [self.through(value[k : k + TOGETHER])[-1][0] for k in range(0, len(value), TOGETHER)]
        return np.asarray(np.concatenate(parts) @ self.basis + self.mean)

    def through(self, value: Singles, rng: np.random.Generator | None = None) -> list[tuple[Singles, ...]]:
        """Return the values of all layers, the slopes of their units, and which units a generator did not drop."""
        found: list[tuple[Singles, ...]] = [(value,)]
        for weights, shift in self.layers[:-1]:
            before = value @ weights + shift
            gate = np.float32(0.5) + np.float32(0.5) * np.tanh(np.float32(0.5) * before)
            after = before * gate
            slope = gate * (1.0 + before - after)
            if value.shape == after.shape:
                after += value
            kept = np.ones_like(after)
            if rng is not None:
                kept = (rng.random(before.shape, dtype=np.float32) >= DROPPED) / np.float32(1.0 - DROPPED)
            value = after * kept
            found.append((value, slope, kept))
        weights, shift = self.layers[-1]
        return [*found, (value @ weights + shift,)]

    def back(self, found: list[tuple[Singles, ...]], slope: Singles) -> list[Singles]:
        """Return the slopes of all weights and shifts, from the slope of the last layer's values."""
        slopes: list[Singles] = []
        beside: Singles | None = None
        for k in range(len(self.layers) - 1, -1, -1):
            slopes = [found[k][0].T @ slope, slope.sum(axis=0), *slopes]
            if k == 0:
                break
            total = slope @ self.layers[k][0].T
            if beside is not None:
                total += beside
            total *= found[k][2]
            beside = total if found[k - 1][0].shape == total.shape else None
            slope = total * found[k][1]
        return slopes


class _Turns:
    """How far weighted departures are from the true ones, along a gap."""

    def __init__(self, network: Network, wanted: Singles, rows: int) -> None:
        along = waves(rows, (np.arange(2 * FRAMES) + 0.5) / (2 * FRAMES)).astype(np.float32)
        over = network.basis.reshape(len(network.basis), along.shape[1], -1)
        self.wanted = wanted
        self.over = np.einsum("ckd,fk->cfd", over, along).reshape(len(over), -1)
        self.usual = np.square(wanted @ self.over).sum(axis=1).mean() / len(along)

    def slope(self, made: Singles, at: Longs) -> Singles:
        """Return the slope of the mean distance from the components of some windows."""
        apart = ((made - self.wanted[at]) @ self.over).reshape(len(at), 2 * FRAMES, -1)
        far = np.sqrt(np.square(apart).sum(axis=2, keepdims=True) + np.float32(NEAR_TURN) * self.usual)
        part: Singles = (apart / far).reshape(len(at), -1) @ self.over.T
        return part / (np.sqrt(self.usual) * np.float32(2 * FRAMES * len(at)))


class Windows(NamedTuple):
    """Windows of some rows of poses: their starts, features (N, F) and departures (N, D)."""

    poses: Poses
    starts: Longs
    rows: int
    given: Singles
    true: Singles


class Body:
    """The points of a skeleton in windows with predicted departures, and how they depend on these."""

    def __init__(self, clip: Clip, poses: Poses, moving: list[int], rows: int) -> None:
        skeleton = clip.skeleton
        self.poses, self.moving, self.rows = poses, moving, rows
        self.skeleton, self.points = skeleton, list_described_joints(skeleton)
        self.turned = quat.to_matrix(skeleton.orients)
        self.still = clip.translations[0] / skeleton.height
        self.carried = np.zeros((len(skeleton), len(self.points)))
        for column, joint in enumerate(self.points):
            while joint >= 0:
                self.carried[joint, column] = 1.0
                joint = int(skeleton.parents[joint])

    def lose(self, starts: Longs, frames: Longs, departures: Singles, sizes: Array) -> tuple[float, Array]:
        """Return the mean distance (in sizes (P, 3)) of points at rows after the starts, and its slope (W, K, D)."""
        poses, joints = self.poses, len(self.skeleton)
        share = frames / self.rows
        along = waves(self.rows, share)
        values = np.einsum("fk,wkd->wfd", along, departures.astype(np.float64), optimize=True)
        values = values.reshape(len(starts), len(frames), -1, 3)
        last = starts + self.rows
        whole = quat.log(quat.mul(quat.inv(poses.turns[starts]), poses.turns[last]))[:, None]
        turns = quat.mul(poses.turns[starts][:, None], quat.exp(share[:, None, None] * whole))
        turns = quat.mul(turns, quat.exp(values[:, :, :joints]))
        body = quat.to_matrix(to_body(poses, starts))[:, None]
        way = (poses.shifts[last] - poses.shifts[starts])[:, None]
        shifts = np.tile(self.still, (len(starts), len(frames), 1, 1))
        shifts[:, :, self.moving] = poses.shifts[starts][:, None] + share[:, None, None] * way
        shifts[:, :, self.moving] += _turn_back(body, values[:, :, joints:])
        world, above, places = self._place(_joints_first(quat.to_matrix(turns)), _joints_first(shifts))
        true = poses.points[starts[:, None] + frames].reshape(-1, len(self.points), 3).swapaxes(0, 1)
        apart = (places[self.points] - true) / sizes[:, None]
        far = np.sqrt((apart**2).sum(axis=(0, 2)) + NEAR * sizes.size)
        pull = apart / far[None, :, None] / sizes[:, None] / len(far)
        size = joints, len(far), 3
        force = (self.carried @ pull.reshape(len(pull), -1)).reshape(size)
        moment = (self.carried @ quat.cross(places[self.points], pull).reshape(len(pull), -1)).reshape(size)
        turning = _turn_back(world, moment - quat.cross(places, force))
        moved = _turn_back(above[self.moving], force[self.moving])
        moved = moved.swapaxes(0, 1).reshape(len(starts), len(frames), -1, 3)
        slope = np.concatenate(
            [turning.swapaxes(0, 1).reshape(len(starts), len(frames), joints, 3), (body @ moved[..., None])[..., 0]],
            axis=2,
        )
        slope = slope.reshape(len(starts), len(frames), -1)
        return float(far.mean()), np.einsum("fk,wfd->wkd", along, slope, optimize=True)

    def _place(self, turns: Array, shifts: Array) -> tuple[Array, Array, Array]:
        """Return joints' axes in the world, their rest axes there, and their places, of local rotations (J, N, 3, 3).

        The same on every engine, unlike kernels of `kinematics`: training would multiply the differences.
        """
        world, above, places = np.empty_like(turns), np.empty_like(turns), np.empty_like(shifts)
        offsets = self.skeleton.offsets / self.skeleton.height
        for joints in self.skeleton.levels:
            parents = self.skeleton.parents[joints]
            if parents[0] < 0:
                above[joints], places[joints] = self.turned[joints][:, None], offsets[joints][:, None]
            else:
                above[joints] = world[parents] @ self.turned[joints][:, None]
                places[joints] = places[parents] + (world[parents] @ offsets[joints][:, None, :, None])[..., 0]
            places[joints] += (above[joints] @ shifts[joints][..., None])[..., 0]
            world[joints] = above[joints] @ turns[joints]
        return world, above, places


def train(
    clip: Clip, moving: list[int], windows: Windows, levers: Singles, own: NDArray[np.bool_]
) -> tuple[Network, Singles]:
    """Return a network, and the departures that it predicted for windows when it had not seen them yet.

    clip : one of the clips, for its body; moving : joints whose locations are learnt
    levers (D,) : weights of squared departures; own (N,) : windows that it sees first
    """
    starts, given, rows = windows.starts, windows.given, windows.rows
    rng = np.random.default_rng(0)
    weights = np.sqrt(levers + np.float32(LEVER))
    network, wanted = _begin(given, windows.true * weights, rng)
    inner, turns = (
        replace(network, basis=network.basis / weights, mean=network.mean / weights),
        _Turns(network, wanted, rows),
    )
    body = Body(clip, windows.poses, moving, rows)
    sizes = _measure_sizes(body, starts)
    shape = BATCH, waves(rows, np.zeros(1)).shape[1], -1
    some = starts[rng.integers(len(starts), size=BATCH)]
    usual, _ = body.lose(some, np.array([rows // 2]), np.zeros_like(windows.true[:BATCH]).reshape(shape), sizes)
    optimizer, first = _Optimizer(network.layers), round(BEFORE * STEPS)
    seen, held = np.flatnonzero(own), windows.true[:0]
    for step in range(STEPS):
        if step == first:
            seen, held = np.arange(len(given)), inner.predict(given[~own])
        at = seen[rng.integers(len(seen), size=BATCH)]
        found = network.through((given[at] - network.means) / network.sizes, rng)
        made = found[-1][0]
        frames = 1 + ((np.arange(FRAMES) + rng.random()) * (rows - 1) / FRAMES).astype(np.int64)
        _, slope = body.lose(starts[at], frames, (made @ inner.basis + inner.mean).reshape(shape), sizes)
        pull = slope.reshape(BATCH, -1).astype(np.float32) @ inner.basis.T * np.float32(POINTS / usual)
        done = step / first if step < first else (step - first) / (STEPS - first)
        pace = PACE * min(1.0, (step + 1) / WARM) * 0.5 * (1.0 + np.cos(np.pi * done))
        optimizer.follow(network.back(found, pull + turns.slope(made, at)), pace)
    return inner, held


def _begin(given: Singles, true: Singles, rng: np.random.Generator) -> tuple[Network, Singles]:
    """Return a network with random weights, and the components (N, C) that it should make of weighted departures."""
    means, mean = given.mean(axis=0), true.mean(axis=0)
    sizes = given.std(axis=0) + SPREAD * given.std()
    some = rng.choice(len(true), min(SAMPLE, len(true)), replace=False)
    basis = np.linalg.svd(true[some] - mean, full_matrices=False)[2][:COMPONENTS]
    wanted = (true - mean) @ basis.T
    scale = np.sqrt((wanted**2).mean()) + np.float32(1e-9)
    wide = [given.shape[1], *HIDDEN, len(basis)]
    layers = [
        (
            rng.standard_normal((one, other), dtype=np.float32) * np.float32((2.0 / one) ** 0.5),
            np.zeros(other, np.float32),
        )
        for one, other in pairwise(wide)
    ]
    layers[-1] = layers[-1][0] * np.float32(0.1), layers[-1][1]
    return Network(means, sizes, layers, basis * scale, mean), wanted / scale


def _measure_sizes(body: Body, starts: Longs) -> Array:
    """Return the deviations (P, 3) of points from the ground point of a window: alike along, and of their height."""
    some = starts[np.linspace(0, len(starts) - 1, min(SAMPLE, len(starts))).astype(np.int64)]
    ground = body.poses.points[some, 0] * np.array([1.0, 1.0, 0.0])
    apart = body.poses.points[some + body.rows // 2] - ground[:, None]
    square = apart.var(axis=0)
    flat = np.sqrt(square[:, :2].mean(axis=1))
    return np.column_stack([flat, flat, np.sqrt(square[:, 2])]) + SPREAD


class _Optimizer:
    """Adam, with weights that decay, on layers in place."""

    def __init__(self, layers: list[tuple[Singles, Singles]]) -> None:
        self._values = [value for layer in layers for value in layer]
        self._first, self._second = ([np.zeros_like(value) for value in self._values] for _ in range(2))
        self._steps = 0

    def follow(self, slopes: list[Singles], pace: float) -> None:
        """Change all values against their slopes."""
        self._steps += 1
        one, other = MOMENTA
        short, size = pace / (1.0 - one**self._steps), (1.0 - other**self._steps) ** -0.5
        for value, slope, first, second in zip(self._values, slopes, self._first, self._second, strict=True):
            first *= np.float32(one)
            first += np.float32(1.0 - one) * slope
            second *= np.float32(other)
            second += np.float32(1.0 - other) * slope * slope
            if value.ndim == 2:
                value *= np.float32(1.0 - pace * DECAY)
            value -= np.float32(short) * first / (np.sqrt(second) * np.float32(size) + np.float32(TINY))


def _joints_first(values: Array) -> Array:
    """Return values (W, F, J, ...) as (J, W F, ...)."""
    return np.ascontiguousarray(np.moveaxis(values.reshape(-1, *values.shape[2:]), 1, 0))


def _turn_back(axes: Array, vectors: Array) -> Array:
    """Return vectors (..., 3) in the axes (..., 3, 3)."""
    return np.asarray((vectors[..., None, :] @ axes)[..., 0, :])
