"""The shapes of a preview: moving figures, their trails, the character's own mesh; separate, to load numpy late."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ....core.motion.quat import Array
    from ....core.recipes.base import Recipe
    from ....core.recipes.reading import Request
    from ....core.skin.skin import Skin
    from ....core.weave.results import Result
    from ...model.parts import Parts
    from ..weaving import reading

_ROUNDING = 1e-5  # of a frame; scene frames are single floats


@dataclass(frozen=True, eq=False)
class Playing:
    """The increasing scene frames (F,) at which poses were sampled.

    again : whether it repeats after its end; otherwise the first and last poses hold
    """

    frames: "Array"
    again: bool = False

    def at(self, frame: float) -> tuple[int, int, float]:
        """Return the two frame indices around a scene frame, and the share between them, 0 to 1."""
        first, last = float(self.frames[0]), float(self.frames[-1])
        if self.again and last > first and not first <= frame <= last + _ROUNDING:
            frame = first + (frame - first) % (last - first)
        here = max(int(self.frames.searchsorted(frame, "right")) - 1, 0)
        after = min(here + 1, len(self.frames) - 1)
        step = float(self.frames[after] - self.frames[here])
        share = max(frame - float(self.frames[here]), 0.0) / step if step else 0.0
        return here, after, share


@dataclass(frozen=True, eq=False)
class Figure:
    """A moving stick figure: points (F, P, 3) in scene units, joined by lines (L, 2)."""

    name: str
    points: "Array"
    lines: "NDArray[np.int64]"
    playing: Playing
    color: tuple[float, ...]
    wide: bool

    def at(self, frame: float) -> "Array":
        """Return the points (P, 3) at a scene frame."""
        here, after, share = self.playing.at(frame)
        found: Array = self.points[here] + share * (self.points[after] - self.points[here])
        return found


@dataclass(frozen=True, eq=False)
class Trail:
    """A line (N, 3) in the scene that shows where something moved; color : a meaning of `colors`."""

    points: "Array"
    color: str
    wide: bool


@dataclass(frozen=True, eq=False)
class Hands:
    """Places (F, N, 3) of ends of limbs in scene units, and marks (F, N), both as of `keep.mark_hands`."""

    ends: tuple[str, ...]
    palms: "Array"
    marks: "NDArray[np.int64]"
    playing: Playing

    def at(self, frame: float) -> "list[tuple[Array, bool]]":
        """Return the places of hands in contact at a scene frame, and whether they miss it."""
        here, after, share = self.playing.at(frame)
        places, marks = (1.0 - share) * self.palms[here] + share * self.palms[after], self.marks[round(here + share)]
        return [(place, mark > 1) for place, mark in zip(places, marks.tolist(), strict=True) if mark]


@dataclass(frozen=True, eq=False)
class Body:
    """The character's own mesh in motion.

    linear, volume : meshes in the armature's space, with bones numbered as below; the second kind preserves volume
    rest (B, 4, 4), posed (F, B, 4, 4) : bones in the armature's space
    standing (F, 4, 4) : the armature's place in the scene
    """

    linear: "Skin | None"
    volume: "Skin | None"
    rest: "Array"
    posed: "Array"
    standing: "Array"
    playing: Playing

    def at(self, frame: float) -> "tuple[Array, Array]":
        """Return the bones (B, 4, 4) and the armature (4, 4) at a scene frame."""
        here, after, share = self.playing.at(frame)
        if not share:
            return self.posed[here], self.standing[here]
        posed, standing = ((1.0 - share) * one[here] + share * one[after] for one in (self.posed, self.standing))
        return posed, standing


@dataclass(frozen=True, eq=False)
class Ghost:
    """A preview of a mode: its figures (the result last), their trails, and the inputs behind them.

    left_out : messages about meshes that can't be shown, and about what can't be written as woven
    asked : the panel's state when it was made
    outdated : whether that state has changed and weaving again takes too long for an update
    parts : the source played at each time
    hands : of the result, None without contacts
    """

    mode: str
    figures: tuple[Figure, ...]
    summary: str
    request: "Request"
    read: "reading.Read"
    recipe: "Recipe | None" = None
    woven: "Result | None" = None
    trails: tuple[Trail, ...] = ()
    body: Body | None = None
    left_out: tuple[str, ...] = ()
    asked: tuple[Any, ...] = field(default=(), repr=False)
    outdated: bool = False
    parts: "Parts | None" = None
    hands: Hands | None = None
