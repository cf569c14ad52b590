"""Warp a clip to pass through given poses, and move its events in time (methods: Warping in space and time)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import HIDDEN, JOINTS, PANEL, constant, declaration, option
from ...recipes.base import Recipe
from ...recipes.planting import SpanOptions, spans_option


@declaration
class Warp(Recipe, SpanOptions):
    """Let a clip go exactly through given poses at some frames; the change fades out around each."""

    verb = "warp"
    label = "Spread Pose"
    tooltip = "Let the action go through your pose at this frame: pose bones first, without keys"
    least = 1
    of_action = True
    summary = "let a clip go through poses of others: warp WALK POSES --poses '40 2 0'"

    corrections: tuple[tuple[float, ...], ...] = option(
        (),
        "Corrected poses: rows of a frame from 0, a bone (its number in bones, from 1), the rotation vector that turns"
        " it, degrees, and what moves it, metres, x y z each, along its own axes",
        bounds=(-1e9, 1e9),
        table=True,
        from_file=True,
        shown=HIDDEN,  # written by posing in the host
    )
    bones: str = option(
        "",
        "What the bones of corrections are called, comma-separated; the clip's, if empty",
        shown=HIDDEN,
        needs=("corrections",),
    )
    poses: tuple[tuple[float, ...], ...] = option(
        (),
        "Poses of other clips: rows of a frame from 0, the number of a clip from 2 on, and its frame",
        bounds=(0.0, 1e9),
        table=True,
        shown=HIDDEN,
    )
    joints: str = option(
        "all",
        "Which joints take a pose of another clip: all, lower, upper, or comma-separated names",
        pick=JOINTS,
        shown=HIDDEN,
        needs=("poses",),
    )
    with_root: bool = option(
        False,
        "Take over where a pose of another clip stands and faces, too, not only the pose",
        shown=HIDDEN,
        needs=("poses",),
    )
    reach: float = option(
        0.4,
        "How long before and after the pose the action changes; under 0.15 s it looks sudden",
        bounds=(0.01, 100.0),
        unit=" s",
        usual=(0.1, 2.0),
    )
    reach_after: float = constant(0.0)
    spans: tuple[tuple[float, ...], ...] = spans_option(("plant_feet", (True,)))
    plant_feet: bool = option(False, "Keep standing feet in place", shown=PANEL)

    def result_name(self, names: Sequence[str]) -> str:
        return f"{names[0]} posed" if names else "posed"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["warp"]
        frames = ", ".join(str(frame) for frame in own["frames"])
        return [
            f"  through poses at {frames};"
            f" joints turned by {own['degrees']:.1f}° and moved by {own['cm']:.1f} cm at most"
        ]


@declaration
class MoveEvents(Recipe):
    """Move events of a clip to earlier or later frames, or hold them; the time around them is stretched or squeezed."""

    verb = "move_events"
    takes_partners = True
    label = "Move Events"
    tooltip = "Move events earlier or later, or hold them; time around them gives way"
    least = most = 1
    of_action = True
    summary = "let events of a clip come sooner or later, or be held: move_events PUNCH --events '31 25 0.2'"

    events: tuple[tuple[float, ...], ...] = option(
        (),
        "Rows of a frame from 0 at which something happens and the frame at which it is to come; then, if wanted, for"
        " how many seconds it is held there, and its anticipation, 0 to 1: how much time slows down before it and"
        " hurries after, so that it comes later still",
        bounds=(0.0, 1e9),
        table=True,
        shown=HIDDEN,  # shown as a list
    )
    reach: float = option(
        0.0,
        "How long before and after an event time gives way",
        bounds=(0.0, 1000.0),
        unit=" s",
        usual=(0.0, 4.0),
        zero="what they need",
    )

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} re-timed"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["move_events"]
        moved = ", ".join(
            f"{event['frame']:g} → {event['at']:g}"
            + (f" held to {event['at'] + event['held']:g}" if event["held"] else "")
            for event in own["coming"]
        )
        return [f"  events {moved}; plays at {own['speeds'][0]:.2f} to {own['speeds'][1]:.2f} times its speed"]
