"""Key poses: a new clip through poses of other clips (methods: Key poses and reaching)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import RARE, Choice, declaration, option
from ...recipes.base import Recipe


@declaration
class KeyPoses(Recipe):
    """Make a clip that goes from pose to pose."""

    verb = "key_poses"
    label = "Key Poses"
    tooltip = "Make an action that goes through poses of the ticked ones, and holds them as long as asked"
    mode = "Poses"
    mode_tooltip = "From pose to pose of the ticked actions, held as long as asked"
    intent = "Chain"
    least = 1
    summary = "make a clip that goes through poses of others"

    poses: tuple[tuple[float, ...], ...] = option(
        (),
        "Rows of a clip (counted from 1), its frame (from 0), when that pose is reached (s), and for how long it is"
        " held (s); none are the first pose of every clip and those that follow it at the interval",
        minimum=0.0,
        maximum=1e9,
        table=True,
        from_file=True,
    )
    between: str = option(
        "ease",
        "How it goes from one pose to the next",
        choices=(
            Choice("ease", "", "Slowly out of each pose and slowly into the next: for poses that are to be seen"),
            Choice("squad", "Flowing", "On through the poses without a stop, swinging beyond them where it turns"),
            Choice("monotone", "", "On through the poses without a stop, and never beyond them"),
        ),
    )
    interval: float = option(
        0.5,
        "Between poses without rows, and back to the first one where they repeat",
        minimum=0.001,
        maximum=1000.0,
        usual=(0.05, 2.0),
        unit=" s",
    )
    repeat: bool = option(False, "Go back to the first pose in the end: a loop")
    in_place: bool = option(
        False, "All poses stand where the first one does and face as it does; off, each where it stood"
    )
    fps: float = option(
        0.0,
        "Frames per second of what is made",
        minimum=0.0,
        maximum=1000.0,
        usual=(0.0, 240.0),
        zero="the first clip's",
        label="Frame Rate",
        shown=RARE,
    )

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(dict.fromkeys(names))} key poses"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["key_poses"]
        held = sum(pose["last"] > pose["first"] for pose in own["poses"])
        back = ", and back to the first" if own["back_after"] else ""
        turn = max(own["turns_degrees"], default=0.0)
        return [
            f"  {len(own['poses'])} poses, {held} of them held{back}; joints turn by {turn:.0f}° at most between two"
        ]
