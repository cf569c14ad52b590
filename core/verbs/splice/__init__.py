"""Put the upper body of actions on the lower body of a locomotion.

Method: Splicing upper body onto locomotion.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import FRAME, RARE, Choice, declaration, declared_options, option
from ...recipes.base import Recipe, graph_name
from ...recipes.planting import PlantOptions
from ...recipes.splice import PointOptions, SpliceOptions


@declaration
class Splice(Recipe, PlantOptions, SpliceOptions):
    """Splice the upper body of one or more clips, the actions, onto the lower body of another, the locomotion."""

    verb = "splice"
    takes_partners = True
    label = "Splice"
    tooltip = "Put the upper body of the other ticked actions on the legs of the reference"
    mode = "Splice"
    intent = "Mix"
    least = 2
    reference_first = True
    summary = "put an action on a locomotion: splice WALK BOXING walks with BOXING's upper body"

    timing: str = option(
        "auto",
        "How the action is timed",
        choices=(
            Choice("auto", "", "In step if the legs match, else at its own speed"),
            Choice("own", "Own Speed", "For a wave, a punch, a call"),
            Choice("sync", "In Step", "With the steps, for arms that swing"),
            Choice(
                "points",
                "Splice Points",
                "Entered anew every second where legs and trunk are alike: for long walks",
            ),
        ),
    )
    start: int = option(0, "First frame of the action to play, from 0", minimum=0, pick=FRAME, shown=RARE)
    if_shorter: str = option(
        "repeat",
        "What happens if the action is too short",
        choices=(
            Choice("repeat", "", "It begins again, looped if it is no cycle"),
            Choice("hold", "", "Its last pose is held"),
        ),
        shown=RARE,
        aliases=("short",),
    )
    trim: bool = option(True, "Remove calibration poses, and jumps in the first and last 0.1 s", shown=RARE)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{graph_name(names[1:])} on {names[0]}" if len(names) > 1 else super().result_name(names)

    def without_effect(self, report: Mapping[str, Any]) -> list[str]:
        """Return a sentence for each option without effect, from a result's report."""
        own, names = report["splice"], list(declared_options(PointOptions))
        if own["timing"] != "points":
            names += ["action_graph", "action_threshold"]
            why = "the action is entered at no splice points; timing points does that"
        elif own["graph"] is None:
            names = ["action_threshold"]
            why = "there is no graph of the action; action_graph makes one"
        else:
            names, why = ["start"], "actions of a graph are played from where they fit"
        given = [name for name in names if getattr(self, name) != declared_options(type(self))[name].default]
        lost = [f"{name} had no effect: {why}" for name in given]
        if self.if_shorter == "hold" and (own["timing"] == "points" or not _is_held(own["action_frame"])):
            why = "splice points lead on" if own["timing"] == "points" else "the action is long enough"
            lost.append(f"if_shorter had no effect: {why}")
        return [*super().without_effect(report), *lost]

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["splice"]
        frames, turned = own["action_frame"], own["correction_degrees"]
        if own["timing"] == "points":
            found = point_figures(own)
        else:
            played = "in step with the locomotion" if own["timing"] == "sync" else "at its own speed"
            again = f", again after {own['repeated']} frames" if own["repeated"] else ""
            found = [f"  action played {played} ({own['why']}), from frame {frames[0]:.0f}{again}"]
        if own["pelvis"] is not None and own["method"] != "copy":
            mean = f"{sum(turned) / len(turned):.1f}° on the mean, {max(turned):.1f}° at most"
            found.append(f"  {own['pelvis']} turned by {mean} ({own['method']})")
        swung = own["swing"]
        if swung["locomotion"] is not None and swung["result"] is not None:
            found.append(f"  chest against pelvis {swung['locomotion']:+.2f} → {swung['result']:+.2f}")
        return found


def _is_held(frames: Sequence[float]) -> bool:
    """Return whether an action is held in its first or last pose."""
    return len(frames) > 1 and (frames[0] == frames[1] or frames[-1] == frames[-2])


def point_figures(part: Mapping[str, Any]) -> list[str]:
    """Return the main figures of splice points as lines, from their part of a report.

    Example:
        >>> from action_loom.core.verbs import splice
        >>> points = [{"level": 0, "legs_apart_in_time": None}, {"level": None, "legs_apart_in_time": None}]
        >>> report = {"splice_points": points, "threshold": 0.13, "least_distance": 0.052, "in_step": 0.5}
        >>> splice.point_figures(report)[0].strip()
        'entered at 1 splice points within 13 cm, the nearest 5.2 cm off'
    """
    entered = [point for point in part["splice_points"] if point["level"] is not None]
    least = "" if part["least_distance"] is None else f", the nearest {100.0 * part['least_distance']:.1f} cm off"
    timed = sum(point["legs_apart_in_time"] is not None for point in part["splice_points"])
    in_time = f"; {timed} re-timed to the legs" if timed else ""
    return [
        f"  entered at {len(entered)} splice points within {100.0 * part['threshold']:.3g} cm{least}{in_time}",
        f"  {part['in_step']:.0%} of it goes on from these",
    ]
