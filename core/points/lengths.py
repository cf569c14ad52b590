"""Measure the constant lengths of bones without the effect of noise, and move points to hold them (methods: Points)."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from . import body
from .noise import Noise
from .track import Track

_SWEEPS = 30
_NOISE_SHARE = 2.0 / 3.0  # share of the variances of both ends by which noise increases the median squared distance
_UNSURE = 0.3  # times a point's noise; if a side differs by this from the mean of both, half of this remains
_LEAST = 0.2  # share of the median distance; no measured length is smaller

Lengths = dict[tuple[str, str], float]


def measure(track: Track, noise: Noise) -> Lengths:
    """Return the length in metres of every bone between known points.

    The part of the difference between both sides that noise can explain is removed.
    """
    variances = dict(zip(track.names, noise.variances.sum(axis=1), strict=True))
    found: Lengths = {}
    for one, other, _ in body.bones_between(track.names):
        both = track.measured[:, track.names.index(one)] & track.measured[:, track.names.index(other)]
        if not both.any():
            both[:] = True
        squares = np.square(track.at(one)[both] - track.at(other)[both]).sum(axis=1)
        usual = float(np.median(squares))
        found[one, other] = float(
            np.sqrt(max(usual - _NOISE_SHARE * (variances[one] + variances[other]), _LEAST**2 * usual))
        )
    return {
        bone: _even_sides(length, found.get(_mirror_bone(bone), length), noise.deviation)
        for bone, length in found.items()
    }


def _even_sides(length: float, other: float, noise: float) -> float:
    """Return a length, moved towards the other side's by the part of their difference that noise can explain."""
    apart = 0.5 * (length - other)
    return 0.5 * (length + other) + apart**3 / (apart**2 + (_UNSURE * noise) ** 2 + 1e-18)


def _mirror_bone(bone: tuple[str, str]) -> tuple[str, str]:
    return body.other_side(bone[0]), body.other_side(bone[1])


def hold(track: Track, lengths: Mapping[tuple[str, str], float], noise: Noise) -> Track:
    """Return a track whose points are moved so that bones have their lengths.

    Points of low trust move more than others, and all points move more along noisy axes.
    """
    places = {name: track.at(name) @ noise.axes for name in track.names}
    loose = dict(zip(track.names, noise.variances, strict=True))
    ease = {
        name: loose[name] / np.maximum(track.trust[:, k, None], 0.02) for k, name in enumerate(track.names)
    }  # variances (F, 3)
    bones = [(one, other, share) for one, other, share in body.bones_between(track.names) if (one, other) in lengths]
    for _ in range(_SWEEPS):
        for one, other, share in bones:
            apart = places[other] - places[one]
            length = np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-9)
            along = apart / length
            total = np.sum(along * along * (ease[one] + ease[other]), axis=1, keepdims=True)
            push = share * (length - lengths[one, other]) / np.maximum(total, 1e-18) * along
            places[one] = places[one] + ease[one] * push
            places[other] = places[other] - ease[other] * push
    out = np.stack([places[name] for name in track.names], axis=1) @ noise.axes.T
    return normalise_lengths(track.of(out), lengths)


def normalise_lengths(track: Track, lengths: Mapping[tuple[str, str], float]) -> Track:
    """Return a track whose limb bones have exactly their lengths and keep their directions, from the trunk outwards."""
    out = track.places.copy()
    chains = (("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist"))
    for side in body.SIDES:
        for chain in chains:
            names = [f"{part}.{side}" for part in chain]
            shift = np.zeros((len(track), 3))
            for one, other in pairwise(names):
                first, second = track.columns((one, other))
                along = track.places[:, second] - track.places[:, first]
                along = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
                before = out[:, second].copy()
                out[:, second] = out[:, first] + lengths[one, other] * along
                shift = out[:, second] - before
            end = [f"{part}.{side}" for part in (body.LEGS if chain[0] == "hip" else body.ARMS)[2:]]
            for name in end:
                if track.has(name):
                    out[:, track.names.index(name)] += shift
    return track.of(out)
