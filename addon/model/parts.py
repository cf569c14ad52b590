"""The timeline of a result's sources: the played source, its share, and the transitions.

It is stored on the result as text, so that the timeline strip can be drawn without weaving. Frames count from 0 in the
result.
"""

import json
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple


class Part(NamedTuple):
    """Sources, by index, that play in turn from a first to a last frame; mirrored : whether they play mirrored."""

    sources: tuple[int, ...]
    first: float
    last: float
    mirrored: bool = False


class Seam(NamedTuple):
    """A transition from one source to the next: its blended frames, and the frame of the switch.

    left : the frame at which the first clip is left, in the recipe's counting; -1 if the recipe lacks such an option
    fades : whether both sources play during the blended frames, so that their number is adjustable
    step : frames of the first clip per frame of the result
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

    tracks : rows of consecutive parts, from the top
    shares : rows of a frame, its place in the blend (0 to 1) and each source's share there, by increasing frame
    """

    last: float
    rate: float
    tracks: tuple[tuple[Part, ...], ...] = ()
    shares: tuple[tuple[float, ...], ...] = ()
    seams: tuple[Seam, ...] = ()

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    def place_at(self, frame: float) -> float:
        """Return the place in a blend, 0 to 1, at a frame."""
        return between([(row[0], row[1]) for row in self.shares], frame)

    def frame_at(self, place: float) -> float:
        """Return the frame of a place in a blend."""
        return between([(row[1], row[0]) for row in self.shares], place)


def between(points: list[tuple[float, float]], at: float) -> float:
    """Interpolate linearly through increasing points, with constant ends."""
    if at <= points[0][0]:
        return points[0][1]
    for (start, low), (end, high) in pairwise(points):
        if at <= end:
            return low + (high - low) * (at - start) / (end - start)
    return points[-1][1]


def from_json(text: str) -> Parts | None:
    """Parse parts from a text; None for an empty text, or one that this module has not written."""
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
