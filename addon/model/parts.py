"""What plays when in a result: which source, with what share, and where one goes over into another.

It is kept on the result as text, so that the strip at the timeline needs nothing to be woven again. Frames count from 0
in the result.
"""

import json
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple


class Part(NamedTuple):
    """Sources, counted from 0, that play in turn from a first to a last frame; mirrored : whether as their images."""

    sources: tuple[int, ...]
    first: float
    last: float
    mirrored: bool = False


class Seam(NamedTuple):
    """Where one source goes over into the next: the frames that are mended, and the one that parts them.

    left : the frame at which the first clip is left, as its recipe counts; -1 where a recipe can't say it
    fades : whether both play on over the mended frames, so that their number can be chosen
    step : frames of the clip that is left to one of the result
    """

    first: float
    at: float
    last: float
    left: int = -1
    fades: bool = False
    step: float = 1.0


@dataclass(frozen=True)
class Parts:
    """The parts of a result of `last` + 1 frames at a rate.

    tracks : rows of parts one after the other, from the top
    shares : rows of a frame, its place in the blend (0 to 1) and each source's share there, the frames rising
    """

    last: float
    rate: float
    tracks: tuple[tuple[Part, ...], ...] = ()
    shares: tuple[tuple[float, ...], ...] = ()
    seams: tuple[Seam, ...] = ()

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    def place_at(self, frame: float) -> float:
        """Return the place in a blend, 0 to 1, that is played at a frame."""
        return between([(row[0], row[1]) for row in self.shares], frame)

    def frame_at(self, place: float) -> float:
        """Return the frame at which a place in a blend is played."""
        return between([(row[1], row[0]) for row in self.shares], place)


def between(points: list[tuple[float, float]], at: float) -> float:
    """Return the value on a line through points that rise, its ends held."""
    if at <= points[0][0]:
        return points[0][1]
    for (start, low), (end, high) in pairwise(points):
        if at <= end:
            return low + (high - low) * (at - start) / (end - start)
    return points[-1][1]


def from_json(text: str) -> Parts | None:
    """Return the parts that a text describes; None for none, and for what something else has written."""
    try:
        values: dict[str, Any] = json.loads(text)
        return Parts(
            float(values["last"]),
            float(values["rate"]),
            tuple(
                tuple(Part(tuple(map(int, one[0])), float(one[1]), float(one[2]), bool(one[3])) for one in track)
                for track in values["tracks"]
            ),
            tuple(tuple(map(float, row)) for row in values["shares"]),
            tuple(
                Seam(float(one[0]), float(one[1]), float(one[2]), int(one[3]), bool(one[4]), *map(float, one[5:6]))
                for one in values["seams"]
            ),
        )
    except (IndexError, KeyError, TypeError, ValueError):
        return None
