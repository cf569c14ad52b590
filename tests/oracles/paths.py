"""Paths for walks: rows of x and y, metres, from the origin along +y, to the left."""

import numpy as np


def line(length=15.0):
    return np.array([[0.0, 0.0], [0.0, length]])


def circle(radius=3.0):
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    return np.column_stack([radius * (np.cos(angle) - 1.0), radius * np.sin(angle)])


def s_curve(radius=3.6):
    bow = circle(radius)[:76]
    return np.concatenate([bow, bow[-1] + (bow[-1] - bow[::-1])[1:]])


def corner(leg=7.5):
    return np.array([[0.0, 0.0], [0.0, leg], [-leg, leg]])


def u_turn(width=1.0, leg=7.0):
    angle = np.linspace(0.0, np.pi, 40)
    bow = 0.5 * width * np.column_stack([np.cos(angle) - 1.0, np.sin(angle)]) + (0.0, leg)
    return np.concatenate([[[0.0, 0.0]], bow, [[-width, 0.0]]])


def wandering(seed):
    """A smooth random curve, 10 to 20 m long, that nowhere turns with a radius under 2 m."""
    rng = np.random.default_rng(seed)
    step, count = 0.02, int(rng.uniform(10.0, 20.0) / 0.02)
    reach = np.arange(-150, 151)
    bends = np.convolve(rng.normal(size=count + 300), np.exp(-0.5 * (reach / 50.0) ** 2), mode="valid")[:count]
    bends *= rng.uniform(0.6, 1.0) * 0.5 / np.abs(bends).max()
    facing = np.cumsum(bends) * step
    return np.cumsum(step * np.column_stack([-np.sin(facing), np.cos(facing)]), axis=0)


def right(path):
    return path * (-1.0, 1.0)


SHAPES = {"line": line(), "circle": circle(), "S": s_curve(), "corner": corner(), "U-turn": u_turn()}
