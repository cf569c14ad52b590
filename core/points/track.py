"""The points of a body over time, as passed between the steps of the solver (methods: Points)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import ClipError
from ..motion.quat import Array
from . import body, labels
from .recording import Recording

Flags = NDArray[np.bool_]

SHORTEST = 8  # frames
_SEEN = 0.2  # share of frames in which a point must be measured
_METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001}
# A file has no travel if the hips are within _CENTRED body heights of one place in the share _MOSTLY of the frames.
_CENTRED, _MOSTLY = 0.002, 0.8
# If the distance of the hips from the ankles is less than this share of the knees' distance, the names of hips and
# knees are exchanged: no crouch is so deep.
_NEARER = 0.7
_LIKELY = (1.2, 2.3)  # m; a unit is accepted if the body has a height between these


@dataclass(frozen=True, eq=False)
class Track:
    """The points of a body in F frames.

    names : P names of `body.NAMES`; places (F, P, 3) : metres
    measured (F, P) : whether a point was in the file, rather than filled in
    trust (F, P) : weights, 1 for a measured point of full confidence
    rate : frames per second; height : of the body, metres
    centred : whether the hips stay in one place, as in files without travel
    """

    names: tuple[str, ...]
    places: Array
    measured: Flags
    trust: Array
    rate: float
    height: float
    centred: bool = False

    def __len__(self) -> int:
        return len(self.places)

    def at(self, name: str) -> Array:
        """Return the places (F, 3) of a point."""
        return self.places[:, self.names.index(name)]

    def has(self, *names: str) -> bool:
        """Return whether all these points are known."""
        return all(name in self.names for name in names)

    def middle(self, part: str) -> Array:
        """Return the middle (F, 3) of a pair of points."""
        return np.asarray(0.5 * (self.at(f"{part}.L") + self.at(f"{part}.R")))

    def of(self, places: Array) -> "Track":
        """Return the same track with other places."""
        return replace(self, places=places)

    def columns(self, names: Sequence[str]) -> list[int]:
        """Return the columns of points."""
        return [self.names.index(name) for name in names]


def begin(recording: Recording, rate: float) -> tuple[Track, int, list[str]]:
    """Return the points of a recording in metres, the first frame in which the person is seen, and notes.

    Raises ClipError if needed points are missing, too few frames show a body, or its legs have the length 0.
    """
    found = labels.find_points(recording.labels)
    missing = [name for name in body.NEEDED if name not in found]
    title = _title(recording)
    if missing:
        raise ClipError(f"{title}: it has no points {', '.join(missing[:4])}: name its points (option order)")
    names = tuple(name for name in body.NAMES if name in found)
    places = np.stack([recording.positions[:, list(found[name])].mean(axis=1) for name in names], axis=1)
    measured = np.isfinite(places).all(axis=-1)
    seen = np.flatnonzero(measured[:, [names.index(name) for name in body.NEEDED]].mean(axis=1) >= 0.5)
    if len(seen) < SHORTEST:
        raise ClipError(f"{title}: a body is seen in {len(seen)} frames, but {SHORTEST} are needed")
    whole = slice(int(seen[0]), int(seen[-1]) + 1)
    places, measured = places[whole], measured[whole]
    often = measured.mean(axis=0) >= _SEEN
    rare = [name for name, enough in zip(names, often, strict=True) if not enough and name in body.NEEDED]
    if rare:
        raise ClipError(f"{title}: {rare[0]} is missing in most frames")
    trust = np.where(measured, 1.0, 0.0)
    if recording.trust is not None:
        sure = np.stack([recording.trust[:, list(found[name])].min(axis=1) for name in names], axis=1)[whole]
        trust = np.where(measured, np.clip(sure, 0.1, 1.0), 0.0)
    names = tuple(name for name, enough in zip(names, often, strict=True) if enough)
    track = Track(names, places[:, often], measured[:, often], trust[:, often], rate, 0.0)
    track, mistaken = _with_knees_below(track)
    metres, height, notes = _find_unit(track, recording.metres, title)
    if mistaken:
        notes.append(f"{title}: its hips have the names of knees, and were exchanged")
    left = len(recording) - len(places)
    if left:
        notes.append(f"{title}: {left} frames at its ends have no body and were left out")
    track = replace(track, places=track.places * metres, height=height)
    return replace(track, centred=recording.centred or _is_centred(track)), int(seen[0]), notes


def _with_knees_below(track: Track) -> tuple[Track, bool]:
    """Return a track with correct names of hips and knees, which some tools exchange, and whether they were wrong."""

    def distance_of(part: str) -> float:
        sides = [track.at(f"{part}.{side}") - track.at(f"ankle.{side}") for side in body.SIDES]
        return float(np.nanmedian(np.linalg.norm(sides, axis=-1)))

    if not distance_of("hip") < _NEARER * distance_of("knee"):
        return track, False
    exchanged = {"hip": "knee", "knee": "hip"}
    parts = [name.partition(".") for name in track.names]
    names = tuple(f"{exchanged.get(part, part)}{dot}{side}" for part, dot, side in parts)
    return replace(track, names=names), True


def _is_centred(track: Track) -> bool:
    """Return whether the middle of the hips stays in one place in most of the frames in which both are measured."""
    middle = track.middle("hip")
    middle = middle[np.isfinite(middle).all(axis=1)]
    away = np.linalg.norm(middle - np.median(middle, axis=0), axis=1)
    return bool(len(middle)) and bool(np.quantile(away, _MOSTLY) < _CENTRED * track.height)


def _title(recording: Recording) -> str:
    return f"{recording.path}{recording.person and f' person {recording.person}'}"


def _find_unit(track: Track, stated: float, title: str) -> tuple[float, float, list[str]]:
    """Return the metres of the file's unit, the height of the body in metres, and notes."""
    legs = [
        np.nanmedian(np.linalg.norm(track.at(f"{one}.{side}") - track.at(f"{other}.{side}"), axis=1))
        for one, other in (("hip", "knee"), ("knee", "ankle"))
        for side in body.SIDES
    ]
    height = float(sum(legs)) / 2.0 / body.HEIGHT_OF_LEG
    if not np.isfinite(height) or height <= 0.0:
        raise ClipError(f"{title}: its legs have no length")
    if stated and _LIKELY[0] * 0.5 < height * stated < _LIKELY[1] * 1.5:
        low = not _LIKELY[0] < height * stated < _LIKELY[1]
        tall = f"{title}: the body is {height * stated:.2f} m tall in the file's unit"
        return stated, height * stated, [tall] if low else []
    unit = min(_METRES, key=lambda name: abs(np.log(height * _METRES[name] / body.USUAL_HEIGHT)))
    if _LIKELY[0] < height * _METRES[unit] < _LIKELY[1]:
        return _METRES[unit], height * _METRES[unit], []
    scale = body.USUAL_HEIGHT / height
    return scale, body.USUAL_HEIGHT, [f"{title}: its unit is unknown, so the body was made {body.USUAL_HEIGHT} m tall"]
