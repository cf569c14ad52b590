"""Cut out: a stretch of a take as a loop, or as an action between loops (methods: A take becomes a set)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import HIDDEN, RARE, Choice, Declared, declaration, option
from ...recipes.base import Recipe

SUMMARY = "cut long recordings into sets of named actions: loops, starts, stops, turns, each a file"
KINDS = ("idle", "walk", "run", "turn", "action")
_ROW = (
    "rows of the loop's first and last frame in the take, its kind (0 idle, 1 walk, 2 run, 3 turn, 4 action), the frame"
    " of the loop (-1 the nearest), and 1 if the loop is mirrored; as it is if none is given"
)


@declaration
class TakeOptions(Declared):
    """How a take is read before it is cut."""

    trim: bool = option(True, "Remove calibration poses, and jumps in the first and last 0.1 s", shown=RARE)


@declaration
class CutOut(Recipe, TakeOptions):
    """Cut one stretch out of a take: as a loop, or as an action whose ends are poses of loops."""

    verb = "cut_out"
    label = "Take"
    tooltip = "Make an action of each ticked stretch of a take"
    mode = "Take"
    intent = "Take"
    least = most = 1
    summary = "cut one stretch out of a take, as a loop or as an action that leads from loop to loop"

    first: int = option(0, "First frame of the stretch, from 0", minimum=0, shown=HIDDEN)
    last: int = option(
        -1, "Last frame of the stretch", minimum=-1, zero="the take's last", below="the take's last", shown=HIDDEN
    )
    kind: str = option(
        "action",
        "What the body does there",
        choices=(
            Choice("idle"),
            Choice("walk"),
            Choice("run"),
            Choice("turn"),
            Choice("action"),
        ),
        shown=HIDDEN,
    )
    loop: bool = option(False, "Make a cycle of what the stretch repeats, instead of all of it", shown=HIDDEN)
    begins: tuple[tuple[float, ...], ...] = option(
        (),
        f"The pose with which an action begins: {_ROW}",
        bounds=(-1.0, 1e9),
        table=True,
        shown=HIDDEN,
        only_for=("loop", (False,)),
    )
    ends: tuple[tuple[float, ...], ...] = option(
        (),
        f"The pose with which an action ends: {_ROW}",
        bounds=(-1.0, 1e9),
        table=True,
        shown=HIDDEN,
        only_for=("loop", (False,)),
    )
    mirrored: bool = option(False, "Exchange left and right", shown=HIDDEN)
    in_place: bool = option(False, "Stay on the spot; else it travels on the root bone, if there is one", shown=HIDDEN)

    @classmethod
    def label_of(cls, count: int) -> str:
        return f"Weave {count} Actions"

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} cut"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["cut_out"]
        what = "a loop" if own["loop"] else "an action"
        return [f"  {what} of frames {own['first']} to {own['last']}, {own['speed_m_s']:.2f} m/s"]
