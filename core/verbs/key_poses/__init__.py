"""Key poses: a new clip through poses of other clips (methods: Key poses and reaching)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import Choice, constant, declaration, declared_options, option
from ...recipes.base import Recipe


@declaration
class KeyPoses(Recipe):
    """Make a clip that goes from pose to pose."""

    verb = "key_poses"
    label = "Key Poses"
    tooltip = "Make an action through single poses of the ticked ones"
    mode = "Poses"
    intent = "Chain"
    least = 1
    summary = "make a clip that goes through poses of others"

    poses: tuple[tuple[float, ...], ...] = option(
        (),
        "Rows of clip (from 1), frame (from 0), time (s) and hold (s); if empty, each clip's first pose and"
        " those that follow at the interval",
        bounds=(0.0, 1e9),
        table=True,
        from_file=True,
    )
    between: str = option(
        "ease",
        "The way from pose to pose",
        choices=(
            Choice("ease", "", "Slowly out of each pose and into the next"),
            Choice("squad", "Flowing", "Without a stop, swinging beyond the poses"),
            Choice("monotone", "", "Without a stop, and never beyond the poses"),
        ),
    )
    interval: float = option(
        0.5,
        "Time between poses without rows, and back to the first",
        bounds=(0.001, 1000.0),
        usual=(0.05, 2.0),
        unit=" s",
    )
    repeat: bool = option(False, "Go back to the first pose at the end")
    in_place: bool = option(False, "All poses stand and face as the first one does")
    fps: float = constant(0.0)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(dict.fromkeys(names))} key poses"

    def without_effect(self, report: Mapping[str, Any]) -> list[str]:
        """Return a sentence for each option without effect, from a result's report."""
        timed = bool(self.poses) and all(len(row) > 2 for row in self.poses) and not self.repeat
        given = timed and self.interval != declared_options(type(self))["interval"].default
        return [*super().without_effect(report), *(["interval had no effect: every row has its time"] if given else [])]

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["key_poses"]
        held = sum(pose["last"] > pose["first"] for pose in own["poses"])
        back = ", and back to the first" if own["back_after"] else ""
        turn = max(own["turns_degrees"], default=0.0)
        return [
            f"  {len(own['poses'])} poses, {held} of them held{back}; joints turn by {turn:.0f}° at most between two"
        ]
