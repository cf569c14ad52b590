"""Keep the speed and turn of the strides behind each armature's latest asked-for motion, for the pad.

No Blender data is kept.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ....core.cache import Cache
from ...ground import memory

if TYPE_CHECKING:
    from ....core.verbs.ask.work import AskResult

WIDER = 0.1  # margin of the pad, as a share of half the strides' range
LEAST = (0.1, 5.0)  # m/s, degrees a second: least half range, so that equal strides still span a pad


class Field(NamedTuple):
    """A pad of speeds (m/s, upwards) and turns (degrees a second, to the left), each from -1 to 1.

    strides : speed and turn of each stride, and its share in the latest result
    got : the result's speed and turn
    """

    names: tuple[str, ...]
    strides: tuple[tuple[float, float, float], ...]
    got: tuple[float, float]

    def _ranges(self) -> tuple[tuple[float, float], tuple[float, float]]:
        found = []
        for k, least in enumerate(LEAST):
            values = [stride[k] for stride in self.strides]
            middle, half = 0.5 * (max(values) + min(values)), 0.5 * (max(values) - min(values))
            half = max(half, least) * (1.0 + WIDER)
            found.append((middle, half))
        return found[0], found[1]

    def place(self, speed: float, turn: float) -> tuple[float, float]:
        """Return the place of a speed and a turn on the pad; left turns are on its left."""
        (speed_middle, speed_half), (turn_middle, turn_half) = self._ranges()
        return -(turn - turn_middle) / turn_half, (speed - speed_middle) / speed_half

    def asked(self, place: Sequence[float]) -> tuple[float, float]:
        """Return the speed and the turn at a place of the pad, or at the nearest place on it."""
        (speed_middle, speed_half), (turn_middle, turn_half) = self._ranges()
        across, up = (min(max(value, -1.0), 1.0) for value in place)
        return max(speed_middle + up * speed_half, 0.01), turn_middle - across * turn_half


_known: Cache[int, Field] = memory.cache(4)


def keep(armature: int, made: "AskResult") -> None:
    """Keep the speeds and turns of a result's strides, for an armature's session id."""
    from ....core.style import measures

    of = made.examples
    unit = measures.unit_of(of.material.form.skeleton)
    shares = made.weights.max(axis=0)
    strides = zip(unit * of.measured["speed"], of.measured["turn"], shares, strict=True)
    got = made.examples.measure(made.weights[0] @ of.flat, ("speed", "turn"))
    points = tuple((float(speed), float(turn), float(share)) for speed, turn, share in strides)
    _known.keep(armature, Field(tuple(made.report["names"]), points, (unit * got["speed"], got["turn"])))


def field_of(armature: int, names: Sequence[str]) -> Field | None:
    """Return the pad of an armature if its ticked actions have these names, None if others were woven last."""
    known = _known.get(armature)
    return known if known is not None and sorted(known.names) == sorted(names) else None
